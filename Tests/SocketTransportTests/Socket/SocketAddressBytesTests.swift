import SocketTransport
import Testing

@Suite struct SocketAddressBytesTests {
    @Test(
        arguments: [
            ("192.0.2.1", [192, 0, 2, 1]), ("255.0.0.254", [255, 0, 0, 254]),
            ("::1", Array(repeating: 0, count: 15) + [1]),
            ("102:304:506:708:90a:b0c:d0e:f10", Array(1...16)),
            ("fe80::1%7", [0xFE, 0x80] + Array(repeating: 0, count: 13) + [1]),
        ] as [(String, [UInt8])]
    )
    func `an address is converted to bytes in network order`(literal: String, bytes: [UInt8]) throws
    {
        #expect(try #require(SocketAddress(literal: literal, port: 258)).bytes == bytes)
    }
}
