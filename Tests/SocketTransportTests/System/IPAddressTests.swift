import SocketTransport
import Testing

@Suite struct IPAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1]), ("255.255.255.255", [255, 255, 255, 255]),
            ("::1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
            ("102:304:506:708:90a:b0c:d0e:f10", Array(1...16)),
            ("[2001:db8::ff]", [32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255]),
        ] as [(String, [UInt8])]
    )
    func `an address is parsed into its bytes`(text: String, bytes: [UInt8]) throws {
        let address = try #require(IPAddress(text))
        #expect(address.bytes == bytes)
        #expect(IPAddress(bytes: bytes) == address)
        #expect(address.isIPv6 == (bytes.count == 16))
    }

    @Test(arguments: [
        "", "localhost", "1", "1.2.3", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.1.", "127.0.0.1\0",
        "[127.0.0.1]", "::g", "1::2::3", "[::1", "::1]", "::1%", "::1%eth0", "::1\0",
    ])
    func `an invalid address is rejected`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `an address of any other byte count is rejected`() {
        for count in [0, 3, 5, 15, 17] {
            #expect(IPAddress(bytes: Array(repeating: 1, count: count)) == nil)
        }
    }

    @Test(arguments: [
        ("fe80::1%7", "fe80::1"), ("2001:DB8::0:a", "2001:db8::a"), ("0.0.0.0", "0.0.0.0"),
    ])
    func `an address is formatted in its usual form`(text: String, expected: String) throws {
        #expect(try #require(IPAddress(text)).description == expected)
    }

    @Test func `the interface number of an address is no part of its bytes`() throws {
        let address = try #require(IPAddress("fe80::1%7"))
        #expect(address.bytes == [0xFE, 0x80] + Array(repeating: 0, count: 13) + [1])
        #expect(address != IPAddress("fe80::1"))
    }
}
