import HTTPClient
import Testing

/// Tests the credentials of a proxy, without a socket.
@Suite struct ProxyRouteTests {
    private static let request = ProtectedRequest(method: "CONNECT", target: "a:443")
    private static let basic = "Basic dTpw"

    private func route(
        _ choice: HTTPAuthentication.Policy,
        credentials: HTTPCredentials? = HTTPCredentials(user: "u", password: "p")
    ) -> ProxyRoute {
        var proxy = HTTPProxy(scheme: .http, host: "p", credentials: credentials)
        proxy.authentication = choice
        return ProxyRoute(proxy)
    }

    private func answer(
        _ route: ProxyRoute,
        _ lines: String...,
        status: HTTPStatus = .proxyAuthenticationRequired,
        sentWith sent: SentCredentials = .nothing
    ) -> AuthorizationHeader? {
        answer(route, lines, status: status, sentWith: sent)
    }

    private func answer(
        _ route: ProxyRoute,
        _ lines: [String],
        status: HTTPStatus = .proxyAuthenticationRequired,
        sentWith sent: SentCredentials = .nothing
    ) -> AuthorizationHeader? {
        var head = ResponseHead(status: status)
        for line in lines { head.headers.append(.proxyAuthenticate, line) }
        return route.answer(head, to: Self.request, sentWith: sent)
    }

    private func digest(_ nonce: String, _ rest: String = "") -> String {
        "Digest realm=\"r\", qop=\"auth\", nonce=\"\(nonce)\"\(rest)"
    }

    @Test func `only Basic is sent preemptively`() {
        func unasked(_ route: ProxyRoute) -> String? { route.preempt(Self.request)?.value }
        #expect(unasked(route(.basic)) == Self.basic)
        #expect(unasked(route(.any)) == nil)
        #expect(unasked(route(.digest)) == nil)
        #expect(unasked(route(.basic, credentials: nil)) == nil)
    }

    @Test(
        arguments: [
            (.any, ["Basic realm=\"r\""], "Basic"),
            (.any, ["Basic realm=\"r\", Digest realm=\"r\", nonce=\"n\""], "Digest"),
            (.any, ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\""], "Digest"),
            // A challenge with an unknown algorithm is skipped.
            (
                .any, ["Digest realm=\"r\", nonce=\"n\", algorithm=X", "Basic realm=\"r\""],
                "Basic"
            ),
            (.any, ["Negotiate", "NTLM"], nil), (.any, [], nil),
            (.digest, ["Basic realm=\"r\""], nil),
            (.digest, ["Digest realm=\"r\", nonce=\"n\""], "Digest"),
            (.basic, ["Digest realm=\"r\", nonce=\"n\""], nil),
        ] as [(HTTPAuthentication.Policy, [String], String?)]
    )
    func `the strongest allowed scheme is chosen`(
        choice: HTTPAuthentication.Policy,
        lines: [String],
        scheme: String?
    ) {
        let header = answer(route(choice), lines)
        #expect(header.map { String($0.value.prefix { $0 != " " }) } == scheme)
    }

    @Test func `a status other than 407 is not a challenge`() {
        #expect(answer(route(.any), "Basic", status: .unauthorized) == nil)
    }

    @Test func `credentials are sent preemptively after the first challenge`() {
        let route = route(.any)
        let first = answer(route, digest("n1"))
        #expect(first?.sent.scheme == .digest(nonce: "n1"))
        #expect(first?.value.contains("nc=00000001") == true)
        let second = route.preempt(Self.request)
        #expect(second?.value.contains("nc=00000002") == true)
        let basic = self.route(.any)
        #expect(answer(basic, "Basic")?.value == Self.basic)
        #expect(basic.preempt(Self.request)?.value == Self.basic)
    }

    @Test func `the protection space of a proxy is the proxy, whatever its domain`() {
        let route = route(.any)
        #expect(answer(route, digest("n1", ", domain=\"/x\"")) != nil)
        #expect(route.preempt(Self.request)?.value.contains("nc=00000002") == true)
    }

    @Test func `rejected credentials are not sent again unless the nonce is stale`() throws {
        let refusals = [
            digest("n2"), digest("n1", ", stale=true"), "Basic realm=\"r\"",
        ]
        for refusal in refusals {
            let route = route(.any)
            let sent = try #require(answer(route, digest("n1"))).sent
            #expect(answer(route, refusal, sentWith: sent) == nil)
        }
        let route = route(.any)
        let sent = try #require(answer(route, digest("n1"))).sent
        let fresh = answer(route, digest("n2", ", stale=true"), sentWith: sent)
        #expect(fresh?.sent.scheme == .digest(nonce: "n2"))
        #expect(fresh?.value.contains("nc=00000001") == true)
        let basic = self.route(.basic)
        let first = try #require(basic.preempt(Self.request))
        #expect(answer(basic, "Basic", sentWith: first.sent) == nil)
    }

    @Test func `a proxy that requests a digest after Basic gets one`() throws {
        let route = route(.any)
        let basic = try #require(answer(route, "Basic"))
        let header = answer(route, digest("n"), sentWith: basic.sent)
        #expect(header?.sent.scheme == .digest(nonce: "n"))
    }
}
