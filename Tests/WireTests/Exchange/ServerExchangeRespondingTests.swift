import Testing
import Wire

@Suite struct ServerExchangeRespondingTests {
    /// Returns an exchange that has received `request`, up to its end or `.needMore`.
    private func exchange(behind request: String) throws -> ServerExchange {
        var exchange = ServerExchange()
        let bytes = Array(request.utf8)
        var start = 0
        while true {
            let step = try exchange.receive(bytes.span.extracting(start..<bytes.count))
            start += step.consumed
            switch step.event {
            case .head, .body: continue
            case .needMore, .end: return exchange
            }
        }
    }

    private func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    struct Row: CustomTestStringConvertible {
        var testDescription: String
        var request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        var head: ResponseHead
        var content: ResponseContent
        var sent: String
        var framing: BodyFraming
        var closeReason: CloseReason?
        var protocolSwitch: ProtocolSwitch?
    }

    static let http10 = "GET / HTTP/1.0\r\n\r\n"
    static let kept10 = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    static let head = "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"
    static let connect = "CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n"
    static let upgrade =
        "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: a, b/1\r\n\r\n"

    static let rows: [Row] = [
        Row(
            testDescription: "no body",
            head: ResponseHead(status: .ok),
            content: .empty,
            sent: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            framing: .length(0)
        ),
        Row(
            testDescription: "length",
            head: ResponseHead(status: .ok, headers: ["A": "b"]),
            content: .length(3),
            sent: "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 3\r\n\r\n",
            framing: .length(3)
        ),
        Row(
            testDescription: "a length given in the head",
            head: ResponseHead(status: .ok, headers: [.contentLength: "3"]),
            content: .length(3),
            sent: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
            framing: .length(3)
        ),
        Row(
            testDescription: "chunks",
            head: ResponseHead(status: .ok),
            content: .streamed,
            sent: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            framing: .chunked
        ),
        Row(
            testDescription: "HTTP/1.0 gets no chunks and no second exchange",
            request: kept10,
            head: ResponseHead(status: .ok),
            content: .streamed,
            sent: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
            framing: .untilClose,
            closeReason: .closeDelimited
        ),
        Row(
            testDescription: "HTTP/1.0 closes",
            request: http10,
            head: ResponseHead(status: .ok),
            content: .empty,
            sent: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            framing: .length(0),
            closeReason: .http10
        ),
        Row(
            testDescription: "HTTP/1.0 with keep-alive gets Connection: keep-alive",
            request: kept10,
            head: ResponseHead(status: .ok),
            content: .length(1),
            sent: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n",
            framing: .length(1)
        ),
        Row(
            testDescription: "Connection: close in the given head",
            head: ResponseHead(status: .ok, headers: [.connection: "x, Close"]),
            content: .empty,
            sent: "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n",
            framing: .length(0),
            closeReason: .connectionClose
        ),
        Row(
            testDescription: "an HTTP/1.0 response head gets no chunks",
            head: ResponseHead(version: .http10, status: .ok),
            content: .streamed,
            sent: "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n",
            framing: .untilClose,
            closeReason: .closeDelimited
        ),
        Row(
            testDescription: "HEAD gets the length",
            request: head,
            head: ResponseHead(status: .ok),
            content: .length(7),
            sent: "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n",
            framing: .noBody
        ),
        Row(
            testDescription: "HEAD of an unknown length",
            request: head,
            head: ResponseHead(status: .ok),
            content: .streamed,
            sent: "HTTP/1.1 200 OK\r\n\r\n",
            framing: .noBody
        ),
        Row(
            testDescription: "HEAD with a length given in the head",
            request: head,
            head: ResponseHead(status: .ok, headers: [.contentLength: "8"]),
            content: .empty,
            sent: "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n",
            framing: .noBody
        ),
        Row(
            testDescription: "304 has no body",
            head: ResponseHead(status: .notModified),
            content: .length(7),
            sent: "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
            framing: .noBody
        ),
        Row(
            testDescription: "304 without a length",
            head: ResponseHead(status: .notModified),
            content: .empty,
            sent: "HTTP/1.1 304 Not Modified\r\n\r\n",
            framing: .noBody
        ),
        Row(
            testDescription: "204 has no framing fields",
            head: ResponseHead(status: .noContent),
            content: .length(0),
            sent: "HTTP/1.1 204 No Content\r\n\r\n",
            framing: .noBody
        ),
        Row(
            testDescription: "205 has an empty body",
            head: ResponseHead(status: .resetContent),
            content: .empty,
            sent: "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n",
            framing: .length(0)
        ),
        Row(
            testDescription: "CONNECT opens a tunnel",
            request: connect,
            head: ResponseHead(status: .ok),
            content: .empty,
            sent: "HTTP/1.1 200 OK\r\n\r\n",
            framing: .noBody,
            closeReason: .upgraded,
            protocolSwitch: .tunnel
        ),
        Row(
            testDescription: "a rejected CONNECT stays with HTTP",
            request: connect,
            head: ResponseHead(status: .forbidden),
            content: .length(1),
            sent: "HTTP/1.1 403 Forbidden\r\nContent-Length: 1\r\n\r\n",
            framing: .length(1)
        ),
        Row(
            testDescription: "an upgrade is accepted",
            request: upgrade,
            head: ResponseHead(status: .switchingProtocols, headers: [.upgrade: "B/1"]),
            content: .empty,
            sent: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: B/1\r\nConnection: upgrade\r\n\r\n",
            framing: .noBody,
            closeReason: .upgraded,
            protocolSwitch: .upgrade
        ),
        Row(
            testDescription: "an upgrade is ignored",
            request: upgrade,
            head: ResponseHead(status: .ok),
            content: .empty,
            sent: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            framing: .length(0)
        ),
        Row(
            testDescription: "a timeout within the request head closes the connection",
            request: "GET / HTTP/1.1\r\nHos",
            head: ResponseHead(status: .requestTimeout),
            content: .empty,
            sent: "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            framing: .length(0),
            closeReason: .requestIncomplete
        ),
        Row(
            testDescription: "a final response instead of 100 closes the connection",
            request:
                "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
            head: ResponseHead(status: .expectationFailed),
            content: .empty,
            sent:
                "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            framing: .length(0),
            closeReason: .continueNotSent
        ),
        Row(
            testDescription: "an early response does not close the connection",
            request: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\na",
            head: ResponseHead(status: .forbidden),
            content: .empty,
            sent: "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
            framing: .length(0),
            closeReason: .requestIncomplete
        ),
    ]

