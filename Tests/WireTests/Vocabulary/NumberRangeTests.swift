import Testing
import Wire

/// Tests numbers that fit in `Int` but not in the protocol: negative or too large ones.
@Suite struct NumberRangeTests {
    @Test(arguments: [
        ByteRange.bounded(-5...3), .bounded(-5 ... -1), .bounded(.min ... .max), .from(-1),
        .from(.min), .suffix(-1), .suffix(.min),
    ])
    func `a range with a negative number matches no representation`(range: ByteRange) {
        #expect(!range.isValid)
        for length in [Int.min, -1, 0, 1, 10, .max] {
            #expect(range.positions(in: length) == nil)
            #expect(RangeHeader(range).positions(in: length) == [])
        }
    }

    @Test(arguments: [ByteRange.bounded(0...3), .from(0), .suffix(3)])
    func `a representation of negative length has no positions`(range: ByteRange) {
        #expect(range.isValid)
        #expect(range.positions(in: -1) == nil && range.positions(in: .min) == nil)
    }

    @Test func `the length of any content range is a valid number`() {
        #expect(ContentRange.part(-5...3, of: nil).length == 9)
        #expect(ContentRange.part(.min ... .max, of: nil).length == .max)
        #expect(ContentRange.part(1...(.max), of: nil).length == .max)
    }

    @Test(arguments: [-1, Int.min])
    func `a negative delay becomes zero, and a negative directive is rejected`(seconds: Int) {
        #expect(RetryAfter.seconds(seconds).delay(from: HTTPDate(secondsSince1970: 0)) == 0)
        #expect("\(RetryAfter.seconds(seconds))" == "0")
        #expect(CacheControl.Directive("max-age", seconds: seconds) == nil)
        #expect(CacheControl.Directive("max-age", seconds: 0)?.description == "max-age=0")
    }

    @Test func `the difference between any two dates is a valid number`() {
        let (first, last) = (HTTPDate(secondsSince1970: .min), HTTPDate(secondsSince1970: .max))
        #expect(RetryAfter.date(last).delay(from: first) == 315_569_519_999)
        #expect(RetryAfter.date(first).delay(from: last) == 0)
    }

    @Test(arguments: [-1, Int.min])
    func `a body of negative length is empty`(length: Int) throws {
        var decoder = BodyDecoder(.length(length))
        #expect(decoder.remainingLength == 0)
        let step = try decoder.decode([1, 2].span)
        #expect(step == BodyStep(consumed: 0, event: .end(trailers: [:])))
        try decoder.finish()
        #expect(decoder.received == 0)
    }

    @Test(arguments: [BodyFraming.noBody, .length(3), .chunked, .untilClose], [-1, Int.min])
    func `a negative direct read is rejected`(
        framing: BodyFraming,
        count: Int
    ) throws {
        var decoder = BodyDecoder(framing)
        let isAccepted = decoder.recordDirectRead(count)
        #expect(!isAccepted)
        #expect(decoder.received == 0)
        var chunks = ChunkedDecoder()
        _ = try chunks.decode(Array("5\r\n".utf8).span)
        chunks.recordDirectRead(count)
        #expect(chunks.remainingInChunk == 5 && chunks.received == 0)
    }

    @Test func `an exchange is not reused after a negative direct read`() throws {
        var exchange = MessageExchange(request: RequestHead(method: .get, target: .origin("/")))
        exchange.requestSent()
        let reply = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab".utf8)
        let head = try exchange.receive(reply.span)
        exchange.recordDirectRead(-1)
        let rest = try exchange.receive(reply.span.extracting(head.consumed..<reply.count))
        #expect(rest.event == .body(0..<2))
        #expect(try exchange.receive([UInt8]().span).event == .end(trailers: [:]))
        #expect(exchange.closeReason == .unsolicitedBytes)
    }

