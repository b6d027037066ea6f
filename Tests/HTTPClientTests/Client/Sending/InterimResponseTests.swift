import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing

/// Records texts in order, from any thread.
private final class Notes: Sendable {
    private let list = Locked<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func add(_ text: String) { list.withLock { $0.append(text) } }

    /// Waits until there are this many texts.
    func reach(_ count: Int) async {
        while all.count < count { await moment() }
    }
}

/// An observer that notes the steps which concern responses.
private struct NotingObserver: HTTPObserver {
    let notes: Notes
    var during: @Sendable (ResponseHead) -> Void = { _ in }

    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        switch step {
        case .informational(let head):
            during(head)
            notes.add("interim \(head.status.code)")
        case .received(let response): notes.add("received \(response.status.code)")
        case .failed: notes.add("failed")
        case .ended(.success): notes.add("ended")
        case .ended(.failure): notes.add("ended with an error")
        default: break
        }
    }
}

private struct PassThroughInterceptor: HTTPInterceptor {
    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult { try await next(request) }
}

/// Tests that 1xx responses are reported when they arrive (RFC 9110 §15.2).
@Suite(.timeLimit(.minutes(10))) struct InterimResponseTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    private static let hints =
        "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload, </b.js>; rel=preload\r\n\r\n"
    private static let processing = "HTTP/1.1 102 Processing\r\n\r\n"

    enum Way: Sendable, CaseIterable {
        case send
        case stream
        case blocking
        case blockingStream
        case started
        case startedStream
        case download
        case onTheLoop
        case dedicated
        case dedicatedStream
        case upgrade

        /// Runs the request and returns the status of its final response.
        func run(_ request: HTTPRequest, in client: HTTPClient) async throws -> Int {
            switch self {
            case .send: return try await client.send(request).status.code
            case .stream: return try await client.stream(request).status.code
            case .blocking:
                return try await onThread {
                    Result { try client.blocking.send(request).status.code }
                }.get()
            case .blockingStream:
                return try await onThread {
                    Result { try client.blocking.stream(request).status.code }
                }.get()
            case .started: return try await client.start(request).value.status.code
            case .startedStream: return try await client.startStream(request).value.status.code
            case .download:
                let directory = try TemporaryDirectory()
                let path = directory.path + "/file"
                return try await client.download(request, to: path).head.status.code
            case .onTheLoop:
                return try await Task(executorPreference: client.executor) {
                    try await client.send(request).status.code
                }.value
            case .dedicated:
                return try await client.withConnection(to: request) { connection in
                    try await connection.send(request).status.code
                }
            case .dedicatedStream:
                return try await client.withConnection(to: request) { connection in
                    let response = try await connection.stream(request)
                    _ = try await response.body.collect()
                    return response.status.code
                }
            case .upgrade:
                switch try await client.upgrade(request, to: "echo") {
                case .upgraded: return 101
                case .declined(let response): return response.status.code
                }
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `the closure of a request gets a 1xx response before the final one arrives`(
        way: Way
    ) async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .replyByteByByte(Self.hints), .pause(gate), .reply(Self.hello),
        ])
        let notes = Notes()
        let client = HTTPClient()
        let loop: any TaskExecutor = client.executor
        let request = HTTPRequest(origin.url).onInformational { head in
            notes.add("\(head.status.code)")
            if (loop as? EventLoop)?.isCurrent != false { notes.add("on the loop") }
            for link in head.earlyHints { notes.add(link.target) }
            // The origin sends the final response only now.
            gate.open()
        }
        #expect(try await way.run(request, in: client) == 200)
        #expect(notes.all == ["103", "/a.css", "/b.js"])
        #expect(origin.failures == [])
    }

    @Test func `closures added to one request are all called, in order`() async throws {
        let origin = try ScriptedOrigin(.always(Self.processing + Self.hints + Self.hello))
        let notes = Notes()
        let request = HTTPRequest(origin.url)
            .onInformational { notes.add("first \($0.status.code)") }
            .onInformational { notes.add("second \($0.status.code)") }
        let response = try await request.send()
        #expect(notes.all == ["first 102", "second 102", "first 103", "second 103"])
        #expect(response.informational.map(\.status.code) == [102, 103])
        // Only 103 has early hints, and the head of any other status none.
        #expect(response.informational.map(\.earlyHints.count) == [0, 2])
        #expect(response.head.earlyHints.isEmpty)
    }

    enum Policies: Sendable, CaseIterable {
        case none
        case validator
        case interceptor
    }

    @Test(arguments: Policies.allCases, [false, true])
    func `observers get 1xx responses before the final one, and all other steps later`(
        policies: Policies,
        isBlocking: Bool
    ) async throws {
        // All of it is sent in one piece, so the final response has arrived before the first 1xx is reported.
        let origin = try ScriptedOrigin(.always(Self.processing + Self.hints + Self.hello))
        let notes = Notes()
        let client = HTTPClient().with {
            $0.observers = [NotingObserver(notes: notes)]
            if policies != .none { $0.validators = [HTTPDefaultValidator()] }
            if policies == .interceptor { $0.interceptors = [PassThroughInterceptor()] }
        }
        let request = HTTPRequest(origin.url)
        for _ in 0..<2 {
            _ = try await (isBlocking ? Way.blocking : .send).run(request, in: client)
        }
        let steps = ["interim 102", "interim 103", "received 200", "ended"]
        #expect(notes.all == steps + steps)
        #expect(origin.connectionCount == 1)
    }

    @Test func `an attempt that fails after a 1xx response has reported it`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(Self.hints), .close])
        let notes = Notes()
        let client = HTTPClient().with { $0.observers = [NotingObserver(notes: notes)] }
        let error = await failure { try await client.send(HTTPRequest(origin.url)) }
        #expect(error?.informational.map(\.status.code) == [103])
        #expect(notes.all == ["interim 103", "failed", "ended with an error"])
    }

    @Test func `each attempt reports its 1xx responses, also before a redirect`() async throws {
        let moved = "HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n"
        let script: OriginScript = [
            .expectHead, .reply(Self.processing + moved), .expectHead,
            .reply(Self.hints + Self.hello),
        ]
        let origin = try ScriptedOrigin(script)
        let notes = Notes()
        let client = HTTPClient().with { $0.observers = [NotingObserver(notes: notes)] }
        let request = HTTPRequest(origin.url)
            .onInformational { notes.add("closure \($0.status.code)") }
        _ = try await client.send(request)
        #expect(
            notes.all == [
                "interim 102", "closure 102", "received 302", "interim 103", "closure 103",
                "received 200", "ended",
            ]
        )
        #expect(origin.failures == [])
    }

    @Test func `the limit of 1xx responses also limits the reports`() async throws {
        let origin = try ScriptedOrigin(
            .always(String(repeating: Self.processing, count: 33) + Self.hello)
        )
        let notes = Notes()
        let request = HTTPRequest(origin.url).onInformational { notes.add("\($0.status.code)") }
        let error = await failure { try await request.send() }
        #expect(error?.kind == .limitExceeded(.limitExceeded(.informationalCount(32))))
        #expect(notes.all.count == 32)
    }

    @Test func `100 Continue is reported, and 101 is not`() async throws {
        let switching =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHead, .reply("HTTP/1.1 100 Continue\r\n\r\n"), .expect("content"),
                .reply(Self.hello),
            ],
            [.expectHead, .reply(Self.hints + switching), .close],
        ])
        let notes = Notes()
        let client = HTTPClient()
        let request = HTTPRequest(origin.url).onInformational { notes.add("\($0.status.code)") }
        let put = request.method(.put).header(.expect, "100-continue").body(.string("content"))
        _ = try await client.send(put)
        #expect(notes.all == ["100"])
        #expect(
            try await Way.upgrade.run(request.with { $0.connection = .fresh }, in: client) == 101
        )
        #expect(notes.all == ["100", "103"])
        #expect(origin.failures == [])
    }

    // MARK: - Started calls

    @Test(arguments: [Way.started, .startedStream, .download])
    func `a started call reports 1xx responses before the head, to late observers too`(
        way: Way
    ) async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.processing), .pause(gate), .reply(Self.hints + Self.hello),
        ])
        let client = HTTPClient()
        let request = HTTPRequest(origin.url)
        let directory = try TemporaryDirectory()
        let (early, late): ([String], [String])
        switch way {
        case .download:
            let path = directory.path + "/file"
            (early, late) = await events(request.startDownload(to: path, in: client), gate)
        case .startedStream: (early, late) = await events(client.startStream(request), gate)
        default: (early, late) = await events(request.start(in: client), gate)
        }
        #expect(early == ["102", "103", "head 200", "result"])
        #expect(late == early)
    }

    /// Returns the events that an early and a late reader get; the first event opens the gate.
    private func events<Value>(_ call: HTTPCall<Value>, _ gate: Gate) async -> ([String], [String])
    {
        let notes = Notes()
        call.onInformational { head in
            notes.add("\(head.status.code)")
            gate.open()
        }
        call.onResult { _ in notes.add("result") }
        func names() async -> [String] {
            var names: [String] = []
            for await event in call.events {
                switch event {
                case .informational(let head): names.append("\(head.status.code)")
                case .head(let head): names.append("head \(head.status.code)")
                case .result: names.append("result")
                case .running, .progress, .response: break
                }
            }
            return names
        }
        let early = await names()
        await notes.reach(3)
        #expect(notes.all.filter { $0 != "result" } == ["102", "103"])
        return (early, await names())
    }

    @Test func `the record of a started call does not keep its streamed body`() async throws {
        let block = [UInt8](repeating: 1, count: 65_536)
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.hints + "HTTP/1.1 200 OK\r\n\r\n"), .replyForever(block),
        ])
        let client = HTTPClient()
        do {
            let request = HTTPRequest(origin.url).onInformational { _ in }
            let response = try await client.startStream(request).value
            var body = response.body.makeAsyncIterator()
            #expect(try await body.next() != nil)
        }
        // Dropping the response closes its connection, because the body is endless.
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
    }

    @Test func `a late observer of a call gets the newest 1xx responses`() async throws {
        let moved = "HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n"
        let origin = try ScriptedOrigin([
            .expectHead, .reply(String(repeating: Self.processing, count: 20) + moved),
            .expectHead, .reply(String(repeating: Self.hints, count: 20) + Self.hello),
        ])
        let call = HTTPRequest(origin.url).start()
        _ = try await call.value
        let notes = Notes()
        call.onInformational { notes.add("\($0.status.code)") }
        #expect(notes.all.filter { $0 == "102" }.count == 12)
        #expect(notes.all.suffix(20).allSatisfy { $0 == "103" } && notes.all.count == 32)
    }
}
