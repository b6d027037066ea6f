import CSSL
import SocketTransport
import Support
import Testing

@Suite struct TLSStreamTests {
    private let settings: TLSSettings
    private let underlying = PeerStream()
    private let stream: TLSStream
    private let server: TLSEngine

    init() throws {
        settings = try TLSSettings()
        server = try TLSEngine(context: settings.serverContext(), role: .server)
        let engine = try TLSEngine(
            context: TLSContext(client: settings.client),
            role: .client(host: "good.test")
        )
        stream = TLSStream(engine: engine, over: underlying)
    }

    /// Completes the handshake and receives the tickets.
    private func connect() async throws {
        underlying.connect(server)
        try await stream.handshake(until: .never)
        underlying.act(underlying)
        #expect(stream.drainPendingInput())
    }

    /// Lets the peer read all that was sent and answer with `text`.
    private func answer(_ text: String) throws {
        underlying.act(underlying)
        try server.writeText(text)
        underlying.incoming += server.takeOutput()
    }

    private func receive(_ count: Int = 65_536) throws -> (ReceiveOutcome, String) {
        var buffer = [UInt8](repeating: 0, count: count)
        var span = buffer.mutableSpan
        let outcome = try stream.receive(into: &span)
        guard case .bytes(let count) = outcome else { return (outcome, "") }
        return (outcome, String(decoding: buffer[..<count], as: UTF8.self))
    }

    @Test(arguments: [Int.max, 1, 100])
    func `a handshake succeeds for any division of the bytes`(limit: Int) async throws {
        underlying.receiveLimit = limit
        underlying.sendAllowance = limit
        underlying.allowancePerWait = limit
        underlying.connect(server)
        try await stream.handshake(until: .never)
        #expect(stream.sessionInfo.version == .tls13)
        #expect(stream.applicationProtocol == "http/1.1")
    }

    @Test func `an exchange takes one send and one receive`() async throws {
        try await connect()
        for round in 0..<3 {
            let (sends, receives) = (underlying.sends, underlying.receives)
            let bytes = [UInt8]("ping \(round)".utf8)
            #expect(try stream.send(bytes.span) == bytes.count)
            #expect(try stream.flush())
            try answer("pong \(round)")
            #expect(try receive().1 == "pong \(round)")
            #expect(underlying.sends - sends == 1)
            #expect(underlying.receives - receives == 1)
        }
        // After a receive that returned all available bytes, the underlying stream is not called again.
        underlying.incoming = [23, 3, 3]
        let receives = underlying.receives
        #expect(try receive().0 == .wouldBlock)
        #expect(underlying.receives - receives == 1)
    }

