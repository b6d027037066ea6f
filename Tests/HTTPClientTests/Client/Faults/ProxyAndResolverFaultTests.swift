import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Synchronization
import Testing

/// Tests faults of proxies and resolvers.
///
/// Every test ends with a successful request and an empty pool.
@Suite(.timeLimit(.minutes(10))) struct ProxyAndResolverFaultTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    // MARK: - Proxies

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let scheme: String
        let script: OriginScript
        let isExpected: @Sendable (HTTPError.Kind) -> Bool

        init(
            _ name: String,
            by scheme: String = "http",
            _ script: OriginScript,
            _ isExpected: @escaping @Sendable (HTTPError.Kind) -> Bool
        ) {
            testDescription = name
            self.scheme = scheme
            self.script = script
            self.isExpected = isExpected
        }
    }

    static let refusal = "HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\nnot me"
    static let rows = [
        Row("an HTTP proxy that refuses", [.expectHead, .reply(refusal)]) {
            guard case .proxyFailed(.refused(let refusal)) = $0 else { return false }
            return refusal.status == .forbidden && refusal.body == Array("not me".utf8)
        },
        Row("an HTTP proxy that responds with garbage", [.expectHead, .reply("SSH-2.0\r\n\r\n")]) {
            if case .proxyFailed(.malformedResponse) = $0 { true } else { false }
        },
        Row("an HTTP proxy that closes", [.expectHead, .close]) {
            if case .proxyFailed(.malformedResponse(.closedBeforeResponse)) = $0 {
                true
            } else {
                false
            }
        },
        Row("an HTTP proxy that resets", [.expectHead, .reset]) {
            if case .proxyFailed(.connectionLost) = $0 { true } else { false }
        },
        Row(
            "an HTTP proxy that truncates its response",
            [.expectHead, .reply("HTTP/1.1 2"), .close]
        ) {
            switch $0 {
            case .proxyFailed(.connectionLost), .proxyFailed(.malformedResponse): true
            default: false
            }
        },
        Row(
            "an HTTP proxy that sends garbage through its tunnel",
            [.expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"), .expect(count: 1), .reply("garbage!")]
        ) {
            if case .tlsFailed(.notTLS) = $0 { true } else { false }
        },
        Row("a SOCKS proxy that refuses", by: "socks5", [.expect(count: 3), .reply([5, 255])]) {
            if case .proxyFailed(.socks(.noAcceptableMethod)) = $0 { true } else { false }
        },
        Row(
            "a SOCKS proxy that responds with garbage",
            by: "socks5",
            [.reply("HTTP/1.1 400 No\r\n")]
        ) {
            if case .proxyFailed(.socks) = $0 { true } else { false }
        },
        Row("a SOCKS proxy that closes", by: "socks5", [.expect(count: 3), .close]) {
            if case .proxyFailed(.socks) = $0 { true } else { false }
        },
    ]

    @Test(arguments: rows)
    func `a proxy that fails gives its error, and a direct request works`(row: Row) async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { _ in .text("hello") }
        let proxy = try ScriptedOrigin(row.script)
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(server.certificateAuthorityPEM)
        let client = HTTPClient(configuration)
        var request = HTTPRequest(server.url)
        request.proxy = .url("\(row.scheme)://127.0.0.1:\(proxy.port)")
        let proxied = request
        let error = await failure { try await client.send(proxied) }
        let kind = try #require(error?.kind)
        #expect(row.isExpected(kind), "\(kind)")
        #expect(server.requests.isEmpty)
        #expect(proxy.failures == [])
        await expectUnharmed(
            client,
            next: HTTPRequest(server.url),
            ports: proxy.port,
            server.port
        )
        await server.stop()
    }

    @Test(arguments: ["http", "socks5"])
    func `a proxy that hangs during its handshake times out`(scheme: String) async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin(.always(Self.hello))
        let proxy = try ScriptedOrigin([.pause(gate)])
        let client = HTTPClient()
        var request = HTTPRequest("https://127.0.0.1:\(origin.port)/")
        request.proxy = .url("\(scheme)://127.0.0.1:\(proxy.port)")
        request.timeouts = HTTPTimeouts()
        request.timeouts?.connect = .milliseconds(200)
        let hanging = request
        let error = await failure { try await client.send(hanging) }
        guard case .timedOut = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.phase == .proxyHandshake)
        await expectUnharmed(client, next: HTTPRequest(origin.url), ports: proxy.port, origin.port)
    }

    @Test func `a proxy that answers a forwarded request with garbage gives malformedResponse`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let proxy = try ScriptedOrigin([.expectHead, .reply("garbage\r\n\r\n")])
        let client = HTTPClient()
        var request = HTTPRequest(origin.url)
        request.proxy = .url(proxy.url)
        let proxied = request
        let error = await failure { try await client.send(proxied) }
        #expect(error.map { Expected.malformed.fits($0.kind) } == true)
        await expectUnharmed(client, next: HTTPRequest(origin.url), ports: proxy.port, origin.port)
    }

    // MARK: - Resolvers

    /// A resolver that fails or hangs for some names and resolves all others to 127.0.0.1.
    private struct SelectiveResolver: HTTPResolver {
        struct Failure: Error {}

        func addresses(of host: String) async throws -> [IPAddress] {
            switch host {
            case "fails.test": throw Failure()
            case "empty.test": return []
            case "slow.test":
                // Ends when the client cancels the lookup.
                try await Task.sleep(for: .seconds(3600))
                return []
            default: return [IPAddress("127.0.0.1")].compactMap(\.self)
            }
        }
    }

    @Test(arguments: ["fails.test", "empty.test", "slow.test"])
    func `a resolver that fails or is slow gives its error, and the next request works`(
        host: String
    ) async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        var configuration = HTTPClient.Configuration()
        configuration.resolver = SelectiveResolver()
        // A long timeout, because lookups are slow on a busy machine.
        configuration.timeouts.resolve = .seconds(60)
        let client = HTTPClient(configuration)
        var request = HTTPRequest("http://\(host):\(origin.port)/")
        if host == "slow.test" {
            request.timeouts = HTTPTimeouts()
            request.timeouts?.resolve = .milliseconds(40)
        }
        let faulty = request
        let error = await failure { try await client.send(faulty) }
        switch error?.kind {
        case .resolveFailed(host: host, _) where host != "slow.test": break
        case .timedOut(.resolve) where host == "slow.test": break
        default: Issue.record("\(String(describing: error))")
        }
        #expect(error?.phase == .resolve)
        await expectUnharmed(
            client,
            next: HTTPRequest("http://good.test:\(origin.port)/"),
            ports: origin.port
        )
    }
}
