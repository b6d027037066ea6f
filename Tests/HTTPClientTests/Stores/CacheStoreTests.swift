import HTTPClient
import Support
import Testing
import Wire

/// Tests what every store of the cache must do.
@Suite struct CacheStoreTests {
    private let uri = "http://a/"
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(
        arguments: StoreKind.allCases,
        [0, 1, 1000, 262_143, 262_144, 262_145, 600_000]
    )
    func `a committed response is found as it was stored`(kind: StoreKind, length: Int) throws {
        let store = kind.make(in: directory)
        let content = Samples.content(length)
        let entry = try store.put(uri, content, language: "de")
        #expect(try store.entries(of: uri) == [entry])
        #expect(entry.response == Samples.response(length, language: "de"))
        #expect(entry.length == length)
        #expect(try store.only(uri) == content)
        #expect(try store.entries(of: uri + "a") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `heads and variants are kept exactly`(kind: StoreKind) throws {
        let store = kind.make(in: directory)
        var headers: HTTPHeaders = ["x-A": "1", "X-a": "", "Vary": "A, B"]
        headers.append("X-Bytes", bytes: [0xFF, 0x80, 0x41])
        let head = ResponseHead(version: .http10, status: 299, reason: "Söme", headers: headers)
        let variant = try #require(CacheVariant(headers, selectedBy: ["A": "x, y"]))
        let response = StoredResponse(
            head,
            variant: variant,
            content: .part(5...7, of: 1 << 40),
            requestTime: HTTPDate(secondsSince1970: -5),
            responseTime: HTTPDate(secondsSince1970: 7)
        )
        let writer = try store.write(uri, expecting: nil)
        try writer.append([1, 2])
        try writer.append([3])
        let entry = try writer.commit(response)
        let found = try #require(try store.entries(of: uri).first)
        #expect(found.response == response)
        #expect(found.response.head.reason == "Söme")
        #expect(Array(found.response.head.headers) == Array(headers))
        #expect(try store.open(entry)?.bytes() == [1, 2, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func `a commit replaces the response with an equal variant`(kind: StoreKind) throws {
        let store = kind.make(in: directory)
        let old = try store.put(uri, [1], language: "de")
        let other = try store.put(uri, [2], language: "en")
        let new = try store.put(uri, [3], language: "DE")
        #expect(try store.entries(of: uri) == [other, new])
        #expect(try store.open(old) == nil)
        #expect(try store.open(new)?.bytes() == [3])
        #expect(try store.statistics().entries == 2)
    }

    /// The times of the request and of the receipt of a stored response and of a later commit, and whether the commit
    /// replaces it.
    @Test(
        arguments: [StoreKind.directory, .external],
        [
            (1000...1001, 1000...1005, true), (1003...1004, 1000...1005, false),
            (1005...1006, 1000...1005, false), (1006...1007, 1000...1005, true),
            (1003...1009, 1003...1005, true), (900...901, 1000...1005, true),
        ]
    )
    func `the response to a later request of another process stays`(
        kind: StoreKind,
        times: (stored: ClosedRange<Int>, committed: ClosedRange<Int>, replaces: Bool)
    ) throws {
        let store = kind.make(in: directory)
        func put(_ byte: UInt8, _ times: ClosedRange<Int>, _ language: String) throws {
            let writer = try store.write(uri, expecting: nil)
            try writer.append([byte])
            let sample = Samples.response(1, language: language)
            _ = try writer.commit(
                StoredResponse(
                    sample.head,
                    variant: sample.variant,
                    content: sample.content,
                    requestTime: HTTPDate(secondsSince1970: times.lowerBound),
                    responseTime: HTTPDate(secondsSince1970: times.upperBound)
                )
            )
        }
        try put(1, times.stored, "de")
        if times.replaces {
            try put(2, times.committed, "de")
        } else {
            #expect(throws: CacheStoreError.superseded) { try put(2, times.committed, "de") }
        }
        #expect(try store.only(uri) == [times.replaces ? 2 : 1])
        // Another variant is another response.
        try put(3, times.committed, "en")
        #expect(try store.entries(of: uri).count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `the oldest variant goes above the limit`(kind: StoreKind) throws {
        let store = kind.make(in: directory, maxVariants: 3)
        let entries = try (0..<5).map { try store.put(uri, [UInt8($0)], language: "l\($0)") }
        #expect(try store.entries(of: uri) == Array(entries[2...]))
        #expect(try store.open(entries[1]) == nil)
        #expect(try store.statistics().entries == 3)
    }

