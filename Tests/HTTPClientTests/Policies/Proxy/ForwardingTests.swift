import ClientSupport
import Dispatch
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// The statuses of the responses that an observer saw.
private final class SeenStatuses: HTTPObserver {
    private let list = Locked<[Int]>([])

    var all: [Int] { list.withLock { $0 } }

    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        guard case .received(let response) = step else { return }
        list.withLock { $0.append(Int(response.status.code)) }
    }
}

/// Tests requests to a forwarding proxy, which answers them itself.
@Suite(.timeLimit(.minutes(10))) struct ForwardingTests {
    private static let reply = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy"

    private func client(
        _ proxy: HTTPProxy,
        except exceptions: HTTPProxy.Exceptions = "",
        _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .proxy(proxy, except: exceptions)
        change(&configuration)
        return HTTPClient(configuration)
    }

    private func proxy(_ origin: ScriptedOrigin, user: String? = nil) -> HTTPProxy {
        HTTPProxy(
            scheme: .http,
            host: "127.0.0.1",
            port: origin.port,
            credentials: user.map { HTTPCredentials(user: $0, password: "pw") }
        )
    }

    @Test func `the request line contains the whole URL`() async throws {
        let wire = try ScriptedOrigin([
            .expect("GET http://site.example/a?b HTTP/1.1\r\nHost: site.example\r\nX: y\r\n\r\n"),
            .reply(Self.reply),
        ])
        let client = client(proxy(wire)) {
            $0.headers = [:]
            $0.decompression = .off
        }
        let request = HTTPRequest("http://site.example/a?b#c", headers: ["X": "y"])
        let response = try await client.send(request)
        #expect(response.text == "proxy")
        #expect(response.url.text == "http://site.example/a?b#c")
        #expect(response.metrics.tunneled == nil)
        #expect(wire.failures == [])
    }

    @Test func `an origin's credentials are sent in Authorization and not in the request line`()
        async throws
    {
        let wire = try ScriptedOrigin(.always(Self.reply))
        _ = try await client(proxy(wire)).send(HTTPRequest("http://u:p@site.example:81/"))
        #expect(wire.text().hasPrefix("GET http://site.example:81/ HTTP/1.1\r\n"))
        #expect(wire.text().contains("Authorization: Basic dTpw\r\n"))
        #expect(!wire.text().contains("Proxy-Authorization"))
    }

    @Test func `one connection carries requests for many origins`() async throws {
        let wire = try ScriptedOrigin(.always(Self.reply))
        let client = client(proxy(wire))
        for host in ["a.example", "b.example", "c.example:8080"] {
            #expect(try await client.send(HTTPRequest("http://\(host)/")).text == "proxy")
        }
        #expect(wire.connectionCount == 1)
    }

    @Test func `proxy connections of different users are never shared`() async throws {
        let wire = try ScriptedOrigin(.always(Self.reply))
        let client = HTTPClient()
        for user in ["ada", "ada", "bob", nil] {
            var proxy = proxy(wire, user: user)
            proxy.authentication = .basic
            var request = HTTPRequest("http://site.example/")
            request.proxy = .proxy(proxy)
            _ = try await client.send(request)
        }
        #expect(wire.connectionCount == 3)
        #expect(wire.text(on: 2).contains("Proxy-Authorization") == false)
    }

    @Test func `header fields for the proxy are sent to it`() async throws {
        let wire = try ScriptedOrigin(.always(Self.reply))
        var proxy = proxy(wire)
        proxy.headers = ["X-Via": "me"]
        _ = try await client(proxy).send(HTTPRequest("http://site.example/"))
        #expect(wire.text().contains("X-Via: me\r\n"))
    }

    @Test func `excepted hosts are connected to directly, without proxy fields`() async throws {
        let wire = try ScriptedOrigin(.always(Self.reply))
        let server = try await HTTPTestServer.start { _ in .text("direct") }
        var proxy = proxy(wire, user: "ada")
        proxy.authentication = .basic
        proxy.headers = ["X-Via": "me"]
        let client = client(proxy, except: "127.0.0.1")
        let headers: HTTPHeaders = [.proxyAuthorization: "Basic eDp5"]
        let response = try await client.send(HTTPRequest(server.url, headers: headers))
        #expect(response.text == "direct")
        #expect(server.requests[0].headers[.proxyAuthorization] == nil)
        #expect(server.requests[0].headers["X-Via"] == nil)
        #expect(wire.connectionCount == 0)
    }

    @Test func `a request's own proxy setting takes precedence over the client's`() async throws {
        let wire = try ScriptedOrigin(.always(Self.reply))
        let server = try await HTTPTestServer.start { _ in .text("direct") }
        let client = client(proxy(wire))
        var request = HTTPRequest(server.url)
        request.proxy = .direct
        #expect(try await client.send(request).text == "direct")
        request.proxy = .custom { origin in
            origin.port == server.port
                ? HTTPProxy(scheme: .http, host: "127.0.0.1", port: wire.port) : nil
        }
        #expect(try await client.send(request).text == "proxy")
        request.proxy = nil
        #expect(try await client.send(request).text == "proxy")
    }

    @Test(
        arguments: [
            ("ftp://p", HTTPProxy.ConfigurationError.unsupportedScheme("ftp")), ("http://", nil),
            ("https://p", nil),
        ] as [(String, HTTPProxy.ConfigurationError?)]
    )
    func `an unusable proxy setting is a caller error`(
        url: String,
        reason: HTTPProxy.ConfigurationError?
    ) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .url(url)
        let client = HTTPClient(configuration)
        let error = await failure { try await client.send("http://site.example/") }
        guard case .invalidRequest(.proxy(let seen)) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        if let reason { #expect(seen == reason) }
        #expect(error?.phase == .preparing)
        #expect(error?.blame == .caller)
    }

    // MARK: - Credentials

    private static func challenge(_ field: String, _ rest: String = "") -> String {
        "HTTP/1.1 407 Who\r\nProxy-Authenticate: \(field)\r\n\(rest)Content-Length: 4\r\n\r\nwho?"
    }

    @Test func `a challenge is answered on the same connection, and later ones are preempted`()
        async throws
    {
        let wire = try ScriptedOrigin([
            .expectHeadWhere { !$0.contains("Proxy-Authorization") },
            .reply(Self.challenge("Basic realm=\"p\"")),
            .expectHead(lines: "Proxy-Authorization: Basic YWRhOnB3"), .reply(Self.reply),
            .expectHead(lines: "Proxy-Authorization: Basic YWRhOnB3"), .reply(Self.reply),
        ])
        let client = client(proxy(wire, user: "ada"))
        let request = HTTPRequest("http://site.example/", method: .post, body: .string("x"))
        let body = try await client.send(request).text
        #expect(body == "proxy")
        _ = try await client.send("http://other.example/")
        #expect(wire.connectionCount == 1)
        #expect(wire.failures == [])
    }

    @Test func `a digest covers the whole URL and uses a new nonce`() async throws {
        let wire = try ScriptedOrigin([
            .expectHead, .reply(Self.challenge("Digest realm=\"p\", qop=\"auth\", nonce=\"n1\"")),
            .expectHeadWhere {
                $0.contains("uri=\"http://site.example/a\"") && $0.contains("nonce=\"n1\"")
                    && $0.contains("nc=00000001")
            },
            .reply(
                Self.challenge("Digest realm=\"p\", qop=\"auth\", nonce=\"n2\", stale=true")
            ),
            .expectHeadWhere { $0.contains("nonce=\"n2\"") && $0.contains("nc=00000001") },
            .reply(Self.reply),
            .expectHeadWhere { $0.contains("nonce=\"n2\"") && $0.contains("nc=00000002") },
            .reply(Self.reply),
        ])
        let client = client(proxy(wire, user: "ada"))
        #expect(try await client.send("http://site.example/a").text == "proxy")
        #expect(try await client.send("http://site.example/b").text == "proxy")
        #expect(wire.failures == [])
    }

    @Test func `a proxy that closes after its challenge gets the answer on a new connection`()
        async throws
    {
        let closing = Self.challenge("Basic realm=\"p\"", "Connection: close\r\n")
        let wire = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(closing), .close],
            [.expectHead(lines: "Proxy-Authorization: Basic YWRhOnB3"), .reply(Self.reply)],
        ])
        let client = client(proxy(wire, user: "ada"))
        #expect(try await client.send("http://site.example/").text == "proxy")
        #expect(wire.failures == [])
    }

    @Test func `a challenge is answered on a dedicated connection`() async throws {
        let wire = try ScriptedOrigin([
            .expectHead, .reply(Self.challenge("Basic realm=\"p\"")),
            .expectHead(lines: "Proxy-Authorization: Basic YWRhOnB3"), .reply(Self.reply),
            .expectHead(lines: "Proxy-Authorization: Basic YWRhOnB3"),
            .reply(Self.challenge("Digest realm=\"p\", qop=\"auth\", nonce=\"n1\"")),
            .expectHeadWhere { $0.contains("nonce=\"n1\"") }, .reply(Self.reply),
        ])
        let seen = SeenStatuses()
        let client = client(proxy(wire, user: "ada")) {
            $0.observers = [seen]
        }
        let connection = try await client.pool.acquire(for: "http://site.example/")
        let first = try await connection.send("http://site.example/")
        #expect(first.text == "proxy")
        #expect(first.proxyHeads.map(\.status.code) == [407])
        let second = try await connection.stream("http://site.example/")
        #expect(second.proxyHeads.map(\.status.code) == [407])
        #expect(try await second.body.collect() == Array("proxy".utf8))
        #expect(seen.all == [200, 200])
        #expect(wire.connectionCount == 1)
        #expect(wire.failures == [])
    }

    @Test func `observers see the final response, and the proxy's challenges in it`() async throws {
        let wire = try ScriptedOrigin([
            .expectHead,
            .reply(Self.challenge("Basic realm=\"p\"", "Set-Cookie: a=b\r\n")),
            .expectHeadWhere { !$0.contains("Cookie") }, .reply(Self.reply),
        ])
        let seen = SeenStatuses()
        let client = client(proxy(wire, user: "ada")) {
            $0.observers = [seen]
            $0.cookies = .automatic
        }
        let response = try await client.stream("http://site.example/")
        #expect(response.proxyHeads.map(\.status.code) == [407])
        #expect(try await response.body.collect() == Array("proxy".utf8))
        #expect(seen.all == [200])
        #expect(wire.failures == [])
    }

    @Test func `a 407 is returned if no further credentials exist`() async throws {
        let wire = try ScriptedOrigin(.always(Self.challenge("Basic realm=\"p\"")))
        let stranger = client(proxy(wire))
        #expect(try await stranger.send("http://site.example/").status.code == 407)
        let wrong = client(proxy(wire, user: "ada"))
        let response = try await wrong.send("http://site.example/")
        #expect(response.status == .proxyAuthenticationRequired)
        #expect(response.text == "who?")
        let other = try ScriptedOrigin(.always(Self.challenge("Negotiate")))
        let unable = client(proxy(other, user: "ada"))
        #expect(try await unable.send("http://site.example/").status.code == 407)
    }

    @Test func `a request's own Proxy-Authorization takes precedence over the proxy's credentials`()
        async throws
    {
        let wire = try ScriptedOrigin(.always(Self.challenge("Basic realm=\"p\"")))
        let headers: HTTPHeaders = [.proxyAuthorization: "Bearer t"]
        let client = client(proxy(wire, user: "ada"))
        _ = try await client.send(HTTPRequest("http://site.example/", headers: headers))
        #expect(wire.text().contains("Proxy-Authorization: Bearer t\r\n"))
        #expect(!wire.text().contains("Basic YWRh"))
    }

    @Test func `a blocking call is forwarded by the proxy`() async throws {
        let wire = try ScriptedOrigin(.always(Self.reply))
        let client = client(proxy(wire))
        let text = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let response = try? client.blocking.send("http://site.example/")
                continuation.resume(returning: response?.text)
            }
        }
        #expect(text == "proxy")
        #expect(wire.text().hasPrefix("GET http://site.example/ HTTP/1.1\r\n"))
    }

    // MARK: - Failures

    @Test func `an unreachable proxy is distinguished from an unreachable origin`() async throws {
        let port = try UnreachablePorts.refusing()
        let proxy = HTTPProxy(scheme: .http, host: "127.0.0.1", port: port)
        for url in ["http://site.example/", "https://site.example/"] {
            let client = client(proxy)
            let error = await failure { try await client.send(HTTPRequest(url)) }
            guard case .proxyFailed(.unreachable(let failures)) = error?.kind else {
                Issue.record("got \(String(describing: error))")
                continue
            }
            #expect(failures.map(\.address) == ["127.0.0.1:\(port)"])
            #expect(error?.phase == .connect)
            #expect(error?.blame == .network)
            #expect(error?.request == "GET \(url)")
        }
        let nowhere = HTTPProxy(scheme: .socks5h, host: "no-such-proxy.invalid")
        let client = client(nowhere)
        let error = await failure { try await client.send("http://site.example/") }
        guard case .proxyFailed(.unresolved(host: "no-such-proxy.invalid", _)) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.phase == .resolve)
    }
}
