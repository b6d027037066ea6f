package import SocketTransport

// To change how files are sent without a copy: this file divides them, `StreamedUpload` sends the parts, and
// `SocketStream` of SocketTransport calls sendfile(2). The tests are `StreamedUploadTests`, `UploadFailureTests` and
// `SocketStreamTests`.

/// A range of an open file that the event loop sends without reading it into memory.
package struct FileRegion: Sendable {
    package let file: FileReader
    /// The path of the file, for errors.
    package let path: String
    /// The position of the next byte to send.
    package private(set) var offset: Int
    /// The number of bytes left to send.
    package private(set) var count: Int

    package init(_ file: FileReader, path: String, _ range: Range<Int>) {
        self.file = file
        self.path = path
        offset = range.lowerBound
        count = range.count
    }

    /// Records that bytes were sent.
    package mutating func advance(by sent: Int) {
        offset += sent
        count -= sent
    }
}

extension BodyFile {
    /// Files with fewer bytes are read, because one send can then contain other bytes too.
    private static let minRegion = 256 << 10
    /// The bytes of a region; large, because each one wakes the producer.
    private static let maxRegion = 8 << 20

    /// Passes the file in regions whose pages are in the page cache; a short file is read instead.
    ///
    /// The last region is small. The producer continues when the loop takes it, so the check at the
    /// end of the file comes when nearly all bytes were sent.
    ///
    /// - Parameters:
    ///   - length: the announced number of bytes.
    ///   - channel: receives the regions, in order.
    /// - Throws: the same errors as ``send(_:to:)``.
    func sendRegions(_ length: Int, to channel: UploadChannel) async throws {
        guard length > Self.minRegion else {
            return try await send(length) { try await channel.send($0) }
        }
        try await withFile(length) { file, range in
            var offset = range.lowerBound
            while offset < range.upperBound {
                let left = range.upperBound - offset
                let count =
                    left <= Self.minRegion ? left : min(left - Self.minRegion, Self.maxRegion)
                let region = offset..<offset + count
                try file.load(region)
                try await channel.send(FileRegion(file, path: path, region))
                offset += count
            }
        }
    }
}