    @Test(arguments: StoreKind.allCases, [10, 700_000])
    func `an open content stays readable`(kind: StoreKind, length: Int) throws {
        let store = kind.make(in: directory)
        let content = Samples.content(length)
        let replaced = try #require(try store.open(try store.put(uri, content)))
        let removed = try #require(try store.open(try store.put(uri, content)))
        try store.removeAll(of: uri)
        let all = try #require(try store.open(try store.put(uri, content)))
        try store.removeAll()
        #expect(try store.list() == [])
        for open in [replaced, removed, all] { #expect(try open.bytes() == content) }
    }

    @Test(arguments: StoreKind.allCases)
    func `a writer that does not commit stores nothing`(kind: StoreKind) throws {
        let store = kind.make(in: directory)
        var writer = try store.write(uri, expecting: 3)
        try writer.append([1, 2, 3])
        writer = try store.write(uri, expecting: 3)
        try writer.append([1, 2, 3])
        writer.discard()
        #expect(throws: CacheStoreError.closed) { try writer.append([4]) }
        #expect(throws: CacheStoreError.closed) { try writer.commit(Samples.response(3)) }
        #expect(try store.list() == [])
        let names = TestFileSystem.names(in: directory.path + "/cache/v1")
        #expect(names.filter { $0 != ".store.lock" } == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `a content of another length is not stored`(kind: StoreKind) throws {
        let store = kind.make(in: directory)
        let old = try store.put(uri, [9])
        // The last one has a Content-Length, which is another number.
        let rows: [([UInt8], StoredResponse, CacheStoreError)] = [
            ([1, 2], unmarked(3), .lengthMismatch(stored: 2, described: 3)),
            ([1, 2, 3, 4], unmarked(3), .lengthMismatch(stored: 4, described: 3)),
            (
                [1, 2, 3], Samples.response(3, ["Content-Length": "5"]),
                .lengthMismatch(stored: 3, described: 5)
            ),
        ]
        for (bytes, response, error) in rows {
            let writer = try store.write(uri, expecting: nil)
            try writer.append(bytes)
            #expect(throws: error) { try writer.commit(response) }
            #expect(throws: CacheStoreError.closed) { try writer.commit(response) }
        }
        #expect(try store.entries(of: uri) == [old])
    }

    /// Returns a whole response without a Content-Length, such as one in chunks.
    private func unmarked(_ length: Int) -> StoredResponse {
        StoredResponse(
            ResponseHead(status: 200),
            content: .whole(length: length),
            requestTime: HTTPDate(secondsSince1970: 0),
            responseTime: HTTPDate(secondsSince1970: 0)
        )
    }

    @Test(arguments: StoreKind.allCases)
    func `a writer refuses bytes above the limit for one entry`(kind: StoreKind) throws {
        let store = kind.make(in: directory, maxEntryBytes: 4000)
        let limit = CacheStoreError.tooLarge(limit: 4000)
        #expect(throws: limit) { try store.write(uri, expecting: 4001) }
        let writer = try store.write(uri, expecting: nil)
        try writer.append(Samples.content(4000))
        #expect(throws: limit) { try writer.append([1]) }
        #expect(throws: CacheStoreError.closed) { try writer.append([1]) }
        #expect(throws: CacheStoreError.closed) { try writer.commit(Samples.response(4000)) }
        #expect(try store.list() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `an update changes the head and keeps the content`(kind: StoreKind) throws {
        let store = kind.make(in: directory)
        let old = try store.put(uri, [1, 2])
        let response = Samples.response(2, second: 2000, ["X-New": "1"])
        let new = try #require(try store.update(old, to: response))
        #expect(new.response == response)
        #expect(new.number == old.number)
        #expect(try store.entries(of: uri) == [new])
        #expect(try store.open(old)?.bytes() == [1, 2])
        #expect(throws: CacheStoreError.lengthMismatch(stored: 2, described: 3)) {
            try store.update(old, to: Samples.response(3))
        }
        try store.remove(old)
        #expect(try store.update(old, to: response) == nil)
        #expect(try store.list() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `an update removes another entry with the new variant`(kind: StoreKind) throws {
        let store = kind.make(in: directory)
        let first = try store.put(uri, [1], language: "de")
        let second = try store.put(uri, [2], language: "en")
        let new = try store.update(first, to: Samples.response(1, language: "en"))
        #expect(try store.entries(of: uri) == [new])
        #expect(try store.open(second) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `entries are removed one by one, by URI and all`(kind: StoreKind) throws {
        let store = kind.make(in: directory)
        #expect(try store.statistics().entries == 0)
        try store.removeAll()
        let entries = try ["de", "en"].map { try store.put(uri, [1], language: $0) }
        let other = try store.put("http://b/", [2])
        #expect(Set(try store.list()) == Set(entries + [other]))
        #expect(try store.statistics().bytes > 0)
        try store.remove(entries[0])
        try store.remove(entries[0])
        #expect(try store.entries(of: uri) == [entries[1]])
        try store.removeAll(of: uri)
        try store.removeAll(of: uri)
        #expect(try store.list() == [other])
        try store.removeAll()
        #expect(try store.list() == [])
        let statistics = try store.statistics()
        #expect(statistics.entries == 0 && statistics.bytes == 0)
        #expect(store.evictionError == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `concurrent calls never mix responses`(kind: StoreKind) async throws {
        let store = kind.make(in: directory, maxVariants: 3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { try Self.useStore(store, seed: task) }
            }
            try await group.waitForAll()
        }
        let entries = try store.list()
        #expect(entries.count <= 4 * 3)
        #expect(try store.statistics().entries == entries.count)
        for entry in entries { try Self.verify(entry, in: store) }
    }

    /// Writes, updates, removes and reads; the Last-Modified field of each response identifies its content.
    private static func useStore(_ store: any CacheStore, seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<40 {
            let uri = "http://\(Int.random(in: 0..<4, using: &random))/"
            let language = "l\(Int.random(in: 0..<5, using: &random))"
            let tag = Int.random(in: 0..<1_000_000, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: try store.removeAll(of: uri)
            case 1:
                for entry in try store.entries(of: uri) {
                    _ = try store.update(entry, to: entry.response)
                }
            case 2...5:
                for entry in try store.entries(of: uri) { try verify(entry, in: store) }
            default:
                let writer = try store.write(uri, expecting: nil)
                try writer.append(Samples.content(1000 + tag % 1000, seed: tag))
                _ = try writer.commit(
                    Samples.response(1000 + tag % 1000, language: language, ["X-Tag": "\(tag)"])
                )
            }
        }
    }

    /// Another task may have removed the entry, but its content must not be another one.
    private static func verify(_ entry: CacheEntry, in store: any CacheStore) throws {
        guard let content = try store.open(entry) else { return }
        let tag = try #require(entry.response.head.headers["X-Tag"].flatMap { Int($0) })
        #expect(try content.bytes() == Samples.content(1000 + tag % 1000, seed: tag))
    }
}
