import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Responses that are as costly to store as the limits of a head permit.
@Suite(.timeLimit(.minutes(10))) struct PoisonedCacheTests {
    /// Where the responses are stored.
    enum Place: CaseIterable, Sendable {
        case memory, directory, storage

        fileprivate func cache(in directory: TemporaryDirectory) throws -> HTTPCache {
            switch self {
            case .memory: HTTPCache()
            case .directory: try HTTPCache(directory: directory.path + "/cache")
            case .storage: HTTPCache(storage: MemoryStorage())
            }
        }
    }

    /// Returns a head of exactly `count` bytes, for a body of another number of bytes.
    private static func head(_ count: Int, bodyLength: Int) -> String {
        let start =
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nVary: Accept-Language\r\n"
            + "Connection: close\r\nContent-Length: \(bodyLength)\r\nX-Filler: "
        let end = "\r\n\r\n"
        let filler = String(repeating: "x", count: count - start.utf8.count - end.utf8.count)
        return start + filler + end
    }

    /// Requires that a response of another URL is stored and used.
    private func expectStored(_ url: String, in client: HTTPClient) async throws {
        for outcome in [HTTPResponse.CacheStatus.Outcome.miss, .hit] {
            let response = try await client.send(url)
            #expect(response.text == "small" && response.cacheStatus?.outcome == outcome)
            #expect(response.cacheStatus?.refusal == nil)
        }
    }

    // The metadata of 16 variants with such heads is longer than a file of it may be.
    @Test(arguments: Place.allCases)
    func `the largest heads of many variants do no harm`(place: Place) async throws {
        let limit = HTTPClientConfiguration().limits.headBytes
        let origin = try await CachedOrigin { request in
            guard request.path == "/large" else {
                return .text("small", [.cacheControl: "max-age=60"])
            }
            let body = request.headers["Accept-Language"] ?? ""
            return .raw(Self.head(limit, bodyLength: body.utf8.count) + body)
        }
        let directory = try TemporaryDirectory()
        let cache = try place.cache(in: directory)
        let client = origin.client { $0.cache = .cache(cache) }
        let url = origin.server.url + "/large"
        func outcome(_ language: String) async throws -> HTTPResponse.CacheStatus.Outcome? {
            let request = HTTPRequest(url).header("Accept-Language", language)
            let response = try await client.send(request)
            #expect(response.text == language)
            return response.cacheStatus?.outcome
        }
        let languages = (10..<30).map { "l\($0)" }
        for language in languages { #expect(try await outcome(language) == .miss) }
        var hits = 0
        // The last first: a store removes the oldest variants, and stores each new one.
        for language in languages.reversed() {
            let found = try await outcome(language)
            #expect(found == .hit || found == .miss && language != languages.last)
            if found == .hit { hits += 1 }
        }
        #expect(hits >= 10)
        try await expectStored(origin.server.url + "/other", in: client)
        // Without the stored variants, there is room for others of the same URL.
        _ = try await client.send(HTTPRequest(.post, url))
        #expect(try await outcome("new") == .miss)
        #expect(try await outcome("new") == .hit)
        #expect(cache.lastError == nil)
        withExtendedLifetime(directory) {}
    }

    @Test(arguments: Place.allCases)
    func `a Vary with thousands of names is not stored`(place: Place) async throws {
        let names = (0..<5000).map { "field-\($0)" }.joined(separator: ",")
        let origin = try await CachedOrigin { request in
            guard request.path == "/large" else {
                return .text("small", [.cacheControl: "max-age=60"])
            }
            return .text("large", [.cacheControl: "max-age=60", .vary: names])
        }
        let directory = try TemporaryDirectory()
        let cache = try place.cache(in: directory)
        let client = origin.client { $0.cache = .cache(cache) }
        for _ in 0..<2 {
            let response = try await client.send(origin.server.url + "/large")
            #expect(response.text == "large" && response.headers[.vary] == names)
            #expect(response.cacheStatus?.outcome == .miss)
            #expect(response.cacheStatus?.refusal == "vary")
        }
        try await expectStored(origin.server.url + "/other", in: client)
        #expect(try cache.statistics.entryCount == 1 && origin.count == 3)
        #expect(cache.lastError == nil)
        withExtendedLifetime(directory) {}
    }
}
