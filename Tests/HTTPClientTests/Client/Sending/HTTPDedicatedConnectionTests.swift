import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Synchronization
import Testing

/// Tests dedicated connections, which belong to one owner.
@Suite(.timeLimit(.minutes(10))) struct HTTPDedicatedConnectionTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    private final class Log: Sendable {
        private let entries = Mutex<[HTTPPoolEvent.Kind]>([])
        var events: [HTTPPoolEvent.Kind] { entries.withLock { $0 } }
        func add(_ event: HTTPPoolEvent) { entries.withLock { $0.append(event.kind) } }
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

    @Test func `requests on a dedicated connection share it with no other caller`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let log = Log()
        let client = client(log)
        let url = origin.url
        _ = try await client.send(HTTPRequest(url))
        let ids = try await client.withConnection(to: HTTPRequest(url)) { connection in
            let busy = await client.pool.snapshot()
            #expect(busy.busy == 1 && busy.idle == 0)
            #expect(busy.origins.first?.connections.first?.isDedicated == true)
            var ids = [connection.id]
            for _ in 0..<3 {
                ids.append(try await connection.send(HTTPRequest(url)).metrics.connectionID)
                // A request of the client between two requests of the dedicated connection.
                ids.append(try await client.send(HTTPRequest(url)).metrics.connectionID)
            }
            #expect(await connection.isOpen)
            return ids
        }
        #expect(ids == [1, 1, 2, 1, 2, 1, 2])
        while await client.pool.snapshot().idle < 2 { await moment() }
        let snapshot = await client.pool.snapshot()
        #expect(snapshot.busy == 0)
        #expect(snapshot.origins.first?.connections.allSatisfy { !$0.isDedicated } == true)
        #expect(log.events == [.opened, .opened])
    }

    @Test func `a fresh dedicated connection is unused, and its metrics include its setup`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let client = client()
        _ = try await client.send(HTTPRequest(origin.url))
        var fresh = HTTPRequest(origin.url)
        let used = try await client.pool.acquire(for: fresh)
        #expect(used.metrics.isReused && used.metrics.connected == nil)
        fresh.connection = .fresh
        let connection = try await client.pool.acquire(for: fresh)
        #expect(connection.id == 2 && !connection.metrics.isReused)
        #expect(connection.metrics.connected != nil)
        #expect(connection.metrics.remotePort == origin.port)
        let first = try await connection.send(HTTPRequest(origin.url)).metrics
        let second = try await connection.send(HTTPRequest(origin.url)).metrics
        #expect(first.priorUses == 0 && second.priorUses == 1)
        #expect(!origin.text(on: 1).contains("Connection: close"))
    }

    @Test func `simultaneous requests on a dedicated connection are sent in order`()
        async throws
    {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .pause(gate), .reply(hello), .forever([.expectHead, .reply(hello)]),
        ])
        let client = client()
        let url = origin.url
        let connection = try await client.pool.acquire(for: HTTPRequest(url))
        // Tasks on the loop begin in the order of their creation.
        let calls = (0..<4).map { number in
            Task(executorPreference: client.executor) {
                try await connection.send(HTTPRequest("\(url)/\(number)"))
            }
        }
        await gate.arrival()
        gate.open()
        for call in calls { #expect(try await call.value.text == "hello") }
        let paths = origin.text().split(separator: "\r\n").filter { $0.hasPrefix("GET ") }
        #expect(paths == (0..<4).map { "GET /\($0) HTTP/1.1" })
        #expect(origin.connectionCount == 1)
    }

    @Test func `waiting for a dedicated connection is limited by queue and can be canceled`()
        async throws
    {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .pause(gate), .reply(hello), .forever([.expectHead, .reply(hello)]),
        ])
        let client = client()
        let url = origin.url
        let connection = try await client.pool.acquire(for: HTTPRequest(url))
        let first = Task { try await connection.send(HTTPRequest(url)).text }
        await gate.arrival()
        var impatient = HTTPRequest(url)
        impatient.timeouts = HTTPTimeouts()
        impatient.timeouts?.queue = .milliseconds(20)
        let late = await failure { [impatient] in try await connection.send(impatient) }
        #expect(late?.kind == .timedOut(.queue))
        let given = Task { try await connection.send(HTTPRequest(url)) }
        given.cancel()
        #expect(await failure { try await given.value }?.kind == .cancelled)
        gate.open()
        #expect(try await first.value == "hello")
        #expect(try await connection.send(HTTPRequest(url)).text == "hello")
    }

    @Test func `a streamed body occupies the connection until it is read or dropped`() async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let client = client()
        let url = origin.url
        let connection = try await client.pool.acquire(for: HTTPRequest(url))
        var response: HTTPStreamedResponse? = try await connection.stream(HTTPRequest(url))
        let next = Task { try await connection.send(HTTPRequest(url)).metrics }
        #expect(try await response?.body.collect().count == 5)
        #expect(try await next.value.priorUses == 1)
        response = try await connection.stream(HTTPRequest(url))
        #expect(response?.status == .ok)
        response = nil
        #expect(try await connection.send(HTTPRequest(url)).metrics.priorUses == 3)
        #expect(origin.connectionCount == 1)
    }

    @Test func `a dedicated connection closed by its peer gives an error and sends nothing`()
        async throws
    {
        let gate = Gate()
        let origin = try ScriptedOrigin([.expectHead, .reply(hello), .pause(gate), .close])
        let log = Log()
        let client = client(log)
        let url = origin.url
        let connection = try await client.pool.acquire(for: HTTPRequest(url))
        _ = try await connection.send(HTTPRequest(url))
        gate.open()
        while await connection.isOpen { await moment() }
        #expect(log.events == [.opened, .closed(.closedByPeer)])
        let error = await failure { try await connection.send(HTTPRequest(url)) }
        #expect(error?.kind == .connectionClosed(.closedByPeer))
        #expect(error?.metrics.bytesSent == 0)
        #expect(await client.pool.snapshot().origins.isEmpty)
        #expect(origin.connectionCount == 1)
    }

    @Test func `unsolicited bytes close a dedicated connection`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(hello + hello), .expectEnd])
        let client = client()
        let connection = try await client.pool.acquire(for: HTTPRequest(origin.url))
        _ = try await connection.send(HTTPRequest(origin.url))
        let error = await failure { try await connection.send(HTTPRequest(origin.url)) }
        #expect(error?.kind == .connectionClosed(.unsolicitedData))
    }

    @Test func `a request on a dedicated connection is not retried on another one`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(hello), .expectHead, .reset])
        let client = client()
        let connection = try await client.pool.acquire(for: HTTPRequest(origin.url))
        _ = try await connection.send(HTTPRequest(origin.url))
        let lost = await failure { try await connection.send(HTTPRequest(origin.url)) }
        guard case .connectionLost = lost?.kind else {
            Issue.record("\(String(describing: lost))")
            return
        }
        let after = await failure { try await connection.send(HTTPRequest(origin.url)) }
        #expect(after?.kind == .connectionClosed(.failed))
        #expect(origin.connectionCount == 1)
    }

    @Test func `a response with Connection close closes it for waiting requests too`() async throws
    {
        let gate = Gate()
        let last = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        let origin = try ScriptedOrigin([.expectHead, .pause(gate), .reply(last)])
        let client = client()
        let url = origin.url
        let connection = try await client.pool.acquire(for: HTTPRequest(url))
        let first = Task(executorPreference: client.executor) {
            try await connection.send(HTTPRequest(url)).status
        }
        await gate.arrival()
        let second = Task(executorPreference: client.executor) {
            await failure { try await connection.send(HTTPRequest(url)) }?.kind
        }
        gate.open()
        #expect(try await first.value == .ok)
        #expect(await second.value == .connectionClosed(.notReusable))
    }

    @Test func `a request to another origin or with other connect options is rejected`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let client = client()
        let connection = try await client.pool.acquire(for: HTTPRequest(origin.url))
        let elsewhere = await failure { try await connection.send("http://elsewhere.example/") }
        #expect(elsewhere?.kind == .invalidRequest(.connectionMismatch))
        var other = HTTPRequest(origin.url)
        other.connectOptions = HTTPConnectOptions()
        other.connectOptions?.addressPolicy = .noLinkLocalOrMetadata
        let stricter = await failure { [other] in try await connection.send(other) }
        #expect(stricter?.kind == .invalidRequest(.connectionMismatch))
        #expect(try await connection.send(HTTPRequest(origin.url)).text == "hello")
    }

    @Test func `releasing a dedicated connection returns it to the pool`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .pause(gate), .reply(hello), .forever([.expectHead, .reply(hello)]),
        ])
        let client = client { $0.maxConnectionsPerOrigin = 1 }
        let url = origin.url
        let connection = try await client.pool.acquire(for: HTTPRequest(url))
        let under = Task { try await connection.send(HTTPRequest(url)).text }
        await gate.arrival()
        connection.release()
        connection.release()
        let error = await failure { try await connection.send(HTTPRequest(url)) }
        #expect(error?.kind == .invalidRequest(.connectionReleased))
        gate.open()
        #expect(try await under.value == "hello")
        #expect(try await client.send(HTTPRequest(url)).metrics.connectionID == 1)
    }

    @Test func `dropping the last reference releases the connection to a waiting request`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let client = client { $0.maxConnectionsPerOrigin = 1 }
        let url = origin.url
        var connection: HTTPDedicatedConnection? = try await client.pool.acquire(
            for: HTTPRequest(url)
        )
        #expect(connection?.id == 1)
        let waiting = Task { try await client.send(HTTPRequest(url)).metrics.connectionID }
        while await client.pool.snapshot().waiting < 1 { await moment() }
        connection = nil
        #expect(try await waiting.value == 1)
    }

    @Test func `closing, eviction and draining close a dedicated connection`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let log = Log()
        let client = client(log)
        let url = origin.url
        let first = try await client.pool.acquire(for: HTTPRequest(url))
        first.close()
        let second = try await client.pool.acquire(for: HTTPRequest(url))
        #expect(second.id == 2)
        #expect(await client.pool.evict(second.id))
        let evicted = await failure { try await second.send(HTTPRequest(url)) }
        #expect(evicted?.kind == .connectionClosed(.evicted))
        let third = try await client.pool.acquire(for: HTTPRequest(url))
        await client.pool.drain()
        let drained = await failure { try await third.send(HTTPRequest(url)) }
        #expect(drained?.kind == .connectionClosed(.drained))
        let closings: [HTTPPoolEvent.Kind] = [
            .opened, .closed(.retired), .opened, .closed(.evicted), .opened, .closed(.drained),
        ]
        #expect(log.events == closings)
        #expect(await client.pool.snapshot().origins.isEmpty)
    }

    @Test func `a dedicated connection works over TLS and outlives other client references`()
        async throws
    {
        let secure = try await SecureServer()
        let request = HTTPRequest(secure.url)
        let connection: HTTPDedicatedConnection
        do {
            let client = HTTPClient(secure.configuration)
            connection = try await client.pool.acquire(for: request)
        }
        #expect(connection.metrics.tls?.isVerified == true)
        for uses in 0..<3 {
            let response = try await connection.send(request)
            #expect(response.text == "hello" && response.metrics.priorUses == uses)
        }
        #expect(secure.server.connectionCount == 1)
    }
}
