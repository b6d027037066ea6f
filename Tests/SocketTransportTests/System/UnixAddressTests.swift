import SocketTransport
import Testing

@Suite struct UnixAddressTests {
    @Test(
        arguments: [
            ("/run/a.sock", nil), ("a", nil), (String(repeating: "p", count: 107), nil),
            (String(repeating: "p", count: 108), .tooLong(bytes: 108)), ("", .empty),
            ("/run/a\0b", .containsNUL),
        ] as [(String, UnixSocket.PathError?)]
    )
    func `a socket path that does not fit with its NUL is rejected, never truncated`(
        path: String,
        expected: UnixSocket.PathError?
    ) {
        for socket in [UnixSocket.path(path), .abstract(path)] {
            let error: UnixSocket.PathError?
            do throws(UnixSocket.PathError) {
                _ = try UnixAddress(socket)
                error = nil
            } catch let caught {
                error = caught
            }
            #expect(error == expected)
        }
    }

    @Test func `an abstract name starts with NUL and has an explicit length`() throws {
        for (socket, expected) in [
            (UnixSocket.path("ab"), [97, 98, 0]), (.abstract("ab"), [0, 97, 98]),
        ] as [(UnixSocket, [UInt8])] {
            let (storage, length) = try UnixAddress(socket).storage
            #expect(length == 5)
            var copy = storage
            #expect(unsafe withUnsafeBytes(of: &copy) { unsafe Array($0[2..<5]) } == expected)
        }
    }
}
