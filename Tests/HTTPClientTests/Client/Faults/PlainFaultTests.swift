import ClientSupport
import Glibc
import HTTPClient
import Support
import Testing

/// Tests faults of connections without TLS in each phase.
///
/// Every test ends with a successful request and an empty pool.
@Suite(.timeLimit(.minutes(10))) struct PlainFaultTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    // MARK: - Connecting

    @Test func `a refused connection gives connectFailed`() async throws {
        let healthy = try ScriptedOrigin(.always(Self.hello))
        let client = HTTPClient()
        let dead = try UnreachablePorts.refusing()
        let error = await failure {
            try await client.send(HTTPRequest("http://127.0.0.1:\(dead)/"))
        }
        #expect(error.map { Expected.connectFailed(errno: 111).fits($0.kind) } == true)
        #expect(error?.phase == .connect)
        await expectUnharmed(client, next: HTTPRequest(healthy.url), ports: healthy.port)
    }

    @Test func `an unreachable address gives connectFailed`() async throws {
        let healthy = try ScriptedOrigin(.always(Self.hello))
        let client = HTTPClient()
        // Linux does not route TCP to the broadcast address, so connecting fails at once.
        let error = await failure { try await client.send("http://255.255.255.255/") }
        #expect(error.map { Expected.connectFailed(errno: 101).fits($0.kind) } == true)
        await expectUnharmed(client, next: HTTPRequest(healthy.url), ports: healthy.port)
    }

    @Test func `a connection attempt without an answer times out`() async throws {
        let healthy = try ScriptedOrigin(.always(Self.hello))
        let stalled = try StalledPort()
        let client = HTTPClient()
        var request = HTTPRequest("http://127.0.0.1:\(stalled.port)/")
        request.timeouts = HTTPTimeouts()
        request.timeouts?.connect = .milliseconds(30)
        let blackHoled = request
        let error = await failure { try await client.send(blackHoled) }
        #expect(error?.kind == .timedOut(.connect))
        await expectUnharmed(client, next: HTTPRequest(healthy.url), ports: healthy.port)
    }

    // MARK: - One exchange

    /// The script for the first connection, and the permitted outcomes.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: OriginScript
        let expected: [Expected]

        init(_ name: String, _ script: OriginScript, _ expected: Expected...) {
            testDescription = name
            self.script = script
            self.expected = expected
        }
    }

    static let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
    static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe"

    static let rows = [
        // A close with unread bytes is a reset; it is a plain close if the request has not arrived.
        // The reset can arrive before the client has seen that the connection is open.
        Row(
            "reset before the request is read",
            [.reset],
            .lost,
            .truncated,
            .connectFailed(errno: ECONNRESET)
        ),
        Row("close before the request is read", [.close], .lost, .truncated),
        Row("reset once the head is sent", [.expectHead, .reset], .lost),
        Row("close once the head is sent", [.expectHead, .close], .truncated),
        Row("half-close without a response", [.expectHead, .closeWrite], .truncated),
        Row("reset within a head", [.expectHead, .reply("HTTP/1.1 2"), .reset], .lost),
        Row(
            "close within a head",
            [.expectHead, .reply("HTTP/1.1 200 OK\r\nContent"), .close],
            .truncated
        ),
        Row(
            "close after only an interim response",
            [.expectHead, .reply("HTTP/1.1 103 Early Hints\r\n\r\n"), .close],
            .truncated
        ),
        Row("reset within a body", [.expectHead, .reply(head + "he"), .reset], .lost),
        Row(
            "close within a body",
            [.expectHead, .reply(head + "he"), .close],
            .truncated
        ),
        Row("close after a head", [.expectHead, .reply(head), .close], .truncated),
        Row("reset within a chunk", [.expectHead, .reply(chunked), .reset], .lost),
        Row("close within a chunk", [.expectHead, .reply(chunked), .close], .truncated),
        Row(
            "close before the last chunk",
            [.expectHead, .reply(chunked + "llo\r\n"), .close],
            .truncated
        ),
        Row(
            "reset within a close-delimited body",
            [.expectHead, .reply("HTTP/1.1 200 OK\r\n\r\nhello"), .reset],
            .lost
        ),
        Row(
            "garbage before the response",
            [.expectHead, .reply("\u{7}garbage\r\n\r\n" + hello)],
            .malformed
        ),
        Row(
            "an empty line before the response",
            [.expectHead, .reply("\r\n" + hello)],
            .malformed
        ),
        Row("garbage between chunks", [.expectHead, .reply(chunked + "lloGARBAGE")], .malformed),
        Row("half-close after the response", [.expectHead, .reply(hello), .closeWrite], .right),
        Row("close after the response", [.expectHead, .reply(hello), .close], .right),
        Row("a response byte by byte", [.expectHead, .replyByteByByte(hello), .close], .right),
    ]

    @Test(arguments: rows)
    func `a fault in one exchange gives its error, and the next request works`(
        row: Row
    ) async throws {
        let origin = try ScriptedOrigin { $0 == 0 ? row.script : .always(Self.hello) }
        let client = HTTPClient()
        do {
            let response = try await client.send(HTTPRequest(origin.url))
            #expect(row.expected.contains { if case .right = $0 { true } else { false } })
            #expect(response.text == "hello")
        } catch {
            #expect(row.expected.contains { $0.fits(error.kind) }, "\(error)")
            #expect(error.blame == .peer || error.phase == .connect)
        }
        await expectUnharmed(client, next: HTTPRequest(origin.url), ports: origin.port)
        #expect(origin.failures == [])
    }

    @Test(arguments: [
        ("", HTTPPhase.responseHead), ("HTTP/1.1 200", .responseHead), (head + "he", .body),
        (chunked, .body),
    ])
    func `a stall in any phase times out, and the next request works`(
        received: String,
        phase: HTTPPhase
    ) async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin {
            $0 == 0 ? [.expectHead, .reply(received), .pause(gate)] : .always(Self.hello)
        }
        let client = HTTPClient()
        var request = HTTPRequest(origin.url)
        request.timeouts = HTTPTimeouts()
        // Only one timeout is set: on a busy machine another one could expire first.
        if phase == .body {
            request.timeouts?.readIdle = .milliseconds(40)
        } else {
            request.timeouts?.responseHead = .milliseconds(40)
        }
        let stalled = request
        let error = await failure { try await client.send(stalled) }
        #expect(error?.kind == .timedOut(phase))
        await expectUnharmed(client, next: HTTPRequest(origin.url), ports: origin.port)
    }

    // MARK: - Idle connections

    /// Scripts for an idle connection.
    static let idleRows: [Row] = [
        Row("close between requests", [.close], .right),
        Row("reset between requests", [.reset], .right),
        Row("half-close between requests", [.closeWrite], .right),
        Row("one unsolicited byte", [.reply("x")], .right),
        Row(
            "an unsolicited response",
            [.reply("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad")],
            .right
        ),
        Row(
            "an unsolicited 408 and a close",
            [.reply("HTTP/1.1 408 Late\r\n\r\n"), .close],
            .right
        ),
    ]

    @Test(arguments: idleRows)
    func `a fault on an idle connection does not affect the next request`(row: Row) async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin { number in
            guard number == 0 else { return .always(Self.hello) }
            return OriginScript(
                [.expectHead, .reply(Self.hello), .pause(gate)] + row.script.steps
            )
        }
        let client = HTTPClient()
        #expect(try await client.send(HTTPRequest(origin.url)).text == "hello")
        await gate.arrival()
        #expect(await client.pool.snapshot().idle == 1)
        gate.open()
        // The pool notices the input or the close without a request.
        while await client.pool.snapshot().idle > 0 { await moment() }
        let post = HTTPRequest(origin.url, method: .post, body: .string("once"))
        let response = try await client.send(post)
        #expect(response.text == "hello")
        #expect(!response.metrics.isReused)
        #expect(response.metrics.replays == 0)
        await expectUnharmed(client, next: HTTPRequest(origin.url), ports: origin.port)
    }

    @Test(arguments: [
        Row("unsolicited bytes after the response", [.reply(hello + "more")], .right),
        Row("a second response after the response", [.reply(hello + hello)], .right),
    ])
    func `bytes after a response prevent reuse of the connection`(row: Row) async throws {
        let origin = try ScriptedOrigin {
            $0 == 0 ? OriginScript([.expectHead] + row.script.steps) : .always(Self.hello)
        }
        let client = HTTPClient()
        #expect(try await client.send(HTTPRequest(origin.url)).text == "hello")
        let second = try await client.send(HTTPRequest(origin.url))
        #expect(!second.metrics.isReused)
        await expectUnharmed(client, next: HTTPRequest(origin.url), ports: origin.port)
    }

    // MARK: - Uploading

    /// More bytes than the socket buffers of both ends can hold.
    private static let upload = [UInt8](repeating: 117, count: 16 << 20)

    private func post(_ url: String) -> HTTPRequest {
        HTTPRequest(url, method: .post, body: .bytes(Self.upload))
    }

    @Test func `a peer that reads slowly receives the whole upload`() async throws {
        let gate = Gate()
        var steps: [OriginStep] = [.expectHead, .pause(gate)]
        for _ in 0..<64 { steps.append(.expect(count: Self.upload.count / 64)) }
        let script = OriginScript(steps + [.reply(Self.hello), .close])
        let origin = try ScriptedOrigin { $0 == 0 ? script : .always(Self.hello) }
        let client = HTTPClient()
        let request = post(origin.url)
        let call = Task { try await client.send(request) }
        await gate.arrival()
        gate.open()
        #expect(try await call.value.text == "hello")
        await expectUnharmed(client, next: HTTPRequest(origin.url), ports: origin.port)
        #expect(origin.failures == [])
    }

    @Test func `a peer that responds early with success receives the whole body`()
        async throws
    {
        let gate = Gate()
        let script: OriginScript = [
            .expectHead, .reply(Self.hello), .pause(gate), .expect(count: Self.upload.count),
            .expectHead, .reply(Self.hello),
        ]
        let origin = try ScriptedOrigin { $0 == 0 ? script : .always(Self.hello) }
        let client = HTTPClient()
        let request = post(origin.url)
        let call = Task { try await client.send(request) }
        await gate.arrival()
        gate.open()
        #expect(try await call.value.text == "hello")
        await expectUnharmed(client, next: HTTPRequest(origin.url), ports: origin.port)
        #expect(origin.failures == [])
        #expect(origin.received().count > Self.upload.count)
    }

    @Test(arguments: ["413 Content Too Large", "401 Unauthorized", "307 Temporary Redirect"])
    func `a peer that rejects an upload early gets its response delivered`(
        status: String
    ) async throws {
        let refusal = "HTTP/1.1 \(status)\r\nContent-Length: 4\r\nConnection: close\r\n\r\nless"
        let origin = try ScriptedOrigin {
            $0 == 0 ? [.expectHead, .reply(refusal), .closeWrite] : .always(Self.hello)
        }
        let client = HTTPClient()
        let response = try await client.send(post(origin.url))
        #expect("\(response.status.code)" == status.prefix(3))
        #expect(response.text == "less")
        await expectUnharmed(client, next: HTTPRequest(origin.url), ports: origin.port)
    }

    @Test(arguments: [true, false])
    func `a peer that resets or closes during an upload gives an error`(isReset: Bool) async throws
    {
        let gate = Gate()
        let origin = try ScriptedOrigin {
            $0 == 0
                ? [.expectHead, .pause(gate), isReset ? .reset : .close] : .always(Self.hello)
        }
        let client = HTTPClient()
        let request = post(origin.url)
        let call = Task { await failure { try await client.send(request) } }
        await gate.arrival()
        gate.open()
        let error = await call.value
        // A close with unread bytes is a reset too; it is a plain close if all bytes happened to be read.
        let expected: [Expected] = isReset ? [.lost] : [.lost, .truncated]
        let fits = error.map { error in expected.contains { $0.fits(error.kind) } }
        #expect(fits == true, "\(String(describing: error))")
        await expectUnharmed(client, next: HTTPRequest(origin.url), ports: origin.port)
    }
}
