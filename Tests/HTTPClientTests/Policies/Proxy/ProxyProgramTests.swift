import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests the client with tinyproxy and microsocks, which `make setup` installs.
///
/// The suite is skipped if a program is missing, except in CI.
@Suite(.timeLimit(.minutes(10))) struct ProxyProgramTests {
    private static let hasTinyproxy = ProxyProgram.isExpected(.tinyproxy)
    private static let hasMicrosocks = ProxyProgram.isExpected(.microsocks)

    private func client(
        _ url: String,
        trusting server: HTTPTestServer? = nil
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .url(url)
        if let server { configuration.security.trust = .pem(server.certificateAuthorityPEM) }
        return HTTPClient(configuration)
    }

    @Test(.enabled(if: hasTinyproxy, "tinyproxy is not installed: run `make setup`"))
    func `tinyproxy forwards requests and opens tunnels`() async throws {
        let proxy = try ProxyProgram(.tinyproxy)
        let plain = try await HTTPTestServer.start { .text("plain \($0.target)") }
        let secure = try await HTTPTestServer.start(tls: .selfIssued) {
            .text("secure \($0.target)")
        }
        let client = client("http://127.0.0.1:\(proxy.port)", trusting: secure)
        for _ in 0..<3 {
            #expect(try await client.send(HTTPRequest(plain.url + "/a?b")).text == "plain /a?b")
            #expect(try await client.send(HTTPRequest(secure.url + "/c")).text == "secure /c")
        }
        let last = try await client.send(HTTPRequest(secure.url + "/c"))
        #expect(last.metrics.isReused)
        #expect(last.metrics.remotePort == proxy.port)
        proxy.stop()
    }

    @Test(.enabled(if: hasTinyproxy, "tinyproxy is not installed: run `make setup`"))
    func `tinyproxy accepts correct credentials and rejects others`() async throws {
        let proxy = try ProxyProgram(.tinyproxy, login: ("ada", "secret"))
        let plain = try await HTTPTestServer.start { _ in .text("plain") }
        let secure = try await HTTPTestServer.start(tls: .selfIssued) { _ in .text("secure") }
        let known = client("http://ada:secret@127.0.0.1:\(proxy.port)", trusting: secure)
        #expect(try await known.send(HTTPRequest(plain.url)).text == "plain")
        #expect(try await known.send(HTTPRequest(secure.url)).text == "secure")
        #expect(plain.requests.allSatisfy { $0.headers[.proxyAuthorization] == nil })
        // tinyproxy answers 401 to a wrong password, although the origin requires no authentication.
        for (user, status) in [("", 407), ("ada:wrong@", 401)] as [(String, HTTPStatus)] {
            let stranger = client("http://\(user)127.0.0.1:\(proxy.port)", trusting: secure)
            #expect(try await stranger.send(HTTPRequest(plain.url)).status == status)
            let error = await failure { try await stranger.send(HTTPRequest(secure.url)) }
            guard case .proxyFailed(.refused(let refusal)) = error?.kind else {
                Issue.record("got \(String(describing: error))")
                continue
            }
            #expect(refusal.status == status)
            #expect(!refusal.body.isEmpty)
        }
        proxy.stop()
    }

    @Test(
        .enabled(if: hasMicrosocks, "microsocks is not installed: run `make setup`"),
        arguments: ["socks5", "socks5h"]
    )
    func `microsocks connects to plain and TLS origins`(scheme: String) async throws {
        let proxy = try ProxyProgram(.microsocks)
        let plain = try await HTTPTestServer.start { _ in .text("plain") }
        let secure = try await HTTPTestServer.start(tls: .selfIssued) { _ in .text("secure") }
        let client = client("\(scheme)://127.0.0.1:\(proxy.port)", trusting: secure)
        #expect(try await client.send(HTTPRequest(plain.url)).text == "plain")
        #expect(try await client.send(HTTPRequest(secure.url)).text == "secure")
        let name = HTTPRequest("http://localhost:\(plain.port)/")
        #expect(try await client.send(name).text == "plain")
        #expect(try await client.send(name).metrics.isReused)
        let closed = HTTPRequest("http://127.0.0.1:\(try UnreachablePorts.refusing())/")
        let error = await failure { try await client.send(closed) }
        #expect(error?.kind == .proxyFailed(.socks(.refused(.connectionRefused))))
        #expect(error?.phase == .proxyHandshake)
        proxy.stop()
    }

    @Test(.enabled(if: hasMicrosocks, "microsocks is not installed: run `make setup`"))
    func `microsocks accepts correct credentials and rejects others`() async throws {
        let proxy = try ProxyProgram(.microsocks, login: ("ada", "secret"))
        let plain = try await HTTPTestServer.start { _ in .text("plain") }
        let known = client("socks5://ada:secret@127.0.0.1:\(proxy.port)")
        #expect(try await known.send(HTTPRequest(plain.url)).text == "plain")
        let wrong = client("socks5://ada:wrong@127.0.0.1:\(proxy.port)")
        let refused = await failure { try await wrong.send(HTTPRequest(plain.url)) }
        guard case .proxyFailed(.socks(.credentialsRejected)) = refused?.kind else {
            Issue.record("got \(String(describing: refused))")
            return
        }
        let unauthenticated = client("socks5://127.0.0.1:\(proxy.port)")
        let unknown = await failure { try await unauthenticated.send(HTTPRequest(plain.url)) }
        #expect(unknown?.kind == .proxyFailed(.socks(.noAcceptableMethod)))
        proxy.stop()
    }
}
