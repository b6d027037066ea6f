import HTTPClient
import Testing
import fetch

@Suite struct ConnectRuleTests {
    @Test(
        arguments: [
            ("A.example:80:b:81", "a.example", 80, "b", 81),
            ("::b:", nil, nil, "b", nil),
            ("a::[::1]:8080", "a", nil, "::1", 8080),
            ("[::1]:80::81", "::1", 80, nil, 81),
            (":::", nil, nil, nil, nil),
        ] as [(String, String?, Int?, String?, Int?)]
    )
    func `an empty part of a connect rule matches or keeps any value`(
        text: String,
        fromHost: String?,
        fromPort: Int?,
        toHost: String?,
        toPort: Int?
    ) throws {
        let expected = HTTPConnectOptions.ConnectToRule(
            fromHost: fromHost,
            fromPort: fromPort,
            toHost: toHost,
            toPort: toPort
        )
        #expect(try ConnectRule.parse(text) == expected)
    }

    @Test(arguments: [
        "", "a", "a:80", "a:80:b", "a:80:b:81:c", "a:x:b:81", "a:80:b:99999", "[::1:80:b:81",
        "::1:80:b:81",
    ])
    func `an invalid connect rule is rejected`(text: String) {
        let failure = #expect(throws: FetchError.self) { try ConnectRule.parse(text) }
        #expect(failure?.code == .badOptionSyntax)
    }

    @Test func `an interface is an address or a name, and a prefix selects which`() throws {
        let loopback = try #require(IPAddress("127.0.0.1"))
        #expect(try InterfaceName.parse("127.0.0.1") == .address(loopback))
        #expect(try InterfaceName.parse("host!127.0.0.1") == .address(loopback))
        #expect(try InterfaceName.parse("eth0") == .interface("eth0"))
        #expect(try InterfaceName.parse("if!eth0") == .device("eth0"))
        for text in ["", "host!eth0"] {
            let failure = #expect(throws: FetchError.self) { try InterfaceName.parse(text) }
            #expect(failure?.code == .interfaceFailed)
        }
    }
}