    @Test func `a server rejects a negative length and a negative direct read`() throws {
        var exchange = ServerExchange()
        let request = Array("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n".utf8)
        _ = try exchange.receive(request.span)
        var output: [UInt8] = []
        #expect(throws: WireError.invalidFramingField) {
            var copy = exchange
            _ = try copy.respond(ResponseHead(status: .ok), .length(-1), into: &output)
        }
        #expect(output == [])
        #expect(throws: WireError.bodyTooLong(declared: 0)) { try exchange.recordDirectRead(-1) }
    }

    @Test(arguments: [-1, Int.min])
    func `a negative body limit acts as zero`(limit: Int) throws {
        var limits = WireLimits()
        limits.requestBodyBytes = limit
        let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: "
        var empty = ServerExchange(limits: limits)
        _ = try empty.receive(Array("\(head)0\r\n\r\n".utf8).span)
        var full = ServerExchange(limits: limits)
        #expect(throws: WireError.limitExceeded(.requestBodyBytes(limit))) {
            _ = try full.receive(Array("\(head)1\r\n\r\n".utf8).span)
        }
    }

    /// A gzip member that contains the byte "a", and 20 000 bytes of padding.
    private static let padded: [UInt8] =
        [31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 75, 4, 0, 67, 190, 183, 232, 1, 0, 0, 0]
        + [UInt8](repeating: 0, count: 20_000)

    private func decodingError(_ limits: WireLimits) -> WireError? {
        var output: [UInt8] = []
        do throws(WireError) {
            guard var decoder = try ContentDecoder(undoing: [.gzip], limits: limits) else {
                return nil
            }
            _ = try decoder.decode(Self.padded.span, into: &output, outputLimit: 100)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [-1, Int.min])
    func `a negative decoding limit rejects any body`(limit: Int) {
        #expect(decodingError(WireLimits()) == nil)
        var limits = WireLimits()
        limits.decodedBytes = limit
        #expect(decodingError(limits) == .limitExceeded(.decodedBytes(limit)))
        limits = WireLimits()
        limits.codingOverheadBytes = limit
        #expect(decodingError(limits) == .limitExceeded(.codingOverheadBytes(limit)))
        limits = WireLimits()
        (limits.expansionRatio, limits.expansionFloor) = (limit, limit)
        #expect(decodingError(limits) == .limitExceeded(.expansionRatio(limit)))
    }

    @Test(arguments: [Int.min, -200, -1, 0, 99, 1000, 65_736, 1 << 32 + 200, .max])
    func `a status is clamped to 16 bits, and one without three digits is not sent`(code: Int) {
        let status = HTTPStatus(code)
        let held = Int(Int16(clamping: code))
        #expect(status.code == held && status.kind == .other && status.reasonPhrase.isEmpty)
        #expect(status.description == "\(held)")
        let head = ResponseHead(status: status)
        #expect(head.reason.isEmpty)
        var output: [UInt8] = []
        #expect(throws: WireError.invalidStatus) {
            try ResponseHeadEncoder.encode(head, into: &output)
        }
        #expect(output == [])
    }

    @Test(arguments: [Int.min, -1, 65_536 + 80, 70_000, .max])
    func `an origin keeps an invalid port`(port: Int) {
        let origin = Origin(scheme: .http, host: "h", port: port)
        #expect(origin.port == port && !origin.isDefaultPort)
        #expect(origin.authority == "h:\(port)")
        #expect(origin != Origin(scheme: .http, host: "h"))
    }

    @Test(arguments: [
        "65536", "65616", "99999999999999999999", "-1", "+80", "18446744073709551696",
    ])
    func `a URI with an invalid port is rejected`(port: String) {
        #expect(throws: WireError.invalidURI(.invalidPort, offset: 9)) {
            try URI("http://h:\(port)/")
        }
    }

    @Test(arguments: ["9223372036854775808", "18446744073709551615", "18446744073709551616"])
    func `a length above 2^63 - 1 is rejected`(length: String) {
        #expect(throws: WireError.contentLengthOverflow) {
            try BodyFraming.ofResponse(
                to: .get,
                status: .ok,
                version: .http11,
                headers: [.contentLength: length]
            )
        }
        #expect(ContentRange("bytes 0-1/\(length)") == nil)
        #expect(ContentRange("bytes */\(length)") == nil)
    }

    @Test(arguments: ["8000000000000000", "ffffffffffffffff", "FFFFFFFFFFFFFFFE"])
    func `a chunk size above 2^63 - 1 is rejected`(size: String) {
        var decoder = ChunkedDecoder()
        #expect(throws: WireError.chunkSizeOverflow(offset: 15)) {
            _ = try decoder.decode(Array("\(size)\r\n".utf8).span)
        }
    }
}
