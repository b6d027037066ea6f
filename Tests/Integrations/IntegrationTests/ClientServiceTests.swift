import HTTPClient
import HTTPTestServer
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct ClientServiceTests {
    @Test func `a shutdown waits for running calls and closes idle connections`() async throws {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let (answers, answer) = AsyncStream<Void>.makeStream()
        let server = try await HTTPTestServer.start { request in
            if request.path == "/slow" {
                arrived.yield()
                for await _ in answers { break }
            }
            return .text("hello")
        }
        let client = HTTPClient()
        _ = try await client.send(HTTPRequest(server.url))
        #expect(await client.pool.snapshot().idle == 1)
        try await testGracefulShutdown { trigger in
            async let ran: Void = HTTPClientService(client).run()
            async let slow = client.send(HTTPRequest(server.url + "/slow"))
            for await _ in arrivals { break }
            trigger.triggerGracefulShutdown()
            answer.yield()
            let text = try await slow.text
            #expect(text == "hello")
            await ran
        }
        let snapshot = await client.pool.snapshot()
        #expect(snapshot.idle == 0 && snapshot.busy == 0)
    }

    @Test func `a shutdown waits for calls that wait for a connection`() async throws {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let (answers, answer) = AsyncStream<Void>.makeStream()
        let server = try await HTTPTestServer.start { _ in
            arrived.yield()
            for await _ in answers { break }
            return .text("hello")
        }
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        let client = HTTPClient(configuration)
        let url = server.url
        await testGracefulShutdown { trigger in
            let calls = (0..<3).map { _ in Task { try? await client.send(HTTPRequest(url)).text } }
            for await _ in arrivals { break }
            while await client.pool.snapshot().waiting < 2 { await Task.yield() }
            let service = Task { await HTTPClientService(client).run() }
            trigger.triggerGracefulShutdown()
            for _ in calls { answer.yield() }
            await service.value
            // The calls have ended when the service returns, although the test has not awaited them.
            let snapshot = await client.pool.snapshot()
            #expect(snapshot.busy == 0 && snapshot.waiting == 0)
            #expect(server.requests.count == 3)
            for call in calls { #expect(await call.value == "hello") }
        }
    }

    @Test func `cancellation ends the service`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/": .text("hello")])
        let client = HTTPClient()
        _ = try await client.send(HTTPRequest(server.url))
        let service = Task { await HTTPClientService(client).run() }
        service.cancel()
        await service.value
        #expect(try await client.send(HTTPRequest(server.url)).text == "hello")
    }
}
