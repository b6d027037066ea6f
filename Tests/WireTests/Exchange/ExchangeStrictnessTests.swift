import Support
import Testing
import Wire

@Suite struct ExchangeStrictnessTests {
    private static let response =
        "HTTP/1.1 103 Early\n\nHTTP/1.1  200 OK\nTransfer-Encoding: chunked\n\n"
        + "2 \r\nhi\n0\nA: b\n\n"
    private static let request =
        "\n\nPOST  / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n2\nhi\r\n0\nA: b\n c\n\n"

    /// The result of one side's decoding.
    private struct Reading: Equatable {
        var heads: [[Int]] = []
        var body: [UInt8] = []
        var trailers: HTTPHeaders?
        var bodyNotes: [Diagnostic] = []
        var closeReason: CloseReason?
        var hasAmbiguousFraming = false
        var error: WireError?
    }

    private func readByClient(_ pieces: [[UInt8]], _ strictness: Strictness) -> Reading {
        let request = RequestHead(method: .get, target: .origin("/"))
        var exchange = MessageExchange(request: request, strictness: strictness)
        exchange.requestSent()
        var reading = Reading()
        do {
            _ = try ByteSplits.feed(pieces) { input in
                let step = try exchange.receive(input)
                switch step.event {
                case .needMore: return .init(consumed: step.consumed, next: .whenMore)
                case .informational, .head:
                    reading.heads.append(exchange.headDiagnostics.map { Int($0.offset) })
                case .body(let range): for index in range { reading.body.append(input[index]) }
                case .end(let fields):
                    reading.trailers = fields
                    return .init(consumed: step.consumed, next: .done)
                }
                return .init(consumed: step.consumed, next: .again)
            }
        } catch {
            reading.error = error as? WireError
        }
        reading.bodyNotes = exchange.bodyDiagnostics
        reading.closeReason = exchange.closeReason
        reading.hasAmbiguousFraming = exchange.hasAmbiguousFraming
        return reading
    }

