import ClientSupport
import Dispatch
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct BlockingTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test func `a blocking call runs on its own thread and keeps its connection`()
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

    @Test func `simultaneous blocking calls do not wait for each other`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let url = origin.url
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await onThread { try? client.blocking.send(HTTPRequest(url)).text }
                }
            }
            for await text in group { #expect(text == "hello") }
        }
    }

    @Test func `a blocking call throws the same errors`() async throws {
        let port = try UnreachablePorts.refusing()
        let kind = await onThread { () -> HTTPError.Kind? in
            do throws(HTTPError) {
                _ = try HTTPClient().blocking.send(HTTPRequest("http://127.0.0.1:\(port)/"))
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

    /// A way to make a blocking call.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Makes the call and returns the text of the response.
        let make: @Sendable (HTTPClient, HTTPRequest) throws -> String

        init(
            _ name: String,
            _ make: @escaping @Sendable (HTTPClient, HTTPRequest) throws -> String
        ) {
            testDescription = name
            self.make = make
        }
    }

    private static let ways: [Way] = [
        Way("send") { try $0.blocking.send($1).text },
        Way("fetch of an endpoint") { try $0.blocking.fetch(HTTPEndpoint($1, .text)) },
        Way("runSync") { try $1.runSync(in: $0).text },
        Way("fetch of a parser") { try $0.blocking.fetch($1.returning(.text)) },
        Way("fetch of a type") { try $0.blocking.fetch(String.self, from: $1) },
        Way("stream") {
            let bytes = try $0.blocking.stream($1).blocking.collect()
            return String(decoding: bytes, as: UTF8.self)
        },
        Way("download") { client, request in
            let directory = try TemporaryDirectory()
            let file = try client.blocking.download(request, to: directory.path + "/file")
            return String(decoding: TestFileSystem.contents(of: file.path) ?? [], as: UTF8.self)
        },
        Way("stream to a file") { client, request in
            let directory = try TemporaryDirectory()
            let file = try client.blocking.stream(request).blocking.write(
                to: directory.path + "/file"
            )
            return String(decoding: TestFileSystem.contents(of: file.path) ?? [], as: UTF8.self)
        },
    ]

    @Test(arguments: ways)
    func `every blocking method returns the response, repeatedly and through a queue`(
        way: Way
    ) async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient().with {
            $0.queue = HTTPClientQueue(maxSimultaneousRequests: 1, waitLimit: .seconds(30))
        }
        let url = origin.url
        let texts = await onThread {
            (0..<3).map { _ in try? way.make(client, HTTPRequest(url)) }
        }
        #expect(texts == ["hello", "hello", "hello"])
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: ways) func `every blocking method throws inside a task and sends nothing`(
        way: Way
    ) async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let error = await failure { try way.make(HTTPClient(), HTTPRequest(origin.url)) }
        #expect(error?.kind == .invalidRequest(.blockingInsideTask))
        #expect(error?.request == "GET \(origin.url)")
        #expect(origin.connectionCount == 0)
    }

    @Test func `a blocking download resumes an earlier one`() async throws {
        let cut = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhel"
        let rest =
            "HTTP/1.1 206 Partial Content\r\nContent-Length: 2\r\nContent-Range: bytes 3-4/5\r\n"
            + "ETag: \"a\"\r\n\r\nlo"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(cut), .close],
            [.expectHead(lines: "Range: bytes=3-"), .reply(rest)],
        ])
        let directory = try TemporaryDirectory()
        let (client, url, path) = (HTTPClient(), origin.url, directory.path + "/file")
        let outcome = await onThread { () -> Result<HTTPDownloadedFile, HTTPError> in
            do throws(HTTPError) {
                return .success(try client.blocking.download(HTTPRequest(url), to: path))
            } catch {
                guard let data = error.resumeData else { return .failure(error) }
                return Result { () throws(HTTPError) in
                    try client.blocking.download(url, to: path, options: .resuming(data))
                }
            }
        }
        let file = try outcome.get()
        #expect(file.resumedOffset == 3 && file.size == 5)
        #expect(TestFileSystem.contents(of: path) == Array("hello".utf8))
        #expect(origin.failures == [])
    }

    @Test func `many threads share a client, and each receives its own response`() async throws {
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
        // At most one connection for each thread that ran at the same time.
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

    @Test(arguments: ["send", "stream", "download"])
    func `a blocking call completes while all shared task threads are occupied`(
        name: String
    ) async throws {
        let way = try #require(Self.ways.first { $0.testDescription == name })
        let origin = try ScriptedOrigin(.always(hello))
        let url = origin.url
        let begun = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        // More blockers than threads: each holds its thread until the call has ended.
        let blockers = (0..<64).map { _ in
            Task { @concurrent in Self.hold(begun, done) }
        }
        let text = await withCheckedContinuation { continuation in
            DispatchQueue(label: "caller").async {
                begun.wait()
                let text = try? way.make(HTTPClient(), HTTPRequest(url))
                for _ in blockers { done.signal() }
                continuation.resume(returning: text)
            }
        }
        #expect(text == "hello")
        for blocker in blockers { await blocker.value }
    }

    /// Blocks a thread of the task pool on purpose.
    private static func hold(_ begun: DispatchSemaphore, _ done: DispatchSemaphore) {
        begun.signal()
        done.wait()
    }

    @Test func `timeouts end a blocking call in each phase`() async throws {
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
                    _ = try client.blocking.send(request)
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

    @Test func `a blocking call on the client's own loop is rejected`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let kinds = Locked<[HTTPError.Kind?]>([])
        let box = Locked<HTTPClient?>(nil)
        var configuration = HTTPClient.Configuration()
        let url = origin.url
        configuration.idleTimeout = .milliseconds(1)
        // A timer of the loop closes connections that were idle too long, so no task runs there.
        configuration.poolObserver = { event in
            guard case .closed = event.kind, let client = box.withLock({ $0 }) else { return }
            do throws(HTTPError) {
                _ = try client.blocking.send(HTTPRequest(url))
                kinds.withLock { $0.append(nil) }
            } catch {
                kinds.withLock { $0.append(error.kind) }
            }
        }
        let client = HTTPClient(configuration)
        box.withLock { $0 = client }
        _ = try await client.send(HTTPRequest(url))
        while kinds.withLock({ $0.isEmpty }) { await moment() }
        box.withLock { $0 = nil }
        #expect(kinds.withLock { $0 } == [.invalidRequest(.blockingInsideTask)])
    }

    @Test func `a connection ages while the machine sleeps`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let url = origin.url
        let counts = await onThread {
            defer { SimulatedTime.sleep = 0 }
            return [Int64(0), 0, 3_600, 3_600].map { seconds in
                SimulatedTime.sleep = seconds * 1_000_000_000
                _ = try? client.blocking.send(HTTPRequest(url))
                return origin.connectionCount
            }
        }
        #expect(counts == [1, 1, 2, 2])
    }

    @Test func `no time limit counts the sleep of the machine`() async throws {
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
        let origin = try ScriptedOrigin([.expectHead, .reply(head), .pause(gate), .reply("world")])
        let client = HTTPClient()
        var request = HTTPRequest(origin.url)
        request.timeouts = HTTPTimeouts(total: .seconds(600))
        request.timeouts?.readIdle = .seconds(600)
        let sent = request
        let body = try await onThread {
            Result {
                defer { SimulatedTime.sleep = 0 }
                let parts = try client.blocking.stream(sent).body.blocking
                var body = try parts.next() ?? []
                SimulatedTime.sleep = 3_600_000_000_000
                gate.open()
                while let part = try parts.next() { body += part }
                return body
            }
        }.get()
        #expect(body == Array("helloworld".utf8))
    }

    @Test func `the connections of threads that have ended are closed`() async throws {
        let arrivals = Atomic<Int>(0)
        let server = try await HTTPTestServer.start { _ in
            arrivals.add(1, ordering: .sequentiallyConsistent)
            while arrivals.load(ordering: .sequentiallyConsistent) < 8 { await moment() }
            return .text("hello")
        }
        let closed = Atomic<Int>(0)
        var configuration = HTTPClient.Configuration()
        configuration.idleTimeout = .milliseconds(100)
        configuration.poolObserver = { event in
            if case .closed(.clientClosed) = event.kind {
                closed.add(1, ordering: .sequentiallyConsistent)
            }
        }
        let client = HTTPClient(configuration)
        let request = HTTPRequest(server.url)
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await onThread { try? client.blocking.send(request).text }
                }
            }
            for await text in group { #expect(text == "hello") }
        }
        // No thread polls these loops, so the connections close only when the client drops the loops.
        while closed.load(ordering: .sequentiallyConsistent) < 8 { await moment() }
        #expect(await onThread { try? client.blocking.send(request).text } == "hello")
    }

    @Test func `an expired idle connection is not used by a blocking call`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        var configuration = HTTPClient.Configuration()
        configuration.idleTimeout = .nanoseconds(1)
        let client = HTTPClient(configuration)
        let url = origin.url
        let texts = await onThread {
            (0..<2).map { _ in try? client.blocking.send(HTTPRequest(url)).text }
        }
        #expect(texts == ["hello", "hello"])
        #expect(origin.connectionCount == 2)
    }
}
