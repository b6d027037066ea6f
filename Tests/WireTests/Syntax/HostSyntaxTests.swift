import Testing
import Wire

@Suite struct HostSyntaxTests {
    /// Returns the error of a server for a request.
    private func error(_ request: String) -> WireError? {
        var exchange = ServerExchange()
        let bytes = Array(request.utf8)
        do {
            _ = try exchange.receive(bytes.span)
            return nil
        } catch {
            return error
        }
    }

    static let valid = [
        "h", "h:80", "h:", "a-b.c_d~!$&'()*+,;=", "%41%7a", "1.2.3.4:65535",
        "[::1]", "[::1]:8080", "[fe80::1:2]:", "EXAMPLE.com",
    ]
    static let invalid = [
        "h:x", "h:65536", "h:99999999999999999999", "h:-1", "h:1:2", "u@h", "a b", "a/b", "a?b",
        "a#b",
        "a%4", "a%zz", "%", "[::1", "::1", "[::1]x", "[v1.a]", "[1.2.3.4]", "[]", "a\\b", "\u{e9}",
        "[fe80::1%25eth0]",
    ]

    @Test(.tags(.rfc9112), arguments: valid)
    func `a valid host is accepted`(text: String) {
        #expect(error("GET / HTTP/1.1\r\nHost: \(text)\r\n\r\n") == nil)
        #expect(error("GET http://\(text)/ HTTP/1.1\r\nHost: \r\n\r\n") == nil)
        #expect(error("GET http://\(text)?q HTTP/1.1\r\nHost: \r\n\r\n") == nil)
        #expect(error("GET http://\(text) HTTP/1.1\r\nHost: \r\n\r\n") == nil)
    }

    @Test(.tags(.rfc9112), arguments: invalid)
    func `an invalid host is rejected`(text: String) {
        #expect(error("GET / HTTP/1.1\r\nHost: \(text)\r\n\r\n") == .malformedHost)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            ("h:1", nil), ("[::1]:443", nil), ("h", .malformedHost), ("h:", .malformedHost),
            ("h:0", .malformedHost), (":1", .malformedHost), ("h:x", .malformedHost),
        ] as [(String, WireError?)]
    )
    func `CONNECT requires host and port`(target: String, expected: WireError?) {
        #expect(error("CONNECT \(target) HTTP/1.1\r\nHost: h\r\n\r\n") == expected)
    }

    @Test func `an empty host is accepted only for a target without an authority`() {
        #expect(error("OPTIONS * HTTP/1.1\r\nHost:\r\n\r\n") == nil)
        #expect(error("GET http://:80/ HTTP/1.1\r\nHost: h\r\n\r\n") == .malformedHost)
    }
}
