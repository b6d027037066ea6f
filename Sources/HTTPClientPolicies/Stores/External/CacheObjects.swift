internal import SocketTransport

/// The objects of a cache in a storage of the application, without limits.
///
/// | name | bytes |
/// |---|---|
/// | `v1-DIGEST.meta` | the entries of the URI with this SHA-256 (``CacheMetadata``) |
/// | `v1-DIGEST-NUMBER.body` | the content of one entry, and its digests (``CacheSeal``) |
final class CacheObjects: Sendable {
    /// The objects of one URI.
    struct Group {
        /// The hexadecimal digest of the URI.
        let base: String
        var contents: [String] = []
        var bytes = 0
    }

    /// The contents that are being used.
    private struct Uses {
        /// The number of readers and writers, by the name of the content.
        var users: [String: Int] = [:]
        /// The contents that are being removed, or will be after their last reader.
        var removals: Set<String> = []
        var removalError: CacheStoreError?
    }

    /// The number of bytes of each write of a content but the last.
    static let pieceLength = CacheSeal.chunkSize
    /// The version of the format, so that versions can share a storage.
    private static let version = "v1-"

    private let storage: any HTTPCache.Storage
    /// The storage is not called while this lock is held.
    private let uses = Locked(Uses())

    init(_ storage: any HTTPCache.Storage) {
        self.storage = storage
    }

    /// The last error of a removal that no caller waited for, since the last eviction began; nil if there was none.
    var removalError: CacheStoreError? { uses.withLock { $0.removalError } }

    func forgetRemovalError() { uses.withLock { $0.removalError = nil } }

    /// Runs a removal that no caller waits for, and records its error for ``removalError``.
    func recording(_ work: () throws(CacheStoreError) -> Void) {
        do throws(CacheStoreError) {
            try work()
        } catch {
            uses.withLock { $0.removalError = error }
        }
    }

    private static func metadataName(_ base: String) -> String { version + base + ".meta" }

    private static func contentName(_ base: String, _ number: UInt64) -> String {
        version + CacheDirectory.contentName(base, number)
    }

    static func contentName(
        of uri: String,
        _ number: UInt64
    ) throws(CacheStoreError) -> String {
        contentName(try CacheDirectory.baseName(of: uri), number)
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
        guard !overflows, size < .max else { throw .damaged(path: name) }
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
            guard object.name.hasPrefix(Self.version),
                let (base, isMetadata) = CacheDirectory.parsed(
                    String(object.name.dropFirst(Self.version.count))
                )
            else { continue }
            var group = groups[base]?.group ?? Group(base: base)
            // A length that no storage can have must not overflow a sum.
            group.bytes += min(max(object.byteCount, 0), 1 << 40)
            if !isMetadata { group.contents.append(object.name) }
            groups[base] = (group, index)
        }
        return groups.values.sorted { $0.last < $1.last }.map(\.group)
    }

    /// Whether this process reads or writes a content of the group.
    func isUsed(_ group: Group) -> Bool {
        uses.withLock { uses in group.contents.contains { uses.users[$0] != nil } }
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

    /// Removes the groups that a closure chooses, also after an error.
    ///
    /// - Throws: the first error.
    func remove(_ groups: [Group], where isChosen: (Group) -> Bool) throws(CacheStoreError) {
        var first: CacheStoreError?
        for group in groups where isChosen(group) {
            do throws(CacheStoreError) {
                // The metadata first: without it, nothing refers to the contents.
                try remove(Self.metadataName(group.base))
                for name in group.contents { try removeContent(name) }
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }

    /// Removes the contents that the metadata does not name, which a killed process left behind.
    ///
    /// Another process may be writing one of them; its response is then not stored. A group whose objects cannot be
    /// read or removed is passed over.
    func removeOrphans(of groups: [Group]) {
        for group in groups where group.contents.count > 1 {
            recording { () throws(CacheStoreError) in
                var known: Set<String> = []
                do throws(CacheStoreError) {
                    let entries = try metadata(named: group.base)?.entries ?? []
                    known = Set(entries.map { Self.contentName(group.base, $0.number) })
                } catch .damaged {
                    // It names nothing.
                }
                for name in group.contents where !known.contains(name) {
                    if uses.withLock({ $0.users[name] }) == nil { try removeContent(name) }
                }
            }
        }
    }

    func removeContent(of entry: CacheEntry) throws(CacheStoreError) {
        try removeContent(try Self.contentName(of: entry.uri, entry.number))
    }

    /// Removes a content, after its last reader if there is one.
    private func removeContent(_ name: String) throws(CacheStoreError) {
        let isRead = uses.withLock { uses in
            // It also keeps a reader from beginning while the storage removes the object.
            uses.removals.insert(name)
            return uses.users[name] != nil
        }
        if !isRead { try finishRemoval(name) }
    }

    private func finishRemoval(_ name: String) throws(CacheStoreError) {
        defer { _ = uses.withLock { $0.removals.remove(name) } }
        try remove(name)
    }

    /// Counts a reader or writer of a content; false if the content is being removed.
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
            return count <= 1 && uses.removals.contains(name)
        }
        guard mustRemove else { return }
        // The last reference may be released on an event loop.
        CleanupThread.run {
            self.recording { () throws(CacheStoreError) in try self.finishRemoval(name) }
        }
    }

    /// Calls the storage, and gives its error a type.
    private func checked<Value>(
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

    /// Returns nil if the content is being removed.
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
    /// - Throws: `.damaged` if the chunk is not the stored one, also if another process has removed it.
    package func read(at position: Int) throws(CacheStoreError) -> [UInt8] {
        try CacheSeal.read(at: position, of: object.length, trailer, object.name) {
            count,
            start throws(CacheStoreError) in
            try object.read(count, at: start)
        }
    }
}
