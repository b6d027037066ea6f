import Support
import Testing
import Wire

@Suite struct ProtocolSwitchTests {
    static let offer: HTTPHeaders = [
        .host: "h", .connection: "keep-alive, Upgrade", .upgrade: "a, B/1",
    ]

    @Test(
        .tags(.rfc9110),
        arguments: [
            (offer, .http11, "a", true), (offer, .http11, "b/1", true),
            (offer, .http11, "b/1, A", true), (offer, .http11, "b", false),
            (offer, .http11, "c", false), (offer, .http11, "a, c", false),
            (offer, .http11, "", false), (offer, .http10, "a", false),
            ([.upgrade: "a"], .http11, "a", false),
            ([.connection: "upgrade"], .http11, "a", false),
        ] as [(HTTPHeaders, HTTPVersion, String, Bool)]
    )
    func `101 is accepted only if the request asked for the upgrade`(
        fields: HTTPHeaders,
        version: HTTPVersion,
        choice: String,
        isTaken: Bool
    ) throws {
        let request = RequestHead(
            method: .get,
            target: .origin("/"),
            version: version,
            headers: fields
        )
        let reply =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: \(choice)\r\n\r\n"
        for pieces in ByteSplits(reply) {
            var exchange = MessageExchange(request: request)
            exchange.requestSent()
            let feed = {
                try ByteSplits.feed(pieces + [Array("frame".utf8)]) { input in
                    let step = try exchange.receive(input)
                    switch step.event {
                    case .needMore: return .init(consumed: step.consumed, next: .whenMore)
                    case .end: return .init(consumed: step.consumed, next: .done)
                    case .head, .informational, .body:
                        #expect(exchange.protocolSwitch == nil)
                        return .init(consumed: step.consumed, next: .again)
                    }
                }
            }
            guard isTaken else {
                #expect(throws: WireError.unofferedUpgrade) { _ = try feed() }
                continue
            }
            // Later bytes belong to the new protocol.
            #expect(try feed() == Array("frame".utf8))
            #expect(exchange.protocolSwitch == .upgrade)
            #expect(exchange.closeReason == .upgraded)
            #expect(exchange.startNextExchange(request) == .upgraded)
        }
        #expect(WireError.unofferedUpgrade.kind == .head)
    }

    @Test(.tags(.rfc9110)) func `bytes after a CONNECT response belong to the tunnel`() throws {
        var client = MessageExchange(
            request: RequestHead(method: .connect, target: .authority("h:1"))
        )
        client.requestSent()
        let reply = Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc".utf8)
        let head = try client.receive(reply.span)
        #expect(head.consumed == reply.count - 3)
        let rest = reply.span.extracting(head.consumed..<reply.count)
        #expect(try client.receive(rest) == ExchangeStep(consumed: 0, event: .end(trailers: [:])))
        #expect(client.protocolSwitch == .tunnel)
        // Bytes of the tunnel do not count as unsolicited.
        #expect(client.closeReason == .upgraded)
    }

    @Test(.tags(.rfc9110))
    func `a server leaves bytes after an upgrade request to the new protocol`() {
        let request =
            "GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 2\r\n\r\n"
        let answer = ResponseHead(status: .switchingProtocols, headers: [.upgrade: "x"])
        for pieces in ByteSplits(request + "hiframe") {
            let outcome = ServerOutcome(pieces, answer: answer)
            #expect(outcome.bodies == ["hi"])
            #expect(outcome.rest == Array("frame".utf8))
            #expect(outcome.protocolSwitch == .upgrade)
            #expect(outcome.closeReason == .upgraded)
        }
        for pieces in ByteSplits("CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\nframe") {
            let outcome = ServerOutcome(pieces, answer: ResponseHead(status: .ok))
            #expect(outcome.rest == Array("frame".utf8))
            #expect(outcome.protocolSwitch == .tunnel)
        }
    }

    @Test func `a server that responds early switches protocols after the whole request arrived`()
        throws
    {
        var server = ServerExchange()
        let request = Array(
            "GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 1\r\n\r\n"
                .utf8
        )
        _ = try server.receive(request.span)
        var sent: [UInt8] = []
        let answer = ResponseHead(status: .switchingProtocols, headers: [.upgrade: "x"])
        try server.respond(answer, .empty, into: &sent)
        #expect(server.protocolSwitch == nil)
        _ = try server.receive([1, 2].span)
        _ = try server.receive([2].span)
        #expect(server.protocolSwitch == .upgrade)
    }
}
