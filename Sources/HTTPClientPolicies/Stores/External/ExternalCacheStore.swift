internal import SocketTransport

/// A store over a storage that the application provides.
///
/// The objects have the bytes of the files of a ``DirectoryCacheStore``. A content is complete before the metadata
/// names it, and the metadata names it no more before it is removed.
package final class ExternalCacheStore: CacheStore {
    /// What this process knows of the storage.
    private struct Usage {
        /// The bytes of all objects; nil before they were listed.
        var bytes: Int?
        /// The bytes that this process has written since.
        var written = 0
    }

    private let objects: CacheObjects
    private let maxBytes: Int
    private let maxVariants: Int
    package let maxEntryBytes: Int
    /// Held during changes of metadata, which are read and written again.
    private let usage = Locked(Usage())

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - storage: the place of the objects.
    ///   - maxBytes: the maximum number of bytes of all objects.
    ///   - maxEntryBytes: the maximum number of bytes of one content; an eighth of `maxBytes` by default.
    ///   - maxVariants: the maximum number of entries of one URI.
    package init(
        _ storage: any HTTPCache.Storage,
        maxBytes: Int,
        maxEntryBytes: Int? = nil,
        maxVariants: Int = 16
    ) {
        objects = CacheObjects(storage)
        self.maxBytes = maxBytes
        self.maxEntryBytes = min(maxEntryBytes ?? maxBytes / 8, maxBytes)
        self.maxVariants = max(maxVariants, 1)
    }

    package var mayBlock: Bool { true }
    package var evictionError: CacheStoreError? { objects.removalError }

    // MARK: - Reading

    package func entries(of uri: String) throws(CacheStoreError) -> [CacheEntry] {
        do throws(CacheStoreError) {
            return try objects.metadata(uri)?.entries ?? []
        } catch .damaged(let name) {
            try change { _ throws(CacheStoreError) in _ = try self.current(uri) }
            throw .damaged(path: name)
        }
    }

    package func open(_ entry: CacheEntry) throws(CacheStoreError) -> CacheContent? {
        do throws(CacheStoreError) {
            if let content = try objects.content(of: entry) { return content }
            try remove(entry)
            return nil
        } catch .damaged(let name) {
            try remove(entry)
            throw .damaged(path: name)
        }
    }

    package func list() throws(CacheStoreError) -> [CacheEntry] {
        var entries: [CacheEntry] = []
        for group in try objects.groups() {
            do throws(CacheStoreError) {
                entries += try objects.metadata(named: group.base)?.entries ?? []
            } catch .damaged {
                // The next lookup of the URI removes the object.
            }
        }
        return entries
    }

    package func statistics() throws(CacheStoreError) -> CacheStatistics {
        let bytes = try objects.groups().reduce(0) { $0 + $1.bytes }
        return CacheStatistics(entries: try list().count, bytes: bytes)
    }

    // MARK: - Changing

    package func write(
        _ uri: String,
        expecting length: Int?
    ) throws(CacheStoreError) -> any CacheWriter {
        guard length ?? 0 <= maxEntryBytes else { throw .tooLarge(limit: maxEntryBytes) }
        return try ExternalCacheWriter(self, objects, uri)
    }

    /// Adds an entry with a complete content, which replaces one with an equal variant.
    func add(_ entry: CacheEntry, _ size: Int) throws(CacheStoreError) {
        try change { usage throws(CacheStoreError) in
            var metadata = try self.current(entry.uri)
            let old = try metadata.add(entry, upTo: self.maxVariants)
            usage.written += size + (try self.objects.replace(metadata))
            // From here on, the entry is stored.
            self.removeContents(of: old)
            self.evict(&usage)
        }
    }

    package func update(
        _ entry: CacheEntry,
        to response: StoredResponse
    ) throws(CacheStoreError) -> CacheEntry? {
        try change { usage throws(CacheStoreError) in
            var metadata = try self.current(entry.uri)
            guard let (new, old) = try metadata.update(entry, to: response) else { return nil }
            usage.written += try self.objects.replace(metadata)
            self.removeContents(of: old)
            return new
        }
    }

    package func remove(_ entry: CacheEntry) throws(CacheStoreError) {
        try change { usage throws(CacheStoreError) in
            var metadata = try self.current(entry.uri)
            if metadata.remove(entry) { usage.written += try self.objects.replace(metadata) }
            try self.objects.removeContent(of: entry)
        }
    }

    package func removeAll(of uri: String) throws(CacheStoreError) {
        try change { _ throws(CacheStoreError) in
            // Without metadata nothing is used, so it goes also if it cannot be read.
            let old = Result { () throws(CacheStoreError) in try self.current(uri).entries }
            _ = try self.objects.replace(CacheMetadata(uri: uri, entries: []))
            for entry in try old.get() { try self.objects.removeContent(of: entry) }
        }
    }

    package func removeAll() throws(CacheStoreError) {
        try change { usage throws(CacheStoreError) in
            usage.bytes = nil
            try self.objects.remove(try self.objects.groups()) { _ in true }
        }
    }

    /// Removes contents that no metadata names any more; an error is kept for ``evictionError``.
    private func removeContents(of entries: [CacheEntry]) {
        for entry in entries {
            objects.recording { () throws(CacheStoreError) in
                try objects.removeContent(of: entry)
            }
        }
    }

    /// Returns the entries of a URI for a change, and removes an object that cannot be used.
    private func current(_ uri: String) throws(CacheStoreError) -> CacheMetadata {
        do throws(CacheStoreError) {
            return try objects.metadata(uri) ?? CacheMetadata(uri: uri, entries: [])
        } catch .damaged(let name) {
            try objects.remove(name)
            return CacheMetadata(uri: uri, entries: [])
        }
    }

    private func change<Result: Sendable>(
        _ body: (inout sending Usage) throws(CacheStoreError) -> Result
    ) throws(CacheStoreError) -> Result {
        try usage.withLock { usage throws(CacheStoreError) in try body(&usage) }
    }

    /// Removes the oldest objects if all may exceed the limit.
    ///
    /// An error is kept for ``evictionError``, and does not stop the removal of other objects.
    private func evict(_ usage: inout Usage) {
        if let known = usage.bytes, known + usage.written <= maxBytes,
            usage.written <= maxBytes / 16
        {
            return
        }
        objects.forgetRemovalError()
        var remaining: Int?
        objects.recording { () throws(CacheStoreError) in
            var groups = try objects.groups()
            if groups.reduce(0, { $0 + $1.bytes }) > maxBytes {
                objects.removeOrphans(of: groups)
                groups = try objects.groups()
            }
            var bytes = groups.reduce(0) { $0 + $1.bytes }
            remaining = bytes
            guard bytes > maxBytes else { return }
            // Down to nine tenths, so that an eviction does not follow each new entry.
            defer { remaining = bytes }
            try objects.remove(groups) { group in
                guard bytes > maxBytes / 10 * 9, !objects.isUsed(group) else { return false }
                bytes -= group.bytes
                return true
            }
        }
        // If the objects could not be listed, the next response tries again.
        usage.bytes = remaining
        usage.written = 0
    }
}

