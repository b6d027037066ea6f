import Support
import Testing
import Wire

@Suite struct ExchangeStrictnessTests {
    private static let response =
        "HTTP/1.1 103 Early\n\nHTTP/1.1  200 OK\nTransfer-Encoding: chunked\n\n"
        + "2 \r\nhi\n0\nA: b\n\n"
    private static let request =
        "\n\nPOST  / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n2\nhi\r\n0\nA: b\n c\n\n"

    @Test(arguments: [Strictness.lenient, .forensic])
    func `a client reads a careless server, in every cut`(strictness: Strictness) throws {
        for pieces in ByteSplits(Self.response) {
            let request = RequestHead(method: .get, target: .origin("/"))
            var exchange = MessageExchange(request: request, strictness: strictness)
            exchange.requestSent()
            var body: [UInt8] = []
            var heads: [[Int]] = []
            var trailers: HTTPHeaders?
            _ = try ByteSplits.feed(pieces) { input in
                let step = try exchange.receive(input)
                switch step.event {
                case .needMore: return .init(consumed: step.consumed, next: .whenMore)
                case .informational, .head:
                    heads.append(exchange.headDiagnostics.map { Int($0.offset) })
                case .body(let range): for index in range { body.append(input[index]) }
                case .end(let fields):
                    trailers = fields
                    return .init(consumed: step.consumed, next: .done)
                }
                return .init(consumed: step.consumed, next: .again)
            }
            #expect(heads == [[18, 19], [8, 16, 43, 44]])
            #expect(body == Array("hi".utf8))
            #expect(trailers == ["A": "b"])
            #expect(
                exchange.bodyDiagnostics.map(\.code)
                    == [.spaceAfterChunkSize] + Array(repeating: .bareLineFeed, count: 4)
            )
            #expect(exchange.closeReason == nil)
        }
    }

    @Test(arguments: [Strictness.lenient, .forensic])
    func `a server reads a careless client, in every cut`(strictness: Strictness) throws {
        for pieces in ByteSplits(Self.request) {
            var exchange = ServerExchange(strictness: strictness)
            var body: [UInt8] = []
            var trailers: HTTPHeaders?
            _ = try ByteSplits.feed(pieces) { input in
                let step = try exchange.receive(input)
                switch step.event {
                case .needMore: return .init(consumed: step.consumed, next: .whenMore)
                case .head(let head, let framing):
                    #expect(head.method == .post && framing == .chunked)
                case .body(let range): for index in range { body.append(input[index]) }
                case .end(let fields):
                    trailers = fields
                    return .init(consumed: step.consumed, next: .done)
                }
                return .init(consumed: step.consumed, next: .again)
            }
            #expect(exchange.headDiagnostics.map(\.offset) == [0, 1, 0, 6, 18, 26, 53, 54])
            #expect(body == Array("hi".utf8))
            #expect(trailers == ["A": "b c"])
            #expect(exchange.bodyDiagnostics.map(\.offset) == [1, 7, 12, 13, 15, 16])
        }
    }

    @Test func `both refuse what they do not know to be careless`() {
        for pieces in ByteSplits(Self.response) {
            #expect(Outcome(pieces).error == .bareLineFeed(offset: 18))
        }
        var server = ServerExchange()
        let octets = Array(Self.request.utf8)
        #expect(throws: WireError.bareLineFeed(offset: 0)) {
            try server.receive(octets.span)
        }
        #expect(server.headDiagnostics.isEmpty && server.bodyDiagnostics.isEmpty)
    }

    @Test(arguments: Strictness.allCases)
    func `framing is held to the rules at every level`(strictness: Strictness) {
        let text = "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"
        let octets = Array(text.utf8)
        var server = ServerExchange(strictness: strictness)
        #expect(throws: WireError.conflictingContentLengths) { try server.receive(octets.span) }
    }

    @Test func `a request line is bounded together with the empty lines before it`() {
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
