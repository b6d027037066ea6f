import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Exchanges that neither use nor invalidate what the cache of their client has stored.
@Suite(.timeLimit(.minutes(10))) struct CacheBypassTests {
    @Test func `a dedicated connection neither uses nor invalidates stored responses`() async throws
    {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let client = origin.client()
        let url = origin.server.url
        #expect(try await client.send(url).text == "1")
        try await client.withConnection(to: url) { connection in
            let posted = try await connection.send(HTTPRequest(.post, url))
            #expect(posted.text == "2" && posted.cacheStatus == nil)
            let sent = try await connection.send(url)
            #expect(sent.text == "3" && sent.cacheStatus == nil)
            let streamed = try await connection.stream(HTTPRequest(.post, url))
            #expect(streamed.cacheStatus == nil)
            #expect(try await streamed.body.collect() == Array("4".utf8))
        }
        let hit = try await client.send(url)
        #expect(hit.text == "1" && hit.cacheStatus?.outcome == .hit && origin.count == 4)
        // The same request of the client itself invalidates.
        _ = try await client.send(HTTPRequest(.post, url))
        #expect(try await client.send(url).text == "6")
    }

    @Test func `a dedicated connection through a proxy with credentials invalidates nothing`()
        async throws
    {
        let origin = try await CachedOrigin { request in
            guard request.headers.contains(.proxyAuthorization) else {
                let headers: [FieldName: String] = [.proxyAuthenticate: #"Basic realm="p""#]
                return .text("who", headers, status: .proxyAuthenticationRequired)
            }
            return .text(request.method.rawValue, [.cacheControl: "max-age=60"])
        }
        let port = try #require(try URI(origin.server.url).port)
        let way = HTTPProxy(
            scheme: .http,
            host: "127.0.0.1",
            port: port,
            credentials: HTTPCredentials(user: "u", password: "p")
        )
        let cache = HTTPCache()
        // A new client does not know the proxy yet, so the proxy refuses the first request of each.
        let clients = (0..<2).map { _ in
            origin.client {
                $0.proxy = .proxy(way, except: "")
                $0.cache = .cache(cache)
            }
        }
        let url = "http://origin.example/"
        #expect(try await clients[0].send(url).text == "GET")
        let text = try await clients[1].withConnection(to: url) {
            try await $0.send(HTTPRequest(.post, url)).text
        }
        #expect(text == "POST" && origin.count == 4)
        let hit = try await clients[1].send(url)
        #expect(hit.text == "GET" && hit.cacheStatus?.outcome == .hit && origin.count == 4)
    }

    @Test func `an upgrade neither uses nor invalidates stored responses`() async throws {
        let switching =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"
        let isAccepting = Locked(false)
        let origin = try await CachedOrigin { request in
            guard request.headers.contains(.upgrade), isAccepting.withLock({ $0 }) else {
                return .text(request.method.rawValue, [.cacheControl: "max-age=60"])
            }
            return .raw(switching)
        }
        let client = origin.client()
        let url = origin.server.url
        #expect(try await client.send(url).text == "GET")
        for method in [HTTPMethod.get, .post] {
            for isAccepted in [false, true] {
                isAccepting.withLock { $0 = isAccepted }
                switch try await client.upgrade(HTTPRequest(method, url), to: "echo") {
                case .upgraded(let stream):
                    #expect(isAccepted)
                    stream.close()
                case .declined(let response):
                    #expect(!isAccepted && response.cacheStatus == nil)
                    #expect(try await response.body.collect() == Array(method.rawValue.utf8))
                }
            }
        }
        let hit = try await client.send(url)
        #expect(hit.text == "GET" && hit.cacheStatus?.outcome == .hit && origin.count == 5)
    }
}
