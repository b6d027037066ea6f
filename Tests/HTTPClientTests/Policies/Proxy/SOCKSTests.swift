import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests requests through SOCKS5 proxies, and their failures.
@Suite(.timeLimit(.minutes(10))) struct SOCKSTests {
    private func client(
        _ proxy: HTTPProxy,
        trusting server: HTTPTestServer? = nil,
        _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .proxy(proxy)
        if let server { configuration.security.trust = .pem(server.certificateAuthorityPEM) }
        change(&configuration)
        return HTTPClient(configuration)
    }

    private func proxy(
        _ scheme: HTTPProxy.Scheme,
        _ origin: ScriptedOrigin,
        user: String? = nil
    ) -> HTTPProxy {
        HTTPProxy(
            scheme: scheme,
            host: "127.0.0.1",
            port: origin.port,
            credentials: user.map { HTTPCredentials(user: $0, password: "pw") }
        )
    }

    private static let opened: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]

    @Test func `host names are sent to the proxy unresolved`() async throws {
        let server = try await HTTPTestServer.start { .text("plain \($0.headers[.host] ?? "")") }
        let wire = try ScriptedOrigin([
            .expect([5, 2, 0, 2] as [UInt8]), .reply([5, 2] as [UInt8]),
            .expect([1, 3] + Array("ada".utf8) + [2] + Array("pw".utf8)),
            .reply([1, 0] as [UInt8]),
            .expect([5, 1, 0, 3, 12] + Array("site.example".utf8) + [0, 80]),
            .replyByteByByte(Self.opened), .relay(toPort: server.port),
        ])
        let client = client(proxy(.socks5h, wire, user: "ada"))
        for _ in 0..<2 {
            #expect(try await client.send("http://site.example/").text == "plain site.example")
        }
        #expect(wire.connectionCount == 1)
        #expect(wire.failures == [])
        #expect(server.requests[0].target == "/")
    }

    @Test func `IP addresses are sent to the proxy as bytes`() async throws {
        let wire = try ScriptedOrigin([
            .expect([5, 1, 0] as [UInt8]), .reply([5, 0] as [UInt8]),
            .expect([5, 1, 0, 4] + Array(repeating: 0, count: 15) + [1, 0, 9] as [UInt8]),
            .reply([5, 2] as [UInt8]),
        ])
        let client = client(proxy(.socks5h, wire))
        let error = await failure { try await client.send("http://[::1]:9/") }
        #expect(error?.kind == .proxyFailed(.socks(.refused(.notAllowed))))
        #expect(wire.failures == [])
    }

    @Test func `the client resolves names for socks5 and tries each address`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("plain") }
        let wire = try ScriptedOrigin(perConnection: [
            [
                .expect([5, 1, 0] as [UInt8]), .reply([5, 0] as [UInt8]),
                .expect([5, 1, 0, 1, 192, 0, 2, 1, 0, 80] as [UInt8]),
                .reply([5, 4, 0, 1, 0, 0, 0, 0, 0, 0] as [UInt8]),
            ],
            [
                .expect([5, 1, 0] as [UInt8]), .reply([5, 0] as [UInt8]),
                .expect([5, 1, 0, 1, 192, 0, 2, 2, 0, 80] as [UInt8]), .reply(Self.opened),
                .relay(toPort: server.port),
            ],
        ])
        let addresses = try ["192.0.2.1", "192.0.2.2"].map { try #require(IPAddress($0)) }
        let client = client(proxy(.socks5, wire)) {
            $0.connectOptions.overrides = [
                HTTPConnectOptions.AddressOverride(
                    host: "site.example",
                    port: 80,
                    addresses: addresses
                )
            ]
        }
        #expect(try await client.send("http://site.example/").text == "plain")
        #expect(wire.failures == [])
    }

    @Test func `TLS works through a SOCKS proxy`() async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued) {
            .text("secure \($0.target)")
        }
        let wire = try ScriptedOrigin([
            .expect([5, 1, 0] as [UInt8]), .reply([5, 0] as [UInt8]), .expect(count: 10),
            .reply(Self.opened), .relay(toPort: server.port),
        ])
        let client = client(proxy(.socks5, wire), trusting: server)
        #expect(try await client.send(HTTPRequest(server.url)).text == "secure /")
    }

    @Test(arguments: [
        (Array("HTTP/1.1 400 Bad\r\n\r\n".utf8), HTTPError.SOCKS5Error.notSOCKS(firstByte: 72)),
        ([5, 0xFF], .noAcceptableMethod), ([5, 2], .noAcceptableMethod),
        ([4, 90], .notSOCKS(firstByte: 4)),
        ([5, 0, 5, 5, 0, 1], .refused(.connectionRefused)),
    ])
    func `a refusal or an invalid reply of a SOCKS proxy is an error`(
        answer: [UInt8],
        failure expected: HTTPError.SOCKS5Error
    ) async throws {
        let wire = try ScriptedOrigin([.expect(count: 3), .reply(answer)])
        let client = client(proxy(.socks5h, wire))
        let error = await failure { try await client.send("http://site.example/") }
        #expect(error?.kind == .proxyFailed(.socks(expected)))
        #expect(error?.phase == .proxyHandshake)
        while DescriptorCount.connected(toPort: wire.port) > 0 { await moment() }
    }

    @Test(arguments: [0, 2, 5, 11])
    func `a SOCKS proxy that closes during the handshake gives a closed error`(
        bytes: Int
    ) async throws {
        let answer: [UInt8] = [5, 0] + Self.opened
        let first = Array(answer.prefix(min(bytes, 2)))
        let rest = Array(answer.prefix(bytes).dropFirst(2))
        let wire = try ScriptedOrigin([
            .expect(count: 3), .reply(first), .reply(rest), .closeWrite,
        ])
        let client = client(proxy(.socks5h, wire))
        let error = await failure { try await client.send("http://site.example/") }
        #expect(error?.kind == .proxyFailed(.socks(.closed)))
    }

    @Test func `a host name too long for SOCKS is a caller error`() async throws {
        let wire = try ScriptedOrigin([.expectEnd])
        let client = client(proxy(.socks5h, wire))
        let host = Array(repeating: String(repeating: "a", count: 60), count: 5).joined(
            separator: "."
        )
        let error = await failure { try await client.send(HTTPRequest("http://\(host)/")) }
        #expect(error?.kind == .proxyFailed(.socks(.invalidHostName)))
        #expect(error?.blame == .caller)
        #expect(wire.connectionCount == 0)
    }
}
