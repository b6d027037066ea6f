internal import SocketTransport

/// The digests of a content file, which follow the content.
///
/// Each chunk has its own digest, so that a reader verifies a large file while it reads it, in any order. The seal in the
/// metadata is the digest of the digests, the length, the URI and the number of the entry. A content file therefore
/// belongs to one entry, and files that were swapped do not match. The layout:
///
/// | bytes | contents |
/// |---|---|
/// | 32 for each chunk | SHA-256 of the chunk |
/// | 32 | SHA-256 of the URI |
/// | 8 | number of the entry |
/// | 8 | length of the content |
package struct CacheSeal: ~Copyable {
    /// The size of a chunk in bytes; the last one may be shorter.
    ///
    /// A reader has one chunk in memory, and a file grows by an eight-thousandth.
    static let chunkSize = 256 << 10
    package static let digestLength = 32
    private static let footerLength = digestLength + 16

    private var hash: StreamingHash
    /// The digests of the complete chunks.
    private var digests: [UInt8] = []
    /// The bytes so far.
    private(set) var length = 0

    init() throws(CacheStoreError) {
        guard let hash = StreamingHash(.sha256) else { throw .noDigest }
        self.hash = hash
    }

    /// Adds bytes of the content.
    mutating func append(_ bytes: [UInt8]) throws(CacheStoreError) {
        let bytes = bytes.span
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Self.chunkSize - length % Self.chunkSize)
            hash.update(bytes.extracting(start..<end))
            length += end - start
            start = end
            if length.isMultiple(of: Self.chunkSize) { try finishChunk() }
        }
    }

    /// Returns the bytes that follow the content, and the seal for the metadata.
    mutating func finish(
        uri: String,
        number: UInt64
    ) throws(CacheStoreError) -> (trailer: [UInt8], seal: [UInt8]) {
        if !length.isMultiple(of: Self.chunkSize) { try finishChunk() }
        var trailer = digests
        trailer += try Self.digest(Array(uri.utf8))
        var bytes = ByteEncoder()
        bytes.append(number)
        bytes.append(UInt64(length))
        trailer += bytes.bytes
        return (trailer, try Self.digest(trailer))
    }

    private mutating func finishChunk() throws(CacheStoreError) {
        guard let digest = hash.finish() else { throw .noDigest }
        digests += digest
    }

    /// The number of bytes that follow a content of the given length.
    static func trailerLength(of length: Int) -> Int {
        (length / chunkSize + (length.isMultiple(of: chunkSize) ? 0 : 1)) * digestLength
            + footerLength
    }

    /// Returns whether the bytes after a content are those of an entry.
    static func isValid(_ trailer: [UInt8], of entry: CacheEntry) throws(CacheStoreError) -> Bool {
        guard try digest(trailer) == entry.seal, trailer.count == trailerLength(of: entry.length)
        else { return false }
        var footer = ByteDecoder(Array(trailer.suffix(footerLength)))
        return try footer.bytes(digestLength) == digest(Array(entry.uri.utf8))
            && footer.integer(UInt64.self) == entry.number
            && footer.integer(UInt64.self) == UInt64(entry.length)
    }

    /// Returns whether a chunk has its digest in the trailer.
    static func isChunk(
        _ bytes: Span<UInt8>,
        at index: Int,
        of trailer: [UInt8]
    ) throws(CacheStoreError) -> Bool {
        guard var hash = StreamingHash(.sha256) else { throw .noDigest }
        hash.update(bytes)
        guard let digest = hash.finish() else { throw .noDigest }
        return trailer.dropFirst(index * digestLength).prefix(digestLength).elementsEqual(digest)
    }

    /// Reads from a position of a content to the end of its chunk, and verifies the chunk.
    ///
    /// - Parameters:
    ///   - position: the position in the content.
    ///   - length: the length of the content.
    ///   - trailer: the bytes after the content, which are verified already.
    ///   - path: the name of the file for the error.
    ///   - read: reads a number of bytes at a position.
    /// - Returns: the bytes; empty at the end of the content.
    /// - Throws: `.damaged` if the chunk is not the stored one; the error of `read`.
    static func read(
        at position: Int,
        of length: Int,
        _ trailer: [UInt8],
        _ path: String,
        _ read: (_ count: Int, _ start: Int) throws(CacheStoreError) -> [UInt8]
    ) throws(CacheStoreError) -> [UInt8] {
        guard position >= 0, position < length else { return [] }
        let index = position / chunkSize
        let start = index * chunkSize
        let count = min(chunkSize, length - start)
        var bytes = try read(count, start)
        guard bytes.count == count, try isChunk(bytes.span, at: index, of: trailer) else {
            throw .damaged(path: path)
        }
        bytes.removeFirst(position - start)
        return bytes
    }

    package static func digest(_ bytes: [UInt8]) throws(CacheStoreError) -> [UInt8] {
        guard let digest = MessageDigest.sha256.hash(bytes) else { throw .noDigest }
        return digest
    }
}