    @Test(.tags(.rfc9112), arguments: rows)
    func `the response head is written to match request, status and content`(row: Row) throws {
        var exchange = try exchange(behind: row.request)
        var sent: [UInt8] = []
        let framing = try exchange.respond(row.head, row.content, into: &sent)
        #expect(text(sent) == row.sent)
        #expect(framing == row.framing)
        if framing != .noBody, framing != .length(0) {
            #expect(exchange.closeReason != nil)
            if case .length(let length) = framing {
                let body = [UInt8](repeating: 0x78, count: Int(length))
                try exchange.sendBody(body.span, into: &sent)
            }
            try exchange.finish(into: &sent)
        }
        #expect(exchange.closeReason == row.closeReason)
        #expect(exchange.protocolSwitch == row.protocolSwitch)
    }

    struct Refusal: CustomTestStringConvertible {
        var request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        var head: ResponseHead
        var content = ResponseContent.empty
        var error: WireError
        var testDescription: String { "\(head.status) \(content) \(error)" }
    }

    static let refusals: [Refusal] = [
        Refusal(
            head: ResponseHead(status: .ok, headers: [.transferEncoding: "chunked"]),
            content: .streamed,
            error: .invalidFramingField
        ),
        Refusal(
            head: ResponseHead(status: .ok, headers: [.contentLength: "3"]),
            content: .length(4),
            error: .invalidFramingField
        ),
        Refusal(
            head: ResponseHead(status: .ok, headers: [.contentLength: "3"]),
            error: .invalidFramingField
        ),
        Refusal(
            head: ResponseHead(status: .ok, headers: [.contentLength: "3", .contentLength: "3"]),
            content: .length(3),
            error: .invalidFramingField
        ),
        Refusal(
            head: ResponseHead(status: .ok, headers: [.contentLength: "+3"]),
            content: .length(3),
            error: .invalidFramingField
        ),
        Refusal(
            head: ResponseHead(status: .ok, headers: [.contentLength: "3"]),
            content: .streamed,
            error: .invalidFramingField
        ),
        Refusal(
            head: ResponseHead(status: .ok),
            content: .length(1 << 63),
            error: .invalidFramingField
        ),
        Refusal(
            head: ResponseHead(status: .noContent, headers: [.contentLength: "0"]),
            error: .invalidFramingField
        ),
        Refusal(
            request: connect,
            head: ResponseHead(status: .ok, headers: [.contentLength: "0"]),
            error: .invalidFramingField
        ),
        Refusal(
            head: ResponseHead(status: .noContent),
            content: .length(1),
            error: .bodyTooLong(declared: 0)
        ),
        Refusal(
            head: ResponseHead(status: .resetContent),
            content: .streamed,
            error: .bodyTooLong(declared: 0)
        ),
        Refusal(
            head: ResponseHead(status: .switchingProtocols, headers: [.upgrade: "a"]),
            error: .invalidUpgrade
        ),
        Refusal(
            request: upgrade,
            head: ResponseHead(status: .switchingProtocols, headers: [.upgrade: "c"]),
            error: .invalidUpgrade
        ),
        Refusal(
            request: upgrade,
            head: ResponseHead(status: .switchingProtocols),
            error: .invalidUpgrade
        ),
        Refusal(head: ResponseHead(status: .continue), error: .sentOutOfOrder),
        Refusal(
            request: "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n"
                + "Connection: upgrade\r\nUpgrade: a\r\n\r\n",
            head: ResponseHead(status: .switchingProtocols, headers: [.upgrade: "a"]),
            error: .sentOutOfOrder
        ),
        Refusal(
            head: ResponseHead(status: .ok, headers: ["A": "b\r\nC: d"]),
            error: .invalidFieldValue(index: 0)
        ),
    ]

