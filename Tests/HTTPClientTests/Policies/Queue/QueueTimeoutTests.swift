import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests that only the queue's wait limit and the total timeout end waiting in the queue.
@Suite(.timeLimit(.minutes(10))) struct QueueTimeoutTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    /// A way to make a call.
    struct CallMethod: Sendable, CustomTestStringConvertible {
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

    private static let callMethods: [CallMethod] = [
        CallMethod("send") { _ = try await $0.send($1) },
        CallMethod("send from the client's executor") { client, request in
            try await Task(executorPreference: client.executor) {
                _ = try await client.send(request)
            }
            .value
        },
        CallMethod("stream") { _ = try await $0.stream($1) },
        CallMethod("stream with progress") {
            _ = try await $0.startStream($1).onProgress { _ in }.value
        },
        CallMethod("start") { _ = try await $0.start($1).value },
        CallMethod("download") { client, request in
            let directory = try TemporaryDirectory()
            _ = try await client.download(request, to: directory.path + "/file")
        },
        CallMethod("blocking send") { client, request in
            let result = await onThread { Result { try client.blocking.send(request) } }
            _ = try result.get()
        },
    ]

    @Test(arguments: callMethods, [QueueHold.suspended, .full])
    func `the wait limit of the queue and the total timeout end waiting`(
        callMethod: CallMethod,
        hold: QueueHold
    ) async throws {
        let gate = Gate()
        defer { gate.open() }
        let script: OriginScript = [.expectHead, .pause(gate), .reply(Self.hello)]
        let origin = try ScriptedOrigin(script)
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1, waitLimit: .milliseconds(20))
        let client = HTTPClient().with { $0.queue = queue }
        let url = origin.url
        var first: Task<String, any Error>?
        if hold == .suspended {
            queue.suspend()
        } else {
            first = Task { try await client.send(HTTPRequest(url)).text }
            await gate.arrival()
        }
        let waited = await failure { try await callMethod.make(client, HTTPRequest(url)) }
        #expect(waited?.kind == .timedOut(.queue))
        #expect(waited?.phase == .queue)
        #expect(waited?.isRetrySafe == true)
        var request = HTTPRequest(url)
        request.timeouts = HTTPTimeouts(total: .milliseconds(1))
        let over = await failure { try await callMethod.make(client, request) }
        #expect(over?.kind == .timedOut(.total))
        #expect(over?.phase == .queue)
        #expect(over?.description.contains("the request was still in the client's queue") == true)
        #expect(queue.waitingCount == 0)
        #expect(origin.connectionCount == (hold == .full ? 1 : 0))
        // Requests that timed out do not block the queue.
        gate.open()
        queue.resume()
        #expect(try await first?.value ?? "hello" == "hello")
        let server = try ScriptedOrigin(.always(Self.hello))
        #expect(try await client.send(HTTPRequest(server.url)).text == "hello")
    }

    @Test func `the timeout for a connection does not limit waiting in the queue`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        #expect(queue.waitLimit == nil)
        queue.suspend()
        let client = HTTPClient().with {
            $0.queue = queue
            $0.timeouts.queue = .zero
        }
        // A second suspended queue, whose wait limit expires in the meantime, serves as a clock.
        let other = HTTPClientQueue(waitLimit: .milliseconds(20))
        other.suspend()
        let clock = client.with { $0.queue = other }
        let calls = (0..<3).map { _ in HTTPRequest(origin.url).start(in: client) }
        while queue.waitingCount < 3 { await moment() }
        let waited = await failure { try await clock.send(HTTPRequest(origin.url)) }
        #expect(waited?.kind == .timedOut(.queue))
        #expect(queue.waitingCount == 3)
        queue.resume()
        for call in calls { #expect(try await call.value.text == "hello") }
    }

    @Test func `a wait limit of zero admits only requests that need not wait`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(gate), .reply(Self.hello)])
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1, waitLimit: .zero)
        let client = HTTPClient().with { $0.queue = queue }
        let first = HTTPRequest(origin.url).start(in: client)
        await gate.arrival()
        let error = await failure { try await client.send(HTTPRequest(origin.url)) }
        #expect(error?.kind == .timedOut(.queue))
        gate.open()
        #expect(try await first.value.text == "hello")
    }

    @Test func `a request admitted in time is unaffected by its timer`() async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let queue = HTTPClientQueue()
        queue.suspend()
        let client = HTTPClient().with { $0.queue = queue }
        let call = HTTPRequest(origin.url).start(in: client)
        while queue.waitingCount == 0 { await moment() }
        queue.resume()
        #expect(try await call.value.text == "hello")
        #expect(queue.runningCount == 0)
    }
}

/// The reason that no request is admitted.
enum QueueHold: Sendable {
    case suspended
    case full
}
