import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests responses that begin while the request is still being sent.
@Suite(.timeLimit(.minutes(10))) struct EarlyAnswerTests {
    private static let size = 16 << 20
    private let body = [UInt8](repeating: 7, count: size)
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    private let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func put(
        _ url: String,
        _ change: (inout HTTPTimeouts) -> Void = { _ in }
    )
        -> HTTPRequest
    {
        var request = HTTPRequest(url, method: .put, body: .bytes(body))
        var timeouts = HTTPTimeouts()
        change(&timeouts)
        request.timeouts = timeouts
        return request
    }

    @Test func `head and body of a success are delivered while the upload continues`() async throws
    {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .expect(count: 1000), .reply(head + "3\r\none\r\n"), .pause(gate),
            .expect(count: Self.size - 1000), .reply("3\r\ntwo\r\n0\r\n\r\n"), .expectHead,
            .reply(hello),
        ])
        let client = HTTPClient()
        let response = try await client.stream(put(origin.url))
        #expect(response.status == .ok)
        #expect(response.metrics.sent == nil && response.metrics.bytesSent < Self.size)
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next() == Array("one".utf8))
        gate.open()
        #expect(try await chunks.next() == Array("two".utf8))
        #expect(try await chunks.next() == nil)
        let attempt = try #require(response.metrics.attempts.first)
        #expect(attempt.bodyBytesSent == Self.size && attempt.outcome == .complete)
        let sent = try #require(attempt.sent)
        #expect(attempt.firstByte.map { $0 < sent } == true)
        // The exchange is complete, so the connection can be reused.
        #expect(try await client.send(HTTPRequest(origin.url)).metrics.isReused)
        #expect(origin.failures == [])
    }

    @Test func `a peer that alternates reading and answering does not deadlock`() async throws {
        let piece = 256 << 10
        let bytes = [UInt8](repeating: 1, count: piece)
        let chunk = Array("40000\r\n".utf8) + bytes + Array("\r\n".utf8)
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head),
            .repeat(Self.size / piece, [.expect(count: piece), .reply(chunk)]),
            .reply("0\r\n\r\n"), .expectHead, .reply(hello),
        ])
        let client = HTTPClient()
        var configuration = client.configuration
        configuration.collectLimit = Self.size
        let roomy = HTTPClient(configuration)
        let response = try await roomy.send(put(origin.url))
        #expect(response.body.count == Self.size)
        #expect(response.metrics.attempts.first?.bodyBytesSent == Self.size)
        #expect(try await roomy.send(HTTPRequest(origin.url)).metrics.isReused)
        #expect(origin.failures == [])
    }

    @Test func `a TLS peer that alternates reading and answering does not deadlock`() async throws {
        let certificates = try TestCertificates.shared.get()
        let context = try TLSContext(server: try certificates.chained("127.0.0.1"))
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        let (address, door) = try await withTaskExecutorPreference(loop) { try await listen(loop) }
        let size = Self.size
        let serving = Task(executorPreference: loop) {
            try await answerByTurns(door, context, size)
        }
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(certificates.root.certificate)
        configuration.collectLimit = size
        let client = HTTPClient(configuration)
        let response = try await client.send(put("https://127.0.0.1:\(address.port)/"))
        #expect(response.body.count == size)
        #expect(response.metrics.attempts.first?.bodyBytesSent == size)
        #expect(await client.pool.snapshot().idle == 1)
        await client.pool.drain()
        try await serving.value
    }

    @Test func `a complete response waits until the rest of the body is sent`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply(hello), .pause(gate), .expect(count: Self.size), .expectHead,
            .reply(hello),
        ])
        let client = HTTPClient()
        let request = put(origin.url)
        let call = Task { try await client.send(request) }
        await gate.arrival()
        gate.open()
        let response = try await call.value
        #expect(response.text == "hello")
        #expect(response.metrics.attempts.first?.bodyBytesSent == Self.size)
        #expect(try await client.send(HTTPRequest(origin.url)).metrics.isReused)
        #expect(origin.failures == [])
    }

    @Test func `a peer that responds and closes during the upload gives a response`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(hello), .close])
        let client = HTTPClient()
        let response = try await client.stream(put(origin.url))
        #expect(try await response.body.collect() == Array("hello".utf8))
        #expect(await client.pool.snapshot().origins.isEmpty)
    }

    @Test func `sending the rest of a body is limited by writeIdle and requestBody`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.expectHead, .reply(hello), .pause(gate)])
        let client = HTTPClient()
        let idle = put(origin.url) { $0.writeIdle = .milliseconds(500) }
        let stalled = await failure { try await client.send(idle) }
        #expect(stalled?.kind == .timedOut(.sendingBody))
        #expect(stalled?.head?.status == .ok)
        #expect(stalled?.partialBody == Array("hello".utf8))

        let half = try ScriptedOrigin([.expectHead, .reply(head + "3\r\none\r\n"), .pause(gate)])
        let slow = put(half.url) { $0.requestBody = .milliseconds(500) }
        let overdue = await failure { try await client.stream(slow).body.collect() }
        #expect(overdue?.kind == .timedOut(.sendingBody))
        let silent = put(half.url) { $0.readIdle = .milliseconds(500) }
        let mute = await failure { try await client.stream(silent).body.collect() }
        #expect(mute?.kind == .timedOut(.body))
    }

    @Test func `dropping the response or canceling its reader ends the upload`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.expectHead, .reply(head + "3\r\none\r\n"), .pause(gate)])
        let client = HTTPClient()
        _ = try await client.stream(put(origin.url)).status
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }

        let response = try await client.stream(put(origin.url))
        let reader = Task { try await response.body.collect() }
        await Task.yield()
        reader.cancel()
        #expect(await failure { try await reader.value }?.kind == .cancelled)
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
    }
}

@concurrent private func listen(
    _ loop: EventLoop
) async throws -> (SocketAddress, LoopBound<ListeningSocket>) {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    let listener = try ListeningSocket(on: loop, address: address)
    return (listener.address, LoopBound(listener, on: loop))
}

/// Sends a byte of body for each byte that it has read, and does not read while it sends.
@concurrent private func answerByTurns(
    _ door: LoopBound<ListeningSocket>,
    _ context: TLSContext,
    _ size: Int
) async throws {
    let socket = try await door.value.accept()
    let stream = TLSStream(engine: try TLSEngine(context: context, role: .server), over: socket)
    defer {
        stream.close()
        door.value.close()
    }
    try await stream.handshake(until: .never)
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var isHeadOver = false
    while true {
        var span = buffer.mutableSpan
        let outcome = try stream.receive(into: &span)
        guard case .bytes(let count) = outcome else {
            guard outcome == .wouldBlock else { return }
            try await stream.wait(for: .readable, until: .never)
            continue
        }
        var answer = buffer[..<count]
        if !isHeadOver {
            // The client sends the head in one piece, and this body contains no end of a head.
            let end = answer.indices.first { answer[$0...].starts(with: Array("\r\n\r\n".utf8)) }
            answer = answer[(try #require(end) + 4)...]
            isHeadOver = true
            answer =
                Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8) + answer
        }
        let bytes = Array(answer)
        var sent = 0
        while true {
            sent += sent == bytes.count ? 0 : try stream.send(bytes.span.extracting(sent...))
            if sent == bytes.count, try stream.flush() { break }
            try await stream.wait(for: .writable, until: .never)
        }
    }
}
