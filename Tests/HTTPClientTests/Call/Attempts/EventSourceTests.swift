import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing
import Wire

/// Tests event streams that reconnect, with a clock that only the delays advance.
@Suite(.timeLimit(.minutes(10))) struct EventSourceTests {
    /// A client whose delays take no time and are recorded.
    private final class SimulatedClient: Sendable {
        let time = ManualClock(nanoseconds: Deadline.now().nanoseconds)
        let pauses = Locked<[Duration]>([])

        func client(_ change: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient {
            let clock = PolicyClock { [time] in
                time.now
            } secondsSince1970: {
                0
            } pause: { [self] delay in
                pauses.withLock { $0.append(delay) }
                time.advance(by: delay)
            }
            var configuration = HTTPClient.Configuration()
            change(&configuration)
            return HTTPClient(configuration, clock: clock, seed: 1)
        }
    }

    private let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"
    private let simulated = SimulatedClient()

    /// Reads events up to the end of the stream or its first error.
    private func read(
        _ events: HTTPRecordStream<HTTPServerSentEvent>
    ) async -> (data: [String], error: HTTPError?) {
        var data: [String] = []
        do throws(HTTPError) {
            for try await event in events { data.append(event.data) }
        } catch {
            return (data, error)
        }
        return (data, nil)
    }

    @Test func `the stream continues after the last event until the server has no more`()
        async throws
    {
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHeadWhere { head in
                    head.contains("Accept: text/event-stream\r\n")
                        && head.contains("Cache-Control: no-cache\r\n")
                        && head.contains("X-Key: 1\r\n") && !head.contains("Last-Event-ID")
                },
                .reply(head + "retry: 5000\nid: 1\ndata: a\n\nid: 2\ndata: lost"), .close,
            ],
            // The connection is lost, before and after the head.
            [.expectHead(lines: "Last-Event-ID: 1"), .reset],
            [
                .expectHead(lines: "Last-Event-ID: 1"),
                .reply(head.replacing("\r\n\r\n", with: "\r\nContent-Length: 99\r\n\r\n")),
                .reply("retry: 7\ndata: b\n\nid: ä\n\ndata: lost\n"), .close,
            ],
            [
                .expectHead(lines: "Last-Event-ID: ä", "X-Key: 1"),
                .reply("HTTP/1.1 204 No Content\r\n\r\n"),
            ],
        ])
        let client = simulated.client { $0.settings.headers["X-Key"] = "1" }
        let (data, error) = await read(client.events(origin.url))
        #expect(data == ["a", "b"] && error == nil)
        let pauses = simulated.pauses.withLock { $0 }
        #expect(pauses.count == 3 && pauses.first == .seconds(5))
        #expect((.seconds(5)...Duration.seconds(10)).contains(pauses[1]))
        // The server asked for 7 ms, but only the first reconnect may come that soon.
        #expect((.milliseconds(500)...Duration.seconds(2)).contains(pauses[2]))
        #expect(origin.connectionCount == 4 && origin.failures == [])
    }

    @Test func `the options give the first ID and the delay, and the request its own fields`()
        async throws
    {
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHead(lines: "Last-Event-ID: 7", "Accept: a/b", "Cache-Control: c"),
                .reply(head + "data: a\n\n"), .close,
            ],
            [.expectHead(lines: "Last-Event-ID: 7"), .reply("HTTP/1.1 204 No Content\r\n\r\n")],
        ])
        var options = HTTPEventOptions()
        options.lastEventID = "7"
        options.reconnectDelay = .milliseconds(1)
        let request = HTTPRequest(
            origin.url,
            headers: [.accept: "a/b", .cacheControl: "c", "last-event-id": "6"]
        )
        let events = simulated.client().events(request, options: options)
        var ids: [String] = []
        for try await event in events { ids.append(event.lastEventID) }
        #expect(ids == ["7"])
        #expect(simulated.pauses.withLock { $0 } == [.milliseconds(1)])
        #expect(origin.failures == [])
    }

    @Test(
        arguments: [
            ("404 Not Found\r\nContent-Type: text/event-stream", .rejectedStatus(.notFound)),
            ("201 Created\r\nContent-Type: text/event-stream", .rejectedStatus(.created)),
            (
                "200 OK\r\nContent-Type: text/html",
                .recordFailed(.notEventStream(contentType: "text/html"))
            ),
            ("200 OK\r\nA: b", .recordFailed(.notEventStream(contentType: nil))),
            ("200 OK\r\nContent-Type: x", .recordFailed(.notEventStream(contentType: "x"))),
        ] as [(String, HTTPError.Kind)]
    )
    func `another status or media type ends the stream, also after a reconnect`(
        answer: String,
        kind: HTTPError.Kind
    ) async throws {
        for isReconnect in [false, true] { try await check(answer, kind, isReconnect) }
    }

    private func check(
        _ answer: String,
        _ kind: HTTPError.Kind,
        _ isReconnect: Bool
    ) async throws {
        let reply = "HTTP/1.1 \(answer)\r\nContent-Length: 4\r\n\r\npage"
        var scripts: [OriginScript] = [[.expectHead, .reply(reply), .close]]
        if isReconnect {
            scripts.insert([.expectHead, .reply(head + "data: a\n\n"), .close], at: 0)
        }
        let origin = try ScriptedOrigin(perConnection: scripts)
        let events = simulated.client().events(origin.url)
        let (data, error) = await read(events)
        #expect(data == (isReconnect ? ["a"] : []))
        #expect(error?.kind == kind && error?.request == "GET \(origin.url)/")
        if case .rejectedStatus = kind { #expect(error?.partialBody == Array("page".utf8)) }
        let after = await read(events)
        #expect(after.data == [] && after.error == nil)
    }

    @Test func `a server that only closes connections ends the stream at the limit`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(head + ": no event\n"), .close])
        let options = HTTPEventOptions(maxReconnects: 4)
        let (data, error) = await read(simulated.client().events(origin.url, options: options))
        #expect(data == [])
        #expect(error?.kind == .recordFailed(.tooManyReconnects(limit: 4)))
        #expect(error?.underlying == nil && error?.head?.status == .ok && error?.blame == .peer)
        #expect(simulated.pauses.withLock { $0.count } == 4 && origin.connectionCount == 5)
        let broken = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(head), .close], [.expectHead, .reset],
        ])
        let single = HTTPEventOptions(maxReconnects: 1)
        let failure = await read(simulated.client().events(broken.url, options: single)).error
        #expect(failure?.kind == .recordFailed(.tooManyReconnects(limit: 1)))
        guard case .connectionLost? = (failure?.underlying as? HTTPError)?.kind else {
            Issue.record("got \(String(describing: failure?.underlying))")
            return
        }
    }

    @Test func `the total timeout limits a stream with its reconnects and delays`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head + "retry: 3000\ndata: a\n\n"), .close,
        ])
        var request = HTTPRequest(origin.url)
        request.timeout = .seconds(10)
        let (data, error) = await read(simulated.client().events(request))
        #expect(data.allSatisfy { $0 == "a" } && data.count == origin.connectionCount)
        #expect(error?.kind == .timedOut(.total) && error?.request == "GET \(origin.url)")
        let pauses = simulated.pauses.withLock { $0 }
        #expect(pauses.count == data.count && pauses.reduce(.zero, +) == .seconds(10))
        #expect(pauses.dropLast().allSatisfy { $0 >= .seconds(3) })
    }

    @Test func `a first request that fails is not repeated`() async throws {
        let port = try UnreachablePorts.refusing()
        let error = await read(simulated.client().events("http://127.0.0.1:\(port)/")).error
        guard case .connectFailed? = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(simulated.pauses.withLock(\.count) == 0)
    }

    @Test func `a POST is sent once and its stream ends with the response`() async throws {
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .expect("hello"), .reply(head + "data: a\n\ndata: b"), .close],
            [.expectHead, .expect("hello"), .reply(head + "data: a\n\n"), .reset],
        ])
        let request = HTTPRequest(origin.url, method: .post, body: .string("hello"))
        let client = simulated.client()
        let first = await read(client.events(request))
        #expect(first.data == ["a"] && first.error == nil)
        let second = await read(client.events(request))
        guard case .connectionLost? = second.error?.kind else {
            Issue.record("got \(String(describing: second.error))")
            return
        }
        #expect(origin.connectionCount == 2 && origin.failures == [])
    }

    @Test func `an event above the limit ends the stream and closes the connection`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head + "data: a\n\ndata: "),
            .replyForever([UInt8](repeating: 0x61, count: 4096)),
        ])
        var options = HTTPEventOptions()
        options.maxLength = 1 << 20
        let (data, error) = await read(simulated.client().events(origin.url, options: options))
        #expect(data == ["a"])
        #expect(error?.kind == .recordFailed(.eventTooLong(limit: 1 << 20)))
        #expect(simulated.pauses.withLock(\.count) == 0)
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
    }

    @Test func `an ID with a control byte ends the stream at the next reconnect`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head + "id: a\u{1}b\ndata: a\n\n"), .close,
        ])
        let (data, error) = await read(simulated.client().events(origin.url))
        #expect(data == ["a"] && error?.kind == .recordFailed(.unsendableEventID))
        #expect(error?.blame == .peer && origin.connectionCount == 1)
    }

    @Test func `redirects and authentication apply to each connection`() async throws {
        let redirect =
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: /e\r\nContent-Length: 0\r\n\r\n"
        let challenge = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=a\r\n"
        let event =
            head.replacing("\r\n\r\n", with: "\r\nContent-Length: 9\r\n\r\n") + "data: a\n\n"
        let origin = try ScriptedOrigin([
            .expectHead(lines: "GET / HTTP/1.1"), .reply(redirect),
            .expectHead(lines: "GET /e HTTP/1.1"), .reply(challenge + "Content-Length: 0\r\n\r\n"),
            .expectHead(lines: "GET /e HTTP/1.1", "Authorization: Basic dTpw"), .reply(event),
            .expectHead(lines: "GET / HTTP/1.1"), .reply(redirect),
            .expectHead(lines: "GET /e HTTP/1.1", "Authorization: Basic dTpw"), .reply(event),
        ])
        let client = simulated.client { $0.authentication = .any(user: "u", password: "p") }
        var count = 0
        for try await event in client.events(origin.url) {
            #expect(event.data == "a")
            count += 1
            if count == 2 { break }
        }
        #expect(origin.failures == [])
    }

    // MARK: - Cancellation

    /// Returns a client whose delays last until they are canceled, and a stream of the delays that began.
    private func waitingClient() -> (client: HTTPClient, delays: AsyncStream<Duration>) {
        let (delays, began) = AsyncStream<Duration>.makeStream()
        let clock = PolicyClock {
            .now()
        } secondsSince1970: {
            0
        } pause: { delay in
            began.yield(delay)
            let (never, continuation) = AsyncStream<Void>.makeStream()
            for await _ in never {}
            continuation.finish()
            throw CancellationError()
        }
        return (HTTPClient(HTTPClient.Configuration(), clock: clock, seed: 1), delays)
    }

    @Test(arguments: [false, true])
    func `a delay ends when the task or the stream is canceled`(cancelsTask: Bool) async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(head + "data: a\n\n"), .close])
        let (client, delays) = waitingClient()
        let events = client.events(origin.url)
        let task = Task { await read(events) }
        for await delay in delays {
            #expect(delay == .seconds(3))
            break
        }
        if cancelsTask { task.cancel() } else { events.cancel() }
        let (data, error) = await task.value
        #expect(data == ["a"] && error?.kind == .cancelled)
        let after = await read(events)
        #expect(after.data == [] && after.error == nil)
    }

    @Test(arguments: [false, true])
    func `a read ends when the task or the stream is canceled`(cancelsTask: Bool) async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head + "data: a\n\ndata: b"), .pause(gate),
        ])
        let events = simulated.client().events(origin.url)
        let (seen, sees) = AsyncStream<String>.makeStream()
        let task = Task {
            for try await event in events { sees.yield(event.data) }
        }
        for await data in seen {
            #expect(data == "a")
            break
        }
        if cancelsTask { task.cancel() } else { events.cancel() }
        #expect(await failure { try await task.value }?.kind == .cancelled)
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
    }

    @Test func `a stream that was canceled before its first read connects no more`() async throws {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 204 No Content\r\n\r\n"))
        let events = simulated.client().events(origin.url)
        events.cancel()
        #expect(await read(events).error?.kind == .cancelled)
        #expect(origin.connectionCount == 0)
    }

    // MARK: - Blocking

    @Test func `a thread reads events across connections`() async throws {
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(head + "id: 1\ndata: a\n\n"), .close],
            [.expectHead(lines: "Last-Event-ID: 1"), .reply(head + "data: b\n\n"), .close],
            [.expectHead, .reply("HTTP/1.1 204 No Content\r\n\r\n")],
        ])
        let (client, url) = (simulated.client(), origin.url)
        let reads = await onThread { () -> [String?] in
            let events = client.blocking.events(url)
            return (0..<4).map { _ in
                do {
                    return try events.next()?.data
                } catch {
                    return "\(error)"
                }
            }
        }
        #expect(reads == ["a", "b", nil, nil])
        #expect(simulated.pauses.withLock(\.count) == 2 && origin.failures == [])
    }

    @Test func `a delay that blocks a thread ends when the stream is canceled`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(head + "data: a\n\n"), .close])
        let (client, delays) = waitingClient()
        let events = client.events(origin.url)
        async let reads = onThread { () -> [String] in
            (0..<3).map { _ in
                do throws(HTTPError) {
                    return try events.blocking.next()?.data ?? "end"
                } catch {
                    return error.kind.label
                }
            }
        }
        for await _ in delays { break }
        events.cancel()
        #expect(await reads == ["a", "cancelled", "end"])
    }
}
