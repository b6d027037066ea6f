import Testing
import Wire

/// Tests the rules of RFC 9112 §5.
@Suite(.tags(.rfc9112)) struct FieldSyntaxTests {
    private func requestError(_ line: String) -> WireError? {
        AllSplits.requestError("GET / HTTP/1.1\r\nHost: h\r\n\(line)\r\n\r\n")
    }

    private func responseError(_ line: String) -> WireError? {
        AllSplits.responseError("HTTP/1.1 204 No Content\r\n\(line)\r\n\r\n")
    }

    private func value(_ line: String) -> String? {
        AllSplits.received("HTTP/1.1 204 No Content\r\n\(line)\r\n\r\n").head?.headers["A"]
    }

    @Test("RFC 9112 §5: a field line is a token, a colon and a value")
    func fieldLine() {
        #expect(requestError("A") == .missingColon(offset: 26))
        #expect(requestError(": b") == .emptyFieldName(offset: 25))
        #expect(requestError("A(: b") == .malformedFieldName(offset: 26))
        #expect(requestError("A: b\u{0}") == .malformedFieldValue(offset: 29))
        #expect(requestError("A: b\u{7f}") == .malformedFieldValue(offset: 29))
        #expect(value("A: b:c") == "b:c")
        #expect(value("A:") == "")
    }

    @Test("RFC 9112 §5: names are compared without case; order and repeats are kept")
    func sections() throws {
        let reply = "HTTP/1.1 204 No Content\r\nA: 1\r\nB: 2\r\na: 3\r\n\r\n"
        let headers = try #require(AllSplits.received(reply).head).headers
        #expect(headers.values("A") == ["1", "3"])
        #expect(headers.map(\.description) == ["A: 1", "B: 2", "a: 3"])
    }

    @Test("RFC 9112 §5.1: whitespace around a value is removed")
    func surroundingWhitespace() {
        #expect(value("A: \t b c \t ") == "b c")
        #expect(value("A:b") == "b")
        #expect(value("A: \t ") == "")
    }

    @Test("RFC 9112 §5.1: a request with whitespace before a colon gives 400")
    func spaceBeforeColonInRequest() {
        for space in [" ", "\t"] {
            let error = requestError("A\(space): b")
            #expect(error == .spaceBeforeColon(offset: 26))
            #expect(error?.responseStatus == .badRequest)
        }
    }

    @Test("RFC 9112 §5.1: a response with whitespace before a colon is rejected")
    func spaceBeforeColonInResponse() {
        #expect(responseError("A : b") == .spaceBeforeColon(offset: 26))
    }

    @Test("RFC 9112 §5.1: one space is sent after the colon")
    func oneSpaceIsSent() throws {
        let head = RequestHead(method: .get, target: .origin("/"), headers: ["A": " \tb\t "])
        #expect(try AllSplits.encoded(head) == "GET / HTTP/1.1\r\nA: b\r\n\r\n")
    }

    @Test("RFC 9112 §5.2: a request with a folded line gives 400")
    func foldedRequest() {
        for space in [" ", "\t"] {
            let error = requestError("A: b\r\n\(space)c")
            #expect(error == .foldedLine(offset: 31))
            #expect(error?.responseStatus == .badRequest)
        }
    }

    @Test("RFC 9112 §5.2: a response with a folded line is rejected by strict")
    func foldedResponse() {
        #expect(responseError("A: b\r\n c") == .foldedLine(offset: 31))
    }

    @Test("RFC 9112 §5.2: no folded line is generated")
    func noFoldIsSent() {
        #expect(throws: WireError.invalidFieldValue(index: 0)) {
            _ = try AllSplits.encoded(
                RequestHead(method: .get, target: .origin("/"), headers: ["A": "b\r\n c"])
            )
        }
    }
}
