import Support
import Testing
import Wire

@Suite struct ServerExchangeTests {
    struct Row: CustomTestStringConvertible {
        var testDescription: String
        var request: String
        var line: String
        var framing: BodyFraming = .noBody
        var body = ""
        var trailers: HTTPHeaders = [:]
        /// The expected reason after a 204 response.
        var closeReason: CloseReason?
    }

    static let rows: [Row] = [
        Row(
            testDescription: "no body",
            request: "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
            line: "GET / HTTP/1.1"
        ),
        Row(
            testDescription: "length",
            request: "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
            line: "POST /a HTTP/1.1",
            framing: .length(5),
            body: "hello"
        ),
        Row(
            testDescription: "chunks with extension and trailer",
            request: "PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3;a=b\r\nfoo\r\n2\r\nba\r\n0\r\nX-Sum: 7\r\n\r\n",
            line: "PUT /a HTTP/1.1",
            framing: .chunked,
            body: "fooba",
            trailers: ["X-Sum": "7"]
        ),
        Row(
            testDescription: "an empty line before the request line",
            request: "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
            line: "GET / HTTP/1.1"
        ),
        Row(
            testDescription: "Connection: close",
            request: "GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n",
            line: "GET / HTTP/1.1",
            closeReason: .connectionClose
        ),
        Row(
            testDescription: "HTTP/1.0 closes",
            request: "GET / HTTP/1.0\r\n\r\n",
            line: "GET / HTTP/1.0",
            closeReason: .http10
        ),
        Row(
            testDescription: "HTTP/1.0 with keep-alive",
            request: "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            line: "GET / HTTP/1.0"
        ),
        Row(
            testDescription: "absolute-form",
            request: "GET http://h/p HTTP/1.1\r\nHost: other\r\n\r\n",
            line: "GET http://h/p HTTP/1.1"
        ),
    ]

    @Test(.tags(.rfc9112), arguments: rows)
    func `a request gives the same events for every split`(row: Row) {
        for pieces in ByteSplits(row.request) {
            let outcome = ServerOutcome(pieces)
            #expect(outcome.error == nil)
            #expect(outcome.lines == [row.line])
            #expect(outcome.requests.first?.framing == row.framing)
            #expect(outcome.bodies == [row.body])
            #expect(outcome.requests.first?.trailers == row.trailers)
            #expect(outcome.closeReason == row.closeReason ?? .peerClosed)
            #expect(outcome.rest == (row.closeReason == nil ? nil : []))
        }
    }

    @Test(.tags(.rfc9112), arguments: rows, rows)
    func `pipelined requests are read one at a time, for every split`(first: Row, second: Row) {
        for pieces in ByteSplits(first.request + second.request) {
            let outcome = ServerOutcome(pieces)
            #expect(ServerOutcome(pieces, copiesBody: true) == outcome)
            #expect(outcome.error == nil)
            guard first.closeReason == nil else {
                // Bytes after a request that ends the connection are not read.
                #expect(outcome.lines == [first.line])
                #expect(outcome.rest == Array(second.request.utf8))
                continue
            }
            #expect(outcome.lines == [first.line, second.line])
            #expect(outcome.bodies == [first.body, second.body])
            #expect(outcome.requests.map(\.trailers) == [first.trailers, second.trailers])
        }
    }

