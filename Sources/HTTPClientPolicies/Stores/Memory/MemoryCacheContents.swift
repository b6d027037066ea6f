internal import Wire

/// The entries of a memory store, within its limits.
struct MemoryCacheContents {
    /// A stored content.
    private struct Stored {
        let uri: String
        let number: UInt64
        let content: [UInt8]
        /// The bytes of the entry in memory.
        var cost: Int
    }

    let limits: MemoryCacheStore.Limits
    private var uris: [String: [CacheEntry]] = [:]
    /// The positions in `order`, by the number of the entry.
    private var positions: [UInt64: Int] = [:]
    private var order = RecencyList<Stored>()
    private var lastNumber: UInt64 = 0
    private(set) var bytes = 0

    init(_ limits: MemoryCacheStore.Limits) {
        self.limits = limits
    }

    var statistics: CacheStatistics {
        CacheStatistics(entries: positions.count, bytes: bytes)
    }

    var all: [CacheEntry] { uris.values.flatMap { $0 } }

    func entries(of uri: String) -> [CacheEntry] { uris[uri] ?? [] }

    /// Returns the content of an entry, and marks the entry as used.
    mutating func content(_ number: UInt64) -> [UInt8]? {
        guard let position = positions[number] else { return nil }
        order.use(position)
        return order[position]?.content
    }

    /// Adds an entry, which replaces one with an equal variant, and removes others above the limits.
    mutating func add(
        _ response: StoredResponse,
        of uri: String,
        _ content: [UInt8]
    ) throws(CacheStoreError) -> CacheEntry {
        lastNumber += 1
        let entry = CacheEntry(uri: uri, number: lastNumber, response: response)
        // Capacity is what the array takes, even if the content is shorter.
        let cost = Self.cost(of: entry) + content.capacity
        guard cost <= limits.maxEntryBytes else { throw .tooLarge(limit: limits.maxEntryBytes) }
        removeVariant(of: entry)
        while let oldest = uris[uri]?.first, uris[uri]?.count ?? 0 >= limits.maxVariants {
            remove(oldest.number)
        }
        uris[uri, default: []].append(entry)
        let stored = Stored(uri: uri, number: entry.number, content: content, cost: cost)
        positions[entry.number] = order.insert(stored)
        bytes += cost
        evict()
        return entry
    }

    /// Replaces the head of an entry; returns nil if it is gone.
    mutating func update(
        _ entry: CacheEntry,
        to response: StoredResponse
    ) throws(CacheStoreError) -> CacheEntry? {
        guard let position = positions[entry.number], let stored = order[position],
            let index = uris[stored.uri]?.firstIndex(where: { $0.number == entry.number }),
            let old = uris[stored.uri]?[index]
        else { return nil }
        let new = try old.updated(to: response)
        let cost = Self.cost(of: new) + stored.content.capacity
        guard cost <= limits.maxEntryBytes else { throw .tooLarge(limit: limits.maxEntryBytes) }
        uris[stored.uri]?[index] = new
        removeVariant(of: new)
        order.remove(position)
        positions[entry.number] = order.insert(
            Stored(uri: stored.uri, number: stored.number, content: stored.content, cost: cost)
        )
        bytes += cost - stored.cost
        evict()
        return new
    }

    /// Removes an entry; does nothing if it is gone.
    mutating func remove(_ number: UInt64) {
        guard let position = positions.removeValue(forKey: number), let stored = order[position]
        else { return }
        order.remove(position)
        bytes -= stored.cost
        uris[stored.uri]?.removeAll { $0.number == number }
        if uris[stored.uri]?.isEmpty == true { uris[stored.uri] = nil }
    }

    mutating func removeAll(of uri: String) {
        for entry in entries(of: uri) { remove(entry.number) }
    }

    mutating func removeAll() {
        let last = lastNumber
        self = MemoryCacheContents(limits)
        // Numbers are not used again: a caller may still have an old entry.
        lastNumber = last
    }

    /// Removes the other entries of the URI that the same requests select.
    private mutating func removeVariant(of entry: CacheEntry) {
        let others = entries(of: entry.uri).filter {
            $0.response.variant == entry.response.variant && $0.number != entry.number
        }
        for other in others { remove(other.number) }
    }

    /// Removes the entries that were used longest ago until the limits hold.
    private mutating func evict() {
        while bytes > limits.maxBytes || positions.count > limits.maxEntries,
            let oldest = order.oldest, let stored = order[oldest]
        {
            remove(stored.number)
        }
    }

    /// Returns the bytes that an entry takes without its content, estimated.
    ///
    /// A kilobyte is for the entry itself, the parsed fields, and the tables of the store.
    private static func cost(of entry: CacheEntry) -> Int {
        let head = entry.response.head.headers
        let selectors = entry.response.variant.selectors.reduce(0) { sum, selector in
            sum + 64 + selector.name.rawName.utf8.count + (selector.value?.utf8.count ?? 0)
        }
        return 1024 + 2 * entry.uri.utf8.count + head.lineBytes + 32 * head.count + selectors
    }
}
