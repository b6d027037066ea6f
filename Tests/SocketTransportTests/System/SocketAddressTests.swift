import SocketTransport
import Testing

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:8080"), ("0.0.0.0", "0.0.0.0:8080"), ("::1", "[::1]:8080"),
        ("2001:DB8::a", "[2001:db8::a]:8080"), ("::ffff:192.0.2.1", "[::ffff:192.0.2.1]:8080"),
        ("fe80::1%2", "[fe80::1]:8080"),
    ])
    func `a numeric address is parsed and formatted`(literal: String, expected: String) throws {
        let address = try #require(SocketAddress(literal: literal, port: 8080))
        #expect(address.description == expected)
        let (storage, _) = address.storage
        #expect(SocketAddress(storage) == address)
    }

    @Test(arguments: [
        "localhost", "", "1.2.3", "0177.0.0.1", "1.2.3.4.5", "256.1.1.1", "1.2.3.4 ", "::g",
        "fe80::1%eth0", "[::1]", "::1%",
    ])
    func `a host name or an ambiguous literal is not an address`(literal: String) {
        #expect(SocketAddress(literal: literal, port: 80) == nil)
    }
}
