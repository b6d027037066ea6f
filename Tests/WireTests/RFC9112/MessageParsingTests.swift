import Testing
import Wire

/// Tests the rules of RFC 9112 §2.
@Suite(.tags(.rfc9112)) struct MessageParsingTests {
    private let get = "GET / HTTP/1.1\r\nHost: h\r\n"

    @Test("RFC 9112 §2.2: a message is parsed as bytes, not as text")
    func bytesNotText() throws {
        let text = "HTTP/1.1 204 No Content\r\nA: "
        let bytes = Array(text.utf8) + [0xe9, 0xff, 0x80] + Array("\r\n\r\n".utf8)
        var decoder = ResponseHeadDecoder()
        let head = try #require(try decoder.decode(bytes.span).head)
        #expect(head.headers["A"] == "\u{e9}\u{ff}\u{80}")
        var output: [UInt8] = []
        try ResponseHeadEncoder.encode(head, into: &output)
        #expect(output == bytes)
    }

    @Test("RFC 9112 §2.2: bytes outside ASCII are rejected in methods and field names")
    func elementsAreASCII() {
        #expect(
            AllSplits.requestError("G\u{c9}T / HTTP/1.1\r\nHost: h\r\n\r\n")
                == .malformedRequestLine(offset: 1)
        )
        #expect(
            AllSplits.requestError("GET / HTTP/1.1\r\nH\u{f6}st: h\r\n\r\n")
                == .malformedFieldName(offset: 17)
        )
    }

    @Test("RFC 9112 §2.2: a bare LF does not end a line (optional in the RFC)")
    func bareLineFeed() {
        #expect(AllSplits.requestError("GET / HTTP/1.1\n\n") == .bareLineFeed(offset: 14))
        #expect(
            AllSplits.requestError("GET / HTTP/1.1\r\nHost: h\n\r\n") == .bareLineFeed(offset: 23)
        )
        #expect(AllSplits.responseError("HTTP/1.1 200 OK\n\n") == .bareLineFeed(offset: 15))
    }

    @Test("RFC 9112 §2.2: a bare CR is rejected everywhere outside content")
    func bareCarriageReturn() {
        #expect(
            AllSplits.requestError("GET /\rx HTTP/1.1\r\nHost: h\r\n\r\n")
                == .bareCarriageReturn(offset: 5)
        )
        #expect(
            AllSplits.responseError("HTTP/1.1 200 O\rK\r\n\r\n") == .bareCarriageReturn(offset: 14)
        )
        #expect(
            AllSplits.responseError("HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n")
                == .bareCarriageReturn(offset: 21)
        )
    }

    @Test("RFC 9112 §2.2: no bare CR is generated")
    func noBareCarriageReturnIsSent() {
        var output: [UInt8] = []
        #expect(throws: WireError.invalidFieldValue(index: 0)) {
            try ResponseHeadEncoder.encode(
                ResponseHead(status: .ok, headers: ["A": "b\rc"]),
                into: &output
            )
        }
        #expect(throws: WireError.invalidReason) {
            try ResponseHeadEncoder.encode(
                ResponseHead(status: .ok, reason: "O\rK"),
                into: &output
            )
        }
        #expect(output == [])
    }

    @Test("RFC 9112 §2.2: a server ignores an empty line before the request line")
    func emptyLineBeforeRequest() {
        #expect(AllSplits.served("\r\n\(get)\r\n").lines == ["GET / HTTP/1.1"])
        // Old clients send an empty line after a body.
        let post = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi"
        #expect(AllSplits.served("\(post)\r\n\(get)\r\n").bodies == ["hi", ""])
    }

    @Test("RFC 9112 §2.2: no extra CRLF is sent before or after a request")
    func noExtraLines() throws {
        let head = RequestHead(method: .get, target: .origin("/"), headers: [.host: "h"])
        #expect(try AllSplits.encoded(head) == "\(get)\r\n")
        var output: [UInt8] = []
        var encoder = BodyEncoder(.length(1))
        try encoder.begin(1, into: &output)
        encoder.end(into: &output)
        try encoder.finish(into: &output)
        #expect(output == [])
    }

    @Test("RFC 9112 §2.2: whitespace between start line and first field is rejected")
    func whitespaceBeforeFields() {
        for space in [" ", "\t"] {
            #expect(
                AllSplits.requestError("GET / HTTP/1.1\r\n\(space)Host: h\r\n\r\n")
                    == .leadingWhitespace(offset: 16)
            )
            #expect(
                AllSplits.responseError("HTTP/1.1 200 OK\r\n\(space)A: b\r\n\r\n")
                    == .leadingWhitespace(offset: 17)
            )
        }
    }

    @Test("RFC 9112 §2.2: bytes that are not an HTTP request give 400 and close the connection")
    func garbage() throws {
        for text in ["hello\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n", "GET\r\n\r\n", ":\r\n\r\n"] {
            let outcome = AllSplits.served(text)
            let error = try #require(outcome.error)
            #expect(error.responseStatus == .badRequest)
            #expect(outcome.closeReason == .requestRefused)
        }
    }

    @Test("RFC 9112 §2.3: the protocol name is case-sensitive")
    func versionCase() {
        #expect(
            AllSplits.requestError("GET / http/1.1\r\nHost: h\r\n\r\n")
                == .malformedVersion(offset: 6)
        )
        #expect(AllSplits.responseError("http/1.1 200 OK\r\n\r\n") == .foreignProtocol(.unknown))
    }

    @Test("RFC 9112 §2.3: the version is one digit, a dot and one digit")
    func versionDigits() {
        for version in ["HTTP/1", "HTTP/1.", "HTTP/1.10", "HTTP/11.1", "HTTP/1,1", "HTTP/x.1"] {
            let error = AllSplits.requestError("GET / \(version)\r\nHost: h\r\n\r\n")
            guard case .malformedVersion? = error else {
                Issue.record("\(version): \(String(describing: error))")
                continue
            }
        }
    }

    @Test("RFC 9112 §2.3: a higher minor version is treated as 1.1")
    func higherMinor() {
        let outcome = AllSplits.served("GET / HTTP/1.9\r\nHost: h\r\n\r\n")
        #expect(outcome.error == nil)
        #expect(outcome.closeReason == .peerClosed)
        #expect(AllSplits.received("HTTP/1.9 204 No Content\r\n\r\n").closeReason == nil)
    }

    @Test("RFC 9112 §2.3: another major version is rejected; a server answers 505")
    func otherMajor() {
        let error = AllSplits.requestError("GET / HTTP/2.0\r\nHost: h\r\n\r\n")
        #expect(error == .unsupportedVersion(major: 2, minor: 0))
        #expect(error?.responseStatus == .httpVersionNotSupported)
        #expect(
            AllSplits.responseError("HTTP/3.0 200 OK\r\n\r\n")
                == .unsupportedVersion(major: 3, minor: 0)
        )
    }

    @Test("RFC 9112 §2.3: a server answers HTTP/1.0 with its own version")
    func ownVersion() throws {
        let sent = try AllSplits.answered("GET / HTTP/1.0\r\n\r\n", ResponseHead(status: .ok)).sent
        #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test("RFC 9112 §2.3: a message of another major version is not generated")
    func onlyOneDotX() {
        let version = HTTPVersion(major: 2, minor: 0)
        #expect(throws: WireError.invalidVersion) {
            _ = try AllSplits.encoded(
                RequestHead(method: .get, target: .origin("/"), version: version)
            )
        }
    }
}
