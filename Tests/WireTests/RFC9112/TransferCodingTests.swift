import Testing
import Wire

/// Tests the rules of RFC 9112 §7.
@Suite(.tags(.rfc9112)) struct TransferCodingTests {
    private func chunked(_ body: String) -> ClientOutcome {
        AllSplits.received("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
    }

    private func request(_ body: String, limits: WireLimits = .default) -> ServerOutcome {
        let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        return AllSplits.served(head + body, limits: limits)
    }

    @Test("RFC 9112 §7: coding names are compared without case")
    func codingCase() {
        let outcome = AllSplits.received(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKed\r\n\r\n0\r\n\r\n"
        )
        #expect(outcome.framing == .chunked)
    }

    @Test("RFC 9112 §7: chunked with parameters is rejected")
    func noParameters() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked;a=b\r\n\r\n"
        #expect(AllSplits.responseError(head) == .malformedTransferEncoding)
    }

    @Test("RFC 9112 §7.1: chunks are decoded")
    func chunks() {
        let outcome = chunked("3\r\nfoo\r\nA\r\n0123456789\r\n0\r\n\r\nrest")
        #expect(outcome.body == Array("foo0123456789".utf8))
        #expect(outcome.rest == Array("rest".utf8))
        #expect(request("a\r\n0123456789\r\n000\r\n\r\n").bodies == ["0123456789"])
    }

    @Test("RFC 9112 §7.1: a size other than hexadecimal digits is rejected")
    func sizeDigits() {
        for size in ["", "+1", "-1", "0x1", " 1", "g", "1_0"] {
            guard case .malformedChunkSize? = chunked("\(size)\r\n").error else {
                Issue.record("\(size) was accepted")
                continue
            }
        }
    }

    @Test("RFC 9112 §7.1: a size that is too large is rejected, without overflow")
    func sizeOverflow() {
        #expect(chunked("8000000000000000\r\n").error == .chunkSizeOverflow(offset: 15))
        #expect(chunked("10000000000000001\r\n").error?.kind == .body)
        #expect(chunked("00000000000000001\r\n").error == .malformedChunkSize(offset: 16))
    }

    @Test("RFC 9112 §7.1: CRLF is required after size and data")
    func lineEnds() {
        #expect(chunked("1\nx\r\n0\r\n\r\n").error == .malformedChunkEnd(offset: 1))
        #expect(chunked("1\r\nxy\r\n0\r\n\r\n").error == .malformedChunkEnd(offset: 4))
        #expect(chunked("1\r\nx\n0\r\n\r\n").error == .malformedChunkEnd(offset: 4))
        #expect(chunked("1\rx").error == .malformedChunkEnd(offset: 2))
    }

    @Test("RFC 9112 §7.1: a body ends with the last chunk and the trailer section")
    func lastChunk() {
        #expect(chunked("1\r\nx\r\n0\r\n").error == .bodyTruncated(received: 1, expected: nil))
        #expect(chunked("1\r\nx\r\n").error == .bodyTruncated(received: 1, expected: nil))
        var output: [UInt8] = []
        ChunkedEncoder.encode([UInt8]().span, into: &output)
        #expect(output == [], "an empty chunk would be the last one")
    }

    @Test("RFC 9112 §7.1.1: unknown chunk extensions are ignored")
    func extensions() {
        #expect(chunked("1;a;b=c;d=\"e\"\r\nx\r\n0;z\r\n\r\n").body == Array("x".utf8))
        #expect(request("1 ;a\r\nx\r\n0\r\n\r\n").bodies == ["x"])
    }

    @Test("RFC 9112 §7.1.1: an extension that does not follow the grammar is rejected")
    func extensionGrammar() {
        for text in ["1;\r\n", "1;a=\r\n", "1;a b\r\n", "1;a=\"b\r\n"] {
            #expect(chunked(text).error?.kind == .body)
            #expect(request(text + "x\r\n0\r\n\r\n").error?.responseStatus == .badRequest)
        }
    }

    @Test("RFC 9112 §7.1.1: chunk extensions beyond the limit give a 4xx status")
    func extensionLimit() {
        var limits = WireLimits()
        limits.chunkExtensionBytes = 6
        #expect(request("1;aa\r\nx\r\n1;aa\r\nx\r\n0\r\n\r\n", limits: limits).bodies == ["xx"])
        let error = request("1;aa\r\nx\r\n1;aaa\r\nx\r\n0\r\n\r\n", limits: limits).error
        #expect(error == .limitExceeded(.chunkExtensionBytes(6)))
        #expect(error?.responseStatus == .badRequest)
    }

    @Test("RFC 9112 §7.1.1: an extension with controls or a bare CR or LF is rejected")
    func extensionBytes() {
        for text in ["1;a\u{0}\r\n", "1;a\n", "1;a\rb\r\n"] {
            #expect(chunked(text).error?.kind == .body)
        }
    }

    @Test("RFC 9112 §7.1.2: trailers are delivered separately from the header section")
    func trailers() {
        let outcome = chunked("0\r\nX-Sum: 7\r\nx-sum: 8\r\n\r\n")
        #expect(outcome.trailers == ["X-Sum": "7", "x-sum": "8"])
        #expect(outcome.head?.headers.contains("X-Sum") == false)
        #expect(request("0\r\nX-Sum: 7\r\n\r\n").requests.first?.trailers == ["X-Sum": "7"])
    }

    @Test("RFC 9112 §7.1.2: trailers with invalid field syntax are rejected")
    func trailerSyntax() {
        #expect(chunked("0\r\nA : b\r\n\r\n").error == .spaceBeforeColon(offset: 1))
        #expect(chunked("0\r\n A: b\r\n\r\n").error?.kind == .head)
        #expect(chunked("0\r\nA: b\n\r\n").error == .bareLineFeed(offset: 4))
    }

    @Test("RFC 9112 §7.1.2: trailers are rejected unless the body is chunked")
    func trailersNeedChunks() {
        var output: [UInt8] = []
        for framing in [BodyFraming.noBody, .length(0), .untilClose] {
            #expect(throws: WireError.trailersWithoutChunks) {
                try BodyEncoder(framing).finish(trailers: ["A": "b"], into: &output)
            }
        }
        #expect(output == [])
    }

    @Test("RFC 9112 §7.2: compression as a transfer coding is not implemented")
    func compression() {
        for coding in ["gzip", "x-gzip", "deflate", "compress"] {
            let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \(coding), chunked\r\n\r\n"
            #expect(AllSplits.requestError(head)?.responseStatus == .notImplemented)
        }
    }
}
