import Dispatch
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(2))) struct BlockingTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test func `a blocking call uses the thread it is made on and keeps its connection`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let url = origin.url
        let texts = await onThread {
            (0..<3).map { _ in try? HTTPRequest(url).runSync(in: client).text }
        }
        #expect(texts == ["hello", "hello", "hello"])
        #expect(origin.connectionCount == 1)
    }

    @Test func `blocking calls at the same time do not wait for each other`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let url = origin.url
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 {
                group.addTask { await onThread { try? client.sendBlocking(HTTPRequest(url)).text } }
            }
            for await text in group { #expect(text == "hello") }
        }
    }

    @Test func `a blocking call fails with the same errors`() async throws {
        let port = try DeadPorts.refusing()
        let kind = await onThread { () -> HTTPError.Kind? in
            do throws(HTTPError) {
                _ = try HTTPClient().sendBlocking(HTTPRequest("http://127.0.0.1:\(port)/"))
                return nil
            } catch {
                return error.kind
            }
        }
        guard case .connectFailed = kind else {
            Issue.record("got \(String(describing: kind))")
            return
        }
    }

    @Test func `a blocking call inside a task is refused`() async {
        let error = await failure {
            try blocking(HTTPRequest("http://127.0.0.1:1/"))
        }
        #expect(error?.kind == .invalidRequest(.blockingInsideTask))
    }

    private func blocking(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        try HTTPClient().sendBlocking(request)
    }

    @Test func `many threads share a client, and each answer reaches who asked`() async throws {
        let server = try await HTTPTestServer.start { request in .text(request.target) }
        let client = HTTPClient()
        let url = server.url
        let wrong = await withTaskGroup(of: Int.self) { group in
            for thread in 0..<16 {
                group.addTask {
                    await onThread {
                        (0..<20).count { round in
                            let path = "/\(thread)/\(round)"
                            return (try? HTTPRequest(url + path).runSync(in: client).text) != path
                        }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
        // One connection for each thread that was at work at the same time.
        #expect(server.connectionCount <= 16)
    }

    @Test func `a blocking call works on the main queue`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let url = origin.url
        let text = await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                continuation.resume(returning: try? HTTPRequest(url).runSync(in: HTTPClient()).text)
            }
        }
        #expect(text == "hello")
    }

    @Test func `a blocking call needs no thread that tasks share`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let url = origin.url
        let begun = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        // More than there are threads: whoever has one holds it until the call is over.
        let blockers = (0..<64).map { _ in
            Task { @concurrent in Self.hold(begun, done) }
        }
        let text = await withCheckedContinuation { continuation in
            DispatchQueue(label: "caller").async {
                begun.wait()
                let text = try? HTTPRequest(url).runSync(in: HTTPClient()).text
                for _ in blockers { done.signal() }
                continuation.resume(returning: text)
            }
        }
        #expect(text == "hello")
        for blocker in blockers { await blocker.value }
    }

    /// Blocks a thread of the pool, which no code should do but a test that wants it to be stuck.
    private static func hold(_ begun: DispatchSemaphore, _ done: DispatchSemaphore) {
        begun.signal()
        done.wait()
    }

    @Test func `time-outs end a blocking call in each phase`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .pause(gate)], [.expectHead, .reply(head), .pause(gate)],
            [.expectHead, .reply(head), .pause(gate)],
        ])
        let client = HTTPClient()
        let url = origin.url
        func kind(_ set: (inout HTTPTimeouts) -> Void) async -> HTTPError.Kind? {
            var request = HTTPRequest(url)
            var timeouts = HTTPTimeouts()
            set(&timeouts)
            request.timeouts = timeouts
            return await onThread { [request] in
                do throws(HTTPError) {
                    _ = try client.sendBlocking(request)
                    return nil
                } catch {
                    return error.kind
                }
            }
        }
        #expect(await kind { $0.responseHead = .milliseconds(30) } == .timedOut(.responseHead))
        #expect(await kind { $0.readIdle = .milliseconds(30) } == .timedOut(.body))
        #expect(await kind { $0.total = .milliseconds(30) } == .timedOut(.total))
    }

    @Test func `a blocking call on the client's own loop is refused`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let kinds = Locked<[HTTPError.Kind?]>([])
        let box = Locked<HTTPClient?>(nil)
        var configuration = HTTPClient.Configuration()
        let url = origin.url
        configuration.idleTimeout = .milliseconds(1)
        // Closing what was idle too long is a timer's business: no task runs there.
        configuration.poolObserver = { event in
            guard case .closed = event.kind, let client = box.withLock({ $0 }) else { return }
            do throws(HTTPError) {
                _ = try client.sendBlocking(HTTPRequest(url))
                kinds.withLock { $0.append(nil) }
            } catch {
                kinds.withLock { $0.append(error.kind) }
            }
        }
        let client = HTTPClient(configuration)
        box.withLock { $0 = client }
        _ = try await client.send(HTTPRequest(url))
        while kinds.withLock({ $0.isEmpty }) { await Task.yield() }
        box.withLock { $0 = nil }
        #expect(kinds.withLock { $0 } == [.invalidRequest(.blockingInsideTask)])
    }

    @Test func `an idle connection of a blocking caller is too old after its time`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        var configuration = HTTPClient.Configuration()
        configuration.idleTimeout = .nanoseconds(1)
        let client = HTTPClient(configuration)
        let url = origin.url
        let texts = await onThread {
            (0..<2).map { _ in try? client.sendBlocking(HTTPRequest(url)).text }
        }
        #expect(texts == ["hello", "hello"])
        #expect(origin.connectionCount == 2)
    }
}
