import ClientSupport
import Dispatch
import HTTPClient
import Support
import Testing

/// Tests that a call does not use a connection that was closed or received bytes before it began.
@Suite(.timeLimit(.minutes(10))) struct StaleConnectionTests {
    private static let first = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"
    private static let second = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond"
    private static let unsolicitedData = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nunsolicited"

    /// Something that the server does to an idle connection.
    struct IdleEvent: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [OriginStep]
    }

    static let idleEvents = [
        IdleEvent(testDescription: "a second response", steps: [.reply(unsolicitedData)]),
        IdleEvent(testDescription: "part of a response", steps: [.reply("HTTP/1.1 200 ")]),
        IdleEvent(testDescription: "the end of the stream", steps: [.closeWrite]),
    ]

    @Test(arguments: idleEvents) func `a blocking call does not use a stale connection`(
        event: IdleEvent
    ) async throws {
        let (idle, done) = (Gate(), Gate())
        defer { done.open() }
        let origin = try ScriptedOrigin(perConnection: [
            OriginScript(
                [.expectHead, .reply(Self.first), .pause(idle)] + event.steps + [.pause(done)]
            ),
            [.expectHead, .reply(Self.second)],
        ])
        let client = HTTPClient()
        let request = HTTPRequest(origin.url, method: .post)
        let before = await onThread { try? client.blocking.send(request).text }
        await idle.arrival()
        idle.open()
        await done.arrival()
        let after = await onThread {
            Result { () throws(HTTPError) in try client.blocking.send(request).text }
        }
        #expect(before == "first")
        #expect(try after.get() == "second")
        #expect(origin.text(on: 0).split(separator: "POST").count == 1)
    }

    @Test func `a call that waited for a connection does not use a stale one`() async throws {
        let (answer, idle, done) = (Gate(), Gate(), Gate())
        defer { done.open() }
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHead, .pause(answer), .reply(Self.first), .pause(idle),
                .reply(Self.unsolicitedData), .pause(done),
            ],
            [.expectHead, .reply(Self.second)],
        ])
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        let client = HTTPClient(configuration)
        let request = HTTPRequest(origin.url)
        let happened = DispatchSemaphore(value: 0)
        // Blocks the loop from the end of this call until the next one may begin.
        let first = Task(executorPreference: client.executor) {
            let text = try await client.send(request).text
            idle.open()
            wait(for: happened)
            return text
        }
        await answer.arrival()
        let second = Task { try await client.send(request).text }
        while await client.pool.snapshot().waiting == 0 { await moment() }
        answer.open()
        await done.arrival()
        happened.signal()
        #expect(try await first.value == "first")
        #expect(try await second.value == "second")
    }
}

/// Blocks the thread; an async function cannot call `wait` itself.
private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
