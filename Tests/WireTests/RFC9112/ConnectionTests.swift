import Testing
import Wire

/// Tests the rules of RFC 9112 §9 that need neither a socket nor a clock.
@Suite(.tags(.rfc9112)) struct ConnectionTests {
    private static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let noContent = "HTTP/1.1 204 No Content\r\n\r\n"

    /// Returns a client that has sent a request with these fields in this version.
    private func client(
        _ fields: HTTPHeaders = [:],
        _ version: HTTPVersion = .http11
    ) -> MessageExchange {
        var exchange = MessageExchange(
            request: RequestHead(
                method: .get,
                target: .origin("/"),
                version: version,
                headers: fields
            )
        )
        exchange.requestSent()
        return exchange
    }

    /// Returns the reason that a client does not reuse the connection after a response without a body.
    private func reason(
        _ reply: String,
        _ fields: HTTPHeaders = [:],
        _ version: HTTPVersion = .http11
    ) throws -> CloseReason? {
        var exchange = client(fields, version)
        let bytes = Array(reply.utf8)
        let head = try exchange.receive(bytes.span)
        #expect(head.consumed == bytes.count)
        _ = try exchange.receive([UInt8]().span)
        return exchange.closeReason
    }

    @Test("RFC 9112 §9.2: responses are matched to requests in request order")
    func association() throws {
        var exchange = MessageExchange(request: RequestHead(method: .head, target: .origin("/")))
        exchange.requestSent()
        let reply = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
        let bytes = Array((reply + reply + "x").utf8)
        var start = 0
        var framings: [BodyFraming] = []
        while framings.count < 2 {
            let step = try exchange.receive(bytes.span.extracting(start..<bytes.count))
            start += step.consumed
            if case .head(_, let framing) = step.event { framings.append(framing) }
            if case .end = step.event {
                exchange.startNextExchange(RequestHead(method: .get, target: .origin("/")))
                exchange.requestSent()
            }
        }
        // The same bytes have another framing, because the request method differs.
        #expect(framings == [.noBody, .length(1)])
    }

    @Test("RFC 9112 §9.2: interim responses belong to the request of the next final response")
    func interim() {
        let early = "HTTP/1.1 103 Early Hints\r\n\r\n"
        let outcome = AllSplits.received(early + early + Self.noContent)
        #expect(outcome.interim == [103, 103])
        #expect(outcome.head?.status == .noContent)
    }

    @Test("RFC 9112 §9.2: bytes on a connection without outstanding requests end the connection")
    func nothingOutstanding() throws {
        var exchange = client()
        _ = try exchange.receive(Array(Self.noContent.utf8).span)
        _ = try exchange.receive([UInt8]().span)
        #expect(exchange.closeReason == nil)
        _ = try exchange.receive(Array("HTTP/1.1 408 Request Timeout\r\n\r\n".utf8).span)
        #expect(exchange.closeReason == .unsolicitedBytes)
    }

    @Test("RFC 9112 §9.3: close from either side prevents persistence")
    func closeOption() throws {
        let closing = "HTTP/1.1 204 No Content\r\nConnection: Close\r\n\r\n"
        #expect(try reason(closing) == .connectionClose)
        #expect(try reason(Self.noContent, [.connection: "close"]) == .connectionClose)
        #expect(
            try reason("HTTP/1.1 204 X\r\nConnection: keep-alive, close\r\n\r\n")
                == .connectionClose
        )
        let request = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        #expect(AllSplits.served(request).closeReason == .connectionClose)
    }

    @Test("RFC 9112 §9.3: HTTP/1.1 connections persist by default")
    func http11Persists() throws {
        #expect(try reason(Self.noContent) == nil)
        #expect(AllSplits.served(Self.get + Self.get).lines.count == 2)
    }

    @Test("RFC 9112 §9.3: HTTP/1.0 connections persist with keep-alive")
    func http10KeepAlive() throws {
        #expect(try reason("HTTP/1.0 204 X\r\nConnection: keep-alive\r\n\r\n") == nil)
        #expect(try reason("HTTP/1.0 204 X\r\n\r\n") == .http10)
        #expect(try reason(Self.noContent, [:], .http10) == .http10)
        let kept = "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
        #expect(AllSplits.served(kept + kept).lines.count == 2)
        #expect(AllSplits.served("GET / HTTP/1.0\r\n\r\n").closeReason == .http10)
    }

    @Test("RFC 9112 §9.3: a server tells an HTTP/1.0 client whether the connection persists")
    func keepAliveIsAnnounced() throws {
        let head = ResponseHead(status: .noContent)
        let kept = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        #expect(
            try AllSplits.answered(kept, head).sent
                == "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n"
        )
        #expect(
            try AllSplits.answered("GET / HTTP/1.0\r\n\r\n", head).sent
                == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
        )
    }

    @Test("RFC 9112 §9.3: a client reads the whole response before it reuses the connection")
    func responseToItsEnd() throws {
        var exchange = client()
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n".utf8)
        _ = try exchange.receive(bytes.span)
        #expect(
            exchange.startNextExchange(RequestHead(method: .get, target: .origin("/")))
                == .responseIncomplete
        )
    }

    @Test("RFC 9112 §9.3: a server reads the whole request before it reuses the connection")
    func requestToItsEnd() throws {
        let request = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n"
        var (exchange, _) = try AllSplits.answered(request, ResponseHead(status: .forbidden))
        #expect(exchange.startNextExchange() == .requestIncomplete)
        #expect(exchange.remainingLength == 2)
        _ = try exchange.receive([1, 2].span)
        #expect(exchange.startNextExchange() == .requestIncomplete)
        _ = try exchange.receive([UInt8]().span)
        #expect(exchange.startNextExchange() == nil)
    }

    @Test("RFC 9112 §9.3.1: only a connection closed before any response byte is safe to retry")
    func retry() throws {
        var exchange = client()
        #expect(exchange.isAwaitingFirstByte)
        #expect(throws: WireError.closedBeforeResponse) { _ = try exchange.receiveEndOfStream() }
        exchange = client()
        _ = try exchange.receive(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8).span)
        #expect(!exchange.isAwaitingFirstByte)
        #expect(throws: WireError.headTruncated) { _ = try exchange.receiveEndOfStream() }
    }

    @Test("RFC 9112 §9.3.2: a server answers pipelined requests in request order")
    func pipelining() throws {
        let requests = "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n"
        let outcome = AllSplits.served(requests)
        #expect(outcome.lines == ["GET /1 HTTP/1.1", "GET /2 HTTP/1.1"])
        #expect(outcome.sent == Array((Self.noContent + Self.noContent).utf8))
        // The second request is not read before the first one is answered.
        var exchange = ServerExchange()
        let bytes = Array(requests.utf8)
        let head = try exchange.receive(bytes.span)
        let rest = bytes.span.extracting(head.consumed..<bytes.count)
        for _ in 0..<2 {
            #expect(try exchange.receive(rest) == .init(consumed: 0, event: .end(trailers: [:])))
        }
    }

    @Test("RFC 9112 §9.5: a client stops sending a body after a final response rejects it")
    func stopSending() throws {
        var exchange = MessageExchange(
            request: RequestHead(
                method: .post,
                target: .origin("/"),
                headers: [.contentLength: "1000"]
            )
        )
        #expect(exchange.requestBodyAction == .send)
        let reply = Array(
            "HTTP/1.1 413 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8
        )
        _ = try exchange.receive(reply.span)
        #expect(exchange.requestBodyAction == .stop)
        _ = try exchange.receive([UInt8]().span)
        #expect(exchange.closeReason == .connectionClose)
    }

    @Test("RFC 9112 §9.6: a client that sent close sends no further request")
    func clientSaidClose() throws {
        var exchange = client([.connection: "close"])
        _ = try exchange.receive(Array(Self.noContent.utf8).span)
        _ = try exchange.receive([UInt8]().span)
        #expect(
            exchange.startNextExchange(RequestHead(method: .get, target: .origin("/")))
                == .connectionClose
        )
    }

    @Test("RFC 9112 §9.6: a server that received close sends close and reads no further request")
    func serverReceivedClose() throws {
        let closing = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        let outcome = AllSplits.served(closing + Self.get)
        #expect(outcome.lines.count == 1)
        #expect(outcome.rest == Array(Self.get.utf8))
        #expect(outcome.sent == Array("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".utf8))
    }

    @Test("RFC 9112 §9.6: a server that sent close reads no further request")
    func serverSaidClose() throws {
        let head = ResponseHead(status: .noContent, headers: [.connection: "close"])
        var exchange = try AllSplits.answered(Self.get, head).exchange
        #expect(exchange.startNextExchange() == .connectionClose)
        let step = try exchange.receive(Array(Self.get.utf8).span)
        #expect(step == RequestStep(consumed: 0, event: .end(trailers: [:])))
    }

    @Test("RFC 9112 §9.6: a client that received close does not reuse the connection")
    func clientReceivedClose() throws {
        var exchange = client()
        let reply = Array("HTTP/1.1 204 X\r\nConnection: close\r\n\r\n".utf8)
        _ = try exchange.receive(reply.span)
        _ = try exchange.receive([UInt8]().span)
        #expect(
            exchange.startNextExchange(RequestHead(method: .get, target: .origin("/")))
                == .connectionClose
        )
    }

    @Test("RFC 9112 §9.8: only a close-delimited body can be truncated without detection")
    func incompleteClose() {
        let counted = AllSplits.received("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        #expect(counted.error == .bodyTruncated(received: 3, expected: 9))
        // With TLS, the owner of the connection must check whether the close was complete.
        let open = AllSplits.received("HTTP/1.1 200 OK\r\n\r\nabc")
        #expect(open.error == nil)
        #expect(open.closeReason == .closeDelimited)
    }
}
