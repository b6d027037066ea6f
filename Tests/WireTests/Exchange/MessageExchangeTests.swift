import Support
import Testing
import Wire

@Suite struct MessageExchangeTests {
    struct Row: CustomTestStringConvertible {
        var testDescription: String
        var method: HTTPMethod = .get
        var fields: HTTPHeaders = [:]
        var reply: String
        var status: HTTPStatus = .ok
        var interim: [Int] = []
        var framing: BodyFraming
        var body = ""
        var trailers: HTTPHeaders = [:]
        var closeReason: CloseReason?
    }

    static let rows: [Row] = [
        Row(
            testDescription: "length",
            reply: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            framing: .length(5),
            body: "hello"
        ),
        Row(
            testDescription: "empty body",
            reply: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            framing: .length(0)
        ),
        Row(
            testDescription: "chunks with extension and trailer",
            reply: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3;a=b\r\nfoo\r\n2\r\nba\r\n0\r\nX-Sum: 7\r\n\r\n",
            framing: .chunked,
            body: "fooba",
            trailers: ["X-Sum": "7"]
        ),
        Row(
            testDescription: "interim responses come first",
            reply: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 204 No Content\r\n\r\n",
            status: .noContent,
            interim: [100, 103],
            framing: .noBody
        ),
        Row(
            testDescription: "HEAD has no body",
            method: .head,
            reply: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
            framing: .noBody
        ),
        Row(
            testDescription: "304 has no body",
            reply: "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
            status: .notModified,
            framing: .noBody
        ),
        Row(
            testDescription: "CONNECT becomes a tunnel",
            method: .connect,
            reply: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            framing: .noBody,
            closeReason: .upgraded
        ),
        Row(
            testDescription: "the response to a rejected CONNECT has a body",
            method: .connect,
            reply: "HTTP/1.1 407 No\r\nContent-Length: 1\r\n\r\nx",
            status: .proxyAuthenticationRequired,
            framing: .length(1),
            body: "x"
        ),
        Row(
            testDescription: "101 ends HTTP",
            fields: [.connection: "upgrade", .upgrade: "x"],
            reply: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
            status: .switchingProtocols,
            framing: .noBody,
            closeReason: .upgraded
        ),
        Row(
            testDescription: "both framing fields",
            reply: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "1\r\nx\r\n0\r\n\r\n",
            framing: .chunked,
            body: "x",
            closeReason: .lengthAndTransferEncoding
        ),
        Row(
            testDescription: "Connection: close",
            reply: "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n",
            framing: .length(0),
            closeReason: .connectionClose
        ),
        Row(
            testDescription: "HTTP/1.0 closes",
            reply: "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
            framing: .length(0),
            closeReason: .http10
        ),
        Row(
            testDescription: "HTTP/1.0 with keep-alive",
            reply: "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n",
            framing: .length(0)
        ),
    ]

    @Test(.tags(.rfc9112), arguments: rows)
    func `a response gives the same events for every split`(row: Row) throws {
        for pieces in ByteSplits(row.reply) {
            let outcome = ClientOutcome(pieces, to: row.method, requestHeaders: row.fields)
            #expect(outcome.error == nil)
            #expect(outcome.interim == row.interim)
            #expect(outcome.head?.status == row.status)
            #expect(outcome.framing == row.framing)
            #expect(outcome.body == Array(row.body.utf8))
            #expect(outcome.trailers == row.trailers)
            #expect(outcome.closeReason == row.closeReason)
            #expect(outcome.rest == [])
        }
    }

    @Test(arguments: rows)
    func `bytes after the response are not consumed`(row: Row) throws {
        for pieces in ByteSplits(row.reply + "HTTP/1.1 500") {
            let outcome = ClientOutcome(pieces, to: row.method, requestHeaders: row.fields)
            #expect(outcome.rest == Array("HTTP/1.1 500".utf8))
        }
    }

    @Test(.tags(.rfc9112)) func `a body without a length ends when the peer closes`() {
        for pieces in ByteSplits("HTTP/1.1 200 OK\r\n\r\nhello") {
            let outcome = ClientOutcome(pieces)
            #expect(outcome.framing == .untilClose)
            #expect(outcome.body == Array("hello".utf8))
            #expect(outcome.rest == nil)
            #expect(outcome.trailers == [:])
            #expect(outcome.closeReason == .closeDelimited)
        }
    }

