import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite(.timeLimit(.minutes(10))) struct HTTPClientQueueTests {
    /// Suspends until the condition is true.
    private func until(_ isTrue: () -> Bool) async {
        while !isTrue() { await moment() }
    }

    @Test func `the limit of simultaneous requests is kept, and raising it admits more`()
        async throws
    {
        let gate = Gate()
        let origin = try ScriptedOrigin([.forever([.expectHead, .pause(gate), .reply(hello)])])
        let queue = HTTPClientQueue(maxSimultaneousRequests: 2)
        let client = HTTPClient().with { $0.queue = queue }
        let calls = (0..<5).map { _ in HTTPRequest(origin.url).start(in: client) }
        await until { queue.runningCount == 2 && queue.waitingCount == 3 }
        await until { origin.connectionCount == 2 }
        #expect(calls.count { $0.state == .running } == 2)
        #expect(calls.count { $0.state == .waiting } == 3)
        queue.maxSimultaneousRequests = 4
        #expect(queue.runningCount == 4)
        #expect(queue.waitingCount == 1)
        gate.open()
        for call in calls { #expect(try await call.value.text == "hello") }
        await until { queue.runningCount == 0 }
        #expect(queue.waitingCount == 0)
    }

    @Test func `higher priority requests go first`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("") }
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let client = HTTPClient().with { $0.queue = queue }
        queue.suspend()
        let priorities: [HTTPPriority] = [.normal, .low, .high, .normal, .high]
        var calls: [HTTPCall<HTTPResponse>] = []
        for (index, priority) in priorities.enumerated() {
            var request = HTTPRequest(server.url + "/\(index)")
            request.priority = priority
            calls.append(client.start(request))
            await until { queue.waitingCount == index + 1 }
        }
        #expect(queue.isSuspended)
        #expect(server.requests.isEmpty)
        queue.resume()
        for call in calls { _ = try await call.value }
        #expect(server.requests.map(\.path) == ["/2", "/4", "/0", "/3", "/1"])
    }

    @Test func `canceling all ends waiting and running requests`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([.forever([.expectHead, .pause(gate), .reply(hello)])])
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let client = HTTPClient().with { $0.queue = queue }
        let running = HTTPRequest(origin.url).start(in: client)
        await gate.arrival()
        let waiting = HTTPRequest(origin.url).start(in: client)
        await until { queue.waitingCount == 1 }
        queue.cancelAll()
        for call in [running, waiting] {
            let error = await failure { try await call.value }
            #expect(error?.kind == .cancelled)
            #expect(call.state == .cancelled)
        }
        #expect(origin.connectionCount == 1)
        await until { queue.runningCount == 0 }
        gate.open()
        let server = try await HTTPTestServer.start { _ in .text("later") }
        #expect(try await HTTPRequest(server.url).send(in: client).text == "later")
    }

    @Test func `a request canceled while waiting sends nothing`() async throws {
        let queue = HTTPClientQueue()
        queue.suspend()
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient().with { $0.queue = queue }
        let call = HTTPRequest(origin.url).start(in: client)
        await until { queue.waitingCount == 1 }
        call.cancel()
        let error = await failure { try await call.value }
        #expect(error?.kind == .cancelled)
        #expect(error?.phase == .queue)
        #expect(error?.isRetrySafe == true)
        #expect(queue.waitingCount == 0)
        #expect(origin.connectionCount == 0)
        let task = Task { try await client.send(HTTPRequest(origin.url)) }
        task.cancel()
        let cancelled = await failure { try await task.value }
        #expect(cancelled?.kind == .cancelled)
    }

    @Test func `a streamed response occupies the queue until its body is read or dropped`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let client = HTTPClient().with { $0.queue = queue }
        let read = try await client.stream(HTTPRequest(origin.url))
        #expect(queue.runningCount == 1)
        #expect(try await read.body.collect() == Array("hello".utf8))
        #expect(queue.runningCount == 0)
        do {
            let dropped = try await client.stream(HTTPRequest(origin.url))
            #expect(dropped.status == .ok)
            #expect(queue.runningCount == 1)
        }
        #expect(queue.runningCount == 0)
        let port = try UnreachablePorts.refusing()
        _ = await failure { try await client.stream(HTTPRequest("http://127.0.0.1:\(port)/")) }
        #expect(queue.runningCount == 0)
    }

    @Test func `blocking calls and tasks on the client's executor wait in the queue`() async throws
    {
        let gate = Gate()
        let origin = try ScriptedOrigin([.forever([.expectHead, .pause(gate), .reply(hello)])])
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let client = HTTPClient().with { $0.queue = queue }
        let first = HTTPRequest(origin.url).start(in: client)
        await gate.arrival()
        let url = origin.url
        async let blocking = onThread { try? client.blocking.send(HTTPRequest(url)).text }
        await until { queue.waitingCount == 1 }
        let task = Task(executorPreference: client.executor) {
            try await client.send(HTTPRequest(url)).text
        }
        await until { queue.waitingCount == 2 }
        gate.open()
        #expect(try await first.value.text == "hello")
        #expect(await blocking == "hello")
        #expect(try await task.value == "hello")
        #expect(queue.runningCount == 0)
    }
}