    @Test(.tags(.rfc9112), arguments: refusals)
    func `a response head with wrong framing is rejected, and a second one can be sent`(
        row: Refusal
    ) throws {
        var exchange = try exchange(behind: row.request)
        var sent: [UInt8] = []
        #expect(throws: row.error) { try exchange.respond(row.head, row.content, into: &sent) }
        #expect(sent == [])
        #expect(row.error.responseStatus == .internalServerError)
        try exchange.respond(ResponseHead(status: .internalServerError), .empty, into: &sent)
        #expect(text(sent).hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
    }

    @Test func `a streamed body is sent in chunks with its trailers`() throws {
        var exchange = try exchange(behind: "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        var sent: [UInt8] = []
        #expect(throws: WireError.sentOutOfOrder) { try exchange.finish(into: &sent) }
        #expect(throws: WireError.sentOutOfOrder) { try exchange.sendBody([1].span, into: &sent) }
        try exchange.respond(ResponseHead(status: .ok), .streamed, into: &sent)
        sent = []
        try exchange.sendBody(Array("foo".utf8).span, into: &sent)
        try exchange.sendBody([UInt8]().span, into: &sent)
        try exchange.beginBody(2, into: &sent)
        sent += Array("ba".utf8)
        exchange.endBody(into: &sent)
        try exchange.finish(trailers: ["X-Sum": "7"], into: &sent)
        #expect(text(sent) == "3\r\nfoo\r\n2\r\nba\r\n0\r\nX-Sum: 7\r\n\r\n")
        #expect(throws: WireError.bodyTooLong(declared: 0)) {
            try exchange.sendBody([1].span, into: &sent)
        }
        try exchange.finish(into: &sent)
        #expect(throws: WireError.trailersWithoutChunks) {
            try exchange.finish(trailers: ["A": "b"], into: &sent)
        }
        #expect(exchange.closeReason == nil)
    }

    @Test func `a body longer or shorter than its declared length is rejected`() throws {
        var exchange = try exchange(behind: "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        var sent: [UInt8] = []
        try exchange.respond(ResponseHead(status: .ok), .length(2), into: &sent)
        try exchange.sendBody([1].span, into: &sent)
        #expect(throws: WireError.bodyTooLong(declared: 2)) {
            try exchange.sendBody([2, 3].span, into: &sent)
        }
        #expect(throws: WireError.bodyTooShort(declared: 2, sent: 1)) {
            try exchange.finish(into: &sent)
        }
        #expect(exchange.closeReason == .responseIncomplete)
        try exchange.sendBody([2].span, into: &sent)
        try exchange.finish(into: &sent)
        #expect(exchange.closeReason == nil)
    }

    @Test(arguments: [
        ("GET", HTTPStatus.ok, "Content-Length: 2\r\n\r\nhi"),
        ("HEAD", .ok, "Content-Length: 2\r\n\r\n"),
        ("GET", .notModified, "Content-Length: 2\r\n\r\n"),
    ])
    func `a complete response omits the body where none is allowed`(
        method: String,
        status: HTTPStatus,
        end: String
    ) throws {
        var exchange = try exchange(behind: "\(method) / HTTP/1.1\r\nHost: h\r\n\r\n")
        var sent: [UInt8] = []
        let body = Array("hi".utf8)
        try exchange.respond(ResponseHead(status: status), body: body.span, into: &sent)
        #expect(text(sent).hasSuffix(end))
        #expect(exchange.closeReason == nil)
        #expect(throws: WireError.sentOutOfOrder) {
            try exchange.respond(ResponseHead(status: status), body: body.span, into: &sent)
        }
    }

    // MARK: - Interim responses

    @Test(
        .tags(.rfc9110),
        arguments: [
            ("1.1", "100-continue", "Content-Length: 2", true),
            ("1.1", "100-Continue", "Transfer-Encoding: chunked", true),
            ("1.1", "100-continue", "Content-Length: 0", false),
            ("1.1", "100-continue", "A: b", false),
            ("1.1", "200-ok", "Content-Length: 2", false),
            ("1.0", "100-continue", "Content-Length: 2", false),
        ]
    )
    func `100 is expected by a client that announced a body and waits`(
        version: String,
        expectation: String,
        field: String,
        isDue: Bool
    ) throws {
        let request =
            "POST / HTTP/\(version)\r\nHost: h\r\nExpect: \(expectation)\r\n\(field)\r\n\r\n"
        var exchange = try exchange(behind: request)
        #expect(exchange.isContinueExpected == isDue)
        var sent: [UInt8] = []
        for _ in 0..<2 { exchange.sendContinue(into: &sent) }
        #expect(text(sent) == (isDue ? "HTTP/1.1 100 Continue\r\n\r\n" : ""))
        #expect(!exchange.isContinueExpected)
    }

    @Test(.tags(.rfc9110)) func `100 is not expected once the client sends its body`() throws {
        let request =
            "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        var exchange = try exchange(behind: request + "a")
        #expect(!exchange.isContinueExpected)
        var sent: [UInt8] = []
        try exchange.respond(ResponseHead(status: .ok), .empty, into: &sent)
        // The rest of the body is on its way, so the connection can be reused once it was read.
        #expect(exchange.closeReason == .requestIncomplete)
        _ = try exchange.receive([1].span)
        _ = try exchange.receive([UInt8]().span)
        #expect(exchange.closeReason == nil)
    }

    @Test(.tags(.rfc9110)) func `interim responses are sent before the final one`() throws {
        let request =
            "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        var exchange = try exchange(behind: request)
        var sent: [UInt8] = []
        try exchange.sendInformational(ResponseHead(status: .earlyHints), into: &sent)
        #expect(exchange.isContinueExpected)
        try exchange.sendInformational(ResponseHead(status: .continue), into: &sent)
        #expect(!exchange.isContinueExpected)
        #expect(text(sent) == "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
        let framed = ResponseHead(status: .earlyHints, headers: [.contentLength: "0"])
        #expect(throws: WireError.invalidFramingField) {
            try exchange.sendInformational(framed, into: &sent)
        }
        for status in [HTTPStatus.switchingProtocols, .ok] {
            #expect(throws: WireError.sentOutOfOrder) {
                try exchange.sendInformational(ResponseHead(status: status), into: &sent)
            }
        }
        try exchange.respond(ResponseHead(status: .ok), .empty, into: &sent)
        #expect(throws: WireError.sentOutOfOrder) {
            try exchange.sendInformational(ResponseHead(status: .earlyHints), into: &sent)
        }
    }

    @Test(.tags(.rfc9110)) func `an HTTP 1.0 client receives no interim responses`() throws {
        var exchange = try exchange(behind: Self.http10)
        var sent: [UInt8] = []
        try exchange.sendInformational(ResponseHead(status: .earlyHints), into: &sent)
        #expect(sent == [])
        var early = ServerExchange()
        #expect(throws: WireError.sentOutOfOrder) {
            try early.sendInformational(ResponseHead(status: .earlyHints), into: &sent)
        }
    }
}
