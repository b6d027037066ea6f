package import SocketTransport

/// The open content of an entry in a directory; it stays readable after its name is removed.
///
/// Functions block; call them on a thread for files.
package final class CacheFile: Sendable {
    /// The file, for copying inside the kernel; the content begins at ``offset``.
    ///
    /// The kernel verifies nothing: call ``CacheContent/verify()`` before the copy is used.
    package let file: FileReader
    /// The position of the content in the file.
    package let offset = 0
    /// The length of the content in bytes.
    package let length: Int
    /// The longest content that is read at once, and kept in memory while it is used.
    package static let maxBytesInMemory = CacheSeal.chunkSize
    /// The path when it was opened.
    let path: String
    /// The digests after the content, which have been verified.
    private let trailer: [UInt8]

    init(_ file: FileReader, length: Int, trailer: [UInt8], path: String) {
        self.file = file
        self.length = length
        self.trailer = trailer
        self.path = path
    }

    /// Reads from a position of the content to the end of its chunk, at most 256 KiB.
    ///
    /// - Parameter position: the position in the content.
    /// - Returns: verified bytes; empty at the end.
    /// - Throws: `.damaged` if the chunk is not the stored one; the next use of the entry finds that, and removes it.
    package func read(at position: Int) throws(CacheStoreError) -> [UInt8] {
        try CacheSeal.read(at: position, of: length, trailer, path) {
            count,
            start throws(CacheStoreError) in
            try Self.read(file, count, at: start, path)
        }
    }

    /// Reads as many bytes as possible; fewer mean the end of the file.
    static func read(
        _ file: FileReader,
        _ count: Int,
        at offset: Int,
        _ path: String
    ) throws(CacheStoreError) -> [UInt8] {
        do {
            var bytes = try file.read(count, at: offset)
            // A signal can end a read early.
            while bytes.count < count {
                let more = try file.read(count - bytes.count, at: offset + bytes.count)
                if more.isEmpty { break }
                bytes += more
            }
            return bytes
        } catch {
            throw CacheStoreError(error, .read, path)
        }
    }
}

extension CacheStoreError {
    /// Creates the error of a file that cannot be read.
    init(_ error: FileReader.ReadError, _ step: Step, _ path: String) {
        switch error {
        case .system(let errno): self = .system(errno, step, path: path)
        case .notRegular: self = .damaged(path: path)
        }
    }
}
