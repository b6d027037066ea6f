import HTTPClient
import Testing

@Suite struct AddressPolicyTests {
    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }
    private func range(_ text: String) throws -> AddressRange { try #require(AddressRange(text)) }

    /// Tests the first and last address of each block of the RFC 6890 registries, and both neighbors.
    @Test(
        arguments: [
            ("0.0.0.0", false), ("0.255.255.255", false), ("1.0.0.0", true),
            ("9.255.255.255", true), ("10.0.0.0", false), ("10.255.255.255", false),
            ("11.0.0.0", true),
            ("100.63.255.255", true), ("100.64.0.0", false), ("100.127.255.255", false),
            ("100.128.0.0", true),
            ("126.255.255.255", true), ("127.0.0.0", false), ("127.0.0.1", false),
            ("127.255.255.255", false), ("128.0.0.0", true),
            ("169.253.255.255", true), ("169.254.0.0", false), ("169.254.169.254", false),
            ("169.254.255.255", false), ("169.255.0.0", true),
            ("172.15.255.255", true), ("172.16.0.0", false), ("172.31.255.255", false),
            ("172.32.0.0", true),
            ("191.255.255.255", true), ("192.0.0.0", false), ("192.0.0.8", false),
            ("192.0.0.9", true),
            ("192.0.0.10", true), ("192.0.0.11", false), ("192.0.0.170", false),
            ("192.0.0.255", false),
            ("192.0.1.0", true), ("192.0.2.0", false), ("192.0.2.255", false), ("192.0.3.0", true),
            ("192.31.196.1", true), ("192.52.193.1", true), ("192.175.48.1", true),
            ("192.88.98.255", true), ("192.88.99.1", false), ("192.88.100.0", true),
            ("192.167.255.255", true), ("192.168.0.0", false), ("192.168.255.255", false),
            ("192.169.0.0", true),
            ("198.17.255.255", true), ("198.18.0.0", false), ("198.19.255.255", false),
            ("198.20.0.0", true),
            ("198.51.99.255", true), ("198.51.100.0", false), ("198.51.100.255", false),
            ("198.51.101.0", true),
            ("203.0.112.255", true), ("203.0.113.0", false), ("203.0.113.255", false),
            ("203.0.114.0", true),
            ("223.255.255.255", true), ("224.0.0.0", false), ("239.255.255.255", false),
            ("240.0.0.0", false), ("255.255.255.254", false), ("255.255.255.255", false),
            ("8.8.8.8", true), ("93.184.216.34", true),
            ("::", false), ("::1", false), ("::2", false), ("::8.8.8.8", false),
            ("64:ff9b::", false), ("64:ff9b::8.8.8.8", true), ("64:ff9b::10.0.0.1", false),
            ("64:ff9b::127.0.0.1", false), ("64:ff9b::169.254.169.254", false),
            ("64:ff9b:0:0:0:1::", false), ("64:ff9b:1::8.8.8.8", false),
            ("::ffff:8.8.8.8", true), ("::ffff:127.0.0.1", false), ("::ffff:10.1.2.3", false),
            ("::ffff:169.254.169.254", false), ("::ffff:0.0.0.0", false),
            ("::ffff:0:8.8.8.8", false), ("::ffff:0:127.0.0.1", false),
            ("100::", false), ("100::1", false), ("100:0:0:1::1", false),
            ("1fff:ffff::", false), ("2000::", true),
            ("2001::", false), ("2001:0:4136:e378:8000:63bf:f7f7:f7f7", true),
            ("2001:0:0a00:1:8000:63bf:f7f7:f7f7", false),
            ("2001:0:4136:e378:8000:63bf:80ff:fffe", false),
            ("2001:1::1", true), ("2001:1::2", true), ("2001:1::3", true), ("2001:1::4", false),
            ("2001:2::1", false), ("2001:2:1::1", false), ("2001:3::1", true),
            ("2001:4:112::1", true),
            ("2001:4:113::1", false), ("2001:10::1", false), ("2001:20::1", true),
            ("2001:2f::1", true),
            ("2001:30::1", true), ("2001:40::1", false), ("2001:1ff:ffff::", false),
            ("2001:200::", true),
            ("2001:db7:ffff::", true), ("2001:db8::", false), ("2001:db8:ffff::1", false),
            ("2001:db9::", true),
            ("2002:808:808::1", true), ("2002:7f00:1::1", false), ("2002:a00:1::", false),
            ("2002:a9fe:a9fe::1", false), ("2002:c0a8:101::1", false), ("2002::1", false),
            ("2606:4700::1111", true), ("2620:4f:8000::1", true), ("2a00:1450:4001::1", true),
            ("3fff::1", false), ("3fff:fff:ffff::", false), ("3fff:1000::", true),
            ("4000::", false), ("5f00::1", false), ("fbff::1", false), ("fc00::", false),
            ("fd12:3456::1", false), ("fdff::", false), ("fe80::1", false), ("fe80::1%1", false),
            ("febf::1", false), ("fec0::1", false), ("ff00::", false), ("ff02::1", false),
            ("ffff::", false),
        ] as [(String, Bool)]
    )
    func `the public preset accepts only addresses reachable on the Internet`(
        text: String,
        passes: Bool
    ) throws {
        let refused = AddressPolicy.publicOnly.refusal(of: try address(text))
        #expect((refused == nil) == passes, "\(String(describing: refused))")
        #expect(AddressPolicy.any.refusal(of: try address(text)) == nil)
    }

    @Test(arguments: [
        ("169.254.169.254", false), ("169.254.0.1", false), ("169.255.0.1", true),
        ("fe80::1", false), ("febf::", false), ("fec0::", true), ("ff02::1", false),
        ("224.0.0.1", false), ("224.0.1.1", true),
        ("100.100.100.200", false), ("100.100.100.201", true), ("168.63.129.16", false),
        ("192.0.0.192", false), ("fd00:ec2::254", false), ("fd00:ec2::253", true),
        ("fd20:ce::254", false), ("fd00:42::42", false),
        ("::ffff:169.254.169.254", false), ("::ffff:a9fe:a9fe", false),
        ("::169.254.169.254", false),
        ("64:ff9b::169.254.169.254", false), ("2002:a9fe:a9fe::", false),
        ("2001:0:a9fe:a9fe::", false), ("2001:0:808:808:0:0:5601:5601", false),
        ("::ffff:0:169.254.169.254", false),
        ("127.0.0.1", true), ("10.0.0.1", true), ("192.168.1.1", true), ("::1", true),
        ("fd12::1", true), ("8.8.8.8", true), ("2606:4700::1111", true),
    ])
    func `noLinkLocalOrMetadata accepts private networks and rejects metadata addresses`(
        text: String,
        passes: Bool
    ) throws {
        let refused = AddressPolicy.noLinkLocalOrMetadata.refusal(of: try address(text))
        #expect((refused == nil) == passes, "\(String(describing: refused))")
    }

    @Test func `deny takes precedence over allow, and allow over the preset`() throws {
        var policy = AddressPolicy.publicOnly
        policy.allow = [try range("10.0.0.0/8"), try range("fd00::/8")]
        policy.deny = [try range("10.1.0.0/16"), try range("8.8.8.8")]
        let expected = [
            "10.0.0.1": true, "10.1.0.1": false, "10.2.0.1": true, "192.168.0.1": false,
            "8.8.8.8": false, "8.8.4.4": true, "fd00::1": true, "fc00::1": false,
            // For mapped addresses, both lists apply to the embedded IPv4 address.
            "::ffff:10.0.0.1": true, "::ffff:10.1.0.1": false, "64:ff9b::10.0.0.1": true,
            "64:ff9b::10.1.0.1": false, "2002:808:808::": false,
        ]
        for (text, passes) in expected {
            #expect((policy.refusal(of: try address(text)) == nil) == passes, "\(text)")
        }
    }

    @Test func `allowing IPv6 ranges does not allow an IPv4 address embedded in them`()
        throws
    {
        var policy = AddressPolicy.publicOnly
        policy.allow = [try range("64:ff9b::/96"), try range("2002::/16"), try range("::/0")]
        for text in ["64:ff9b::127.0.0.1", "2002:7f00:1::", "::ffff:127.0.0.1", "127.0.0.1"] {
            #expect(policy.refusal(of: try address(text)) != nil, "\(text)")
        }
        #expect(policy.refusal(of: try address("::1")) == nil)
    }

    @Test func `denying IPv6 denies its mapped addresses`() throws {
        var policy = AddressPolicy.any
        policy.deny = [try range("::/0")]
        #expect(policy.refusal(of: try address("::ffff:8.8.8.8")) != nil)
        #expect(policy.refusal(of: try address("8.8.8.8")) == nil)
        policy.deny = [try range("::ffff:8.8.8.0/120")]
        #expect(policy.refusal(of: try address("8.8.8.8")) != nil)
    }

    @Test func `a policy of named ranges accepts only those`() throws {
        let policy = AddressPolicy.only([try range("192.0.2.0/24"), try range("2002::/16")])
        #expect(policy.refusal(of: try address("192.0.2.255")) == nil)
        #expect(policy.refusal(of: try address("::ffff:192.0.2.1")) == nil)
        #expect(policy.refusal(of: try address("2002:808:808::1")) == nil)
        #expect(policy.refusal(of: try address("192.0.3.0"))?.reason == .notAllowed)
        #expect(policy.refusal(of: try address("::1"))?.reason == .notAllowed)
        #expect(AddressPolicy.only([]).refusal(of: try address("8.8.8.8"))?.reason == .notAllowed)
    }

    @Test func `a refusal names the address and the rule`() throws {
        let loopback = try #require(AddressPolicy.publicOnly.refusal(of: try address("127.0.0.1")))
        #expect(loopback.reason == .special(try range("127.0.0.0/8"), purpose: "loopback"))
        #expect(loopback.description == "127.0.0.1: loopback (127.0.0.0/8)")
        let inside = try #require(
            AddressPolicy.publicOnly.refusal(of: try address("64:ff9b::10.0.0.1"))
        )
        #expect(inside.embedded == IPAddress("10.0.0.1"))
        #expect(inside.description == "64:ff9b::a00:1 (for 10.0.0.1): private use (10.0.0.0/8)")
        var policy = AddressPolicy.any
        policy.deny = [try range("10.0.0.0/8")]
        #expect(policy.refusal(of: try address("10.0.0.1"))?.reason == .denied(policy.deny[0]))
    }
}

