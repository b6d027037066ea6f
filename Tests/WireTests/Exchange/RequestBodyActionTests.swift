import Testing
import Wire

@Suite struct RequestBodyActionTests {
    private func exchange(
        _ fields: HTTPHeaders = [:],
        _ version: HTTPVersion = .http11
    )
        -> MessageExchange
    {
        MessageExchange(
            request: RequestHead(
                method: .post,
                target: .origin("/"),
                version: version,
                headers: fields
            )
        )
    }

    private func receive(_ text: String, in exchange: inout MessageExchange) throws {
        let bytes = Array(text.utf8)
        var start = 0
        while true {
            let step = try exchange.receive(bytes.span.extracting(start..<bytes.count))
            start += step.consumed
            switch step.event {
            case .needMore, .end: return
            case .informational, .head, .body: continue
            }
        }
    }

    struct Row: CustomTestStringConvertible {
        var testDescription: String
        var fields: HTTPHeaders = [:]
        var version = HTTPVersion.http11
        var before = RequestBodyAction.send
        var reply: String
        var after: RequestBodyAction
        /// The expected reason if the caller follows the action.
        var closeReason: CloseReason?
    }

    static let expecting: HTTPHeaders = [.expect: "100-Continue", .contentLength: "5"]
    static let final = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    static let refusal = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"

    static let rows: [Row] = [
        Row(
            testDescription: "no expectation",
            reply: "",
            after: .send,
            closeReason: .responseIncomplete
        ),
        Row(
            testDescription: "no response",
            fields: expecting,
            before: .wait,
            reply: "",
            after: .wait,
            closeReason: .responseIncomplete
        ),
        Row(
            testDescription: "HTTP/1.0 expects nothing",
            fields: expecting,
            version: .http10,
            reply: "",
            after: .send,
            closeReason: .responseIncomplete
        ),
        Row(
            testDescription: "100",
            fields: expecting,
            before: .wait,
            reply: "HTTP/1.1 100 Continue\r\n\r\n",
            after: .send,
            closeReason: .responseIncomplete
        ),
        Row(
            testDescription: "another interim response is not 100",
            fields: expecting,
            before: .wait,
            reply: "HTTP/1.1 103 Early Hints\r\n\r\n",
            after: .wait,
            closeReason: .responseIncomplete
        ),
        Row(
            testDescription: "a rejection instead of 100",
            fields: expecting,
            before: .wait,
            reply: refusal,
            after: .doNotSend,
            closeReason: .requestIncomplete
        ),
        Row(
            testDescription: "success instead of 100",
            fields: expecting,
            before: .wait,
            reply: final,
            after: .doNotSend,
            closeReason: .requestIncomplete
        ),
        Row(
            testDescription: "a rejection while the body is sent",
            fields: expecting,
            before: .wait,
            reply: "HTTP/1.1 100 Continue\r\n\r\n" + refusal,
            after: .stop,
            closeReason: .requestIncomplete
        ),
        Row(
            testDescription: "a redirect while the body is sent",
            reply: "HTTP/1.1 303 See Other\r\nContent-Length: 0\r\n\r\n",
            after: .stop,
            closeReason: .requestIncomplete
        ),
        Row(testDescription: "success while the body is sent", reply: final, after: .send),
        Row(
            testDescription: "success with Connection: close while the body is sent",
            reply: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            after: .send,
            closeReason: .connectionClose
        ),
        Row(
            testDescription: "a protocol switch requires the whole request body",
            fields: [
                .expect: "100-continue", .contentLength: "5", .connection: "upgrade", .upgrade: "x",
            ],
            before: .wait,
            reply: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
            after: .send,
            closeReason: .upgraded
        ),
    ]

    @Test(.tags(.rfc9110), arguments: rows)
    func `the response determines whether the body is sent`(row: Row) throws {
        var exchange = exchange(row.fields, row.version)
        #expect(exchange.requestBodyAction == row.before)
        try receive(row.reply, in: &exchange)
        #expect(exchange.requestBodyAction == row.after)
        // A caller that must stop does not complete the request; a caller that may send does.
        if row.after == .send { exchange.requestSent() }
        #expect(exchange.closeReason == row.closeReason)
        // Sending the whole body nevertheless is allowed, and keeps the connection.
        exchange.requestSent()
        #expect(exchange.requestBodyAction == .complete)
        #expect(exchange.closeReason != .requestIncomplete)
    }

    @Test func `a caller that stops waiting for 100 sends the body`() throws {
        var exchange = exchange(Self.expecting)
        #expect(exchange.requestBodyAction == .wait)
        exchange.proceedWithoutContinue()
        #expect(exchange.requestBodyAction == .send)
        try receive("HTTP/1.1 100 Continue\r\n\r\n", in: &exchange)
        #expect(exchange.requestBodyAction == .send)
        try receive(Self.refusal, in: &exchange)
        exchange.proceedWithoutContinue()
        #expect(exchange.requestBodyAction == .stop)
    }

    @Test func `a response after the whole request does not prevent reuse`() throws {
        var exchange = exchange()
        exchange.requestSent()
        try receive(Self.refusal, in: &exchange)
        #expect(exchange.requestBodyAction == .complete)
        #expect(exchange.closeReason == nil)
    }
}
