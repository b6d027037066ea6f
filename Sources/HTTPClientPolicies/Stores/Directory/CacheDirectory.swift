internal import SocketTransport

/// The files of a ``DirectoryCacheStore``, without its limits.
///
/// | name | contents |
/// |---|---|
/// | `DIGEST.meta` | the entries of the URI with this SHA-256 (``CacheMetadata``) |
/// | `DIGEST-NUMBER.body` | the content of one entry, and its digests (``CacheSeal``) |
/// | `.new.TAG.part` | a file that is being written, locked by its writer |
/// | `.store.lock` | the lock of all changes |
package struct CacheDirectory: Sendable {
    /// The subdirectory of this version of the format, so that versions can share a directory.
    let path: String
    private let root: String

    package init(_ path: String) {
        root = path
        self.path = path + "/v1"
    }

    /// The path whose neighbors are the files being written.
    var newPath: String { path + "/new" }
    /// The path that the lock protects.
    var lockedPath: String { path + "/store" }

    /// Returns the name of the files of a URI, without an extension.
    package static func baseName(of uri: String) throws(CacheStoreError) -> String {
        hexadecimal(try CacheSeal.digest(Array(uri.utf8)))
    }

    package func metadataPath(_ baseName: String) -> String { "\(path)/\(baseName).meta" }

    package func contentPath(_ baseName: String, _ number: UInt64) -> String {
        "\(path)/\(Self.contentName(baseName, number))"
    }

    package static func contentName(_ baseName: String, _ number: UInt64) -> String {
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        return "\(baseName)-\(hexadecimal(digits)).body"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        func digit(_ value: UInt8) -> UInt8 {
            value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
        }
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: - Reading

    /// Returns the entries of a URI, and the open file with its path; nil if there is none.
    ///
    /// - Throws: `.damaged` if the file cannot be used, also if it belongs to another URI.
    func metadata(
        _ uri: String
    ) throws(CacheStoreError) -> (metadata: CacheMetadata, path: String, file: FileReader)? {
        let path = metadataPath(try Self.baseName(of: uri))
        guard let (found, file) = try metadata(at: path) else { return nil }
        guard found.uri == uri else { throw .damaged(path: path) }
        return (found, path, file)
    }

    /// Returns the entries of a file and the open file; nil if there is none.
    func metadata(
        at path: String
    ) throws(CacheStoreError) -> (metadata: CacheMetadata, file: FileReader)? {
        guard let file = try open(path) else { return nil }
        guard file.length <= CacheMetadata.maxLength else { throw .damaged(path: path) }
        let bytes = try CacheFile.read(file, file.length, at: 0, path)
        guard let metadata = CacheMetadata(decoding: bytes) else { throw .damaged(path: path) }
        return (metadata, file)
    }

    /// Opens and verifies the content of an entry; returns nil if there is none.
    ///
    /// A content of one chunk is read and verified at once, before the first byte is used. The chunks of a larger one
    /// are verified when they are read, and by ``CacheContent/verify()``. No byte of a damaged chunk is used in either case.
    ///
    /// - Parameters:
    ///   - entry: the entry.
    ///   - known: what was verified of its content before, which saves three of four digests.
    /// - Returns: the content, and what was verified now; nil if there is no file.
    /// - Throws: `.damaged` if the file is damaged or foreign; a system's error.
    func content(
        of entry: CacheEntry,
        _ known: KnownMetadata.Content? = nil
    ) throws(CacheStoreError) -> (content: CacheContent, known: KnownMetadata.Content)? {
        let path: String
        if let known {
            path = known.path
        } else {
            path = contentPath(try Self.baseName(of: entry.uri), entry.number)
        }
        guard let file = try open(path) else { return nil }
        let length = entry.length
        let (size, overflows) = length.addingReportingOverflow(CacheSeal.trailerLength(of: length))
        guard !overflows, file.length == size else { throw .damaged(path: path) }
        let isOneChunk = length <= CacheSeal.chunkSize
        // The trailer of a large content is read alone.
        let start = isOneChunk ? 0 : length
        var bytes = try CacheFile.read(file, size - start, at: start, path)
        guard bytes.count == size - start else { throw .damaged(path: path) }
        let trailer = Array(bytes[(length - start)...])
        if trailer != known?.trailer {
            guard try CacheSeal.isValid(trailer, of: entry) else { throw .damaged(path: path) }
        }
        let verified = KnownMetadata.Content(path: path, entry: entry, trailer: trailer)
        guard isOneChunk else {
            return (.file(CacheFile(file, length: length, trailer: trailer, path: path)), verified)
        }
        bytes.removeLast(trailer.count)
        // An empty content has no chunk.
        guard try bytes.isEmpty ? true : CacheSeal.isChunk(bytes.span, at: 0, of: trailer) else {
            throw .damaged(path: path)
        }
        return (.memory(bytes), verified)
    }

    /// Opens a file of this user; returns nil if there is none.
    ///
    /// - Throws: `.damaged` for anything else than a regular file that only this user can write.
    private func open(_ path: String) throws(CacheStoreError) -> FileReader? {
        do throws(FileReader.ReadError) {
            return try FileReader(ownFile: path)
        } catch .system(.noSuchFile) {
            return nil
        } catch .system(.isSymbolicLink), .system(.notPermitted), .system(.noReader) {
            throw .damaged(path: path)
        } catch {
            throw CacheStoreError(error, .open, path)
        }
    }

    // MARK: - Writing

    /// Creates an empty file, and the directory if it is missing.
    func create() throws(CacheStoreError) -> OutputFile {
        do throws(OutputFile.OutputError) {
            return try OutputFile.create(beside: newPath, permissions: 0o600)
        } catch .system(.noSuchFile) {
            try makeDirectories()
        } catch {
            throw .output(error, .create, path: newPath)
        }
        do throws(OutputFile.OutputError) {
            return try OutputFile.create(beside: newPath, permissions: 0o600)
        } catch {
            throw .output(error, .create, path: newPath)
        }
    }

    private func makeDirectories() throws(CacheStoreError) {
        for directory in [root, path] {
            do throws(Errno) {
                try Directory.make(directory)
            } catch {
                throw .system(error, .create, path: directory)
            }
        }
    }

    /// Replaces the metadata of a URI atomically; removes the file if there is no entry.
    ///
    /// The data is not flushed to the disk. After a power failure the file may be empty or torn; its digest shows that.
    func replace(_ metadata: CacheMetadata) throws(CacheStoreError) {
        let target = metadataPath(try Self.baseName(of: metadata.uri))
        guard !metadata.entries.isEmpty else { return try remove(target) }
        let bytes = try metadata.encoded()
        let file = try create()
        do throws(CacheStoreError) {
            try Self.write(bytes, at: 0, to: file)
            try Self.move(file, to: target)
        } catch {
            // The first error is reported. A file that stays is removed as a leftover.
            try? file.remove()
            throw error
        }
    }

    static func write(
        _ bytes: [UInt8],
        at offset: Int,
        to file: OutputFile
    ) throws(CacheStoreError) {
        do {
            try file.write(bytes, at: offset)
        } catch {
            throw .system(error, .write, path: file.path)
        }
    }

    static func move(_ file: OutputFile, to target: String) throws(CacheStoreError) {
        do {
            try file.move(to: target)
        } catch {
            throw .output(error, .rename, path: target)
        }
    }

    func remove(_ path: String) throws(CacheStoreError) {
        do {
            try Directory.removeFile(path)
        } catch {
            throw .system(error, .remove, path: path)
        }
    }
}