    @Test func `the next request is not read before the current one is answered`() throws {
        var exchange = ServerExchange()
        let bytes = Array(
            "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n".utf8
        )
        let head = try exchange.receive(bytes.span)
        let rest = bytes.span.extracting(head.consumed..<bytes.count)
        let end = RequestStep(consumed: 0, event: .end(trailers: [:]))
        #expect(try exchange.receive(rest) == end)
        #expect(try exchange.receive(rest) == end)
        #expect(exchange.startNextExchange() == .responseIncomplete)
        #expect(try exchange.receive(rest) == end)
        var sent: [UInt8] = []
        try exchange.respond(ResponseHead(status: .ok), .length(1), into: &sent)
        #expect(exchange.startNextExchange() == .responseIncomplete)
        try exchange.sendBody([0x78].span, into: &sent)
        try exchange.finish(into: &sent)
        #expect(exchange.closeReason == nil)
        #expect(!exchange.isIdle)
        #expect(exchange.startNextExchange() == nil)
        #expect(exchange.isIdle)
        guard case .head(let second, .noBody) = try exchange.receive(rest).event else {
            Issue.record("no second head")
            return
        }
        #expect(second.target.text == "/2")
        #expect(!exchange.isIdle)
    }

    struct Refusal: CustomTestStringConvertible {
        var request: String
        var error: WireError
        var status: HTTPStatus = .badRequest
        var limits = WireLimits()
        var testDescription: String { "\(error) \(request.prefix(60))" }

        init(_ request: String, _ error: WireError, _ status: HTTPStatus = .badRequest) {
            self.request = request
            self.error = error
            self.status = status
        }

        init(
            _ request: String,
            _ error: WireError,
            _ status: HTTPStatus,
            _ limit: (inout WireLimits) -> Void
        ) {
            self.init(request, error, status)
            limit(&limits)
        }
    }

