import SocketTransport
import Testing

@Suite struct UnixAddressTests {
    @Test(arguments: [
        ("/run/a.sock", true), ("a", true), (String(repeating: "p", count: 107), true),
        (String(repeating: "p", count: 108), false), ("", false), ("/run/a\0b", false),
    ])
    func `a socket path that does not fit with its NUL is rejected, never truncated`(
        path: String,
        isOne: Bool
    ) {
        #expect((UnixAddress(path: path) != nil) == isOne)
        #expect((UnixAddress(abstract: path) != nil) == isOne)
    }

    @Test func `an abstract name starts with NUL and has an explicit length`() throws {
        let path = try #require(UnixAddress(path: "ab")).storage
        let name = try #require(UnixAddress(abstract: "ab")).storage
        #expect(path.length == 5)
        #expect(name.length == 5)
        let bytes = { (storage: UnixAddress) in
            var copy = storage.storage.storage
            return unsafe withUnsafeBytes(of: &copy) { unsafe Array($0[2..<5]) }
        }
        #expect(bytes(try #require(UnixAddress(path: "ab"))) == [97, 98, 0])
        #expect(bytes(try #require(UnixAddress(abstract: "ab"))) == [0, 97, 98])
    }
}