/// A writer of a response into a storage.
///
/// If it is released without a call of ``discard()``, it removes its object on the releasing thread.
private final class ExternalCacheWriter: CacheWriter, @unchecked Sendable {
    // Sendable because one thread at a time uses a writer.

    private let store: ExternalCacheStore
    private let objects: CacheObjects
    private let uri: String
    private let number = RandomBits.number()
    /// The content; nil after the end.
    private var object: CacheObject?
    private var seal: CacheSeal
    /// The bytes that are not written yet, fewer than a piece.
    private var rest: [UInt8] = []
    private var written = 0

    init(
        _ store: ExternalCacheStore,
        _ objects: CacheObjects,
        _ uri: String
    ) throws(CacheStoreError) {
        self.store = store
        self.objects = objects
        self.uri = uri
        seal = try CacheSeal()
        object = CacheObject(objects, name: try CacheObjects.contentName(of: uri, number))
    }

    deinit {
        discard()
    }

    func append(_ bytes: [UInt8]) throws(CacheStoreError) {
        guard let object else { throw .closed }
        let limit = store.maxEntryBytes
        do throws(CacheStoreError) {
            guard bytes.count <= limit - seal.length else { throw .tooLarge(limit: limit) }
            try seal.append(bytes)
            try write(bytes, to: object, isLast: false)
        } catch {
            discard()
            throw error
        }
    }

    /// Writes all complete pieces, and after the last bytes also the rest.
    private func write(
        _ bytes: [UInt8],
        to object: CacheObject,
        isLast: Bool
    ) throws(CacheStoreError) {
        rest += bytes
        var start = 0
        while rest.count - start >= CacheObjects.pieceLength || isLast && start < rest.count {
            let piece = Array(rest[start...].prefix(CacheObjects.pieceLength))
            try objects.write(piece, to: object.name, at: written)
            written += piece.count
            start += piece.count
        }
        rest.removeFirst(start)
    }

    func commit(_ response: StoredResponse) throws(CacheStoreError) -> CacheEntry {
        guard let object else { throw .closed }
        do throws(CacheStoreError) {
            try CacheEntry.check(response, has: seal.length)
            let (trailer, digest) = try seal.finish(uri: uri, number: number)
            try write(trailer, to: object, isLast: true)
            let entry = CacheEntry(uri: uri, number: number, response: response, seal: digest)
            try store.add(entry, written)
            self.object = nil
            return entry
        } catch {
            discard()
            throw error
        }
    }

    func discard() {
        guard let object else { return }
        self.object = nil
        // Also if nothing was written: a write that failed may have left bytes. What remains counts for the limit.
        objects.recording { () throws(CacheStoreError) in try objects.remove(object.name) }
    }
}
