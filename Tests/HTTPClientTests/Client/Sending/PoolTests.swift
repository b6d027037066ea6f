import ClientSupport
import HTTPClient
import Support
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct PoolTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    /// A record of the events that the pool's observer receives.
    private final class Log: Sendable {
        private let entries = Mutex<[HTTPPoolEvent]>([])
        var events: [HTTPPoolEvent] { entries.withLock { $0 } }
        func add(_ event: HTTPPoolEvent) { entries.withLock { $0.append(event) } }
        var closings: [HTTPPoolEvent.CloseReason] {
            events.compactMap {
                if case .closed(let reason) = $0.kind { return reason }
                return nil
            }
        }
    }

    private func client(
        _ log: Log = Log(),
        _ set: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.poolObserver = { log.add($0) }
        set(&configuration)
        return HTTPClient(configuration)
    }

    @Test func `a snapshot counts idle and busy connections and waiting requests`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin(perConnection: [
            .always(hello), [.expectHead, .pause(gate), .reply(hello)],
        ])
        let client = client { $0.maxConnectionsPerOrigin = 1 }
        #expect(await client.pool.snapshot().origins.isEmpty)
        let url = origin.url
        _ = try await client.send(HTTPRequest(url))
        _ = try await client.send(HTTPRequest(url))

        let idle = await client.pool.snapshot()
        let entry = try #require(idle.origins.first?.connections.first)
        #expect(idle.idle == 1 && idle.busy == 0 && idle.waiting == 0 && idle.connecting == 0)
        let asked = Origin(scheme: .http, host: "127.0.0.1", port: origin.port)
        #expect(idle.origins.first?.origin == asked)
        #expect(entry.id == 1 && entry.uses == 2)
        #expect(entry.idleFor.map { $0 <= entry.age } == true)
        #expect(entry.remoteAddress == origin.authority)
        let counts = "1 idle, 0 busy, 0 connecting, 0 waiting"
        #expect("\(idle)" == "HTTPPoolSnapshot \(counts)")
        #expect(idle.origins.map { "\($0)" } == ["http://\(origin.authority): \(counts)"])
        #expect("\(entry)".hasPrefix("connection 1 to \(origin.authority), 2 uses, idle for "))

        #expect(await client.pool.evict(1))
        #expect(await !client.pool.evict(1))
        let calls = (0..<3).map { _ in Task { try await client.send(HTTPRequest(url)).text } }
        // One call is busy only after its connection has opened.
        var busy = await client.pool.snapshot()
        while busy.waiting < 2 || busy.connecting > 0 {
            await Task.yield()
            busy = await client.pool.snapshot()
        }
        #expect(busy.busy == 1 && busy.idle == 0)
        let second = try #require(busy.origins.first?.connections.first)
        #expect(second.idleFor == nil)
        #expect("\(second)" == "connection 2 to \(origin.authority), 1 use, busy")
        gate.open()
        for call in calls { call.cancel() }
        for call in calls { _ = await call.result }
    }

    @Test func `by default, 24 parallel calls do not wait for one another`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let script = OriginScript([.expectHead, .pause(gate), .reply(hello)])
        let origin = try ScriptedOrigin(perConnection: Array(repeating: script, count: 24))
        let client = client()
        let url = origin.url
        let calls = (0..<24).map { _ in Task { try await client.send(HTTPRequest(url)).text } }
        for _ in calls { await gate.arrival() }
        gate.open()
        for call in calls { #expect(try await call.value == "hello") }
    }

    @Test func `prewarmed connections carry the first requests`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let log = Log()
        let client = client(log) { $0.maxConnectionsPerOrigin = 3 }
        let opened = try await client.pool.prewarm(5, for: HTTPRequest(origin.url))
        #expect(opened == 3)
        #expect(await client.pool.snapshot().idle == 3)
        let response = try await client.send(HTTPRequest(origin.url))
        #expect(response.metrics.connected == nil)
        #expect(!response.metrics.isReused)
        // The client can regard a connection as open before the origin has accepted it.
        while origin.connectionCount < 3 { await moment() }
        #expect(origin.connectionCount == 3)
        #expect(log.events.map(\.kind) == [.opened, .opened, .opened])
    }

    @Test func `a failed prewarm throws the reason`() async throws {
        let port = try UnreachablePorts.refusing()
        let client = client()
        let error = await failure {
            try await client.pool.prewarm(1, for: HTTPRequest("http://127.0.0.1:\(port)"))
        }
        guard case .connectFailed = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await client.pool.snapshot().origins.isEmpty)
    }

    @Test func `draining waits for busy connections and closes all`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin(perConnection: [
            .always(hello), [.expectHead, .pause(gate), .reply(hello)], .always(hello),
        ])
        let log = Log()
        let client = client(log)
        let url = origin.url
        try await client.pool.prewarm(1, for: HTTPRequest(url))
        let first = try await client.stream(HTTPRequest(url))
        let second = Task { try await client.send(HTTPRequest(url)) }
        while origin.received(on: 1).isEmpty { await moment() }
        _ = try await first.body.collect()
        #expect(await client.pool.snapshot().idle == 1)

        let drain = Task { await client.pool.drain() }
        while await client.pool.snapshot().idle > 0 { await moment() }
        #expect(log.closings == [.drained])
        gate.open()
        #expect(try await second.value.text == "hello")
        await drain.value
        #expect(log.closings == [.drained, .retired])
        #expect(await client.pool.snapshot().origins.isEmpty)
        // Draining does not shut the client down.
        #expect(try await client.send(HTTPRequest(url)).text == "hello")
        await client.pool.drain(Origin(scheme: .http, host: "elsewhere"))
        #expect(await client.pool.snapshot().idle == 1)
    }

    @Test func `a canceled drain returns, and draining continues`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([.expectHead, .pause(gate), .reply(hello)])
        let client = client()
        let url = origin.url
        let call = Task { try await client.send(HTTPRequest(url)) }
        while origin.received().isEmpty { await moment() }
        let drain = Task { await client.pool.drain() }
        drain.cancel()
        await drain.value
        gate.open()
        _ = try await call.value
        while await client.pool.snapshot().busy > 0 { await moment() }
    }

    @Test func `a connection is retired after its maximum age or number of uses`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let log = Log()
        let twice = client(log) { $0.maxConnectionUses = 2 }
        for _ in 0..<5 { _ = try await twice.send(HTTPRequest(origin.url)) }
        #expect(origin.connectionCount == 3)
        #expect(log.closings == [.retired, .retired])
        let ageless = client { $0.maxConnectionAge = .zero }
        for _ in 0..<2 { _ = try await ageless.send(HTTPRequest(origin.url)) }
        #expect(origin.connectionCount == 5)
    }

    @Test func `the Keep-Alive timeout of the server is obeyed`() async throws {
        let reply = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: timeout=0, max=9\r\n\r\n"
        let origin = try ScriptedOrigin(.always(reply))
        let log = Log()
        let client = client(log)
        for _ in 0..<2 { _ = try await client.send(HTTPRequest(origin.url)) }
        #expect(origin.connectionCount == 2)
        #expect(log.closings.first == .idleTimeout)
    }

    @Test func `an observer receives the reason why a connection was closed`() async throws {
        let log = Log()
        let client = client(log)
        let closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            .always(closing), [.expectHead, .reply(hello + "HTTP/1.1 200 OK")],
            [.expectHead, .reply(hello), .close], [.expectHead, .reply("nonsense\r\n\r\n")],
        ])
        let url = origin.url
        _ = try await client.send(HTTPRequest(url))
        _ = try await client.send(HTTPRequest(url))
        _ = try await client.send(HTTPRequest(url))
        while log.closings.count < 3 { await moment() }
        _ = await failure { try await client.send(HTTPRequest(url)) }
        #expect(log.closings == [.notReusable, .unsolicitedData, .closedByPeer, .failed])
        #expect(log.events.map(\.connectionID) == [1, 1, 2, 2, 3, 3, 4, 4])
    }

    @Test func `an unused origin is removed from the pool`() async throws {
        let client = client()
        let port = try UnreachablePorts.refusing()
        for number in 2..<100 {
            let url = "http://127.0.0.\(number):\(port)"
            _ = await failure { try await client.send(HTTPRequest(url)) }
        }
        #expect(await client.pool.snapshot().origins.isEmpty)
    }
}
