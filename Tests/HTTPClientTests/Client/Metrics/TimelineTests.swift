import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests the metrics of a call's attempts with real sockets.
@Suite(.timeLimit(.minutes(10))) struct TimelineTests {
    private typealias Attempt = HTTPMetrics.Attempt
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    private func client(_ set: (inout HTTPClient.Configuration) -> Void) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        set(&configuration)
        return HTTPClient(configuration)
    }

    /// Checks that all events have a time, and that none is earlier than the one before.
    private func expectOrder(
        _ marks: [Duration?],
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(marks.allSatisfy { $0 != nil }, "\(marks)", sourceLocation: location)
        let known = marks.compactMap(\.self)
        #expect(known == known.sorted(), sourceLocation: location)
    }

    @Test func `the first call on a connection reports every phase`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .expect("12345"), .reply("HTTP/1.1 103 Early Hints\r\n\r\n" + hello),
        ])
        let request = HTTPRequest(origin.url, method: .post, body: .string("12345"))
        let response = try await HTTPClient().send(request)
        let metrics = response.metrics
        let attempt = try #require(metrics.attempts.first)
        #expect(metrics.attempts.count == 1)
        #expect(attempt.reason == .first)
        #expect(attempt.outcome == .complete)
        #expect(attempt.began == .zero && attempt.dequeued == nil)
        expectOrder([
            .zero, attempt.resolved, attempt.connected, attempt.leased, attempt.headSent,
            attempt.sent, attempt.firstByte, attempt.headReceived, attempt.ended,
        ])
        #expect(attempt.tunneled == nil && attempt.secured == nil)
        #expect(attempt.ended == metrics.total)

        let sole = try #require(attempt.connectAttempts.first)
        #expect(attempt.connectAttempts.count == 1)
        #expect(sole.address == origin.authority && sole.outcome == .connected)
        #expect(attempt.interval(of: .connect) == sole.start..<sole.end)
        #expect(attempt.connectionID == 1 && !attempt.isReused && attempt.hasResponseBegun)
        #expect(attempt.remotePort == origin.port && attempt.remoteAddress == "127.0.0.1")
        #expect(attempt.localAddress == "127.0.0.1" && attempt.localPort != nil)

        let sent = origin.received().count
        #expect(attempt.bytesSent == sent && metrics.bytesSent == sent)
        #expect(attempt.bodyBytesSent == 5 && attempt.headBytesSent == sent - 5)
        let heads = (response.informational + [response.head]).reduce(0) { $0 + $1.rawBytes.count }
        #expect(attempt.headBytesReceived == heads)
        #expect(attempt.bytesReceived == heads + 5)
        #expect(attempt.bodyBytesReceived == 5 && attempt.bodyBytesDecoded == 5)
    }

    @Test func `the next call on a connection omits the phases it skipped`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        _ = try await client.send(HTTPRequest(origin.url))
        let metrics = try await client.send(HTTPRequest(origin.url)).metrics
        let attempt = try #require(metrics.attempts.first)
        #expect(attempt.isReused && attempt.priorUses == 1 && attempt.connectionID == 1)
        #expect(attempt.resolved == nil && attempt.connected == nil)
        #expect(attempt.connectAttempts.isEmpty)
        for phase in [HTTPPhase.queue, .resolve, .connect, .establish, .tlsHandshake] {
            #expect(attempt.interval(of: phase) == nil, "\(phase)")
        }
        for phase in [HTTPPhase.sending, .responseHead, .body, .total] {
            #expect(attempt.interval(of: phase) != nil, "\(phase)")
        }
    }

    @Test func `a replayed request reports why the replay was allowed`() async throws {
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(hello), .expectHead, .reset], [.expectHead, .reply(hello)],
        ])
        let client = HTTPClient()
        _ = try await client.send(HTTPRequest(origin.url))
        let metrics = try await client.send(HTTPRequest(origin.url)).metrics
        #expect(metrics.replays == 1)
        let attempts = metrics.attempts
        try #require(attempts.count == 2)
        guard case .lost(.connectionLost) = attempts[0].outcome else {
            Issue.record("\(attempts[0].outcome)")
            return
        }
        #expect(attempts[0].isReused && !attempts[0].hasResponseBegun)
        #expect(attempts[0].bytesSent > 0 && attempts[0].connectionID == 1)
        #expect(attempts[1].reason == .lostConnection && attempts[1].outcome == .complete)
        #expect(attempts[1].connectionID == 2 && !attempts[1].isReused)
        #expect(attempts[1].connectAttempts.count == 1)
        #expect(metrics.bytesSent == attempts[0].bytesSent + attempts[1].bytesSent)
        expectOrder([
            attempts[0].leased, attempts[0].ended, attempts[1].began, attempts[1].connected,
            attempts[1].ended,
        ])
        #expect(metrics.connectionID == 2)
    }

    @Test func `a request that was not replayed reports why not`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(hello), .expectHead, .reset])
        let client = HTTPClient()
        _ = try await client.send(HTTPRequest(origin.url))
        let error = try #require(
            await failure { try await client.send(HTTPRequest(origin.url, method: .post)) }
        )
        let attempt = try #require(error.metrics.attempts.last)
        #expect(error.metrics.attempts.count == 1 && error.metrics.replays == 0)
        #expect(attempt.outcome == .failed(error.kind, in: error.phase))
        #expect(attempt.isReused && attempt.bytesSent > 0 && !attempt.hasResponseBegun)
        #expect(attempt.interval(of: .responseHead)?.upperBound == error.metrics.total)
    }

    @Test func `each attempted address is reported with its times and error`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        // The origin listens only on 127.0.0.1, so the first address refuses the connection.
        let addresses = try ["127.0.0.77", "127.0.0.1"].map { try #require(IPAddress($0)) }
        let client = client {
            $0.connectOptions.overrides = [
                HTTPConnectOptions.AddressOverride(
                    host: "two.test",
                    port: origin.port,
                    addresses: addresses
                )
            ]
        }
        let metrics = try await client.send(HTTPRequest("http://two.test:\(origin.port)/")).metrics
        let tries = try #require(metrics.attempts.first).connectAttempts
        try #require(tries.count == 2)
        #expect(tries.map(\.address) == ["127.0.0.77:\(origin.port)", origin.authority])
        guard case .failed(let failure) = tries[0].outcome else {
            Issue.record("\(tries[0].outcome)")
            return
        }
        #expect(failure.reason == "Connection refused" && failure.address == tries[0].address)
        #expect(tries[1].outcome == .connected)
        expectOrder([tries[0].start, tries[0].end, tries[1].start, tries[1].end])
        #expect(metrics.connected == tries[1].end)
    }

    @Test func `failed connecting ends with the attempt`() async throws {
        let port = try UnreachablePorts.refusing()
        let request = HTTPRequest("http://127.0.0.1:\(port)/")
        let error = await failure { try await HTTPClient().send(request) }
        let attempt = try #require(error?.metrics.attempts.first)
        #expect(attempt.connected == nil && attempt.connectionID == 0)
        #expect(attempt.connectAttempts.map(\.address) == ["127.0.0.1:\(port)"])
        let interval = try #require(attempt.interval(of: .connect))
        #expect(interval.lowerBound == attempt.connectAttempts.first?.start)
        #expect(interval.upperBound == attempt.ended)
        #expect(attempt.interval(of: .sending) == nil)
    }

    @Test func `an invalid request has no attempt`() async {
        let error = await failure { try await HTTPClient().send("mailto:ada") }
        #expect(error?.metrics.attempts.isEmpty == true)
    }

    @Test func `waiting for a connection has an interval`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .pause(gate), .reply(hello), .expectHead, .reply(hello),
        ])
        let client = client { $0.maxConnectionsPerOrigin = 1 }
        let url = origin.url
        let first = Task { try await client.send(HTTPRequest(url)) }
        await gate.arrival()
        let second = Task { try await client.send(HTTPRequest(url)) }
        while await client.pool.snapshot().waiting < 1 { await moment() }
        gate.open()
        _ = try await first.value
        let attempt = try #require(try await second.value.metrics.attempts.first)
        let queue = try #require(attempt.interval(of: .queue))
        #expect(queue.lowerBound == .zero && queue.upperBound == attempt.dequeued)
        expectOrder([attempt.dequeued, attempt.leased, attempt.sent])
        #expect(attempt.isReused)
    }

    @Test func `the TLS handshake has an interval, also if it fails`() async throws {
        let secure = try await SecureServer()
        let client = HTTPClient(secure.configuration)
        let attempt = try #require(
            try await client.send(HTTPRequest(secure.url)).metrics.attempts.first
        )
        let handshake = try #require(attempt.interval(of: .tlsHandshake))
        #expect(handshake.lowerBound == attempt.connected)
        #expect(handshake.upperBound == attempt.secured)
        #expect(attempt.tls?.version == .tls13)

        let error = await failure { try await client.send(HTTPRequest(secure.url("bad.test"))) }
        let failed = try #require(error?.metrics.attempts.first)
        #expect(failed.secured == nil && failed.connectionID == 0)
        #expect(failed.interval(of: .tlsHandshake)?.upperBound == failed.ended)
        #expect(failed.remotePort == secure.server.port && failed.localPort != nil)
        #expect(failed.tls != nil)
    }

    @Test func `a proxy challenge adds an attempt on the same connection`() async throws {
        let challenge =
            "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 4\r\n\r\n"
        let wire = try ScriptedOrigin([
            .expectHead, .reply(challenge + "who?"), .expectHead, .reply(hello),
        ])
        let proxy = HTTPProxy(
            scheme: .http,
            host: "127.0.0.1",
            port: wire.port,
            credentials: HTTPCredentials(user: "ada", password: "pw")
        )
        let client = client { $0.proxy = .proxy(proxy) }
        let metrics = try await client.send("http://site.example/").metrics
        let attempts = metrics.attempts
        #expect(attempts.map(\.outcome) == [.challenged, .complete])
        #expect(attempts.map(\.reason) == [.first, .proxyChallenge])
        #expect(attempts.map(\.connectionID) == [1, 1])
        #expect(attempts.map(\.connectAttempts.count) == [1, 0])
        #expect(metrics.bytesSent == wire.received().count)
        #expect(metrics.replays == 0)
    }

    @Test func `a tunnel has an interval before TLS`() async throws {
        let secure = try await SecureServer()
        let wire = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"), .relay(toPort: secure.server.port),
        ])
        var configuration = secure.configuration
        configuration.proxy = .url("http://127.0.0.1:\(wire.port)")
        let metrics = try await HTTPClient(configuration).send(HTTPRequest(secure.url)).metrics
        let attempt = try #require(metrics.attempts.first)
        let tunnel = try #require(attempt.interval(of: .proxyHandshake))
        let handshake = try #require(attempt.interval(of: .tlsHandshake))
        #expect(attempt.interval(of: .connect)?.upperBound == tunnel.lowerBound)
        #expect(tunnel.upperBound == handshake.lowerBound)
        #expect(attempt.connectAttempts.map(\.address) == [wire.authority])
    }

    @Test func `sending a body has an interval`() async throws {
        let size = 8 << 20
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .pause(gate), .expect(count: size), .reply(hello),
        ])
        let url = origin.url
        let body = [UInt8](repeating: 1, count: size)
        let call = Task {
            try await HTTPClient().send(HTTPRequest(url, method: .put, body: .bytes(body)))
        }
        await gate.arrival()
        gate.open()
        let attempt = try #require(try await call.value.metrics.attempts.first)
        let sending = try #require(attempt.interval(of: .sendingBody))
        #expect(sending.lowerBound == attempt.headSent && sending.upperBound == attempt.sent)
        #expect(attempt.interval(of: .sending)?.upperBound == attempt.headSent)
        #expect(attempt.bodyBytesSent == size)
        #expect(attempt.headBytesSent > 0)
    }

    @Test func `a stream reports its progress`() async throws {
        let reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let gate = Gate()
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(reply), .pause(gate), .reply("3\r\nabc\r\n0\r\n\r\n")],
            [.expectHead, .reply(reply + "3\r\nabc\r\n"), .close],
        ])
        let client = client { $0.connectionReuse = .off }
        let good = try await client.stream(HTTPRequest(origin.url))
        #expect(good.metrics.attempts.first?.outcome == .inProgress)
        #expect(good.metrics.headReceived != nil && good.metrics.total == nil)
        gate.open()
        #expect(try await good.body.collect().count == 3)
        #expect(good.metrics.attempts.first?.outcome == .complete)
        #expect(good.metrics.bodyBytesReceived == 3 && good.metrics.bodyBytesDecoded == 3)

        let cut = try await client.stream(HTTPRequest(origin.url))
        let error = try #require(await failure { try await cut.body.collect() })
        #expect(cut.metrics.attempts.first?.outcome == .failed(error.kind, in: .body))
        #expect(cut.metrics.bodyBytesDecoded == 3)
    }

    @Test func `bytes are counted before and after content decoding`() async throws {
        let text = String(repeating: "timeline ", count: 500)
        let server = try await HTTPTestServer.start { _ in .text(text).gzipped() }
        let metrics = try await HTTPClient().send(HTTPRequest(server.url)).metrics
        #expect(metrics.bodyBytesDecoded == 4500)
        #expect(metrics.bodyBytesReceived > 0 && metrics.bodyBytesReceived != 4500)
    }
}
