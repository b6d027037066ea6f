import HTTPClient
import HTTPTestServer
import OpenCombine
import Synchronization
import Testing

private struct User: Decodable, Sendable, Equatable {
    var name: String
}

@Suite(.timeLimit(.minutes(10))) struct PublisherTests {
    private let client = HTTPClient()

    private func server() async throws -> HTTPTestServer {
        try await HTTPTestServer.start(routes: [
            "/ada": .json(#"{"name": "Ada"}"#), "/stall": .stall, "/text": .text("hello"),
        ])
    }

    @Test func `each subscriber starts its own call when it requests a value`() async throws {
        let server = try await server()
        let publisher = HTTPRequest(server.url + "/text").publisher(in: client)
        let first = Recorder<HTTPResponse>(first: 0)
        let second = Recorder<HTTPResponse>(first: 5)
        publisher.subscribe(first)
        publisher.subscribe(second)
        #expect(await second.end() == nil)
        #expect(second.values.map(\.text) == ["hello"])
        #expect(server.requests.count == 1 && first.notes.isEmpty)
        first.request(1)
        #expect(await first.end() == nil)
        #expect(first.values.map(\.text) == ["hello"])
        #expect(server.requests.count == 2)
        // Requests after the end have no effect.
        first.request(1)
        first.cancel()
        #expect(first.notes.count == 2 && server.requests.count == 2)
    }

    @Test func `operators apply to the value of an endpoint`() async throws {
        let server = try await server()
        let endpoint = HTTPEndpoint(HTTPRequest(server.url + "/ada"), .json(User.self))
        let names = Recorder<String>(first: 1)
        endpoint.publisher(in: client).map(\.name).subscribe(names)
        #expect(await names.end() == nil)
        #expect(names.values == ["Ada"])
    }

    @Test func `a failed call ends its publishers with an HTTPError`() async throws {
        let server = try await server()
        let rejected = Recorder<User>(first: 1)
        HTTPEndpoint(HTTPRequest(server.url + "/none"), .json(User.self)).publisher(in: client)
            .subscribe(rejected)
        #expect(await rejected.end()?.kind == .rejectedStatus(.notFound))
        let broken = Recorder<HTTPResponse>(first: 1)
        HTTPRequest("ftp://localhost/").publisher(in: client).subscribe(broken)
        #expect(await broken.end()?.kind == .invalidRequest(.unsupportedScheme("ftp")))
        let events = Recorder<HTTPCall<HTTPResponse>.Event>(first: 1)
        HTTPRequest("ftp://localhost/").eventPublisher(in: client).subscribe(events)
        #expect(await events.end()?.blame == .caller)
        // The final progress is published in any case.
        #expect(events.values.count == 1)
        guard case .progress(let last)? = events.values.first else {
            Issue.record("the final progress is missing")
            return
        }
        #expect(last.isFinal && last.completed == 0)
    }

    @Test func `canceling a subscription cancels the call it started`() async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let server = try await HTTPTestServer.start { _ in
            arrival.yield()
            return .stall
        }
        let request = HTTPRequest(server.url)
        let made = Mutex<HTTPCall<HTTPResponse>?>(nil)
        let client = client
        let recorder = Recorder<HTTPResponse>(first: 1)
        HTTPPublisher {
            let call = client.start(request)
            made.withLock { $0 = call }
            return call
        }
        .subscribe(recorder)
        var iterator = arrivals.makeAsyncIterator()
        _ = await iterator.next()
        recorder.cancel()
        recorder.cancel()
        let call = try #require(made.withLock { $0 })
        #expect(await call.result.failure?.isCancellation == true)
        #expect(call.state == .cancelled)
        #expect(recorder.notes.isEmpty)
    }

    @Test func `a subscription canceled before its first demand starts no call`() async throws {
        let server = try await server()
        let recorder = Recorder<HTTPResponse>(first: 0)
        HTTPRequest(server.url).publisher(in: client).subscribe(recorder)
        recorder.cancel()
        recorder.request(1)
        #expect(server.requests.isEmpty && recorder.notes.isEmpty)
    }

    @Test func `a subscriber is released when it ends or cancels`() async throws {
        let server = try await server()
        weak var ended: Recorder<HTTPResponse>?
        weak var cancelled: Recorder<HTTPResponse>?
        do {
            let recorder = Recorder<HTTPResponse>(first: 1)
            HTTPRequest(server.url + "/text").publisher(in: client).subscribe(recorder)
            _ = await recorder.end()
            ended = recorder
            let other = Recorder<HTTPResponse>(first: 1)
            HTTPRequest(server.url + "/stall").publisher(in: client).subscribe(other)
            other.cancel()
            cancelled = other
        }
        // A thread that is about to return may hold the last reference.
        while ended != nil || cancelled != nil { await Task.yield() }
    }

    @Test func `events are published on demand, the result last`() async throws {
        let server = try await server()
        let events = Recorder<HTTPCall<User>.Event>(first: 1, afterEach: 1)
        HTTPEndpoint(HTTPRequest(server.url + "/ada"), .json(User.self))
            .eventPublisher(in: client).subscribe(events)
        #expect(await events.end() == nil)
        guard case .result(.success(User(name: "Ada"))) = events.values.last else {
            Issue.record("got \(events.values)")
            return
        }
        let names = events.values.compactMap { event -> String? in
            switch event {
            case .running: "running"
            case .informational: "interim"
            case .head(let head): "head \(head.status.code)"
            case .progress(let progress): progress.isFinal ? "last" : nil
            case .response: "response"
            case .result: "result"
            }
        }
        #expect(names == ["running", "head 200", "last", "response", "result"])
    }

    @Test func `a slow subscriber misses only outdated progress`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .stream { writer in
                for _ in 0..<64 { try await writer.write([UInt8](repeating: 1, count: 100_000)) }
            }
        }
        let call = HTTPRequest(server.url).start(in: client)
        let slow = Recorder<HTTPCall<HTTPResponse>.Event>(first: 0)
        call.eventPublisher().subscribe(slow)
        slow.request(1)
        #expect(try await call.value.body.count == 6_400_000)
        slow.request(10)
        #expect(await slow.end() == nil)
        #expect(slow.values.count <= 5)
        let finals = slow.values.filter {
            if case .progress(let progress) = $0 { progress.isFinal } else { false }
        }
        #expect(finals.count == 1)
        let progress = Recorder<HTTPProgress>(first: .max)
        call.eventPublisher().progress.subscribe(progress)
        #expect(await progress.end() == nil)
        #expect(progress.values.map(\.completed) == [6_400_000])
    }

    @Test func `canceling an event subscription does not cancel the call`() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let server = try await HTTPTestServer.start { _ in
            for await _ in gate { break }
            return .text("hello")
        }
        let call = HTTPRequest(server.url).start(in: client)
        let recorder = Recorder<HTTPCall<HTTPResponse>.Event>(first: .max)
        call.eventPublisher().subscribe(recorder)
        recorder.cancel()
        open.yield()
        #expect(try await call.value.text == "hello")
        // Only the event that was being delivered may have arrived.
        #expect(recorder.values.allSatisfy { if case .running = $0 { true } else { false } })
        #expect(recorder.notes.count == recorder.values.count)
    }

    @Test @MainActor func `a closure created on the main actor runs there`() async throws {
        let server = try await server()
        let (ends, end) = AsyncStream<Void>.makeStream()
        var received: [String] = []
        // These closures are isolated to the main actor and would trap on another thread.
        let value = HTTPRequest(server.url + "/text").publisher(in: client).map(\.text).sink(
            receiveCompletion: { _ in end.yield() },
            receiveValue: { received.append($0) }
        )
        let events = HTTPRequest(server.url + "/text").eventPublisher(in: client).sink(
            receiveCompletion: { _ in end.yield() },
            receiveValue: {
                if case .response(let response) = $0 { received.append(response.text) }
            }
        )
        let call = HTTPRequest(server.url + "/text").start(in: client)
        let progressSubscription = call.eventPublisher().progress.sink(
            receiveCompletion: { _ in end.yield() },
            receiveValue: { if $0.isFinal { received.append("\($0.completed)") } }
        )
        var left = 3
        for await _ in ends {
            left -= 1
            if left == 0 { break }
        }
        #expect(received.sorted() == ["5", "hello", "hello"])
        withExtendedLifetime((value, events, progressSubscription)) {}
    }

    @Test func `releasing a sink cancels its call`() async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let server = try await HTTPTestServer.start { _ in
            arrival.yield()
            return .stall
        }
        let made = Mutex<HTTPCall<HTTPResponse>?>(nil)
        let (client, request) = (client, HTTPRequest(server.url))
        do {
            let sink = HTTPPublisher {
                let call = client.start(request)
                made.withLock { $0 = call }
                return call
            }
            .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
            var iterator = arrivals.makeAsyncIterator()
            _ = await iterator.next()
            _ = sink
        }
        let call = try #require(made.withLock { $0 })
        #expect(await call.result.failure?.isCancellation == true)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
