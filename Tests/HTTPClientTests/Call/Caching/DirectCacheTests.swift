import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Calls with a cache that need no driver, unless a stored response leads to another request or to an error.
@Suite(.timeLimit(.minutes(10))) struct DirectCacheTests {
    private enum Kind: CaseIterable { case collected, blocking, directory }

    /// Returns functions that send a request, each with another client and an empty cache.
    private func senders(
        of origin: CachedOrigin,
        _ change: (inout HTTPClientConfiguration) -> Void = { _ in }
    ) throws -> [@Sendable (String) async throws -> HTTPResponse] {
        let directory = try TemporaryDirectory()
        return try Kind.allCases.map { kind in
            let cache = try kind == .directory ? HTTPCache(directory: directory.path) : HTTPCache()
            let client = origin.client {
                change(&$0)
                $0.cache = .cache(cache)
            }
            guard kind == .blocking else {
                return { [directory] in
                    defer { withExtendedLifetime(directory) {} }
                    return try await client.send($0)
                }
            }
            return { url in
                try await onThread { Result { try client.blocking.send(url) } }.get()
            }
        }
    }

    @Test func `stored redirects are followed`() async throws {
        let origin = try await CachedOrigin.redirecting()
        for (number, send) in try senders(of: origin).enumerated() {
            for _ in 0..<2 {
                let response = try await send(origin.server.url + "/old")
                #expect(response.text == "new" && response.redirects.count == 1)
            }
            #expect(origin.count == 2 * number + 2)
        }
    }

    @Test func `a redirect that is not followed is a stored response`() async throws {
        let origin = try await CachedOrigin.redirecting()
        for (number, send) in try senders(of: origin, { $0.redirects.mode = .refuse })
            .enumerated()
        {
            #expect(try await send(origin.server.url).cacheStatus?.outcome == .miss)
            let hit = try await send(origin.server.url)
            #expect(hit.cacheStatus?.outcome == .hit && hit.status == .movedPermanently)
            #expect(origin.count == number + 1)
        }
    }

    @Test func `the default validator sees stored responses`() async throws {
        let origin = try await CachedOrigin { request in
            let status: HTTPStatus = request.path == "/gone" ? .gone : .ok
            return .text("text", [.cacheControl: "max-age=60"], status: status)
        }
        for (number, send) in try senders(
            of: origin,
            { $0.validators = [HTTPDefaultValidator(accepting: .successful)] }
        )
        .enumerated() {
            #expect(try await send(origin.server.url + "/").cacheStatus?.outcome == .miss)
            #expect(try await send(origin.server.url + "/").cacheStatus?.outcome == .hit)
            for _ in 0..<2 {
                let error = await #expect(throws: HTTPError.self) {
                    try await send(origin.server.url + "/gone")
                }
                #expect(error?.kind == .rejectedStatus(.gone))
            }
            #expect(origin.count == 2 * number + 2)
        }
    }

    @Test func `a client that retries uses and fills the cache`() async throws {
        let fails = Locked(0)
        let origin = try await CachedOrigin { request in
            let isFirst = fails.withLock { count in
                count += 1
                return count % 2 == 1
            }
            if request.path == "/late", isFirst { return .text("", status: .serviceUnavailable) }
            return .text("text", [.cacheControl: "max-age=60"])
        }
        let senders = try senders(of: origin) {
            $0.retries = .standard
            $0.retries.statusDelays = [.serviceUnavailable: .zero]
        }
        for send in senders {
            fails.withLock { $0 = 0 }
            let late = try await send(origin.server.url + "/late")
            #expect(late.text == "text" && late.cacheStatus?.outcome == .miss)
            #expect(late.metrics.attempts.count == 2)
            let hit = try await send(origin.server.url + "/late")
            #expect(hit.text == "text" && hit.cacheStatus?.outcome == .hit)
        }
        #expect(origin.count == 2 * Kind.allCases.count)
    }

    @Test func `a 1xx response is neither stored nor applied`() async throws {
        struct Early: HTTPDialer {
            func dial(_ request: HTTPDialRequest) -> HTTPDialRequest.Outcome {
                .stream { stream in
                    _ = try await stream.read()
                    try await stream.write(
                        "HTTP/1.1 103 Early Hints\r\nCache-Control: no-store\r\nX-Early: 1\r\n\r\n"
                            + "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 1\r\n\r\na"
                    )
                }
            }
        }
        let client = HTTPClient().with {
            $0.cache = .memory()
            $0.dialer = Early()
        }
        let first = try await client.send("http://early.test/")
        #expect(first.informational.count == 1 && first.cacheStatus?.outcome == .miss)
        let second = try await client.send("http://early.test/")
        #expect(second.cacheStatus?.outcome == .hit && second.informational.isEmpty)
        #expect(second.status == .ok && second.headers["X-Early"] == nil && second.text == "a")
    }
}