    @Test func `forensic accepts lenient line endings in head and chunk lines, for every split`() {
        for pieces in ByteSplits(Self.response) {
            let reading = readByClient(pieces, .forensic)
            #expect(reading.heads == [[18, 19], [8, 16, 43, 44]])
            #expect(reading.body == Array("hi".utf8))
            #expect(reading.trailers == ["A": "b"])
            #expect(
                reading.bodyNotes.map(\.code)
                    == [.spaceAfterChunkSize] + Array(repeating: .bareLineFeed, count: 4)
            )
            #expect(reading.closeReason == .ambiguousFraming)
        }
    }

    @Test
    func `lenient accepts deviations in heads and rejects them in chunk lines, for every split`() {
        for pieces in ByteSplits(Self.response) {
            let reading = readByClient(pieces, .lenient)
            #expect(reading.heads == [[18, 19], [8, 16, 43, 44]])
            #expect(reading.error == .malformedChunkExtension(offset: 2))
            #expect(reading.bodyNotes.isEmpty)
        }
    }

    static let framings: [(head: String, reason: CloseReason?)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", nil),
        ("HTTP/1.1  200 OK\r\nB: \u{1}\r\nContent-Length: 0\r\n\r\n", nil),
        ("HTTP/1.1 200 OK\r\nA : b\r\nContent-Length: 0\r\n\r\n", .ambiguousFraming),
        ("HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n", .ambiguousFraming),
        ("HTTP/1.1 200 OK\r\nA: b\nContent-Length: 0\r\n\r\n", .ambiguousFraming),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\n", .ambiguousFraming),
        ("HTTP/1.1 200 OK\r\nB: c\r\n d\r\nContent-Length: 0\r\n\r\n", .ambiguousFraming),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: b\rc\r\n\r\n", .ambiguousFraming),
        ("HTTP/1.1 200 O\rK\r\nContent-Length: 0\r\n\r\n", .ambiguousFraming),
        ("HTTP/1.1 200 OK\nContent-Length: 0\n\n", .ambiguousFraming),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\n\r\n", .ambiguousFraming),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\n\r\n0\r\n\r\n", .ambiguousFraming),
        (
            "HTTP/1.1 103 E\r\nContent-Length: 0\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            .ambiguousFraming
        ),
    ]

    @Test(arguments: framings)
    func `a deviation in lines prevents reuse of the connection`(
        head: String,
        reason: CloseReason?
    ) {
        for pieces in ByteSplits(head) {
            let reading = readByClient(pieces, .lenient)
            #expect(reading.error == nil)
            #expect(reading.closeReason == reason)
            #expect(reading.hasAmbiguousFraming == (reason == .ambiguousFraming))
        }
    }

    /// Lines of which some readers think that the section ends there: the next one would be body for them.
    @Test(arguments: [" A: b", "AB", ": b", "A(: b", "A : b"])
    func `a line that is no field prevents reuse of the connection`(line: String) {
        let head = "HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 0\r\n\r\n"
        for pieces in ByteSplits(head) {
            let reading = readByClient(pieces, .forensic)
            #expect(reading.error == nil)
            #expect(reading.closeReason == .ambiguousFraming)
            #expect(reading.hasAmbiguousFraming)
        }
    }

    @Test func `ambiguous framing is detected even when its diagnostic exceeds the limit`() {
        let lines = String(repeating: "A: \u{1}\r\n", count: 70)
        let head = "HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\n\r\n"
        let other = "HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n"
        #expect(readByClient([Array(head.utf8)], .lenient).closeReason == .ambiguousFraming)
        #expect(readByClient([Array(other.utf8)], .lenient).closeReason == nil)
    }

    @Test func `an extra empty line prevents reuse of the connection`() {
        let head = "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        for pieces in ByteSplits(head) {
            #expect(readByClient(pieces, .forensic).closeReason == .ambiguousFraming)
            #expect(readByClient(pieces, .lenient).error == .foreignProtocol(.unknown))
        }
    }

    @Test func `a clean head after a head with deviations has no diagnostics`() throws {
        let request = RequestHead(method: .get, target: .origin("/"))
        var exchange = MessageExchange(request: request, strictness: .lenient)
        for (text, count) in [
            ("HTTP/1.1  204 A\r\n\r\n", 1), ("HTTP/1.1 204 B\r\n\r\n", 0),
            ("HTTP/1.1  204 C\r\nA: \u{1}\r\n\r\n", 2),
        ] {
            exchange.requestSent()
            let bytes = Array(text.utf8)
            let step = try exchange.receive(bytes.span)
            #expect(step.consumed == bytes.count)
            let nothing: [UInt8] = []
            _ = try exchange.receive(nothing.span)
            #expect(exchange.headDiagnostics.count == count)
            #expect(exchange.mayHaveHeadDiagnostics == (count > 0))
            #expect(exchange.startNextExchange(request) == nil)
        }
    }

    private func readByServer(_ pieces: [[UInt8]], _ strictness: Strictness) -> (Reading, [Int]) {
        var exchange = ServerExchange(strictness: strictness)
        var reading = Reading()
        do {
            _ = try ByteSplits.feed(pieces) { input in
                let step = try exchange.receive(input)
                switch step.event {
                case .needMore: return .init(consumed: step.consumed, next: .whenMore)
                case .head(let head, let framing):
                    #expect(head.method == .post && framing == .chunked)
                case .body(let range): for index in range { reading.body.append(input[index]) }
                case .end(let fields):
                    reading.trailers = fields
                    return .init(consumed: step.consumed, next: .done)
                }
                return .init(consumed: step.consumed, next: .again)
            }
        } catch {
            reading.error = error as? WireError
        }
        reading.bodyNotes = exchange.bodyDiagnostics
        return (reading, exchange.headDiagnostics.map { Int($0.offset) })
    }

    @Test func `a server accepts deviations of a request at each level, for every split`() {
        for pieces in ByteSplits(Self.request) {
            let (reading, head) = readByServer(pieces, .forensic)
            #expect(head == [0, 1, 0, 6, 18, 26, 53, 54])
            #expect(reading.body == Array("hi".utf8))
            #expect(reading.trailers == ["A": "b c"])
            #expect(reading.bodyNotes.map(\.offset) == [1, 7, 12, 13, 15, 16])
            let (strictBody, sameHead) = readByServer(pieces, .lenient)
            #expect(sameHead == head)
            #expect(strictBody.error == .malformedChunkEnd(offset: 1))
        }
    }

    @Test func `strict client and server reject heads with deviations`() {
        for pieces in ByteSplits(Self.response) {
            #expect(ClientOutcome(pieces).error == .bareLineFeed(offset: 18))
        }
        var server = ServerExchange()
        let bytes = Array(Self.request.utf8)
        #expect(throws: WireError.bareLineFeed(offset: 0)) {
            try server.receive(bytes.span)
        }
        #expect(server.headDiagnostics.isEmpty && server.bodyDiagnostics.isEmpty)
    }

    @Test(arguments: Strictness.allCases)
    func `conflicting lengths are rejected at every level`(strictness: Strictness) {
        let text = "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"
        let bytes = Array(text.utf8)
        var server = ServerExchange(strictness: strictness)
        #expect(throws: WireError.conflictingContentLengths) { try server.receive(bytes.span) }
    }

    @Test func `empty lines before the request line count toward its limit`() {
        var limits = WireLimits()
        limits.requestLineBytes = 20
        for (text, isRefused) in [
            ("\n\nGET /123 HTTP/1.1\nHost: h\n\n", false),
            ("\n\nGET /12345678901234567890 HTTP/1.1\nHost: h\n\n", true),
        ] {
            for pieces in ByteSplits(text) {
                var server = ServerExchange(limits: limits, strictness: .lenient)
                var error: WireError?
                do {
                    _ = try ByteSplits.feed(pieces) { input in
                        let step = try server.receive(input)
                        let isHead = step.consumed > 0
                        return .init(consumed: step.consumed, next: isHead ? .done : .whenMore)
                    }
                } catch let thrown {
                    error = thrown as? WireError
                }
                #expect(error == (isRefused ? .limitExceeded(.requestLineBytes(20)) : nil))
            }
        }
    }
}
