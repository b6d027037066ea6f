import ClientSupport
import Dispatch
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite(.timeLimit(.minutes(10))) struct HTTPCallTests {
    private let client = HTTPClient()

    /// A record of the values that observers receive.
    private final class Log<Entry: Sendable>: Sendable {
        private let kept = Locked<[Entry]>([])
        private let (signals, signal) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        var entries: [Entry] { kept.withLock { $0 } }

        func add(_ entry: Entry) {
            kept.withLock { $0.append(entry) }
            signal.yield()
        }

        func reaches(_ count: Int) async {
            await until { $0.count >= count }
        }

        /// Suspends until the condition is true; only one task may wait at a time.
        func until(_ isTrue: ([Entry]) -> Bool) async {
            var signals = signals.makeAsyncIterator()
            while !isTrue(entries) {
                guard await signals.next() != nil else { return }
            }
        }
    }

    @Test func `a call starts automatically and notifies all observers, also late ones`()
        async throws
    {
        let gate = Gate()
        let origin = try ScriptedOrigin([.expectHead, .pause(gate), .reply(hello)])
        let log = Log<String>()
        let call = HTTPRequest(origin.url).start(in: client)
            .onResult { log.add("result \((try? $0.get().text) ?? "")") }
            .onResult { _ in log.add("again") }
            .onResponse { log.add("response \($0.status.code)") }
        // Opened only now, because late observers are notified in another order.
        gate.open()
        #expect(try await call.value.text == "hello")
        await log.reaches(3)
        #expect(Set(log.entries) == ["result hello", "again", "response 200"])
        #expect(log.entries.first == "response 200")
        #expect(call.state == .finished)
        // A late observer is called inline, before the next line runs.
        call.onResponse { log.add("late \($0.text)") }
        #expect(log.entries.last == "late hello")
        call.onResult { _ in log.add("late result") }
        #expect(log.entries.last == "late result")
        #expect(log.entries.count == 5)
        #expect(try await call.result.get().text == "hello")
    }

    @Test func `an endpoint's call gives its value, and the response if decoding fails`()
        async throws
    {
        let server = try await HTTPTestServer.start(routes: ["/n": .text("7")])
        let number = HTTPResponseParser.text.map { text in
            guard let number = Int(text) else { throw CancellationError() }
            return number
        }
        let call = HTTPRequest(server.url + "/n").returning(number).start(in: client)
        #expect(try await call.value == 7)
        let log = Log<HTTPStatus>()
        let missing = HTTPRequest(server.url + "/m").returning(number).start(in: client)
            .onResponse { log.add($0.status) }
        let error = await failure { try await missing.value }
        #expect(error?.kind == .rejectedStatus(.notFound))
        await log.reaches(1)
        #expect(log.entries == [.notFound])
        #expect(missing.state == .finished)
    }

    @Test func `canceling ends the call in every state`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([.expectHead, .pause(gate), .reply(hello)])
        let call = HTTPRequest(origin.url).start(in: client)
        await gate.arrival()
        #expect(call.state == .running)
        call.cancel()
        let error = await failure { try await call.value }
        #expect(error?.isCancellation == true)
        #expect(call.state == .cancelled)
        call.cancel()
        let early = HTTPRequest(origin.url).start(in: client)
        early.cancel()
        #expect(await failure { try await early.value }?.kind == .cancelled)
        gate.open()
        let done = HTTPRequest(try ScriptedOrigin(.always(hello)).url).start(in: client)
        _ = await done.result
        done.cancel()
        #expect(await done.cancelProducingResumeData() == nil)
    }

    @Test func `canceling a waiter does not cancel the call`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([.expectHead, .pause(gate), .reply(hello)])
        let call = HTTPRequest(origin.url).start(in: client)
        let waiting = Task { try await call.value.text }
        await gate.arrival()
        waiting.cancel()
        gate.open()
        #expect(try await waiting.value == "hello")
        #expect(call.state == .finished)
    }

    @Test func `a call that cannot start reports its error`() async throws {
        let call = HTTPRequest("ftp://a/").start(in: client)
        let log = Log<HTTPError?>()
        call.onResult { result in
            if case .failure(let error) = result { log.add(error) }
        }
        let error = await failure { try await call.value }
        #expect(error?.kind == .invalidRequest(.unsupportedScheme("ftp")))
        await log.reaches(1)
        #expect(log.entries.first??.kind == error?.kind)
    }

    @Test func `observers are removed by their token`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([.expectHead, .pause(gate), .reply(hello)])
        let log = Log<Int>()
        let (token, other) = (HTTPObserverToken(), HTTPObserverToken())
        #expect(token != other)
        let call = HTTPRequest(origin.url).start(in: client)
            .onResult(as: token) { _ in log.add(1) }
            .onResponse(as: token) { _ in log.add(2) }
            .onResult(as: other) { _ in log.add(3) }
            .onResult { _ in log.add(4) }
        call.removeObservers(token)
        gate.open()
        _ = try await call.value
        await log.reaches(2)
        #expect(log.entries == [3, 4])
    }

    @Test func `events are a sequence that starts from the beginning for every reader`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let call = HTTPRequest(origin.url).start(in: client)
        func names() async -> [String] {
            var names: [String] = []
            for await event in call.events {
                switch event {
                case .running: names.append("running")
                case .informational: names.append("interim")
                case .head(let head): names.append("head \(head.status.code)")
                case .progress(let progress):
                    names.append(progress.isFinal ? "last \(progress.completed)" : "progress")
                case .response(let response): names.append("response \(response.text)")
                case .result(let result): names.append("result \((try? result.get().text) ?? "")")
                }
            }
            return names.filter { $0 != "progress" }
        }
        async let first = names()
        async let second = names()
        let expected = ["running", "head 200", "last 5", "response hello", "result hello"]
        #expect(await first == expected)
        #expect(await second == expected)
        #expect(await names() == expected)
    }

    @Test func `canceling a reader of events does not cancel the call`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([.expectHead, .pause(gate), .reply(hello)])
        let call = HTTPRequest(origin.url).start(in: client)
        let reader = Task { () -> Int in
            var count = 0
            for await event in call.events {
                switch event {
                case .running, .progress: continue
                default: count += 1
                }
            }
            return count
        }
        await gate.arrival()
        reader.cancel()
        #expect(await reader.value == 0)
        gate.open()
        #expect(try await call.value.text == "hello")
    }

    // MARK: - Executors of observers

    @Test func `observers are called on their executor`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let log = Log<String>()
        let queue = DispatchQueue(label: "observers")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let counter = Counter()
        let loop = client.executor
        let call = HTTPRequest(origin.url).start(in: client)
            .onResult(on: .main) { _ in
                MainActor.assumeIsolated { log.add("main") }
            }
            .onResult(on: HTTPCallbackExecutor { queue.async(execute: $0) }) { _ in
                log.add(DispatchQueue.getSpecific(key: key) == true ? "queue" : "elsewhere")
            }
            .onResult(on: .actor(counter)) { _ in
                counter.assumeIsolated { $0.count += 1 }
                log.add("actor")
            }
            .onResult(on: .executor(loop)) { _ in
                log.add((loop as? EventLoop)?.isCurrent == true ? "executor" : "elsewhere")
            }
            .onResult { _ in
                log.add((loop as? EventLoop)?.isCurrent == true ? "on the loop" : "inline")
            }
        _ = try await call.value
        await log.reaches(5)
        #expect(Set(log.entries) == ["main", "queue", "actor", "executor", "inline"])
        #expect(await counter.count == 1)
    }

    private actor Counter {
        var count = 0
    }

    // MARK: - Progress

    @Test func `download progress is delivered during the download and at its end`() async throws {
        let gate = Gate()
        let half = [UInt8](repeating: 7, count: 100_000)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n"
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head), .reply(half), .pause(gate), .reply(half),
        ])
        let log = Log<HTTPProgress>()
        let call = HTTPRequest(origin.url).start(in: client).onProgress { log.add($0) }
        await log.until { $0.last?.completed == 100_000 }
        gate.open()
        #expect(try await call.value.body.count == 200_000)
        await log.until { $0.last?.isFinal == true }
        let reported = log.entries
        #expect(reported.allSatisfy { $0.direction == .download })
        #expect(reported.allSatisfy { $0.phase != .receiving || $0.total == 200_000 })
        #expect(reported.count { $0.isFinal } == 1)
        #expect(reported.last?.completed == 200_000)
        #expect(reported.last?.fraction == 1)
        #expect(reported.map(\.completed) == reported.map(\.completed).sorted())
        #expect(reported.contains { $0.fraction == 0.5 })
        #expect(reported.allSatisfy { $0.resumedOffset == 0 })
        // A late observer receives only the newest value.
        let late = Log<HTTPProgress>()
        call.onProgress { late.add($0) }
        #expect(late.entries == [reported.last])
    }

    @Test func `upload progress is delivered as the peer reads`() async throws {
        let gate = Gate()
        // More bytes than the socket buffers can hold.
        let size = 32 << 20
        let origin = try ScriptedOrigin([
            .expectHead, .pause(gate), .expect(count: size), .reply(hello),
        ])
        let body = [UInt8](repeating: 1, count: size)
        let log = Log<HTTPProgress>()
        let call = HTTPRequest(origin.url, method: .post, body: .bytes(body)).start(in: client)
            .onProgress { log.add($0) }
        await log.until { $0.contains { $0.completed > 0 } }
        let first = try #require(log.entries.first { $0.completed > 0 })
        #expect(first.direction == .upload)
        #expect(first.completed > 0 && first.completed < size)
        #expect(first.total == size)
        #expect(!first.isFinal)
        gate.open()
        #expect(try await call.value.text == "hello")
        await log.until { $0.last?.direction == .download }
        let uploads = log.entries.filter { $0.direction == .upload }
        #expect(uploads.last?.isFinal == true)
        #expect(uploads.count { $0.isFinal } == 1)
        #expect(uploads.last?.completed == size)
    }

    @Test func `an unknown total is nil, and a failure ends progress`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
            .reset,
        ])
        let log = Log<HTTPProgress>()
        let call = HTTPRequest(origin.url).start(in: client).onProgress { log.add($0) }
        _ = await failure { try await call.value }
        await log.until { $0.last?.isFinal == true }
        #expect(log.entries.last?.total == nil)
        #expect(log.entries.last?.fraction == nil)
        #expect(log.entries.count { $0.isFinal } == 1)
    }

    @Test func `a slow observer gets progress in order, without outdated values`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .bytes([UInt8](repeating: 0, count: 4 << 20))
        }
        let log = Log<HTTPProgress>()
        let hold = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "slow")
        let call = HTTPRequest(server.url).start(in: client)
            .onProgress(on: HTTPCallbackExecutor { queue.async(execute: $0) }) { progress in
                hold.wait()
                log.add(progress)
            }
        _ = try await call.value
        for _ in 0..<1000 { hold.signal() }
        await log.until { $0.last?.isFinal == true }
        #expect(log.entries.count <= 2)
        #expect(log.entries.last?.completed == 4 << 20)
    }
}