    @Test func `buffered plaintext makes a wait return at once`() async throws {
        try await connect()
        try answer("0123456789")
        #expect(try receive(4).1 == "0123")
        let waits = underlying.waits.count
        try await stream.wait(for: .readable, until: .never)
        #expect(underlying.waits.count == waits)
        #expect(try receive(100).1 == "456789")
        underlying.act = { _ in }
        await #expect(throws: TransportError.timedOut(.read)) {
            try await stream.wait(for: .readable, until: .never)
        }
    }

    @Test func `a full underlying stream blocks sending until it drains`() async throws {
        try await connect()
        underlying.sendAllowance = 1000
        underlying.allowancePerWait = 40_000
        let bytes = [UInt8](repeating: 7, count: 300_000)
        var received = 0
        var sent = 0
        underlying.connect(server) { server in
            received += (try? server.readAll().bytes.count) ?? 0
        }
        while sent < bytes.count {
            let count = try stream.send(bytes.span.extracting(sent..<bytes.count))
            sent += count
            if count == 0 { try await stream.wait(for: .writable, until: .never) }
        }
        while try !stream.flush() { try await stream.wait(for: .writable, until: .never) }
        underlying.act(underlying)
        #expect(received == bytes.count)
    }

    @Test func `buffered output is sent while waiting for input`() async throws {
        try await connect()
        underlying.sendAllowance = 3
        underlying.allowancePerWait = .max
        let bytes = [UInt8]("ping".utf8)
        #expect(try stream.send(bytes.span) == 4)
        #expect(try !stream.flush())
        var got: [UInt8] = []
        underlying.connect(server) { server in
            got += (try? server.readAll().bytes) ?? []
        }
        try await stream.wait(for: .readable, until: .never)
        #expect(underlying.waits.last == [.readable, .writable])
        try? await stream.wait(for: .readable, until: .never)
        #expect(got == bytes)
    }

    @Test func `close-notify is reported as the end of the stream`() async throws {
        try await connect()
        try answer("x")
        server.shutDown()
        underlying.act(underlying)
        underlying.end = .success(.end)
        #expect(try receive().1 == "x")
        #expect(try receive().0 == .end)
    }

    @Test func `an end without close-notify is reported as truncation`() async throws {
        try await connect()
        try answer("x")
        underlying.end = .success(.end)
        #expect(try receive().1 == "x")
        #expect(try receive().0 == .truncated)
        #expect(try receive().0 == .truncated)
    }

    @Test func `a corrupt record is reported and the peer is alerted`() async throws {
        try await connect()
        try answer("x")
        underlying.incoming[underlying.incoming.count - 1] ^= 1
        #expect(throws: TransportError.self) { try receive() }
        underlying.act(underlying)
        #expect(throws: TLSError.failed(.alert(20, reason: "bad record mac"))) {
            try server.readAll()
        }
    }

    @Test func `closing sends close-notify once and closes the underlying stream`() async throws {
        try await connect()
        stream.close()
        stream.close()
        #expect(underlying.isClosed)
        underlying.act(underlying)
        #expect(try server.readAll().last == .closed)
    }

    @Test func `closing does not wait if the underlying stream is full`() async throws {
        try await connect()
        underlying.sendAllowance = 0
        stream.close()
        #expect(underlying.isClosed)
    }

    @Test func `closing before the handshake sends nothing`() throws {
        stream.close()
        #expect(underlying.isClosed && underlying.outgoing.isEmpty)
    }

    @Test func `an unanswered handshake times out with its own phase`() async {
        await #expect(throws: TransportError.timedOut(.tlsHandshake)) {
            try await stream.handshake(until: .never)
        }
    }

    @Test func `canceling ends the handshake and later waits`() async {
        stream.cancelWait()
        await #expect(throws: TransportError.cancelled) {
            try await stream.handshake(until: .never)
        }
        await #expect(throws: TransportError.cancelled) {
            try await stream.wait(for: .readable, until: .never)
        }
    }

    @Test(arguments: [
        Result<ReceiveOutcome, TransportError>.success(.end),
        .failure(.closedByPeer(.connectionReset)),
    ])
    func `a peer that closes during the handshake is reported`(
        end: Result<ReceiveOutcome, TransportError>
    ) async {
        underlying.act = { $0.end = end }
        await #expect(throws: TransportError.tls(.failed(.closed))) {
            try await stream.handshake(until: .never)
        }
    }

    @Test func `an alert before a close is reported in place of the send error`() async {
        underlying.sendFailure = .closedByPeer(.brokenPipe)
        underlying.incoming = [21, 3, 3, 0, 2, 2, 40]
        let alert = TLSError.failed(.alert(40, reason: "handshake failure"))
        await #expect(throws: TransportError.tls(alert)) {
            try await stream.handshake(until: .never)
        }
    }

    @Test func `plain text in place of a handshake is detected`() async {
        underlying.act = { $0.incoming = [UInt8]("HTTP/1.1 400 Bad\r\n\r\n".utf8) }
        await #expect(throws: TransportError.tls(.failed(.notTLS))) {
            try await stream.handshake(until: .never)
        }
    }

    @Test func `a rejected certificate ends the handshake and alerts the peer`() async throws {
        let identity = try TestCertificates.shared.get().selfSigned("good.test")
        let server = try TLSEngine(context: TLSContext(server: identity), role: .server)
        underlying.connect(server)
        do throws(TransportError) {
            try await stream.handshake(until: .never)
            Issue.record("accepted")
        } catch {
            guard case .tls(.failed(.certificate(let rejection))) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(rejection.kind == .selfSigned)
        }
        let alert = underlying.outgoing
        server.feed(alert.span)
        #expect(throws: TLSError.failed(.alert(48, reason: "unknown CA"))) {
            try server.stepHandshake()
        }
    }

    @Test func `an idle connection is reusable until the peer sends or closes`() async throws {
        try await connect()
        #expect(stream.drainPendingInput())
        try answer("surprise")
        #expect(!stream.drainPendingInput())
    }

    @Test func `an idle connection closed by the peer is not reusable`() async throws {
        try await connect()
        server.shutDown()
        underlying.incoming += server.takeOutput()
        #expect(!stream.drainPendingInput())
    }

    @Test func `close-notify received with the last bytes is read without waiting`() async throws {
        let settings = try TLSSettings()
        let engine = try TLSEngine(
            context: settings.serverContext(),
            role: .server
        )
        let underlying = PeerStream()
        var hasAnswered = false
        underlying.connect(engine) { engine in
            guard !hasAnswered else { return }
            hasAnswered = true
            try? engine.writeText("bye")
            engine.shutDown()
        }
        let client = try TLSEngine(
            context: TLSContext(client: settings.client),
            role: .client(host: "good.test")
        )
        let stream = TLSStream(engine: client, over: underlying)
        try await stream.handshake(until: .never)
        var bytes: InlineArray<64, UInt8> = .init(repeating: 0)
        try await stream.wait(for: .readable, until: .never)
        var span = bytes.mutableSpan
        #expect(try stream.receive(into: &span) == .bytes(3))
        // The TCP connection stays open, but no more bytes arrive.
        let waits = underlying.waits.count
        #expect(stream.hasUnreadInput)
        try await stream.wait(for: .readable, until: .never)
        #expect(underlying.waits.count == waits)
        var rest = bytes.mutableSpan
        #expect(try stream.receive(into: &rest) == .end)
        #expect(!stream.drainPendingInput())
    }

    // MARK: - Failures of the peer

    @Test func `messages without data end the connection`() async throws {
        try await connect()
        var flood: [UInt8] = []
        for _ in 0..<20_000 {
            #expect(unsafe SSL_key_update(server.ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1)
            #expect(unsafe SSL_do_handshake(server.ssl) == 1)
            flood += server.takeOutput()
        }
        // As many as tickets and key updates of a long life.
        underlying.incoming = Array(flood.prefix(200_000))
        #expect(try receive().0 == .wouldBlock)
        underlying.incoming = Array(flood.dropFirst(200_000))
        let receives = underlying.receives
        let error = #expect(throws: TransportError.self) { try receive() }
        #expect(error == .tls(.failed(.peerProtocol(reason: "too many messages without data"))))
        #expect(underlying.receives - receives <= 4)
        // The failure is found again without waiting.
        #expect(stream.hasUnreadInput)
        #expect(throws: TransportError.self) { try receive() }
    }

    @Test func `data between the messages keeps the connection open`() async throws {
        try await connect()
        for round in 0..<3 {
            for _ in 0..<5000 {
                #expect(unsafe SSL_key_update(server.ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1)
                #expect(unsafe SSL_do_handshake(server.ssl) == 1)
            }
            let text = String(repeating: "\(round)", count: 3000)
            try answer(text)
            #expect(try receive().1 == text)
        }
    }

    @Test func `a byte of data does not pay for a flood`() async throws {
        try await connect()
        let error = #expect(throws: TransportError.self) {
            for round in 0..<20 {
                for _ in 0..<5000 {
                    #expect(unsafe SSL_key_update(server.ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1)
                    #expect(unsafe SSL_do_handshake(server.ssl) == 1)
                }
                try answer("\(round % 10)")
                #expect(try receive().1 == "\(round % 10)")
            }
        }
        #expect(error == .tls(.failed(.peerProtocol(reason: "too many messages without data"))))
    }

    @Test func `requests for new handshakes are answered in bounded memory`() throws {
        var settings = settings
        settings.client.maximumVersion = .tls12
        let pair = try settings.pair()
        // OpenSSL offers no other way to send a HelloRequest.
        _ = unsafe SSL_clear_options(pair.server.ssl, CSSL_OP_NO_RENEGOTIATION)
        var flood: [UInt8] = []
        for _ in 0..<20_000 {
            _ = unsafe SSL_renegotiate(pair.server.ssl)
            _ = unsafe SSL_do_handshake(pair.server.ssl)
            flood += pair.server.takeOutput()
        }
        #expect(flood.count > 500_000)
        #expect(throws: TLSError.failed(.peerProtocol(reason: "too many messages without data"))) {
            for start in stride(from: 0, to: flood.count, by: 65_536) {
                pair.client.feed(Array(flood[start...].prefix(65_536)).span)
                _ = try pair.client.readAll()
            }
        }
        #expect(pair.client.outputCount < 600_000)
    }

    @Test func `a failure behind data is unread input`() async throws {
        try await connect()
        try answer("good")
        try answer("bad")
        underlying.incoming[underlying.incoming.count - 1] ^= 1
        #expect(try receive().1 == "good")
        #expect(stream.hasUnreadInput)
        #expect(!stream.drainPendingInput())
    }

    @Test func `bytes that may have reached the peer count as sent`() async throws {
        try await connect()
        underlying.sendFailure = .closedByPeer(.brokenPipe)
        underlying.sendsBeforeFailure = 1
        let bytes = [UInt8](repeating: 7, count: 300_000)
        let sent = try stream.send(bytes.span)
        #expect(sent > 0 && sent < bytes.count)
        #expect(throws: TransportError.closedByPeer(.brokenPipe)) {
            try stream.send(bytes.span)
        }
        // Nothing was sent here.
        #expect(throws: TransportError.closedByPeer(.brokenPipe)) {
            try stream.send(bytes.span)
        }
    }

    @Test func `the last bytes of a peer that receives no more are read`() async throws {
        try await connect()
        let bytes = [UInt8](repeating: 7, count: 100_000)
        underlying.sendAllowance = 1000
        #expect(try stream.send(bytes.span) > 0)
        try answer("too large")
        underlying.sendFailure = .closedByPeer(.connectionReset)
        underlying.act = { _ in }
        try await stream.wait(for: .readable, until: .never)
        #expect(try receive().1 == "too large")
        await #expect(throws: TransportError.closedByPeer(.connectionReset)) {
            _ = try stream.send(bytes.span)
            try await stream.wait(for: .writable, until: .never)
        }
    }

    @Test func `a write waits for the rest of a message`() async throws {
        let pair = try connectedPair(maxFragment: 512)
        // A ticket that is longer than a record.
        let session = unsafe SSL_get_session(pair.server.ssl)
        let note = [UInt8](repeating: 7, count: 1000)
        #expect(unsafe SSL_SESSION_set1_ticket_appdata(session, note, note.count) == 1)
        _ = unsafe SSL_new_session_ticket(pair.server.ssl)
        #expect(unsafe SSL_do_handshake(pair.server.ssl) == 1)
        let ticket = pair.server.takeOutput()
        let first = 5 + Int(ticket[3]) << 8 + Int(ticket[4])
        try #require(first < ticket.count, "the ticket has one record")
        pair.client.feed(Array(ticket[..<first]).span)
        #expect(try pair.client.readAll().last == .needsInput)
        let text = [UInt8]("x".utf8)
        #expect(try pair.client.write(text.span) == 0)
        #expect(pair.client.writeNeedsInput)
        pair.client.feed(Array(ticket[first...]).span)
        #expect(try pair.client.write(text.span) == 1)
        #expect(!pair.client.writeNeedsInput)
        pair.move()
        #expect(try pair.server.readAll().bytes == text)
    }

    /// Returns a pair whose server sends records of at most this many bytes.
    private func connectedPair(maxFragment: Int) throws -> EnginePair {
        let pair = try settings.pair()
        // The macro SSL_set_max_send_fragment.
        _ = unsafe SSL_ctrl(pair.server.ssl, SSL_CTRL_SET_MAX_SEND_FRAGMENT, maxFragment, nil)
        return pair
    }
}
