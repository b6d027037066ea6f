internal import SocketTransport

/// A store in memory, with a limit of its bytes.
///
/// The entries that were opened longest ago are evicted first. A lookup and an open copy no content: they return the
/// stored arrays.
package final class MemoryCacheStore: CacheStore {
    /// The limits of a store.
    package struct Limits: Sendable, Hashable {
        /// The maximum number of bytes of all entries, including their heads.
        package var maxBytes: Int
        /// The maximum number of entries.
        package var maxEntries: Int
        /// The maximum number of bytes of one entry.
        ///
        /// An eighth of `maxBytes` by default, so that one response does not evict most others.
        package var maxEntryBytes: Int
        /// The maximum number of entries of one URI.
        ///
        /// 16 by default: with more, `Vary` usually names a field that differs in each request.
        package var maxVariants: Int

        /// Creates limits.
        package init(
            maxBytes: Int,
            maxEntries: Int = .max,
            maxEntryBytes: Int? = nil,
            maxVariants: Int = 16
        ) {
            self.maxBytes = maxBytes
            self.maxEntries = maxEntries
            self.maxEntryBytes = min(maxEntryBytes ?? maxBytes / 8, maxBytes)
            self.maxVariants = max(maxVariants, 1)
        }
    }

    /// The limits of the store.
    package let limits: Limits
    private let contents: Locked<MemoryCacheContents>

    /// Creates an empty store.
    package init(_ limits: Limits) {
        self.limits = limits
        contents = Locked(MemoryCacheContents(limits))
    }

    package var mayBlock: Bool { false }
    package var maxEntryBytes: Int { limits.maxEntryBytes }
    package var evictionError: CacheStoreError? { nil }

    package func entries(of uri: String) -> [CacheEntry] {
        contents.withLock { $0.entries(of: uri) }
    }

    package func open(_ entry: CacheEntry) -> CacheContent? {
        contents.withLock { $0.content(entry.number) }.map { .memory($0) }
    }

    package func write(
        _ uri: String,
        expecting length: Int?
    ) throws(CacheStoreError) -> any CacheWriter {
        guard length ?? 0 <= limits.maxEntryBytes else {
            throw .tooLarge(limit: limits.maxEntryBytes)
        }
        return MemoryCacheWriter(self, uri, length ?? 0)
    }

    /// Adds the content of a writer.
    func add(
        _ response: StoredResponse,
        of uri: String,
        _ content: [UInt8]
    ) throws(CacheStoreError) -> CacheEntry {
        try contents.withLock { contents throws(CacheStoreError) in
            try contents.add(response, of: uri, content)
        }
    }

    package func update(
        _ entry: CacheEntry,
        to response: StoredResponse
    ) throws(CacheStoreError) -> CacheEntry? {
        try contents.withLock { contents throws(CacheStoreError) in
            try contents.update(entry, to: response)
        }
    }

    package func remove(_ entry: CacheEntry) {
        contents.withLock { $0.remove(entry.number) }
    }

    package func removeAll(of uri: String) {
        contents.withLock { $0.removeAll(of: uri) }
    }

    package func removeAll() {
        contents.withLock { $0.removeAll() }
    }

    package func list() -> [CacheEntry] {
        contents.withLock { $0.all }
    }

    package func statistics() -> CacheStatistics {
        contents.withLock { $0.statistics }
    }
}

/// A writer that collects the content of a response in memory.
private final class MemoryCacheWriter: CacheWriter {
    private let store: MemoryCacheStore
    private let uri: String
    /// The bytes so far; nil after the end.
    private let content: Locked<[UInt8]?>

    init(_ store: MemoryCacheStore, _ uri: String, _ length: Int) {
        self.store = store
        self.uri = uri
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        content = Locked(bytes)
    }

    func append(_ bytes: [UInt8]) throws(CacheStoreError) {
        let limit = store.limits.maxEntryBytes
        try content.withLock { content throws(CacheStoreError) in
            guard let count = content?.count else { throw .closed }
            guard bytes.count <= limit - count else {
                content = nil
                throw .tooLarge(limit: limit)
            }
            content?.append(contentsOf: bytes)
        }
    }

    func commit(_ response: StoredResponse) throws(CacheStoreError) -> CacheEntry {
        let bytes = content.withLock { content in
            defer { content = nil }
            return content
        }
        guard let bytes else { throw .closed }
        try CacheEntry.check(response, has: bytes.count)
        return try store.add(response, of: uri, bytes)
    }

    func discard() {
        content.withLock { $0 = nil }
    }
}
