import Testing
import Wire

@Suite struct RequestHeadEncoderTests {
    private func encode(_ head: RequestHead) throws -> String {
        var output: [UInt8] = []
        try RequestHeadEncoder.encode(head, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `a head is written as given, without additions`() throws {
        let head = RequestHead(
            method: .post,
            target: .origin("/a?b"),
            headers: [.host: "h:1", "x-A": "1", "X-a": " 2 ", .accept: ""]
        )
        #expect(
            try encode(head)
                == "POST /a?b HTTP/1.1\r\nHost: h:1\r\nx-A: 1\r\nX-a: 2\r\nAccept: \r\n\r\n"
        )
        #expect(
            try encode(RequestHead(method: .options, target: .asterisk, version: .http10))
                == "OPTIONS * HTTP/1.0\r\n\r\n"
        )
    }

    @Test func `changed fields are written in their new order`() throws {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "C": "3", "D": "4"]
        headers["B"] = "two"
        headers["C"] = nil
        let head = RequestHead(method: .get, target: .origin("/"), headers: headers)
        #expect(try encode(head) == "GET / HTTP/1.1\r\nA: 1\r\nB: two\r\nD: 4\r\n\r\n")
    }

    @Test func `received fields are written with normalized whitespace`() throws {
        var decoder = RequestHeadDecoder()
        let text = Array("GET / HTTP/1.1\r\nA:1\r\nB: 2\r\nC: 3 \r\nD:\r\nE: 5\r\n\r\n".utf8)
        let head = try #require(try decoder.decode(text.span).head)
        #expect(
            try encode(head) == "GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: \r\nE: 5\r\n\r\n"
        )
    }

    static let refused: [(RequestHead, WireError)] = [
        (RequestHead(method: "", target: .origin("/")), .invalidMethod),
        (RequestHead(method: "GE T", target: .origin("/")), .invalidMethod),
        (RequestHead(method: "GET\r\n", target: .origin("/")), .invalidMethod),
        (RequestHead(method: .get, target: .origin("")), .invalidTarget(offset: 0)),
        (RequestHead(method: .get, target: .origin("a")), .invalidTarget(offset: 0)),
        (RequestHead(method: .get, target: .origin("/a b")), .invalidTarget(offset: 2)),
        (RequestHead(method: .get, target: .origin("/a\r\nX: y")), .invalidTarget(offset: 2)),
        (RequestHead(method: .get, target: .origin("/\u{e9}")), .invalidTarget(offset: 1)),
        (RequestHead(method: .get, target: .absolute("http://h/#f")), .invalidTarget(offset: 9)),
        (RequestHead(method: .connect, target: .authority("")), .invalidTarget(offset: 0)),
        // Targets that do not have the form of their case; the first one was found by fuzzing.
        (RequestHead(method: .post, target: .absolute("http/:/a/")), .invalidTarget(offset: 0)),
        (RequestHead(method: .get, target: .absolute("/a")), .invalidTarget(offset: 0)),
        (RequestHead(method: .get, target: .absolute("1://a")), .invalidTarget(offset: 0)),
        (RequestHead(method: .get, target: .absolute("a")), .invalidTarget(offset: 0)),
        (RequestHead(method: .connect, target: .absolute("a://b")), .invalidTarget(offset: 0)),
        (RequestHead(method: .connect, target: .authority("a/b")), .invalidTarget(offset: 0)),
        (RequestHead(method: .get, target: .authority("a:1")), .invalidTarget(offset: 0)),
        (RequestHead(method: .connect, target: .origin("/")), .invalidTarget(offset: 0)),
        (RequestHead(method: .get, target: .asterisk), .invalidTarget(offset: 0)),
        (
            RequestHead(
                method: .get,
                target: .origin("/"),
                version: HTTPVersion(major: 2, minor: 0)
            ), .invalidVersion
        ),
        (
            RequestHead(method: .get, target: .origin("/"), headers: ["": "a"]),
            .invalidFieldName(index: 0)
        ),
        (
            RequestHead(method: .get, target: .origin("/"), headers: ["A": "", "B C": "a"]),
            .invalidFieldName(index: 1)
        ),
        (
            RequestHead(method: .get, target: .origin("/"), headers: ["A:": "a"]),
            .invalidFieldName(index: 0)
        ),
        (
            RequestHead(method: .get, target: .origin("/"), headers: ["A\r\nB": "a"]),
            .invalidFieldName(index: 0)
        ),
        (
            RequestHead(method: .get, target: .origin("/"), headers: ["A": "b\r\nC: d"]),
            .invalidFieldValue(index: 0)
        ),
        (
            RequestHead(method: .get, target: .origin("/"), headers: ["A": "b\n"]),
            .invalidFieldValue(index: 0)
        ),
        (
            RequestHead(method: .get, target: .origin("/"), headers: ["A": "b\u{00}"]),
            .invalidFieldValue(index: 0)
        ),
        (
            RequestHead(method: .get, target: .origin("/"), headers: ["A": "\u{7f}"]),
            .invalidFieldValue(index: 0)
        ),
        (
            RequestHead(
                method: .get,
                target: .origin("/"),
                headers: [FieldName(String(repeating: "a", count: 65_536)): "a"]
            ), .fieldTooLong(index: 0)
        ),
    ]

    @Test(arguments: refused)
    func `a field that could end the message early is rejected, and nothing is written`(
        head: RequestHead,
        error: WireError
    ) {
        var output: [UInt8] = [1, 2]
        #expect(throws: error) { try RequestHeadEncoder.encode(head, into: &output) }
        #expect(output == [1, 2])
        #expect(error.kind == .outgoing)
    }

    @Test func `an invalid field stays invalid in a copy`() {
        var headers: HTTPHeaders = ["A": "b\n"]
        let copy = headers
        for index in 0..<40 { headers.append("X", "\(index)") }
        for headers in [headers, copy] {
            let head = RequestHead(method: .get, target: .origin("/"), headers: headers)
            #expect(throws: WireError.invalidFieldValue(index: 0)) { try encode(head) }
        }
    }
}
