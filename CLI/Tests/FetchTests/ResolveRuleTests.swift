import HTTPClient
import Testing
import fetch

@Suite struct ResolveRuleTests {
    private func rule(_ text: String) throws -> ResolveRule {
        try ResolveRule(text)
    }

    @Test(
        arguments: [
            ("Host:80:1.2.3.4", "host", 80, ["1.2.3.4"]),
            ("+host:80:1.2.3.4,[::1],::2", "host", 80, ["1.2.3.4", "::1", "::2"]),
            ("[::1]:443:1.1.1.1", "::1", 443, ["1.1.1.1"]),
            ("-host:80", "host", 80, []), ("[0:0::1]:443:1.1.1.1", "::1", 443, ["1.1.1.1"]),
            ("B\u{FC}cher.example:80:1.1.1.1", "xn--bcher-kva.example", 80, ["1.1.1.1"]),
        ] as [(String, String, Int, [String])]
    )
    func `a resolve rule is parsed into host, port and addresses`(
        text: String,
        host: String,
        port: Int,
        addresses: [String]
    ) throws {
        let rule = try rule(text)
        #expect(rule.host == host)
        #expect(rule.port == port)
        #expect(rule.addresses.map(\.description) == addresses)
    }

    @Test(arguments: [
        "", "foo", "host:80", "host:80:", "host:x:1.1.1.1", "host:99999:1.1.1.1", ":80:1.1.1.1",
        "host:80:name", "-host:80:1.1.1.1", "[::1:80:1.1.1.1", "host:80:1.1.1.1,",
    ])
    func `an invalid resolve rule is rejected`(text: String) {
        let failure = #expect(throws: FetchError.self) { try rule(text) }
        #expect(failure?.code == .badOptionSyntax)
    }

    @Test func `later resolve rules win, and a host wins over a wildcard`() throws {
        let rules = try [
            "a:80:1.1.1.1", "a:80:2.2.2.2", "*:80:3.3.3.3", "c:80:4.4.4.4", "-c:80",
            "\u{FC}.d:80:4.4.4.4", "-xn--tda.d:80",
        ].map(rule)
        let expected: [(String?, String)] = [("a", "2.2.2.2"), (nil, "3.3.3.3")]
        #expect(
            ResolveRule.overrides(rules)
                == expected.map { host, address in
                    HTTPConnectOptions.AddressOverride(
                        host: host,
                        port: 80,
                        addresses: [IPAddress(address)!]
                    )
                }
        )
    }
}