    @Test(
        .tags(.rfc9112),
        arguments: [
            ("", .closedBeforeResponse),
            ("H", .headTruncated),
            ("HTTP/1.1 200 OK\r\nA: b\r\n", .headTruncated),
            ("HTTP/1.1 100 Continue\r\n\r\n", .headTruncated),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
                .bodyTruncated(received: 3, expected: 5)
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
                .bodyTruncated(received: 5, expected: nil)
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
                .bodyTruncated(received: 5, expected: nil)
            ),
        ] as [(String, WireError)]
    )
    func `an early close is reported as truncation, for every split`(
        reply: String,
        error: WireError
    ) {
        for pieces in ByteSplits(reply) {
            #expect(ClientOutcome(pieces).error == error)
        }
        #expect(error.kind == .truncated)
    }

    @Test func `more interim responses than the limit are rejected`() {
        var limits = WireLimits()
        limits.informationalCount = 2
        let interim = "HTTP/1.1 102 Processing\r\n\r\n"
        let final = "HTTP/1.1 204 No Content\r\n\r\n"
        for pieces in ByteSplits(interim + interim + final) {
            #expect(ClientOutcome(pieces, limits: limits).error == nil)
        }
        for pieces in ByteSplits(interim + interim + interim + final) {
            #expect(
                ClientOutcome(pieces, limits: limits).error
                    == .limitExceeded(.informationalCount(2))
            )
        }
    }

    @Test func `a response that ends before its request is sent prevents reuse until it is sent`()
        throws
    {
        var exchange = MessageExchange(request: RequestHead(method: .post, target: .origin("/")))
        #expect(exchange.isAwaitingFirstByte)
        #expect(exchange.closeReason == .responseIncomplete)
        let reply = Array("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n".utf8)
        let head = try exchange.receive(reply.span)
        #expect(head.consumed == reply.count)
        #expect(!exchange.isAwaitingFirstByte)
        let end = try exchange.receive([UInt8]().span)
        #expect(end == ExchangeStep(consumed: 0, event: .end(trailers: [:])))
        #expect(exchange.closeReason == .requestIncomplete)
        exchange.requestSent()
        #expect(exchange.closeReason == nil)
    }

    @Test func `a request with Connection close prevents reuse`() {
        let reply = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
        #expect(
            ClientOutcome([reply], requestHeaders: [.connection: "close"]).closeReason
                == .connectionClose
        )
    }

    @Test func `bytes read directly count toward the body length`() throws {
        var exchange = MessageExchange(request: RequestHead(method: .get, target: .origin("/")))
        exchange.requestSent()
        #expect(exchange.remainingLength == nil)
        let reply = Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc".utf8)
        let head = try exchange.receive(reply.span)
        let body = try exchange.receive(reply.span.extracting(head.consumed..<reply.count))
        #expect(body.event == .body(0..<3))
        #expect(exchange.remainingLength == 7)
        exchange.recordDirectRead(6)
        #expect(throws: WireError.bodyTruncated(received: 9, expected: 10)) {
            var copy = exchange
            _ = try copy.receiveEndOfStream()
        }
        exchange.recordDirectRead(1)
        #expect(exchange.remainingLength == 0)
        #expect(try exchange.receive([UInt8]().span).event == .end(trailers: [:]))
        #expect(exchange.closeReason == nil)
    }

    @Test func `reading more bytes directly than the body has prevents reuse`() throws {
        var exchange = MessageExchange(request: RequestHead(method: .get, target: .origin("/")))
        exchange.requestSent()
        let reply = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n".utf8)
        _ = try exchange.receive(reply.span)
        exchange.recordDirectRead(3)
        #expect(try exchange.receiveEndOfStream() == .end(trailers: [:]))
        #expect(exchange.closeReason != nil)
    }

    @Test func `bytes read directly before the head or after the end prevent reuse`() throws {
        let reply = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
        for isEarly in [true, false] {
            var exchange = MessageExchange(request: RequestHead(method: .get, target: .origin("/")))
            exchange.requestSent()
            if isEarly { exchange.recordDirectRead(1) }
            _ = try exchange.receive(reply.span)
            _ = try exchange.receive([UInt8]().span)
            exchange.recordDirectRead(0)
            #expect(exchange.closeReason == (isEarly ? .unsolicitedBytes : nil))
            exchange.recordDirectRead(1)
            #expect(exchange.closeReason == .unsolicitedBytes)
        }
    }

    @Test func `a close after the end of the response ends the connection`() throws {
        var exchange = MessageExchange(request: RequestHead(method: .get, target: .origin("/")))
        exchange.requestSent()
        _ = try exchange.receive(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8).span)
        _ = try exchange.receive([UInt8]().span)
        #expect(exchange.closeReason == nil)
        #expect(try exchange.receiveEndOfStream() == .end(trailers: [:]))
        #expect(exchange.closeReason == .peerClosed)
    }

    @Test func `one call copies many chunks and reports the end`() throws {
        var exchange = MessageExchange(request: RequestHead(method: .get, target: .origin("/")))
        exchange.requestSent()
        let text =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n0\r\nX: y\r\n\r\n"
        let bytes = Array(text.utf8)
        var body: [UInt8] = []
        var batch = BodyBatch(consumed: -1, state: .outputFull)
        func copy(from start: Int) throws {
            try body.append(addingCapacity: 64) { output in
                batch = try exchange.receiveBody(bytes.span.extracting(start...), into: &output)
            }
        }
        try copy(from: 0)
        #expect(batch == BodyBatch(consumed: 0, state: .needMore))
        let head = try exchange.receive(bytes.span)
        try copy(from: head.consumed)
        #expect(batch.state == .end(trailers: ["X": "y"]))
        #expect(head.consumed + batch.consumed == bytes.count)
        #expect(body == Array("abcdef".utf8))
        #expect(exchange.closeReason == nil)
        try copy(from: 0)
        #expect(batch == BodyBatch(consumed: 0, state: .end(trailers: [:])))
        #expect(exchange.closeReason == .unsolicitedBytes)
    }
}
