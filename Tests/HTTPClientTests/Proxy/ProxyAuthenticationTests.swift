import HTTPClient
import Testing

@Suite struct ProxyAuthenticationTests {
    private static let subject = ProxyAuthentication.Target(method: "CONNECT", target: "a:443")
    private static let basic = "Basic dTpw"

    private func authentication(
        _ choice: HTTPProxy.Authentication,
        credentials: HTTPCredentials? = HTTPCredentials(user: "u", password: "p")
    ) -> ProxyAuthentication {
        var proxy = HTTPProxy(scheme: .http, host: "p", credentials: credentials)
        proxy.authentication = choice
        return ProxyAuthentication(proxy)
    }

    private func digest(_ nonce: String, _ rest: String = "") -> String {
        "Digest realm=\"r\", qop=\"auth\", nonce=\"\(nonce)\"\(rest)"
    }

    @Test func `only Basic is sent preemptively`() {
        func unasked(_ machine: ProxyAuthentication) -> String? {
            var machine = machine
            return machine.preempt(Self.subject)?.value
        }
        #expect(unasked(authentication(.basic)) == Self.basic)
        #expect(unasked(authentication(.automatic)) == nil)
        #expect(unasked(authentication(.digest)) == nil)
        #expect(unasked(authentication(.basic, credentials: nil)) == nil)
    }

    @Test(
        arguments: [
            (.automatic, ["Basic realm=\"r\""], "Basic"),
            (.automatic, ["Basic realm=\"r\", Digest realm=\"r\", nonce=\"n\""], "Digest"),
            (.automatic, ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\""], "Digest"),
            // A challenge with an unknown algorithm is skipped.
            (
                .automatic, ["Digest realm=\"r\", nonce=\"n\", algorithm=X", "Basic realm=\"r\""],
                "Basic"
            ),
            (.automatic, ["Negotiate", "NTLM"], nil), (.automatic, [], nil),
            (.digest, ["Basic realm=\"r\""], nil),
            (.digest, ["Digest realm=\"r\", nonce=\"n\""], "Digest"),
            (.basic, ["Digest realm=\"r\", nonce=\"n\""], nil),
        ] as [(HTTPProxy.Authentication, [String], String?)]
    )
    func `the strongest allowed scheme is chosen`(
        choice: HTTPProxy.Authentication,
        lines: [String],
        scheme: String?
    ) {
        var machine = authentication(choice)
        let answer = machine.answer(lines, to: Self.subject, sentWith: .nothing, clientNonce: "c")
        #expect(answer.map { String($0.value.prefix { $0 != " " }) } == scheme)
    }

    @Test func `credentials are sent preemptively after the first challenge`() {
        var machine = authentication(.automatic)
        let lines = [digest("n1")]
        let first = machine.answer(
            lines,
            to: Self.subject,
            sentWith: .nothing,
            clientNonce: "c"
        )
        #expect(first?.sent == .digest(nonce: "n1"))
        #expect(first?.value.contains("nc=00000001") == true)
        let second = machine.preempt(Self.subject)
        #expect(second?.value.contains("nc=00000002") == true)
        var basic = authentication(.automatic)
        let third = basic.answer(
            ["Basic"],
            to: Self.subject,
            sentWith: .nothing,
            clientNonce: "c"
        )
        #expect(third?.value == Self.basic)
        let fourth = basic.preempt(Self.subject)
        #expect(fourth?.value == Self.basic)
    }

    @Test func `rejected credentials are not sent again unless the nonce is stale`() {
        var machine = authentication(.automatic)
        _ = machine.answer([digest("n1")], to: Self.subject, sentWith: .nothing, clientNonce: "c")
        let sent = ProxyAuthentication.SentCredentials.digest(nonce: "n1")
        func answer(_ line: String) -> ProxyAuthentication.Authorization? {
            machine.answer([line], to: Self.subject, sentWith: sent, clientNonce: "d")
        }
        #expect(answer(digest("n2")) == nil)
        #expect(answer(digest("n1", ", stale=true")) == nil)
        #expect(answer("Basic realm=\"r\"") == nil)
        let fresh = answer(digest("n2", ", stale=true"))
        #expect(fresh?.sent == .digest(nonce: "n2"))
        #expect(fresh?.value.contains("nc=00000001") == true)
        var basic = authentication(.basic)
        let again = basic.answer(
            ["Basic"],
            to: Self.subject,
            sentWith: .basic,
            clientNonce: "c"
        )
        #expect(again == nil)
    }

    @Test func `a proxy that requests a digest after Basic gets one`() {
        var machine = authentication(.automatic)
        _ = machine.answer(["Basic"], to: Self.subject, sentWith: .nothing, clientNonce: "c")
        let answer = machine.answer(
            [digest("n")],
            to: Self.subject,
            sentWith: .basic,
            clientNonce: "c"
        )
        #expect(answer?.sent == .digest(nonce: "n"))
    }
}
