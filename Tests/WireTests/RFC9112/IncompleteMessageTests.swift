import Testing
import Wire

/// Tests the rules of RFC 9112 §8.
@Suite(.tags(.rfc9112)) struct IncompleteMessageTests {
    @Test("RFC 9112 §8: a response with a truncated head is incomplete")
    func head() {
        for text in ["H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n"] {
            #expect(AllSplits.responseError(text) == .headTruncated)
        }
        #expect(ClientOutcome("").error == .closedBeforeResponse)
    }

    @Test("RFC 9112 §8: a chunked body without the last chunk is incomplete")
    func chunks() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        for body in ["", "1", "1\r\n", "1\r\nx", "1\r\nx\r\n", "0\r\n", "0\r\nA: b\r\n"] {
            guard case .bodyTruncated(_, nil)? = AllSplits.responseError(head + body) else {
                Issue.record("\(body) counts as complete")
                continue
            }
        }
    }

    @Test("RFC 9112 §8: a body shorter than Content-Length is incomplete")
    func length() {
        #expect(
            AllSplits.responseError("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
                == .bodyTruncated(received: 0, expected: 1)
        )
    }

    @Test("RFC 9112 §8: a close-delimited response is complete if its head is complete")
    func untilClose() {
        let outcome = AllSplits.received("HTTP/1.1 200 OK\r\n\r\n")
        #expect(outcome.error == nil)
        #expect(outcome.trailers == [:])
    }

    @Test("RFC 9112 §8: a server can answer an incomplete request with an error")
    func request() throws {
        for text in [
            "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n",
        ] {
            var exchange = ServerExchange()
            let bytes = Array(text.utf8)
            let step = try exchange.receive(bytes.span)
            _ = try exchange.receive(bytes.span.extracting(step.consumed..<bytes.count))
            do throws(WireError) {
                try exchange.receiveEndOfStream()
                Issue.record("the request counts as complete")
            } catch {
                #expect(error.responseStatus == .badRequest)
            }
            var sent: [UInt8] = []
            try exchange.respond(ResponseHead(status: .badRequest), .empty, into: &sent)
            #expect(String(decoding: sent, as: UTF8.self).contains("Connection: close\r\n"))
            #expect(exchange.startNextExchange() == .requestRefused)
        }
    }
}
