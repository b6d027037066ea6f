import ClientSupport
import HTTPClient
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct LifetimeTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test func `dropping the client closes its idle connections`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        do {
            let client = HTTPClient()
            _ = try await client.send(HTTPRequest(origin.url))
            #expect(DescriptorCount.connected(toPort: origin.port) == 1)
        }
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
    }

    @Test func `an idle connection is closed after its idle timeout`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        var configuration = HTTPClient.Configuration()
        configuration.idleTimeout = .milliseconds(20)
        let client = HTTPClient(configuration)
        _ = try await client.send(HTTPRequest(origin.url))
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
        _ = try await client.send(HTTPRequest(origin.url))
        #expect(origin.connectionCount == 2)
    }

    @Test func `the connection limit is kept, and waiting requests are served`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 3
        let client = HTTPClient(configuration)
        let url = origin.url
        let answers = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<50 {
                group.addTask { try? await client.send(HTTPRequest(url)).text }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: "hello", count: 50))
        #expect(origin.connectionCount <= 3)
    }

    @Test func `waiting for a connection ends at the queue timeout`() async throws {
        let never = Gate()
        defer { never.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(never)])
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        configuration.timeouts.queue = .milliseconds(20)
        let client = HTTPClient(configuration)
        let url = origin.url
        let first = Task { try? await client.send(HTTPRequest(url)) }
        while origin.received().isEmpty { await moment() }
        let error = await failure { try await client.send(HTTPRequest(url)) }
        #expect(error?.kind == .timedOut(.queue))
        first.cancel()
        _ = await first.value
    }

    @Test func `a task on the client's executor can send requests`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let url = origin.url
        let task = Task(executorPreference: client.executor) {
            var text = ""
            for _ in 0..<10 { text += try await client.send(HTTPRequest(url)).text }
            return text
        }
        #expect(try await task.value == String(repeating: "hello", count: 10))
        #expect(origin.connectionCount == 1)
    }

    @MainActor @Test func `a call from the main actor returns to it`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let response = try await HTTPClient().send(HTTPRequest(origin.url))
        MainActor.assertIsolated()
        #expect(response.text == "hello")
    }

    @Test func `dropping the client ends its thread`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        weak var executor: AnyObject?
        do {
            let client = HTTPClient()
            executor = client.executor as AnyObject
            _ = try await client.send(HTTPRequest(origin.url))
            #expect(executor != nil)
        }
        // The thread holds the executor for as long as it runs.
        while executor != nil { await moment() }
    }

    @Test func `an unused client leaves no executor behind`() {
        weak var executor: AnyObject?
        do {
            let client = HTTPClient()
            executor = client.executor as AnyObject
        }
        #expect(executor == nil)
    }
}
