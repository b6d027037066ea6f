internal import SocketTransport

/// A file, or a range of its bytes, that is sent as content.
package struct BodyFile: Sendable {
    package let path: String
    /// The range in bytes; nil for the whole file.
    package let range: Range<Int>?

    package init(path: String, range: Range<Int>? = nil) {
        self.path = path
        self.range = range
    }

    /// The bytes of one read, which is also one piece; large enough to make system calls negligible.
    private static let pieceSize = 128 << 10

    /// Opens the file to check that it can be read, and returns the number of bytes to send.
    func sized() throws(HTTPFileError) -> Int {
        let length: Int
        do throws(FileReader.ReadError) {
            length = try FileReader(path: path).length
        } catch {
            throw HTTPFileError(error)
        }
        guard let range else { return length }
        guard range.lowerBound >= 0, range.upperBound <= length else {
            throw .rangeOutOfBounds(length: length)
        }
        return range.count
    }

    /// Reads the file and sends it; the file must still have exactly the announced number of bytes.
    func send(_ length: Int, to channel: UploadChannel) async throws {
        do {
            let file = try FileReader(path: path)
            var offset = range?.lowerBound ?? 0
            let end = offset + length
            while offset < end {
                let count = min(Self.pieceSize, end - offset)
                let piece = try file.read(count, at: offset)
                guard !piece.isEmpty else { throw failure(.changed) }
                offset += piece.count
                try await channel.send(piece)
            }
            // The reported length may be wrong from the start, as for files in /proc.
            if range == nil, !(try file.read(1, at: end).isEmpty) { throw failure(.changed) }
        } catch let fault as FileReader.ReadError {
            throw failure(HTTPFileError(fault))
        }
    }

    private func failure(_ fault: HTTPFileError) -> BodyError {
        BodyError(.file(path, fault))
    }
}

extension HTTPFileError {
    init(_ fault: FileReader.ReadError) {
        switch fault {
        case .system(let errno):
            self = .unreadable(errno: errno.rawValue, reason: errno.description)
        case .notRegular: self = .notRegular
        }
    }
}

extension HTTPBody {
    /// Returns a body that reads a file while it is sent, in constant memory.
    ///
    /// The client opens the file when the request is sent, to determine the length and to detect errors
    /// before any byte is sent. This happens on the calling thread, which waits if the disk is slow. The
    /// client opens the file again when it needs the content.
    ///
    /// - Parameters:
    ///   - path: the path of a regular file. A path without a leading slash is relative to the working
    ///     directory of the process. If the file is missing or unreadable, sending the request throws
    ///     `.invalidRequest(.bodyFile)`. If its length changes while it is sent, the call throws
    ///     `.bodyFailed(.file(_, .changed))` and the connection is closed.
    ///   - range: the bytes to send; default nil, which sends all. A range with a negative bound, or with
    ///     an end beyond the file, throws `.invalidRequest(.bodyFile)`.
    ///   - contentType: default nil, which derives it from the extension of the file name
    ///     (``HTTPContentType/init(fileName:)``).
    /// - Returns: a replayable body.
    public static func file(
        _ path: String,
        range: Range<Int>? = nil,
        contentType: HTTPContentType? = nil
    ) -> HTTPBody {
        HTTPBody(
            content: .source(BodySource([.file(BodyFile(path: path, range: range))])),
            contentType: contentType ?? HTTPContentType(fileName: path)
        )
    }
}
