import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests each timeout with real sockets, and that its error names it.
@Suite(.timeLimit(.minutes(10))) struct TimeoutTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    private let short = Duration.milliseconds(40)

    /// Returns a client without timeouts, except those that `change` sets.
    private func client(_ change: (inout HTTPClient.Configuration) -> Void) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        var timeouts = HTTPTimeouts()
        timeouts.queue = nil
        timeouts.resolve = nil
        timeouts.connect = nil
        timeouts.tlsHandshake = nil
        timeouts.requestHead = nil
        timeouts.responseHead = nil
        timeouts.readIdle = nil
        timeouts.writeIdle = nil
        configuration.timeouts = timeouts
        change(&configuration)
        return HTTPClient(configuration)
    }

    @Test func `waiting for a connection is limited by queue`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(gate), .reply(hello)])
        let client = client {
            $0.maxConnectionsPerOrigin = 1
            $0.timeouts.queue = short
        }
        let url = origin.url
        let first = Task { try await client.send(HTTPRequest(url)).text }
        await gate.arrival()
        let error = await failure { try await client.send(HTTPRequest(url)) }
        #expect(error?.kind == .timedOut(.queue))
        #expect(error?.description.contains("no connection was free") == true)
        gate.open()
        #expect(try await first.value == "hello")
    }

    private struct SilentResolver: HTTPResolver {
        let cancelled: AsyncStream<Void>.Continuation
        var asked: AsyncStream<Void>.Continuation?

        func addresses(of host: String) async throws -> [IPAddress] {
            asked?.yield()
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                cancelled.yield()
                throw error
            }
            return []
        }
    }

    @Test func `resolving is limited by resolve, and the resolver is canceled`() async {
        let (stops, stopped) = AsyncStream.makeStream(of: Void.self)
        let client = client {
            $0.resolver = SilentResolver(cancelled: stopped)
            $0.timeouts.resolve = short
        }
        let error = await failure { try await client.send("http://slow.example/") }
        #expect(error?.kind == .timedOut(.resolve))
        for await _ in stops { break }
    }

    @Test func `canceling a task while its host is resolved returns at once`() async {
        let (stops, stopped) = AsyncStream.makeStream(of: Void.self)
        let (questions, asked) = AsyncStream.makeStream(of: Void.self)
        let client = client { $0.resolver = SilentResolver(cancelled: stopped, asked: asked) }
        let task = Task { await failure { try await client.send("http://slow.example/") } }
        for await _ in questions { break }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
        for await _ in stops { break }
    }

    @Test func `the handshake is limited by tlsHandshake`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.pause(gate)])
        let client = client { $0.timeouts.tlsHandshake = short }
        let url = "https://127.0.0.1:\(origin.port)/"
        let error = await failure { try await client.send(HTTPRequest(url)) }
        #expect(error?.kind == .timedOut(.tlsHandshake))
    }

    @Test func `all steps of opening a connection together are limited by establish`() async throws
    {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.pause(gate)])
        let stalled = try StalledPort()
        let (_, stopped) = AsyncStream.makeStream(of: Void.self)
        let client = client {
            $0.timeouts.establish = short
            $0.timeouts.tlsHandshake = .seconds(30)
            $0.resolver = SilentResolver(cancelled: stopped)
        }
        let cases: [(String, HTTPPhase)] = [
            ("https://127.0.0.1:\(origin.port)/", .tlsHandshake),
            ("http://127.0.0.1:\(stalled.port)/", .connect), ("http://slow.example/", .resolve),
        ]
        for (url, phase) in cases {
            let error = await failure { try await client.send(HTTPRequest(url)) }
            #expect(error?.kind == .timedOut(.establish))
            #expect(error?.phase == phase)
        }
    }

    @Test func `establish does not limit the exchange`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .text("late").delayed(by: .milliseconds(1100))
        }
        let client = client { $0.timeouts.establish = .seconds(1) }
        #expect(try await client.send(HTTPRequest(server.url)).text == "late")
    }

    /// More bytes than the socket buffers of both ends can hold.
    private let large = 24 << 20

    @Test func `sending the head to a peer that does not read is limited by requestHead`()
        async throws
    {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.pause(gate)])
        let client = client { $0.timeouts.requestHead = short }
        var request = HTTPRequest(origin.url)
        request.headers.append("X-Large", String(repeating: "x", count: large))
        let error = await failure { try await client.send(request) }
        #expect(error?.kind == .timedOut(.sending))
        #expect(error?.description.contains("bytes were sent") == true)
    }

    @Test(arguments: [false, true])
    func `sending the body to a peer that does not read is limited by writeIdle and requestBody`(
        wholeBody: Bool
    ) async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(gate)])
        let client = client {
            if wholeBody {
                $0.timeouts.requestBody = short
            } else {
                $0.timeouts.writeIdle = short
            }
        }
        let body = HTTPBody.bytes([UInt8](repeating: 1, count: large))
        let request = HTTPRequest(origin.url, method: .put, body: body)
        let error = await failure { try await client.send(request) }
        #expect(error?.kind == .timedOut(.sendingBody))
        #expect((error?.metrics.bytesSent ?? 0) > 0)
    }

    @Test func `a slow but steady reader is limited by requestBody and not by writeIdle`()
        async throws
    {
        let origin = try ScriptedOrigin([.expectHead, .forever([.expect(count: 1 << 10)])])
        let body = HTTPBody.bytes([UInt8](repeating: 1, count: large))
        // The origin reads all of the body and never answers.
        let steady = client {
            $0.timeouts.writeIdle = .seconds(20)
            $0.timeouts.responseHead = short
        }
        let request = HTTPRequest(origin.url, method: .put, body: body)
        let late = await failure { try await steady.send(request) }
        #expect(late?.kind == .timedOut(.responseHead))
        let bounded = client { $0.timeouts.requestBody = .nanoseconds(1) }
        let error = await failure { try await bounded.send(request) }
        #expect(error?.kind == .timedOut(.sendingBody))
    }

    @Test func `a slowly arriving head is limited by responseHead as a whole`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let dripping = try ScriptedOrigin([
            .expectHead, .replyByteByByte("HTTP/1.1 200 OK\r\nX: y"), .pause(gate),
        ])
        let strict = client { $0.timeouts.responseHead = short }
        let headError = await failure { try await strict.send(HTTPRequest(dripping.url)) }
        #expect(headError?.kind == .timedOut(.responseHead))
        #expect(headError?.description.contains("received") == true)
    }

    @Test func `silence within a body is limited by readIdle`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhe"), .pause(gate),
        ])
        let client = client { $0.timeouts.readIdle = short }
        let error = await failure { try await client.send(HTTPRequest(origin.url)) }
        #expect(error?.kind == .timedOut(.body))
        #expect(error?.description.contains("2 bytes of the body") == true)
    }

    // MARK: - Throughput

    @Test func `a slow body without pauses is limited by minimumThroughput`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .chunks((0..<2000).map { _ in "x" }, every: .milliseconds(5))
        }
        let client = client {
            $0.timeouts.readIdle = .seconds(10)
            $0.timeouts.minimumThroughput = HTTPTimeouts.Throughput(
                bytes: 100_000,
                in: .milliseconds(200)
            )
        }
        for streams in [false, true] {
            let error = await failure {
                if streams {
                    for try await _ in try await client.stream(HTTPRequest(server.url)).body {}
                } else {
                    _ = try await client.send(HTTPRequest(server.url))
                }
            }
            #expect(error?.kind == .timedOut(.throughput))
        }
    }

    @Test func `a slow reader or a slow response is limited by minimumThroughput`()
        async throws
    {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(gate)])
        let client = client {
            $0.timeouts.minimumThroughput = HTTPTimeouts.Throughput(
                bytesPerSecond: 10,
                over: .milliseconds(100)
            )
        }
        let body = HTTPBody.bytes([UInt8](repeating: 1, count: large))
        let sending = await failure {
            try await client.send(HTTPRequest(origin.url, method: .put, body: body))
        }
        #expect(sending?.kind == .timedOut(.throughput))
        #expect(sending?.phase == .sendingBody)
        let thinking = await failure { try await client.send(HTTPRequest(origin.url)) }
        #expect(thinking?.kind == .timedOut(.throughput))
        #expect(thinking?.phase == .responseHead)
    }

    @Test func `a sufficient throughput ends no call, over many windows`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .chunks(
                (0..<60).map { _ in String(repeating: "x", count: 100) },
                every: .milliseconds(5)
            )
        }
        let client = client {
            // A limit of zero bytes: the test needs many windows, not a certain throughput.
            $0.timeouts.minimumThroughput = HTTPTimeouts.Throughput(bytes: 0, in: .milliseconds(2))
        }
        #expect(try await client.send(HTTPRequest(server.url)).body.count == 6000)
    }
}
