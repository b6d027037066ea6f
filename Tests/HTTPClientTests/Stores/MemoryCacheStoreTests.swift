import CAllocations
import HTTPClient
import Support
import Testing

/// Tests the limits and the costs of the store in memory.
@Suite struct MemoryCacheStoreTests {
    private func store(_ maxBytes: Int = 1 << 20, _ maxEntries: Int = .max) -> MemoryCacheStore {
        MemoryCacheStore(MemoryCacheStore.Limits(maxBytes: maxBytes, maxEntries: maxEntries))
    }

    private func uris(_ store: MemoryCacheStore) -> [String] {
        store.list().map(\.uri).sorted()
    }

    @Test func `the entry that was opened longest ago is evicted`() throws {
        let store = store(1 << 20, 3)
        let first = try store.put("a", [1])
        for uri in ["b", "c"] { try store.put(uri, [1]) }
        _ = store.open(first)
        // A lookup alone is no use.
        _ = store.entries(of: "b")
        try store.put("d", [1])
        #expect(uris(store) == ["a", "c", "d"])
        _ = store.update(first)
        try store.put("e", [1])
        #expect(uris(store) == ["a", "d", "e"])
    }

    @Test func `the bytes of all entries with their heads stay within the limit`() throws {
        let store = store(100_000)
        for index in 0..<100 {
            try store.put("http://a/\(index)", Samples.content(5000))
            #expect(store.statistics().bytes <= 100_000)
        }
        // Each has more than 5000 bytes of content, and a head.
        #expect((12..<19).contains(store.statistics().entries))
        let small = self.store(100_000)
        for index in 0..<1000 { try small.put("\(index)", []) }
        #expect((20..<99).contains(small.statistics().entries))
    }

    @Test func `one entry takes at most an eighth of the limit by default`() throws {
        let store = store(80_000)
        #expect(store.limits.maxEntryBytes == 10_000)
        #expect(throws: CacheStoreError.tooLarge(limit: 10_000)) {
            // The content is within the limit, but not with the head.
            try store.put("a", Samples.content(9_900))
        }
        #expect(store.statistics().bytes == 0)
        try store.put("a", Samples.content(8_000))
        #expect(store.statistics().entries == 1)
    }

    @Test func `entries of all sizes and updates are counted exactly`() throws {
        let store = store()
        let entry = try store.put("a", Samples.content(1000))
        let before = store.statistics().bytes
        let longer = Samples.response(1000, ["X-Long": String(repeating: "a", count: 500)])
        _ = try store.update(entry, to: longer)
        #expect(store.statistics().bytes >= before + 500)
        _ = try store.update(entry, to: Samples.response(1000))
        #expect(store.statistics().bytes == before)
        store.remove(entry)
        #expect(store.statistics().bytes == 0)
    }

    @Test func `an evicted content stays readable`() throws {
        let store = store(1 << 20, 1)
        let open = try #require(store.open(try store.put("a", [1, 2])))
        try store.put("b", [3])
        #expect(try store.only("a") == nil)
        #expect(try open.bytes() == [1, 2])
    }

    @Test(arguments: 0..<20) func `random calls evict in the order of use`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = store(1 << 20, 5)
        // The model: the entries from the one used longest ago to the newest.
        var order: [CacheEntry] = []
        for _ in 0..<300 {
            let uri = "\(Int.random(in: 0..<9, using: &random))"
            let index = order.firstIndex { $0.uri == uri }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                if let index { store.remove(order.remove(at: index)) }
            case 1:
                if let index {
                    let entry = order.remove(at: index)
                    #expect(store.open(entry) != nil)
                    order.append(entry)
                }
            default:
                if let index { order.remove(at: index) }
                order.append(try store.put(uri, [1]))
                if order.count > 5 { order.removeFirst() }
            }
            #expect(Set(store.list()) == Set(order))
        }
    }

    @Test(.enabled(if: allocations_are_counted() != 0, "a sanitizer replaces the allocator"))
    func `a lookup and an open allocate almost nothing`() throws {
        let store = store()
        try store.put("http://a/some/path", Samples.content(1024))
        var bytes = 0
        for _ in 0..<20 { bytes += Self.hit(store) }
        let before = allocations_of_this_thread()
        for _ in 0..<100 { bytes += Self.hit(store) }
        let count = allocations_of_this_thread() - before
        #expect(bytes == 120 * 1024)
        // One in each round without optimization.
        #expect(count <= 100, "\(count) in 100 rounds")
    }

    private static func hit(_ store: MemoryCacheStore) -> Int {
        guard let entry = store.entries(of: "http://a/some/path").first,
            case .memory(let bytes) = store.open(entry)
        else { return 0 }
        return bytes.count
    }
}

extension MemoryCacheStore {
    fileprivate func update(_ entry: CacheEntry) -> CacheEntry? {
        try? update(entry, to: entry.response)
    }
}
