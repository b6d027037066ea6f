internal import SocketTransport

/// The objects of a cache in a storage of the application, without limits.
final class CacheObjects: Sendable {
    /// The objects of one URI.
    struct Group {
        /// The hexadecimal digest of the URI.
        let base: String
        var contents: [String] = []
        var bytes = 0
    }

    /// The contents that are being read or written.
    private struct Uses {
        /// The number of readers and writers, by the name of the content.
        var users: [String: Int] = [:]
        /// The contents to remove after their last reader.
        var removals: Set<String> = []
        var removalError: CacheStoreError?
    }

    /// The maximum number of bytes of one write; that of metadata, which is written at once.
    static let maxWrite = CacheMetadata.maxLength

    private let storage: any HTTPCache.Storage
    private let uses = Locked(Uses())

    init(_ storage: any HTTPCache.Storage) {
        self.storage = storage
    }

    /// The error of the last removal that waited for a reader; nil if it succeeded.
    var removalError: CacheStoreError? { uses.withLock { $0.removalError } }

    static func metadataName(_ base: String) -> String { base + ".meta" }

    static func contentName(
        of uri: String,
        _ number: UInt64
    ) throws(CacheStoreError) -> String {
        CacheDirectory.contentName(try CacheDirectory.baseName(of: uri), number)
    }

    // MARK: - Reading

    /// Returns the entries of a URI; nil if there are none.
    ///
    /// - Throws: `.damaged` if the object cannot be used, also if it belongs to another URI.
    func metadata(_ uri: String) throws(CacheStoreError) -> CacheMetadata? {
        let base = try CacheDirectory.baseName(of: uri)
        guard let metadata = try metadata(named: base) else { return nil }
        guard metadata.uri == uri else { throw .damaged(path: Self.metadataName(base)) }
        return metadata
    }

    /// Returns the entries of an object by its base name; nil if there is none.
    func metadata(named base: String) throws(CacheStoreError) -> CacheMetadata? {
        let name = Self.metadataName(base)
        // One byte more shows an object that is too long.
        guard let bytes = try read(name, 0..<CacheMetadata.maxLength + 1) else { return nil }
        guard let metadata = CacheMetadata(decoding: bytes) else { throw .damaged(path: name) }
        return metadata
    }

    /// Opens and verifies the content of an entry, as ``CacheDirectory`` does; nil if there is none.
    func content(of entry: CacheEntry) throws(CacheStoreError) -> CacheContent? {
        let name = try Self.contentName(of: entry.uri, entry.number)
        let length = entry.length
        let (size, overflows) = length.addingReportingOverflow(CacheSeal.trailerLength(of: length))
        guard !overflows else { throw .damaged(path: name) }
        let isOneChunk = length <= CacheSeal.chunkSize
        let start = isOneChunk ? 0 : length
        // Before the trailer is read, so that a removal waits.
        guard let object = CacheObject(self, name: name, length: length) else { return nil }
        guard var bytes = try read(name, start..<size + 1) else { return nil }
        guard bytes.count == size - start else { throw .damaged(path: name) }
        let trailer = Array(bytes[(length - start)...])
        guard try CacheSeal.isValid(trailer, of: entry) else { throw .damaged(path: name) }
        guard isOneChunk else { return .object(VerifiedObject(object, trailer: trailer)) }
        bytes.removeLast(trailer.count)
        // An empty content has no chunk.
        guard try bytes.isEmpty ? true : CacheSeal.isChunk(bytes.span, at: 0, of: trailer) else {
            throw .damaged(path: name)
        }
        return .memory(bytes)
    }

    func read(
        _ name: String,
        _ positions: Range<Int>
    ) throws(CacheStoreError) -> [UInt8]? {
        try checked(.read, name) { try storage.read(name, positions) }
    }

    /// Returns the objects of each URI, the one that was changed longest ago first.
    func groups() throws(CacheStoreError) -> [Group] {
        let objects = try checked(.list, "objects") { try storage.list() }
        var groups: [String: (group: Group, last: Int)] = [:]
        for (index, object) in objects.enumerated() {
            guard let (base, isMetadata) = CacheDirectory.parsed(object.name) else { continue }
            var group = groups[base]?.group ?? Group(base: base)
            // A length that no storage can have must not overflow a sum.
            group.bytes += min(max(object.byteCount, 0), 1 << 40)
            if !isMetadata { group.contents.append(object.name) }
            groups[base] = (group, index)
        }
        return groups.values.sorted { $0.last < $1.last }.map(\.group)
    }

    // MARK: - Changing

    func write(
        _ bytes: [UInt8],
        to name: String,
        at position: Int
    ) throws(CacheStoreError) {
        try checked(.write, name) { try storage.write(bytes, to: name, at: position) }
    }

