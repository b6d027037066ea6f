import Support
import Testing
import Wire

/// Tests how a client reads several responses on one connection.
@Suite struct PipelineTests {
    private func request(_ method: HTTPMethod, _ fields: HTTPHeaders = [:]) -> RequestHead {
        RequestHead(method: method, target: .origin("/"), headers: fields)
    }

    /// Reads the responses to requests that were all sent before the first response.
    private func run(
        _ pieces: [[UInt8]],
        _ requests: [RequestHead]
    ) throws -> (statuses: [HTTPStatus], bodies: [String], rest: [UInt8]?, reason: CloseReason?) {
        var exchange = MessageExchange(request: requests[0])
        exchange.requestSent()
        var waiting = requests.dropFirst()
        var statuses: [HTTPStatus] = []
        var bodies: [String] = []
        let rest = try ByteSplits.feed(pieces) { input in
            let step = try exchange.receive(input)
            switch step.event {
            case .needMore: return .init(consumed: step.consumed, next: .whenMore)
            case .informational: break
            case .head(let head, _):
                statuses.append(head.status)
                bodies.append("")
            case .body(let range):
                for index in range {
                    bodies[bodies.count - 1].unicodeScalars.append(Unicode.Scalar(input[index]))
                }
            case .end:
                guard let next = waiting.popFirst(), exchange.startNextExchange(next) == nil else {
                    return .init(consumed: step.consumed, next: .done)
                }
                exchange.requestSent()
            }
            return .init(consumed: step.consumed, next: .again)
        }
        return (statuses, bodies, rest, exchange.closeReason)
    }

    static let replies = [
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    ]

    @Test(.tags(.rfc9112))
    func `the bytes left over are parsed as the next response, for the next request`()
        throws
    {
        let requests = [request(.get), request(.head), request(.get)]
        for pieces in ByteSplits(Self.replies.joined() + "HTTP") {
            let outcome = try run(pieces, requests)
            #expect(outcome.statuses == [.ok, .ok, .ok])
            #expect(outcome.bodies == ["hi", "", "x"])
            #expect(outcome.rest == Array("HTTP".utf8))
            #expect(outcome.reason == nil)
        }
    }

    @Test(.tags(.rfc9112)) func `a response with Connection close is the last one read`() throws {
        let closing = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        let outcome = try run(
            [Array((closing + Self.replies[0]).utf8)],
            [request(.get), request(.get)]
        )
        #expect(outcome.statuses == [.ok])
        #expect(outcome.rest == Array(Self.replies[0].utf8))
        #expect(outcome.reason == .connectionClose)
    }

    @Test(.tags(.rfc9112)) func `unsolicited bytes prevent reuse`() throws {
        var exchange = MessageExchange(request: request(.get))
        exchange.requestSent()
        let bytes = Array((Self.replies[1] + "hi").utf8)
        let head = try exchange.receive(bytes.span)
        _ = try exchange.receive(bytes.span.extracting(head.consumed..<bytes.count))
        _ = try exchange.receive([UInt8]().span)
        #expect(exchange.closeReason == nil)
        let more = Array("HTTP/1.1 408".utf8)
        #expect(try exchange.receive(more.span).consumed == 0)
        #expect(exchange.closeReason == .unsolicitedBytes)
        #expect(exchange.startNextExchange(request(.get)) == .unsolicitedBytes)
    }

    @Test func `the next exchange starts only after the present one is complete, with fresh state`()
        throws
    {
        var exchange = MessageExchange(request: request(.get))
        #expect(exchange.startNextExchange(request(.get)) == .responseIncomplete)
        let bytes = Array("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n".utf8)
        let interim = try exchange.receive(bytes.span)
        _ = try exchange.receive(bytes.span.extracting(interim.consumed..<bytes.count))
        _ = try exchange.receive([UInt8]().span)
        #expect(exchange.startNextExchange(request(.get)) == .requestIncomplete)
        exchange.requestSent()
        #expect(exchange.startNextExchange(request(.post, [.expect: "100-continue"])) == nil)
        #expect(exchange.isAwaitingFirstByte)
        #expect(exchange.requestBodyAction == .wait)
        #expect(exchange.closeReason == .responseIncomplete)
        #expect(throws: WireError.closedBeforeResponse) { _ = try exchange.receiveEndOfStream() }
    }

    @Test func `a close after the response ends the connection`() throws {
        var exchange = MessageExchange(request: request(.get))
        exchange.requestSent()
        let bytes = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
        _ = try exchange.receive(bytes.span)
        #expect(try exchange.receiveEndOfStream() == .end(trailers: [:]))
        #expect(exchange.closeReason == .peerClosed)
    }
}
