import Testing
import Wire

/// Tests the rules of RFC 9112 §11.
@Suite(.tags(.rfc9112)) struct SecurityTests {
    @Test("RFC 9112 §11.1: no part of a response can contain the start of another")
    func responseSplitting() {
        let second = "a\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
        var output: [UInt8] = []
        for head in [
            ResponseHead(status: .ok, reason: second),
            ResponseHead(status: .ok, headers: ["A": second]),
            ResponseHead(status: .ok, headers: [FieldName(second): "b"]),
        ] {
            #expect(throws: WireError.self) { try ResponseHeadEncoder.encode(head, into: &output) }
        }
        #expect(throws: WireError.invalidFieldValue(index: 0)) {
            try ChunkedEncoder.encodeEnd(trailers: ["A": second], into: &output)
        }
        #expect(output == [])
    }

    @Test("RFC 9112 §11.1: no part of a request can contain the start of another")
    func requestSplitting() {
        let second = "a HTTP/1.1\r\n\r\nGET /"
        for head in [
            RequestHead(method: HTTPMethod(second), target: .origin("/")),
            RequestHead(method: .get, target: .origin("/\(second)")),
            RequestHead(method: .get, target: .absolute("http://h/\(second)")),
            RequestHead(method: .connect, target: .authority(second)),
            RequestHead(method: .get, target: .origin("/"), headers: ["A": second]),
            RequestHead(method: .get, target: .origin("/"), headers: [FieldName(second): "b"]),
        ] {
            #expect(throws: WireError.self) { _ = try AllSplits.encoded(head) }
        }
    }

    @Test(
        "RFC 9112 §11.2: a request that two servers could frame differently is refused",
        arguments: [
            "Content-Length: 3\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 3",
            "Content-Length: 3\r\nContent-Length: 4", "Content-Length: 3, 4",
            "Content-Length: +3", "Content-Length: 0x3", "Content-Length: 3 3",
            "Content-Length : 3", "Content-Length\t: 3", "Content-Length: 3\u{b}",
            " Content-Length: 3", "Content-Length:\r\n 3",
            "Transfer-Encoding: chunked, identity", "Transfer-Encoding: xchunked",
            "Transfer-Encoding: chunked;x", "Transfer-Encoding: \"chunked\"",
            "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: \u{b}chunked",
            "Transfer-Encoding : chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
            "Transfer-Encoding: x\r\nTransfer-Encoding: chunked", "Transfer-Encoding: ,chunked",
            "A: b\nTransfer-Encoding: chunked", "A: b\rTransfer-Encoding: chunked",
            "A: b\u{0}\r\nContent-Length: 3",
        ]
    )
    func requestSmuggling(fields: String) throws {
        let request =
            "POST / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n"
        let outcome = AllSplits.served(request)
        #expect(outcome.requests.isEmpty)
        let status = try #require(outcome.error?.responseStatus)
        #expect([.badRequest, .notImplemented].contains(status))
        #expect(outcome.closeReason == .requestRefused)
    }

    @Test("RFC 9112 §11.2: a chunk that two servers could measure differently is rejected")
    func chunkSmuggling() {
        let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        for body in [
            "1\nx\r\n0\r\n\r\n", "0x1\r\nx\r\n", "1\r\nxy", "1;\n\r\nx\r\n", "-1\r\n", "1 1\r\n",
        ] {
            #expect(AllSplits.requestError(head + body)?.kind == .body)
        }
    }

    @Test("RFC 9112 §11.3: a truncated message is not accepted as complete")
    func integrity() {
        for head in ["Content-Length: 9", "Transfer-Encoding: chunked"] {
            #expect(
                AllSplits.responseError("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n1\r\nx\r\n")?.kind
                    == .truncated
            )
        }
    }
}