    /// Replaces the metadata of a URI; removes it if there is no entry.
    ///
    /// - Returns: the number of written bytes.
    func replace(_ metadata: CacheMetadata) throws(CacheStoreError) -> Int {
        let name = Self.metadataName(try CacheDirectory.baseName(of: metadata.uri))
        guard !metadata.entries.isEmpty else {
            try remove(name)
            return 0
        }
        let bytes = try metadata.encoded()
        try write(bytes, to: name, at: 0)
        return bytes.count
    }

    func remove(_ name: String) throws(CacheStoreError) {
        try checked(.remove, name) { try storage.remove(name) }
    }

    /// Removes the metadata first: without it, nothing refers to the contents.
    func remove(_ group: Group) throws(CacheStoreError) {
        try remove(Self.metadataName(group.base))
        for name in group.contents { try removeContent(name) }
    }

    /// Removes the contents that the metadata does not name, which a killed process left behind.
    ///
    /// Another process may be writing one of them; its response is then not stored.
    func removeOrphans(of group: Group) throws(CacheStoreError) {
        guard group.contents.count > 1 else { return }
        let known: Set<String>
        do throws(CacheStoreError) {
            let entries = try metadata(named: group.base)?.entries ?? []
            known = Set(entries.map { CacheDirectory.contentName(group.base, $0.number) })
        } catch .damaged {
            known = []
        }
        for name in group.contents where !known.contains(name) {
            guard uses.withLock({ $0.users[name] }) == nil else { continue }
            try remove(name)
        }
    }

    func removeContent(of entry: CacheEntry) throws(CacheStoreError) {
        try removeContent(try Self.contentName(of: entry.uri, entry.number))
    }

    /// Removes a content, after its last reader if there is one.
    private func removeContent(_ name: String) throws(CacheStoreError) {
        let isRead = uses.withLock { uses in
            guard uses.users[name] != nil else { return false }
            uses.removals.insert(name)
            return true
        }
        if !isRead { try remove(name) }
    }

    /// Counts a reader or writer of a content; false if the content waits for its removal.
    fileprivate func beginUse(_ name: String) -> Bool {
        uses.withLock { uses in
            guard !uses.removals.contains(name) else { return false }
            uses.users[name, default: 0] += 1
            return true
        }
    }

    /// Ends a reader or writer, and removes the content if that has waited for it.
    fileprivate func endUse(_ name: String) {
        let mustRemove = uses.withLock { uses in
            let count = uses.users[name] ?? 0
            uses.users[name] = count > 1 ? count - 1 : nil
            return count <= 1 && uses.removals.remove(name) != nil
        }
        guard mustRemove else { return }
        // The last reference may be released on an event loop.
        CleanupThread.run {
            do throws(CacheStoreError) {
                try self.remove(name)
                self.uses.withLock { $0.removalError = nil }
            } catch {
                self.uses.withLock { $0.removalError = error }
            }
        }
    }

    /// Calls the storage, and gives its error a type.
    func checked<Value>(
        _ step: CacheStoreError.Step,
        _ name: String,
        _ work: () throws -> Value
    ) throws(CacheStoreError) -> Value {
        do {
            return try work()
        } catch {
            throw .storage(reason: "\(error)", step, object: name)
        }
    }
}

/// A content that is being read or written, so that its removal waits.
final class CacheObject: Sendable {
    private let objects: CacheObjects
    let name: String
    /// The length of the content in bytes; 0 while it is written.
    let length: Int

    /// Returns nil if the content waits for its removal.
    init?(_ objects: CacheObjects, name: String, length: Int = 0) {
        guard objects.beginUse(name) else { return nil }
        self.objects = objects
        self.name = name
        self.length = length
    }

    deinit {
        objects.endUse(name)
    }

    func read(_ count: Int, at position: Int) throws(CacheStoreError) -> [UInt8] {
        try objects.read(name, position..<position + count) ?? []
    }
}

/// The open content of an entry in a storage, whose digests have been verified.
///
/// Functions block; call them on a thread for files.
package struct VerifiedObject: Sendable {
    private let object: CacheObject
    /// The digests after the content.
    private let trailer: [UInt8]

    init(_ object: CacheObject, trailer: [UInt8]) {
        self.object = object
        self.trailer = trailer
    }

    /// Reads from a position of the content to the end of its chunk, at most 256 KiB.
    ///
    /// - Parameter position: the position in the content.
    /// - Returns: verified bytes; empty at the end.
    /// - Throws: `.damaged` if the chunk is not the stored one; the caller then removes the entry.
    package func read(at position: Int) throws(CacheStoreError) -> [UInt8] {
        try CacheSeal.read(at: position, of: object.length, trailer, object.name) {
            count,
            start throws(CacheStoreError) in
            try object.read(count, at: start)
        }
    }
}
