import Testing
import Wire

/// Tests the rules of RFC 9112 §6. BodyFramingTests has more cases for §6.3.
@Suite(.tags(.rfc9112)) struct MessageBodyTests {
    private static let post = "POST / HTTP/1.1\r\nHost: h\r\n"
    private static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let chunks = "1\r\nx\r\n0\r\n\r\n"

    /// Returns the outcome of a server for a POST with these field lines and body bytes.
    private func posted(_ fields: String, _ body: String = "") -> ServerOutcome {
        AllSplits.served("\(Self.post)\(fields)\r\n\r\n\(body)")
    }

    private func replied(
        _ fields: String,
        _ body: String = "",
        status: String = "200 OK",
        to method: HTTPMethod = .get
    ) -> ClientOutcome {
        AllSplits.received("HTTP/1.1 \(status)\r\n\(fields)\r\n\r\n\(body)", to: method)
    }

    // MARK: - Framing fields

    @Test("RFC 9112 §6: Content-Length or Transfer-Encoding announces a request body")
    func presence() {
        #expect(posted("A: b").requests.first?.framing == BodyFraming.noBody)
        #expect(posted("Content-Length: 0").requests.first?.framing == .length(0))
        #expect(
            posted("Transfer-Encoding: chunked", "0\r\n\r\n").requests.first?.framing == .chunked
        )
        // This also holds for a method that defines no meaning for content.
        let get = "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi"
        #expect(AllSplits.served(get).bodies == ["hi"])
    }

    @Test("RFC 9112 §6.1: chunked applied twice is rejected")
    func chunkedTwice() {
        #expect(posted("Transfer-Encoding: chunked, chunked").error == .chunkedTwice)
        #expect(
            posted("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked").error
                == .chunkedTwice
        )
    }

    @Test("RFC 9112 §6.1: a request in which chunked is not the last coding is rejected")
    func chunkedLast() {
        #expect(posted("Transfer-Encoding: chunked, gzip").error == .chunkedNotLast)
    }

    @Test("RFC 9112 §6.1: an unknown transfer coding gives 501")
    func unknownCoding() {
        let error = posted("Transfer-Encoding: zap, chunked").error
        #expect(error == .unknownTransferCoding)
        #expect(error?.responseStatus == .notImplemented)
    }

    @Test("RFC 9112 §6.1: a server sends no Transfer-Encoding with 1xx or 204")
    func noCodingWithoutBody() throws {
        let head = ResponseHead(status: .noContent, headers: [.transferEncoding: "chunked"])
        #expect(throws: WireError.invalidFramingField) {
            _ = try AllSplits.answered(Self.get, head)
        }
        var (exchange, _) = try AllSplits.answered("\(Self.post)\r\n", ResponseHead(status: .ok))
        exchange.startNextExchange()
        _ = try exchange.receive(Array(Self.get.utf8).span)
        var sent: [UInt8] = []
        let hint = ResponseHead(status: .earlyHints, headers: [.transferEncoding: "chunked"])
        #expect(throws: WireError.invalidFramingField) {
            try exchange.sendInformational(hint, into: &sent)
        }
    }

    @Test("RFC 9112 §6.1: a server sends no Transfer-Encoding with 2xx to CONNECT")
    func noCodingInTunnel() throws {
        let connect = "CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n"
        let sent = try AllSplits.answered(connect, ResponseHead(status: .ok)).sent
        #expect(sent == "HTTP/1.1 200 OK\r\n\r\n")
        #expect(throws: WireError.bodyTooLong(declared: 0)) {
            _ = try AllSplits.answered(connect, ResponseHead(status: .ok), .streamed)
        }
    }

    @Test("RFC 9112 §6.1: a server sends Transfer-Encoding only to an HTTP/1.1 client")
    func noCodingToHTTP10() throws {
        let ok = ResponseHead(status: .ok)
        let old = try AllSplits.answered("GET / HTTP/1.0\r\n\r\n", ok, .streamed).sent
        #expect(old == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        let new = try AllSplits.answered(Self.get, ok, .streamed).sent
        #expect(new == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    }

    @Test("RFC 9112 §6.1: Transfer-Encoding in HTTP/1.0 is rejected and closes the connection")
    func codingInHTTP10() {
        let request = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n\(Self.chunks)"
        let outcome = AllSplits.served(request)
        #expect(outcome.error == .transferEncodingInHTTP10)
        #expect(outcome.closeReason == .requestRefused)
        #expect(
            AllSplits.responseError("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                == .transferEncodingInHTTP10
        )
    }

    @Test("RFC 9112 §6.1: a request with both framing fields is rejected and closes the connection")
    func bothFields() {
        for order in [
            "Content-Length: 3\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 3",
        ] {
            let outcome = posted(order, Self.chunks)
            #expect(outcome.error == .lengthBesideTransferEncoding)
            #expect(outcome.error?.responseStatus == .badRequest)
            #expect(outcome.closeReason == .requestRefused)
        }
    }

    @Test("RFC 9112 §6.2: a Content-Length other than decimal digits is rejected")
    func lengthDigits() {
        for value in ["", "+1", "-0", "1 1", "0x1", "1.0", "1_0", "a"] {
            #expect(posted("Content-Length: \(value)").error == .malformedContentLength)
        }
    }

    @Test("RFC 9112 §6.2: a Content-Length beyond the largest integer is rejected")
    func lengthOverflow() {
        #expect(
            posted("Content-Length: 18446744073709551617").error == .contentLengthOverflow
        )
    }

    @Test("RFC 9112 §6.2: a sender does not add Content-Length to Transfer-Encoding")
    func oneFieldIsSent() throws {
        for headers in [
            [.contentLength: "3"], [.transferEncoding: "chunked"],
        ] as [HTTPHeaders] {
            #expect(throws: WireError.invalidFramingField) {
                let head = ResponseHead(status: .ok, headers: headers)
                _ = try AllSplits.answered(Self.get, head, .streamed)
            }
        }
    }

    @Test("RFC 9112 §6.2: a body longer or shorter than Content-Length is not sent")
    func lengthIsKept() throws {
        var output: [UInt8] = []
        var encoder = BodyEncoder(.length(2))
        try encoder.begin(1, into: &output)
        #expect(throws: WireError.bodyTooShort(declared: 2, sent: 1)) {
            try encoder.finish(into: &output)
        }
        #expect(throws: WireError.bodyTooLong(declared: 2)) { try encoder.begin(2, into: &output) }
    }

    // MARK: - The eight rules of §6.3

    @Test(
        "RFC 9112 §6.3 rule 1: no body to HEAD, nor with 1xx, 204 and 304, whatever the fields say"
    )
    func rule1() {
        for fields in ["Content-Length: 3", "Transfer-Encoding: chunked"] {
            #expect(replied(fields, to: .head).framing == BodyFraming.noBody)
            for status in ["204 No Content", "304 Not Modified"] {
                let outcome = replied(fields, "rest", status: status)
                #expect(outcome.framing == BodyFraming.noBody)
                #expect(outcome.rest == Array("rest".utf8))
            }
            let text = "HTTP/1.1 103 X\r\n\(fields)\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
            #expect(AllSplits.received(text).interim == [103])
        }
    }

    @Test(
        "RFC 9112 §6.3 rule 2: 2xx to CONNECT begins a tunnel, and its framing fields are ignored"
    )
    func rule2() {
        for fields in ["Content-Length: 3", "Transfer-Encoding: chunked"] {
            let outcome = replied(fields, "abc", to: .connect)
            #expect(outcome.framing == BodyFraming.noBody)
            #expect(outcome.rest == Array("abc".utf8))
            #expect(outcome.closeReason == .upgraded)
        }
        #expect(replied("Content-Length: 3", "abc", status: "407 No", to: .connect).body.count == 3)
    }

    @Test(
        "RFC 9112 §6.3 rule 3: Transfer-Encoding overrides Content-Length, and the connection ends"
    )
    func rule3() {
        let outcome = replied("Content-Length: 99\r\nTransfer-Encoding: chunked", Self.chunks)
        #expect(outcome.body == Array("x".utf8))
        #expect(outcome.closeReason == .lengthAndTransferEncoding)
        #expect(
            posted("Content-Length: 99\r\nTransfer-Encoding: chunked", Self.chunks).error
                == .lengthBesideTransferEncoding
        )
    }

    @Test("RFC 9112 §6.3 rule 4: a body is chunked if chunked is the last coding")
    func rule4() {
        #expect(posted("Transfer-Encoding: chunked", Self.chunks).bodies == ["x"])
        #expect(replied("Transfer-Encoding: chunked", Self.chunks).body == Array("x".utf8))
    }

    @Test("RFC 9112 §6.3 rule 4: a request whose last coding is not chunked gives 400")
    func rule4Request() {
        let outcome = posted("Transfer-Encoding: gzip")
        #expect(outcome.error == .chunkedNotLast)
        #expect(outcome.error?.responseStatus == .badRequest)
        #expect(outcome.closeReason == .requestRefused)
    }

    @Test("RFC 9112 §6.3 rule 4: a response whose last coding is not chunked is rejected")
    func rule4Response() {
        #expect(replied("Transfer-Encoding: gzip", "x").error == .chunkedNotLast)
    }

    @Test("RFC 9112 §6.3 rule 5: a request with an invalid length gives 400 and closes")
    func rule5Request() {
        for fields in ["Content-Length: x", "Content-Length: 1\r\nContent-Length: 2"] {
            let outcome = posted(fields, "xy")
            #expect(outcome.error?.kind == .framing)
            #expect(outcome.error?.responseStatus == .badRequest)
            #expect(outcome.closeReason == .requestRefused)
        }
    }

    @Test("RFC 9112 §6.3 rule 5: a response with an invalid length is rejected")
    func rule5Response() {
        #expect(replied("Content-Length: x", "xy").error == .malformedContentLength)
        #expect(replied("Content-Length: 1, 2", "xy").error == .conflictingContentLengths)
    }

    @Test("RFC 9112 §6.3 rule 5: a list of equal lengths counts as one length")
    func rule5EqualLengths() {
        #expect(posted("Content-Length: 2, 2", "hi").bodies == ["hi"])
        #expect(posted("Content-Length: 2\r\nContent-Length: 2", "hi").bodies == ["hi"])
        #expect(replied("Content-Length: 2,2", "hi").body == Array("hi".utf8))
    }

    @Test("RFC 9112 §6.3 rule 6: a body has the length of a valid Content-Length")
    func rule6() {
        #expect(replied("Content-Length: 2", "hi+").rest == Array("+".utf8))
        #expect(replied("Content-Length: 0", "+").rest == Array("+".utf8))
    }

    @Test("RFC 9112 §6.3 rule 6: a close before the whole body makes the message incomplete")
    func rule6Truncated() {
        #expect(
            replied("Content-Length: 3", "hi").error == .bodyTruncated(received: 2, expected: 3)
        )
        #expect(
            posted("Content-Length: 3", "hi").error == .bodyTruncated(received: 2, expected: 3)
        )
    }

    @Test("RFC 9112 §6.3 rule 7: a request without framing fields has no body")
    func rule7() {
        #expect(AllSplits.served("\(Self.post)\r\n\(Self.get)").lines.count == 2)
    }

    @Test("RFC 9112 §6.3 rule 8: a response without framing fields ends at the close")
    func rule8() {
        let outcome = replied("A: b", "hello")
        #expect(outcome.framing == .untilClose)
        #expect(outcome.body == Array("hello".utf8))
        #expect(outcome.closeReason == .closeDelimited)
    }

    @Test("RFC 9112 §6.3: a server sends close with a close-delimited body")
    func closeDelimitedIsAnnounced() throws {
        let request = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        var (exchange, sent) = try AllSplits.answered(request, ResponseHead(status: .ok), .streamed)
        #expect(sent.contains("Connection: close\r\n"))
        var body: [UInt8] = []
        try exchange.sendBody([0x78].span, into: &body)
        try exchange.finish(into: &body)
        #expect(body == [0x78])
        #expect(exchange.startNextExchange() == .closeDelimited)
    }

    @Test("RFC 9112 §6.3: bytes after the last response are not parsed as a response")
    func unsolicited() throws {
        var exchange = MessageExchange(request: RequestHead(method: .get, target: .origin("/")))
        exchange.requestSent()
        let bytes = Array("HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n\r\n".utf8)
        let head = try exchange.receive(bytes.span)
        let rest = bytes.span.extracting(head.consumed..<bytes.count)
        for _ in 0..<2 {
            #expect(
                try exchange.receive(rest) == ExchangeStep(consumed: 0, event: .end(trailers: [:]))
            )
        }
        #expect(exchange.closeReason == .unsolicitedBytes)
    }
}