@Suite struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.0.0.0/8"), ("0.0.0.0/0", "0.0.0.0/0"), ("192.0.2.1", "192.0.2.1/32"),
        ("::/0", "::/0"), ("2001:db8::/32", "2001:db8::/32"), ("[::1]", "::1/128"),
        ("::ffff:10.0.0.0/104", "10.0.0.0/8"), ("::ffff:0:0/96", "0.0.0.0/0"),
        ("::/1", "::/1"), ("8000::/1", "8000::/1"),
    ])
    func `an address range is parsed and formatted`(text: String, expected: String) {
        #expect(AddressRange(text)?.description == expected)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
        "10.0.0.1/8", "10/8", "::/129", "::1/127x", "2001:db8::1/32", "host/8", "10.0.0.0/0x8",
        "10.0.0.0/9999999999999999999999", "[10.0.0.0]/8", "010.0.0.0/8",
    ])
    func `an invalid range is rejected`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test func `a range contains the addresses of its family with its prefix`() throws {
        let cases = [
            ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
            ("0.0.0.0/0", "255.255.255.255", true), ("0.0.0.0/0", "::", false),
            ("192.0.2.128/25", "192.0.2.128", true), ("192.0.2.128/25", "192.0.2.127", false),
            ("::/0", "ffff::", true), ("::/0", "0.0.0.0", false),
            ("2001:db8::/33", "2001:db8:7fff::", true), ("2001:db8::/33", "2001:db8:8000::", false),
            ("::1", "::1", true), ("::1", "::2", false), ("fe80::/10", "fe80::1%3", true),
        ]
        for (block, address, isInside) in cases {
            let range = try #require(AddressRange(block))
            #expect(
                range.contains(try #require(IPAddress(address))) == isInside,
                "\(block) \(address)"
            )
        }
    }
}
