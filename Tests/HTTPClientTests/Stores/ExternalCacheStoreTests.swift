import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests of the store over a storage of the application; `CacheStoreTests` has what every store must do.
@Suite(.timeLimit(.minutes(5))) struct ExternalCacheStoreTests {
    private let uri = "http://a/"
    private let storage = MemoryStorage()

    private func store(maxBytes: Int = 64 << 20) -> ExternalCacheStore {
        ExternalCacheStore(storage, maxBytes: maxBytes)
    }

    // MARK: - Damage

    @Test(arguments: [0, 1000, 600_000])
    func `no damaged byte is used`(length: Int) throws {
        let content = Samples.content(length)
        try store().put(uri, content)
        let objects = storage.objects
        try #require(objects.count == 2)
        for (name, bytes) in objects {
            let positions = stride(from: 0, to: bytes.count, by: max(1, bytes.count / 100))
            for position in Array(positions) + [bytes.count - 1] {
                var damaged = bytes
                damaged[position] ^= 1
                try expectUnused(name, damaged, "byte \(position) of \(name)")
            }
            for damaged in [[], Array(bytes.dropLast()), bytes + [0]] {
                try expectUnused(name, damaged, "\(damaged.count) bytes of \(name)")
            }
            try expectUnused(name, nil, "without \(name)")
        }

        func expectUnused(_ name: String, _ bytes: [UInt8]?, _ text: String) throws {
            for (name, bytes) in objects { storage.set(name, bytes) }
            storage.set(name, bytes)
            let store = store()
            #expect(usable(uri, in: store) == nil, "\(text)")
            // What cannot be used does not stay, and is no obstacle for the next response.
            #expect(try store.entries(of: uri) == [], "\(text)")
            try store.put(uri, [7])
            #expect(usable(uri, in: store) == [7], "\(text)")
            try store.removeAll()
            #expect(storage.names() == [], "\(text)")
        }
    }

    /// Returns the content of the first entry as the client reads it; nil if it cannot be used.
    private func usable(_ uri: String, in store: ExternalCacheStore) -> [UInt8]? {
        let cache = HTTPCache(store: store)
        let entry = cache.attempt { () throws(CacheStoreError) in
            try store.entries(of: uri).first
        }
        guard let entry = entry ?? nil, let content = cache.content(of: entry) else { return nil }
        return try? content.bytes()
    }

    @Test func `objects of other responses are not used`() throws {
        let store = store()
        let other = "http://b/"
        try store.put(uri, Samples.content(1000, seed: 1))
        try store.put(other, Samples.content(1000, seed: 2))
        for suffix in [".meta", ".body"] {
            let names = storage.names(suffix)
            let objects = storage.objects
            try #require(names.count == 2)
            storage.set(names[0], objects[names[1]])
            storage.set(names[1], objects[names[0]])
            for uri in [uri, other] { #expect(usable(uri, in: store) == nil) }
            try store.removeAll()
            try store.put(uri, Samples.content(1000, seed: 1))
            try store.put(other, Samples.content(1000, seed: 2))
        }
        // An older content of the same URL.
        let before = try #require(storage.names(".body").first { isOf(uri, $0) })
        let old = try #require(storage.objects[before])
        try store.put(uri, Samples.content(1000, seed: 3))
        let now = try #require(storage.names(".body").first { isOf(uri, $0) })
        storage.set(now, old)
        #expect(usable(uri, in: store) == nil)
    }

    private func isOf(_ uri: String, _ name: String) -> Bool {
        (try? CacheDirectory.baseName(of: uri)).map { name.hasPrefix("v1-" + $0) } ?? false
    }

    /// Returns the name of a content.
    private func contentName(_ uri: String, _ number: Int) throws -> String {
        "v1-" + CacheDirectory.contentName(try CacheDirectory.baseName(of: uri), UInt64(number))
    }

    // MARK: - Limits

    @Test func `the responses that were stored longest ago go above the limit`() throws {
        let store = store(maxBytes: 100_000)
        storage.set("other", Samples.content(1_000_000))
        for index in 0..<30 {
            try store.put("http://\(index)/", Samples.content(9000, seed: index))
            let bytes = try store.statistics().bytes
            #expect(bytes <= 100_000 + 100_000 / 16, "\(index)")
        }
        let kept = try (0..<30).filter { try !store.entries(of: "http://\($0)/").isEmpty }
        #expect(kept == Array((30 - kept.count)..<30) && kept.count >= 8)
        // Objects of others do not count, and stay.
        #expect(storage.objects["other"]?.count == 1_000_000)
        // A confirmation counts as storing.
        let first = try #require(try store.entries(of: "http://\(kept[0])/").first)
        _ = try store.update(first, to: first.response)
        for index in 30..<33 { try store.put("http://\(index)/", Samples.content(9000)) }
        #expect(try store.entries(of: "http://\(kept[0])/") != [])
        #expect(try store.entries(of: "http://\(kept[1])/") == [])
    }

    @Test func `contents that no entry names count, and go with the URL`() throws {
        for number in 0..<20 {
            storage.set(try contentName(uri, number), Samples.content(9000))
        }
        let store = store(maxBytes: 100_000)
        try store.put("http://b/", [1])
        #expect(storage.names(".body").count == 1)
        #expect(try store.only("http://b/") == [1])
    }

    @Test func `contents that killed processes left go before responses`() throws {
        let store = store(maxBytes: 10_000_000)
        try store.put("http://b/", Samples.content(5000))
        try store.put(uri, Samples.content(5000))
        for number in 0..<9 {
            storage.set(try contentName(uri, number), Samples.content(1_200_000))
        }
        // One that this process is writing stays.
        let writer = try store.write(uri, expecting: nil)
        let content = Samples.content(300_000, seed: 5)
        try writer.append(content)
        try store.put("http://c/", Samples.content(700_000))
        #expect(try store.list().count == 3 && storage.names(".body").count == 4)
        let entry = try writer.commit(Samples.response(300_000))
        #expect(try store.open(entry)?.bytes() == content)
    }

    @Test func `lengths that are nonsense evict, and do not trap`() async throws {
        final class Liar: HTTPCache.Storage {
            let storage = MemoryStorage()
            func read(_ name: String, _ positions: Range<Int>) throws -> [UInt8]? {
                try storage.read(name, positions)
            }
            func write(_ bytes: [UInt8], to name: String, at position: Int) throws {
                try storage.write(bytes, to: name, at: position)
            }
            func remove(_ name: String) throws { try storage.remove(name) }
            func list() throws -> [HTTPCache.Object] {
                try storage.list().flatMap {
                    [
                        HTTPCache.Object(name: $0.name, byteCount: .max),
                        HTTPCache.Object(name: $0.name, byteCount: .min),
                    ]
                }
            }
        }
        let liar = Liar()
        for index in 0..<3 {
            for other in 0..<5 {
                liar.storage.set(try contentName("http://other/", other), [1])
            }
            let store = ExternalCacheStore(liar, maxBytes: 100_000)
            let entry = try store.put("http://\(index)/", [1])
            // The response that is being stored stays.
            #expect(try store.list() == [entry] && liar.storage.names(".body").count == 1)
        }
    }

    @Test(arguments: [MemoryStorage.Call.read, .remove])
    func `an object that cannot be used does not end the eviction`(
        call: MemoryStorage.Call
    ) throws {
        let store = store(maxBytes: 100_000)
        try store.put(uri, Samples.content(5000), language: "de")
        try store.put(uri, Samples.content(5000), language: "en")
        let metadata = try #require(storage.names(".meta").first)
        storage.fail([call], of: metadata)
        for index in 0..<40 {
            try store.put("http://\(index)/", Samples.content(9000))
            #expect(storage.objects.values.reduce(0) { $0 + $1.count } <= 120_000)
        }
        #expect((store.evictionError != nil) == (call == .remove))
        // An invalidation removes the metadata in any case.
        if call == .read, storage.objects[metadata] != nil {
            #expect(throws: CacheStoreError.self) { try store.removeAll(of: uri) }
        }
        storage.fail([])
        if call == .read { #expect(try store.entries(of: uri) == []) }
        try store.put(uri, [1])
        #expect(try store.open(store.entries(of: uri).last!)?.bytes() == [1])
    }

    @Test func `a content that is being written is not evicted`() throws {
        let store = store(maxBytes: 4_000_000)
        let writer = try store.write(uri, expecting: nil)
        let content = Samples.content(300_000)
        try writer.append(content)
        try #require(storage.names(".body").count == 1)
        for index in 0..<20 { try store.put("http://\(index)/", Samples.content(400_000)) }
        let entry = try writer.commit(Samples.response(300_000))
        #expect(try store.open(entry)?.bytes() == content)
        #expect(try store.statistics().bytes <= 4_700_000)
    }

    // MARK: - Removal

    @Test func `a content is removed after its last reader`() async throws {
        let store = store()
        let content = Samples.content(700_000)
        let entry = try store.put(uri, content)
        let name = try #require(storage.names(".body").first)
        var first = try store.open(entry)
        var second = try store.open(entry)
        try store.removeAll(of: uri)
        #expect(try store.open(entry) == nil)
        #expect(try first?.bytes() == content)
        first = nil
        #expect(try second?.bytes() == content && storage.names() == [name])
        second = nil
        while storage.names() != [] { await Task.yield() }
        #expect(store.evictionError == nil)
    }

    @Test func `a removal that fails after the last reader is reported`() async throws {
        let store = store()
        let entry = try store.put(uri, Samples.content(700_000))
        var open = try store.open(entry)
        try store.removeAll(of: uri)
        storage.fail([.remove])
        _ = try open?.bytes()
        open = nil
        while store.evictionError == nil { await Task.yield() }
        guard case .storage("no remove today", .remove, _)? = store.evictionError else {
            Issue.record("\(String(describing: store.evictionError))")
            return
        }
    }

    // MARK: - Errors

    @Test(arguments: [MemoryStorage.Call.write, .append, .read], [".meta", ".body"])
    func `a response is stored completely or not at all`(
        call: MemoryStorage.Call,
        suffix: String
    ) throws {
        // Metadata is written at once, and a commit reads no content.
        guard suffix == ".meta" ? call != .append : call != .read else { return }
        let store = store()
        let old = try store.put(uri, [1, 2, 3])
        storage.fail([call], of: suffix)
        #expect {
            try store.put(uri, Samples.content(300_000))
        } throws: {
            guard case CacheStoreError.storage("no \(call) today", _, _) = $0 else { return false }
            return true
        }
        storage.fail([])
        #expect(try store.entries(of: uri) == [old])
        #expect(try store.only(uri) == [1, 2, 3])
        #expect(storage.names().count == 2)
    }

    @Test func `what a failed writer could not remove is reported`() throws {
        let store = store()
        storage.fail([.append, .remove], of: ".body")
        #expect(throws: CacheStoreError.self) { try store.put(uri, Samples.content(300_000)) }
        #expect(store.evictionError?.description.hasSuffix("no remove today") == true)
        #expect(storage.names(".body").count == 1 && storage.names(".meta").isEmpty)
        storage.fail([])
        try store.put(uri, [4, 5])
        #expect(try store.only(uri) == [4, 5])
    }

    @Test(arguments: [1, 100_000, 262_144, 3_000_000])
    func `contents are written in pieces of 256 KiB`(step: Int) throws {
        let store = store()
        let content = Samples.content(step == 1 ? 2000 : 5 << 20)
        let writer = try store.write(uri, expecting: nil)
        try writer.append([])
        for start in stride(from: 0, to: content.count, by: step) {
            try writer.append(Array(content[start...].prefix(step)))
        }
        _ = try writer.commit(Samples.response(content.count))
        #expect(try store.only(uri) == content)
        // One write of the metadata, and one for each piece; the digests follow the content.
        #expect(storage.count(.append) == (step == 1 ? 0 : 20) && storage.count(.write) == 2)
    }

    @Test func `a response whose old content cannot be removed is stored`() throws {
        let store = store()
        try store.put(uri, [1])
        storage.fail([.remove], of: ".body")
        let entry = try store.put(uri, [2])
        #expect(try store.only(uri) == [2] && storage.names(".body").count == 2)
        #expect(store.evictionError != nil)
        #expect(try store.update(entry, to: Samples.response(1, second: 2000)) != nil)
        #expect(try store.only(uri) == [2])
    }

    @Test func `a content that another process removes while it is written is not stored`() throws {
        let store = store()
        let old = try store.put(uri, [1])
        let writer = try store.write(uri, expecting: nil)
        try writer.append(Samples.content(300_000))
        let name = try #require(storage.names(".body").last)
        storage.set(name, nil)
        #expect(throws: CacheStoreError.self) { try writer.commit(Samples.response(300_000)) }
        #expect(try store.entries(of: uri) == [old] && storage.objects[name] == nil)
    }

    @Test func `a storage may ask the cache for its last error`() throws {
        final class Curious: HTTPCache.Storage {
            let storage = MemoryStorage()
            let cache = Locked<HTTPCache?>(nil)
            private func ask() { _ = cache.withLock { $0 }?.lastError }
            func read(_ name: String, _ positions: Range<Int>) throws -> [UInt8]? {
                ask()
                return try storage.read(name, positions)
            }
            func write(_ bytes: [UInt8], to name: String, at position: Int) throws {
                ask()
                try storage.write(bytes, to: name, at: position)
            }
            func remove(_ name: String) throws {
                ask()
                try storage.remove(name)
            }
            func list() throws -> [HTTPCache.Object] {
                ask()
                return try storage.list()
            }
        }
        let curious = Curious()
        let store = ExternalCacheStore(curious, maxBytes: 1000)
        let cache = HTTPCache(store: store)
        curious.cache.withLock { $0 = cache }
        defer { curious.cache.withLock { $0 = nil } }
        for index in 0..<5 { try store.put("http://\(index)/", Samples.content(100)) }
        try cache.removeAll()
        #expect(cache.lastError == nil && curious.storage.names() == [])
    }

    @Test func `errors have the text of the storage`() throws {
        let store = store()
        let cache = HTTPCache(store: store)
        let entry = try store.put(uri, [1, 2, 3])
        storage.fail(Set(MemoryStorage.Call.allCases))
        let name = storage.names(".meta")[0]
        let error = CacheStoreError.storage(reason: "no read today", .read, object: name)
        #expect(error.description == "the storage cannot read \(name): no read today")
        #expect(throws: error) { try store.entries(of: uri) }
        #expect(throws: CacheStoreError.self) { try store.removeAll(of: uri) }
        #expect(throws: error) { try store.remove(entry) }
        #expect(throws: CacheStoreError.self) { try store.open(entry) }
        let list = CacheStoreError.storage(reason: "no list today", .list, object: "objects")
        #expect(throws: list) { try store.list() }
        #expect(throws: list) { try store.statistics() }
        #expect(throws: list) { try store.removeAll() }
        let failed = HTTPError.Kind.fileFailed(
            path: name,
            .read,
            reason: "the storage cannot read \(name): no read today"
        )
        #expect {
            try cache.responses(to: try URI(uri))
        } throws: {
            ($0 as? HTTPError)?.kind == failed
        }
    }

    // MARK: - Several processes

    @Test func `two stores share a storage`() throws {
        let (one, two) = (store(), store())
        let first = try one.put(uri, [1], language: "de")
        let second = try two.put(uri, [2], language: "en")
        #expect(try one.entries(of: uri) == [first, second])
        #expect(try two.open(first)?.bytes() == [1])
        try two.removeAll(of: uri)
        #expect(try one.open(first) == nil)
        #expect(try one.entries(of: uri) == [])
        #expect(storage.names() == [])
    }

    @Test func `lost updates never mix responses`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    let store = store()
                    for round in 0..<50 {
                        let uri = "http://\(round % 3)/"
                        let tag = task * 1000 + round
                        try store.put(
                            uri,
                            Samples.content(1000, seed: tag),
                            language: "l\(round % 2)",
                            second: tag
                        )
                        if round % 7 == 0 { try store.removeAll(of: uri) }
                        for entry in try store.entries(of: uri) {
                            let tag = entry.response.requestTime.secondsSince1970
                            guard let content = try store.open(entry) else { continue }
                            #expect(try content.bytes() == Samples.content(1000, seed: tag))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
