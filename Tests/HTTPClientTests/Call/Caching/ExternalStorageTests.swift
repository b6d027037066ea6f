import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Clients whose cache is in a storage of the application.
@Suite(.timeLimit(.minutes(10))) struct ExternalStorageTests {
    private static let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

    private let storage = MemoryStorage()

    private func origin() async throws -> CachedOrigin {
        try await CachedOrigin { request in
            var response =
                request.path == "/large"
                ? HTTPTestServer.Response.bytes(Self.content) : .text("small")
            response.headers[.cacheControl] = "max-age=60"
            return response
        }
    }

    private func client(
        of origin: CachedOrigin,
        _ cache: HTTPCache
    ) -> HTTPClient {
        origin.client { $0.cache = .cache(cache) }
    }

    @Test func `responses are collected, streamed and downloaded from it`() async throws {
        let origin = try await origin()
        let cache = HTTPCache(storage: storage)
        let client = client(of: origin, cache)
        for path in ["/small", "/large"] {
            let url = origin.server.url + path
            let expected = path == "/large" ? Self.content : Array("small".utf8)
            #expect(try await client.send(url).cacheStatus?.outcome == .miss)
            let sent = try await client.send(url)
            #expect(sent.cacheStatus?.outcome == .hit && sent.body == expected)
            let streamed = try await client.stream(url)
            #expect(streamed.cacheStatus?.outcome == .hit)
            #expect(try await streamed.body.collect() == expected)
            let directory = try TemporaryDirectory()
            let file = directory.path + "/file"
            _ = try await client.download(url, to: file)
            #expect(TestFileSystem.contents(of: file) == expected)
            let blocking = try await onThread { Result { try client.blocking.send(url) } }.get()
            #expect(blocking.cacheStatus?.outcome == .hit && blocking.body == expected)
            let ranged = try await client.send(HTTPRequest(url).range(2...4))
            #expect(ranged.body == Array(expected[2...4]) && ranged.status == .partialContent)
        }
        #expect(origin.count == 2)
        #expect(try cache.statistics.entryCount == 2)
        // Another process has another cache over the same storage.
        let other = self.client(of: origin, HTTPCache(storage: storage))
        #expect(try await other.send(origin.server.url + "/large").cacheStatus?.outcome == .hit)
        try cache.removeAll()
        #expect(storage.names() == [] && cache.lastError == nil)
        #expect(try await other.send(origin.server.url + "/large").cacheStatus?.outcome == .miss)
    }

    @Test(arguments: MemoryStorage.Call.allCases)
    func `the origin answers if the storage fails`(call: MemoryStorage.Call) async throws {
        let origin = try await origin()
        let cache = HTTPCache(storage: storage)
        let client = client(of: origin, cache)
        for path in ["/small", "/large"] { _ = try await client.send(origin.server.url + path) }
        storage.fail([call])
        for path in ["/small", "/large", "/other"] {
            for _ in 0..<2 {
                let response = try await client.send(origin.server.url + path)
                #expect(response.body == (path == "/large" ? Self.content : Array("small".utf8)))
                _ = try await client.send(HTTPRequest(.post, origin.server.url + path))
            }
        }
        #expect(cache.lastError?.hasSuffix("no \(call) today") == (call == .list ? nil : true))
        storage.fail([])
        // Responses that could not be removed are not used, nor are those of the same second.
        origin.advance(1)
        _ = try await client.send(origin.server.url + "/other")
        #expect(
            try await client.send(origin.server.url + "/other").cacheStatus?.outcome == .hit
        )
    }

    @Test func `a damaged object is replaced by the response of the origin`() async throws {
        let origin = try await origin()
        let client = client(of: origin, HTTPCache(storage: storage))
        for path in ["/small", "/large"] {
            let url = origin.server.url + path
            _ = try await client.send(url)
            let name = try #require(storage.names(".body").last)
            var bytes = try #require(storage.objects[name])
            bytes[bytes.count / 2] ^= 1
            storage.set(name, bytes)
            #expect(try await client.send(url).cacheStatus?.outcome == .miss)
            #expect(try await client.send(url).cacheStatus?.outcome == .hit)
        }
        #expect(storage.names(".body").count == 2)
    }

    @Test(arguments: [false, true])
    func `the origin answers if a content is lost after it was verified`(
        isBlocking: Bool
    ) async throws {
        let origin = try await origin()
        let client = client(of: origin, HTTPCache(storage: storage))
        let url = origin.server.url + "/large"
        _ = try await client.send(url)
        // The digests and the four chunks are read to verify them, and two of them again.
        storage.loseContents(afterReads: 7)
        let response =
            isBlocking
            ? try await onThread { Result { try client.blocking.send(url) } }.get()
            : try await client.send(url)
        #expect(response.body == Self.content && response.cacheStatus?.outcome == .miss)
        #expect(origin.count == 2)
        #expect(try await client.send(url).cacheStatus?.outcome == .hit)
        // A stream has delivered some of it.
        storage.loseContents(afterReads: 7)
        let streamed = try await client.stream(url)
        await #expect(throws: HTTPError.self) { try await streamed.body.collect() }
        #expect(try await client.send(url).cacheStatus?.outcome == .miss)
    }

    @Test func `a stored body that is being read survives an invalidation`() async throws {
        let origin = try await origin()
        let client = client(of: origin, HTTPCache(storage: storage))
        let url = origin.server.url + "/large"
        _ = try await client.send(url)
        let streamed = try await client.stream(url)
        #expect(streamed.cacheStatus?.outcome == .hit)
        _ = try await client.send(HTTPRequest(.post, url))
        #expect(try await streamed.body.collect() == Self.content)
        #expect(try await client.send(url).cacheStatus?.outcome == .miss)
    }

    @Test func `a response that was cut short leaves no object`() async throws {
        let origin = try await origin()
        let client = client(of: origin, HTTPCache(storage: storage))
        do {
            let response = try await client.stream(origin.server.url + "/large")
            var body = response.body.makeAsyncIterator()
            #expect(try await body.next() != nil)
            response.cancel()
        }
        // The object is removed on a thread for that.
        while storage.count(.remove) == 0 { await Task.yield() }
        #expect(storage.names() == [])
    }
}