    static let refusals: [Refusal] = [
        Refusal("GET / HTTP/1.1\r\n\r\n", .missingHost),
        Refusal("GET http://h/ HTTP/1.1\r\n\r\n", .missingHost),
        Refusal("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .repeatedHost),
        Refusal("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", .repeatedHost),
        Refusal("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", .malformedHost),
        Refusal("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .malformedHost),
        Refusal("GET / HTTP/1.0\r\nHost: u@a\r\n\r\n", .malformedHost),
        Refusal("GET http://u@h/ HTTP/1.1\r\nHost: h\r\n\r\n", .malformedHost),
        Refusal("GET http:///p HTTP/1.1\r\nHost: h\r\n\r\n", .malformedHost),
        Refusal("CONNECT h HTTP/1.1\r\nHost: h\r\n\r\n", .malformedHost),
        Refusal("CONNECT h:0 HTTP/1.1\r\nHost: h\r\n\r\n", .malformedHost),
        Refusal("GET /\r\n\r\n", .foreignProtocol(.http09)),
        Refusal("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .foreignProtocol(.http2), 505),
        Refusal(
            "GET / HTTP/2.0\r\nHost: h\r\n\r\n",
            .unsupportedVersion(major: 2, minor: 0),
            .httpVersionNotSupported
        ),
        Refusal(
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            .lengthBesideTransferEncoding
        ),
        Refusal(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            .unknownTransferCoding,
            .notImplemented
        ),
        Refusal(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            .malformedChunkSize(offset: 0)
        ),
        Refusal("GET / HTTP/1.1\r\nHost", .headTruncated),
        Refusal(
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab",
            .bodyTruncated(received: 2, expected: 3)
        ),
        Refusal(
            "GET /12345 HTTP/1.1\r\nHost: h\r\n\r\n",
            .limitExceeded(.requestLineBytes(20)),
            414
        ) {
            $0.requestLineBytes = 20
        },
        Refusal(
            "\r\nGET /123 HTTP/1.1\r\nHost: h\r\n\r\n",
            .limitExceeded(.requestLineBytes(20)),
            414
        ) { $0.requestLineBytes = 20 },
        // A field line within the limit does not hide errors in other lines.
        Refusal("GET / HTTP/1.1\r\nA b: c\r\nHost: h\r\n\r\n", .malformedFieldName(offset: 17), 400)
        {
            $0.requestLineBytes = 20
        },
        Refusal("GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\r\n", .limitExceeded(.headBytes(28)), 431) {
            $0.headBytes = 28
        },
        Refusal("GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\r\n", .limitExceeded(.fieldCount(1)), 431) {
            $0.fieldCount = 1
        },
        Refusal(
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\n",
            .limitExceeded(.requestBodyBytes(5)),
            413
        ) { $0.requestBodyBytes = 5 },
        Refusal(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\nabc\r\n",
            .limitExceeded(.requestBodyBytes(5)),
            413
        ) { $0.requestBodyBytes = 5 },
        Refusal(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n",
            .limitExceeded(.requestBodyBytes(4)),
            413
        ) { $0.requestBodyBytes = 4 },
    ]

    @Test(.tags(.rfc9112), arguments: refusals)
    func `an invalid request is rejected for every split`(row: Refusal) {
        for pieces in ByteSplits(row.request) {
            let outcome = ServerOutcome(pieces, limits: row.limits)
            let copied = ServerOutcome(pieces, limits: row.limits, copiesBody: true)
            #expect(copied.error == row.error)
            #expect(outcome.error == row.error)
            #expect(outcome.error?.responseStatus == row.status)
            #expect(outcome.closeReason == .requestRefused)
        }
    }

    @Test func `a request exactly at its limits is accepted`() {
        var limits = WireLimits()
        limits.requestLineBytes = 20
        limits.requestBodyBytes = 5
        let head = "POST /123 HTTP/1.1\r\nHost: h\r\n"
        for pieces in ByteSplits(head + "Content-Length: 5\r\n\r\nhello") {
            #expect(ServerOutcome(pieces, limits: limits).bodies == ["hello"])
        }
        for pieces in ByteSplits(head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
        {
            #expect(ServerOutcome(pieces, limits: limits).bodies == ["hello"])
        }
    }

    @Test func `a rejected request fails again, can be answered and closes the connection`() throws
    {
        var exchange = ServerExchange()
        let bytes = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        for _ in 0..<2 {
            #expect(throws: WireError.missingHost) { _ = try exchange.receive(bytes.span) }
        }
        #expect(throws: WireError.missingHost) { try exchange.receiveEndOfStream() }
        var sent: [UInt8] = []
        try exchange.respond(ResponseHead(status: .badRequest), .empty, into: &sent)
        #expect(
            String(decoding: sent, as: UTF8.self)
                == "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        #expect(exchange.startNextExchange() == .requestRefused)
    }

    @Test
    func `a client can close between requests, and while a complete request is being answered`()
        throws
    {
        var exchange = ServerExchange()
        #expect(exchange.isIdle)
        try exchange.receiveEndOfStream()
        #expect(exchange.closeReason == .peerClosed)

        exchange = ServerExchange()
        let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        _ = try exchange.receive(bytes.span)
        try exchange.receiveEndOfStream()
        #expect(try exchange.receive([UInt8]().span).event == .end(trailers: [:]))
        var sent: [UInt8] = []
        try exchange.respond(ResponseHead(status: .noContent), .empty, into: &sent)
        #expect(exchange.startNextExchange() == .peerClosed)
    }

    @Test func `bytes read directly count toward the body length`() throws {
        var exchange = ServerExchange()
        #expect(exchange.remainingLength == nil)
        let bytes = Array("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc".utf8)
        let head = try exchange.receive(bytes.span)
        _ = try exchange.receive(bytes.span.extracting(head.consumed..<bytes.count))
        #expect(exchange.remainingLength == 6)
        try exchange.recordDirectRead(4)
        #expect(throws: WireError.bodyTruncated(received: 7, expected: 9)) {
            var copy = exchange
            try copy.receiveEndOfStream()
        }
        try exchange.recordDirectRead(2)
        try exchange.recordDirectRead(0)
        var copy = exchange
        #expect(throws: WireError.bodyTooLong(declared: 9)) { try copy.recordDirectRead(1) }
        #expect(copy.closeReason == .requestRefused)
        #expect(try exchange.receive([UInt8]().span).event == .end(trailers: [:]))
    }
}
