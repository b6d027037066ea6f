internal import SocketTransport

/// A store over a storage that the application provides.
///
/// The objects have the names and bytes of the files of a ``DirectoryCacheStore``. A content is complete before the
/// metadata names it, and the metadata names it no more before it is removed.
package final class ExternalCacheStore: CacheStore {
    /// What this process knows of the storage.
    private struct Usage {
        /// The bytes of all objects; nil before they were listed.
        var bytes: Int?
        /// The bytes that this process has written since.
        var written = 0
        /// The error of the last removal that no caller waited for.
        var evictionError: CacheStoreError?
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
    package var evictionError: CacheStoreError? {
        usage.withLock { $0.evictionError } ?? objects.removalError
    }

    // MARK: - Reading

    package func entries(of uri: String) throws(CacheStoreError) -> [CacheEntry] {
        do throws(CacheStoreError) {
            return try objects.metadata(uri)?.entries ?? []
        } catch .damaged(let name) {
            try objects.remove(name)
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
            var old = try metadata.supersede(by: entry)
            while metadata.entries.count >= self.maxVariants {
                old.append(metadata.entries.removeFirst())
            }
            metadata.entries.append(entry)
            let written = try self.objects.replace(metadata)
            for entry in old { try self.objects.removeContent(of: entry) }
            self.evict(&usage, after: size + written)
        }
    }

    package func update(
        _ entry: CacheEntry,
        to response: StoredResponse
    ) throws(CacheStoreError) -> CacheEntry? {
        try change { usage throws(CacheStoreError) in
            var metadata = try self.current(entry.uri)
            guard let index = metadata.entries.firstIndex(where: { $0.number == entry.number })
            else { return nil }
            let new = try metadata.entries[index].updated(to: response)
            metadata.entries[index] = new
            let old = metadata.removeVariant(of: new)
            usage.written += try self.objects.replace(metadata)
            for entry in old { try self.objects.removeContent(of: entry) }
            return new
        }
    }

    package func remove(_ entry: CacheEntry) throws(CacheStoreError) {
        try change { usage throws(CacheStoreError) in
            var metadata = try self.current(entry.uri)
            let count = metadata.entries.count
            metadata.entries.removeAll { $0.number == entry.number }
            if metadata.entries.count < count {
                usage.written += try self.objects.replace(metadata)
            }
            try self.objects.removeContent(of: entry)
        }
    }

    package func removeAll(of uri: String) throws(CacheStoreError) {
        try change { _ throws(CacheStoreError) in
            let old = try self.current(uri).entries
            _ = try self.objects.replace(CacheMetadata(uri: uri, entries: []))
            for entry in old { try self.objects.removeContent(of: entry) }
        }
    }

    package func removeAll() throws(CacheStoreError) {
        try change { usage throws(CacheStoreError) in
            usage.bytes = nil
            for group in try self.objects.groups() { try self.objects.remove(group) }
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

    /// Records that an object remains which no entry names.
    func recordRemoval(_ error: CacheStoreError) {
        usage.withLock { $0.evictionError = error }
    }

    private func change<Result: Sendable>(
        _ body: (inout sending Usage) throws(CacheStoreError) -> Result
    ) throws(CacheStoreError) -> Result {
        try usage.withLock { usage throws(CacheStoreError) in try body(&usage) }
    }

    /// Counts new bytes, and removes the oldest objects if all may exceed the limit.
    ///
    /// The new entry is stored in any case, so an error is kept for ``evictionError``.
    private func evict(_ usage: inout Usage, after bytes: Int) {
        usage.written += bytes
        if let known = usage.bytes, known + usage.written <= maxBytes,
            usage.written <= maxBytes / 16
        {
            return
        }
        do throws(CacheStoreError) {
            var groups = try objects.groups()
            if groups.reduce(0, { $0 + $1.bytes }) > maxBytes {
                for group in groups { try objects.removeOrphans(of: group) }
                groups = try objects.groups()
            }
            var bytes = groups.reduce(0) { $0 + $1.bytes }
            if bytes > maxBytes {
                // Down to nine tenths, so that an eviction does not follow each new entry.
                for group in groups where bytes > maxBytes / 10 * 9 {
                    try objects.remove(group)
                    bytes -= group.bytes
                }
            }
            usage.bytes = bytes
            usage.written = 0
            usage.evictionError = nil
        } catch {
            usage.evictionError = error
        }
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
            for start in stride(from: 0, to: bytes.count, by: CacheObjects.maxWrite) {
                let piece = Array(bytes[start...].prefix(CacheObjects.maxWrite))
                try objects.write(piece, to: object.name, at: seal.length)
                try seal.append(piece)
            }
        } catch {
            discard()
            throw error
        }
    }

    func commit(_ response: StoredResponse) throws(CacheStoreError) -> CacheEntry {
        guard let object else { throw .closed }
        do throws(CacheStoreError) {
            try CacheEntry.check(response, has: seal.length)
            let length = seal.length
            let (trailer, digest) = try seal.finish(uri: uri, number: number)
            try objects.write(trailer, to: object.name, at: length)
            let entry = CacheEntry(uri: uri, number: number, response: response, seal: digest)
            try store.add(entry, length + trailer.count)
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
        do throws(CacheStoreError) {
            // Also without appended bytes: a write that failed may have left some.
            try objects.remove(object.name)
        } catch {
            // What remains counts for the limit, and goes as the oldest.
            store.recordRemoval(error)
        }
    }
}
