import HTTPClient
import Support
import Testing

/// Tests requests with fresh connections, and the priorities of waiting requests.
@Suite(.timeLimit(.minutes(10))) struct ConnectionUseTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test func `a request with a fresh connection opens one and closes it after the response`()
        async throws
    {
        let origin = try ScriptedOrigin(perConnection: [
            [.forever([.expectHeadWhere { !$0.contains("Connection:") }, .reply(hello)])],
            [.expectHead(lines: "Connection: close"), .reply(hello), .expectEnd],
        ])
        let client = HTTPClient()
        let shared = HTTPRequest(origin.url)
        var fresh = shared
        fresh.connection = .fresh
        var ids: [UInt64] = []
        for request in [shared, fresh, shared] {
            ids.append(try await client.send(request).metrics.connectionID)
        }
        #expect(ids == [1, 2, 1])
        let snapshot = await client.pool.snapshot()
        #expect(snapshot.idle == 1 && snapshot.busy == 0)
        #expect(origin.connectionCount == 2)
        #expect(origin.failures == [])
    }

    @Test func `a fresh connection counts toward the limits`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        let client = HTTPClient(configuration)
        var request = HTTPRequest(origin.url)
        _ = try await client.send(request)
        request.connection = .fresh
        #expect(try await client.send(request).metrics.connectionID == 2)
        // The idle connection was closed to make room for the fresh one.
        #expect(await client.pool.snapshot().origins.isEmpty)
    }

    @Test func `higher priority requests go first, and equal ones in order`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .pause(gate), .reply(hello), .forever([.expectHead, .reply(hello)]),
        ])
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        let client = HTTPClient(configuration)
        let url = origin.url
        let first = Task { try await client.send(HTTPRequest(url)) }
        await gate.arrival()
        var calls: [Task<HTTPResponse, any Error>] = []
        let wishes: [(String, HTTPPriority)] = [
            ("/low", .low), ("/a", .normal), ("/b", .normal), ("/high", .high),
            ("/highest", HTTPPriority(rawValue: 127)),
        ]
        for (number, wish) in wishes.enumerated() {
            var request = HTTPRequest(url + wish.0)
            request.priority = wish.1
            calls.append(Task { [request] in try await client.send(request) })
            while await client.pool.snapshot().waiting <= number { await moment() }
        }
        gate.open()
        _ = try await first.value
        for call in calls { _ = try await call.value }
        let paths = origin.text().split(separator: "\r\n").filter { $0.hasPrefix("GET ") }
            .map { $0.split(separator: " ")[1] }
        #expect(paths == ["/", "/highest", "/high", "/a", "/b", "/low"])
    }
}
