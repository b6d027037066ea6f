import HTTPClient
import Support
import Testing

/// The bounds of a call end its waiting for a turn.
@Suite(.timeLimit(.minutes(1))) struct QueueBoundTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    /// A way to make a call.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (HTTPClient, HTTPRequest) async throws -> Void

        init(
            _ name: String,
            _ make: @escaping @Sendable (HTTPClient, HTTPRequest) async throws -> Void
        ) {
            testDescription = name
            self.make = make
        }
    }

    private static let ways: [Way] = [
        Way("send") { _ = try await $0.send($1) },
        Way("send from the client's executor") { client, request in
            try await Task(executorPreference: client.executor) {
                _ = try await client.send(request)
            }
            .value
        },
        Way("stream") { _ = try await $0.stream($1) },
        Way("stream with progress") { _ = try await $0.stream($1) { _ in } },
        Way("run") { _ = try await $0.run($1).value },
        Way("download") { client, request in
            let folder = try TemporaryFolder()
            _ = try await client.download(request, to: folder.path + "/file")
        },
        Way("sendBlocking") { client, request in
            let result = await onThread { Result { try client.sendBlocking(request) } }
            _ = try result.get()
        },
    ]

    @Test(arguments: ways, [QueueHold.suspended, .full])
    func `the bound of waiting and that of the call end it`(way: Way, hold: QueueHold) async throws
    {
        let gate = Gate()
        defer { gate.open() }
        let script: OriginScript = [.expectHead, .pause(gate), .reply(Self.hello)]
        let origin = try ScriptedOrigin(script)
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let client = HTTPClient().with { $0.queue = queue }
        let url = origin.url
        var first: Task<String, any Error>?
        if hold == .suspended {
            queue.suspend()
        } else {
            first = Task { try await client.send(HTTPRequest(url)).text }
            await gate.arrival()
        }
        var request = HTTPRequest(url)
        var timeouts = HTTPTimeouts()
        timeouts.queue = .milliseconds(20)
        request.timeouts = timeouts
        let waited = await failure { try await way.make(client, request) }
        #expect(waited?.kind == .timedOut(.queue))
        #expect(waited?.phase == .queue)
        #expect(waited?.isRetrySafe == true)
        timeouts.queue = nil
        timeouts.total = .milliseconds(20)
        request.timeouts = timeouts
        let over = await failure { try await way.make(client, request) }
        #expect(over?.kind == .timedOut(.total))
        #expect(over?.phase == .queue)
        #expect(over?.description.contains("the turn in the client's queue had not come") == true)
        #expect(queue.waitingCount == 0)
        #expect(origin.connectionCount == (hold == .full ? 1 : 0))
        // Whoever gave up is in nobody's way.
        gate.open()
        queue.resume()
        #expect(try await first?.value ?? "hello" == "hello")
        let server = try ScriptedOrigin(.always(Self.hello))
        #expect(try await client.send(HTTPRequest(server.url)).text == "hello")
    }

    @Test func `a turn that comes in time is taken, and its timer harms nobody`() async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let queue = HTTPClientQueue()
        queue.suspend()
        let client = HTTPClient().with { $0.queue = queue }
        let call = HTTPRequest(origin.url).run(in: client)
        while queue.waitingCount == 0 { await Task.yield() }
        queue.resume()
        #expect(try await call.value.text == "hello")
        #expect(queue.runningCount == 0)
    }
}

/// Says why nobody's turn comes.
enum QueueHold: Sendable {
    case suspended
    case full
}
