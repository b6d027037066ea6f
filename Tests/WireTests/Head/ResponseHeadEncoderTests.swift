import Testing
import Wire

@Suite struct ResponseHeadEncoderTests {
    private func encode(_ head: ResponseHead) throws -> String {
        var output: [UInt8] = []
        try ResponseHeadEncoder.encode(head, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `a head is written as given`() throws {
        #expect(try encode(ResponseHead(status: .ok)) == "HTTP/1.1 200 OK\r\n\r\n")
        #expect(
            try encode(
                ResponseHead(
                    version: .http10,
                    status: 799,
                    reason: "",
                    headers: [.setCookie: "a=1", .setCookie: "b=2"]
                )
            ) == "HTTP/1.0 799 \r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"
        )
    }

    @Test func `a written head is read back unchanged`() throws {
        let head = ResponseHead(status: .notFound, reason: "no\tway", headers: ["A": "b", "a": ""])
        let bytes = Array(try encode(head).utf8)
        var decoder = ResponseHeadDecoder()
        #expect(try decoder.decode(bytes.span).head == head)
    }

    @Test(
        arguments: [
            (ResponseHead(status: 99), .invalidStatus),
            (ResponseHead(status: 1000), .invalidStatus),
            (ResponseHead(status: .ok, reason: "a\r\nb"), .invalidReason),
            (ResponseHead(version: HTTPVersion(major: 1, minor: 2), status: .ok), .invalidVersion),
            (ResponseHead(status: .ok, headers: ["a b": ""]), .invalidFieldName(index: 0)),
        ] as [(ResponseHead, WireError)]
    )
    func `a malformed head is rejected, and nothing is written`(
        head: ResponseHead,
        error: WireError
    ) {
        var output: [UInt8] = [1]
        #expect(throws: error) { try ResponseHeadEncoder.encode(head, into: &output) }
        #expect(output == [1])
    }

    @Test(
        arguments: [
            ("A: b\rc\r\n", "A: b c\r\n"),
            ("A: b\rc\r\nX: y\r\n", "A: b c\r\nX: y\r\n"),
            ("X: y\r\nA: b\r\r\n", "X: y\r\nA: b\r\n"),
            ("A: b\r\n c\rd\r\nX: y\n", "A: b c d\r\nX: y\r\n"),
        ],
        [Strictness.lenient, .forensic]
    )
    func `a value read with spaces in place of CRs is sent with the spaces`(
        row: (received: String, sent: String),
        level: Strictness
    ) throws {
        var decoder = ResponseHeadDecoder(strictness: level)
        let text = Array("HTTP/1.1 200 OK\r\n\(row.received)\r\n".utf8)
        var head = try #require(try decoder.decode(text.span).head)
        let expected = "HTTP/1.1 200 OK\r\n\(row.sent)\r\n"
        #expect(try encode(head) == expected)
        var output: [UInt8] = []
        let headers = head.headers
        try ResponseHeadEncoder.encode(.ok, into: &output) { $0.append(contentsOf: headers) }
        #expect(output == Array(expected.utf8))
        for index in 0..<30 { head.headers.append("Y", "\(index)") }
        #expect(try encode(head).hasPrefix(expected.dropLast(2)))
    }
}
