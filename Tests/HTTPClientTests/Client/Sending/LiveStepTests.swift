import ClientSupport
import HTTPClient
import HTTPClientReports
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// An observer that notes steps as words, and the metrics of phases.
private final class StepNotes: HTTPObserver {
    let interests: HTTPStep.Interests
    private let list = Locked<[String]>([])
    private let phases = Locked<[HTTPPhase: HTTPMetrics.Attempt]>([:])

    init(_ interests: HTTPStep.Interests) { self.interests = interests }

    var all: [String] { list.withLock { $0 } }

    func metrics(in phase: HTTPPhase) -> HTTPMetrics.Attempt? { phases.withLock { $0[phase] } }

    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        if case .entered(let phase, let metrics) = step { phases.withLock { $0[phase] = metrics } }
        list.withLock { $0.append(word(step)) }
    }

    /// Waits until a step has been noted.
    func reach(_ word: String) async {
        while !all.contains(word) { await moment() }
    }

    private func word(_ step: HTTPStep) -> String {
        switch step {
        case .began: "began"
        case .queued: "queued"
        case .dequeued(let delay): delay > .zero ? "dequeued" : "dequeued at once"
        case .entered(let phase, _): "\(phase)"
        case .challenged(.origin(let head)): "challenge \(head.status.code)"
        case .challenged(.proxy(let head)): "proxy challenge \(head.status.code)"
        case .challenged(.trust(let peer)): "trust \(peer.host)"
        case .challenged: "challenge"
        case .prepared: "prepared"
        case .sending: "head"
        case .informational(let head): "interim \(head.status.code)"
        case .received(let response): "received \(response.status.code)"
        case .failed: "failed"
        case .redirected: "redirected"
        case .retrying: "retrying"
        case .ended(.success): "ended"
        case .ended(.failure): "ended with an error"
        case .upgraded(let head, _): "upgraded \(head?.status.code ?? 0)"
        case .streamed(_, nil): "streamed"
        case .streamed: "streamed with an error"
        }
    }
}

/// Tests the steps that observers see while an attempt runs.
@Suite(.timeLimit(.minutes(10))) struct LiveStepTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    private static let empty = "HTTP/1.1 204 No Content\r\n\r\n"
    private static let unauthorized =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a\"\r\nContent-Length: 0\r\n\r\n"
    private static let proxyRefusal =
        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\n"
        + "Content-Length: 0\r\n\r\n"

    private func client(
        _ observers: StepNotes...,
        with change: (inout HTTPClientConfiguration) -> Void = { _ in }
    ) -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.observers = observers
        change(&configuration)
        return HTTPClient(configuration)
    }

    /// Returns a client with credentials for a proxy.
    private func client(_ observer: StepNotes, through proxy: ScriptedOrigin) -> HTTPClient {
        client(observer) {
            let credentials = HTTPCredentials(user: "a", password: "b")
            $0.proxy = .proxy(
                HTTPProxy(
                    scheme: .http,
                    host: "127.0.0.1",
                    port: proxy.port,
                    credentials: credentials
                )
            )
        }
    }

    enum Way: Sendable, CaseIterable {
        case send
        case stream
        case blocking
        case started
        case download
        case onTheLoop

        func run(_ url: String, in client: HTTPClient) async throws {
            switch self {
            case .send: _ = try await client.send(HTTPRequest(url))
            case .stream: _ = try await client.stream(HTTPRequest(url)).body.collect()
            case .blocking:
                _ = try await onThread { Result { try client.blocking.send(HTTPRequest(url)) } }
                    .get()
            case .started: _ = try await client.start(HTTPRequest(url)).value
            case .download:
                let directory = try TemporaryDirectory()
                _ = try await client.download(HTTPRequest(url), to: directory.path + "/file")
            case .onTheLoop:
                _ = try await Task(executorPreference: client.executor) {
                    try await client.send(HTTPRequest(url))
                }.value
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `an attempt reports its phases in order`(way: Way) async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let notes = StepNotes(.phases)
        let client = client(notes)
        try await way.run(origin.url, in: client)
        #expect(notes.all == ["resolve", "connect", "sending", "responseHead", "body"])
        try await way.run(origin.url, in: client)
        #expect(Array(notes.all.dropFirst(5)) == ["sending", "responseHead", "body"])
    }

    @Test func `a phase has the metrics so far`() async throws {
        let server = try await SecureServer()
        let notes = StepNotes(.phases)
        let client = server.client { $0.observers = [notes] }
        _ = try await client.send(HTTPRequest(server.url))
        #expect(
            notes.all == ["resolve", "connect", "tlsHandshake", "sending", "responseHead", "body"]
        )
        #expect(notes.metrics(in: .resolve)?.resolved == nil)
        #expect(notes.metrics(in: .connect)?.resolved != nil)
        #expect(notes.metrics(in: .connect)?.connected == nil)
        #expect(notes.metrics(in: .tlsHandshake)?.connected != nil)
        #expect(notes.metrics(in: .tlsHandshake)?.tls == nil)
        let acquired = try #require(notes.metrics(in: .sending))
        #expect(acquired.tls?.version != nil)
        #expect(acquired.connectionID != 0)
        #expect(acquired.remoteAddress == "127.0.0.1" || acquired.remoteAddress == "::1")
        #expect(acquired.sent == nil)
        #expect(notes.metrics(in: .responseHead)?.sent != nil)
        #expect(notes.metrics(in: .responseHead)?.firstByte == nil)
        #expect(notes.metrics(in: .body)?.firstByte != nil)
    }

    @Test func `an observer is notified only of what it is interested in`() async throws {
        let origin = try ScriptedOrigin(.always(Self.empty))
        let (calls, phases, all) = (StepNotes(.calls), StepNotes(.phases), StepNotes(.all))
        try await Way.send.run(origin.url, in: client(calls, phases, all))
        let callSteps = ["began", "prepared", "head", "received 204", "ended"]
        let phaseSteps = ["resolve", "connect", "sending", "responseHead", "body"]
        #expect(calls.all == callSteps)
        #expect(phases.all == phaseSteps)
        #expect(all.all == callSteps[..<3] + phaseSteps + callSteps[3...])
        let none = StepNotes([])
        try await Way.send.run(origin.url, in: client(none))
        #expect(none.all == [])
    }

    @Test func `a failed attempt reports the phase in which it failed`() async throws {
        let port = try UnreachablePorts.refusing()
        let notes = StepNotes(.all)
        _ = await failure { try await client(notes).send(HTTPRequest("http://127.0.0.1:\(port)/")) }
        #expect(
            notes.all == [
                "began", "prepared", "head", "resolve", "connect", "failed", "ended with an error",
            ]
        )
    }

    @Test func `an upload reports the phase of its body`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("done") }
        let notes = StepNotes(.phases)
        let request = HTTPRequest(
            .post,
            server.url,
            body: .stream(
                AsyncStream {
                    $0.yield(Array("hello".utf8))
                    $0.finish()
                }
            )
        )
        _ = try await client(notes).send(request)
        #expect(notes.all.contains("sendingBody"))
        #expect(notes.all.last == "body")
    }

    // MARK: - Queue

    @Test(arguments: [HTTPStep.Interests.calls, .all])
    func `a request that waits in the queue is reported`(interests: HTTPStep.Interests) async throws
    {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .pause(gate), .reply(Self.empty), .expectHead, .reply(Self.empty),
        ])
        let notes = StepNotes(interests)
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let client = client(notes) { $0.queue = queue }
        async let first: Void = Way.send.run(origin.url, in: client)
        while queue.runningCount != 1 { await moment() }
        async let second: Void = Way.send.run(origin.url, in: client)
        await notes.reach("queued")
        #expect(!notes.all.contains("dequeued"))
        gate.open()
        _ = try await (first, second)
        let steps = notes.all.filter { $0.hasSuffix("queued") || $0.hasPrefix("received") }
        // The first call gives up its place before its observer is notified of the response, so the second call
        // can leave the queue first.
        #expect(steps.filter { $0.hasSuffix("queued") } == ["queued", "dequeued"])
        #expect(steps.count == 4 && steps.first == "queued" && steps.last == "received 204")
    }

    // MARK: - Challenges

    @Test func `a challenge of the server is reported, answered or not`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.unauthorized), .expectHead, .reply(Self.hello),
            .expectHead, .reply(Self.unauthorized),
        ])
        let notes = StepNotes(.calls)
        let client = client(notes) { $0.authentication = .any(user: "a", password: "b") }
        let challenged = ["prepared", "head", "received 401", "challenge 401"]
        _ = try await client.send(HTTPRequest(origin.url))
        #expect(
            notes.all == ["began"] + challenged + ["prepared", "head", "received 200", "ended"]
        )
        _ = try await self.client(notes).send(HTTPRequest(origin.url))
        #expect(Array(notes.all.dropFirst(9)) == ["began"] + challenged + ["ended"])
    }

    @Test func `a challenge to CONNECT is reported before the tunnel`() async throws {
        let proxy = try ScriptedOrigin([
            .expectHead, .reply(Self.proxyRefusal), .expectHead,
            .reply("HTTP/1.1 200 Connected\r\n\r\n"),
        ])
        let notes = StepNotes(.all)
        let client = client(notes, through: proxy)
        let stream = try await client.tunnel(to: "a.example", port: 22)
        stream.close()
        #expect(
            notes.all == [
                "began", "resolve", "connect", "proxyHandshake", "proxy challenge 407",
                "proxyHandshake",
                "upgraded 0",
            ]
        )
    }

    @Test(arguments: [false, true])
    func `a challenge of a forwarding proxy is reported`(isDedicated: Bool) async throws {
        let proxy = try ScriptedOrigin([
            .expectHead, .reply(Self.proxyRefusal), .expectHead, .reply(Self.hello),
        ])
        let notes = StepNotes(.calls)
        let client = client(notes, through: proxy)
        let url = "http://a.example/"
        if isDedicated {
            let text = try await client.withConnection(to: url) { try await $0.send(url).text }
            #expect(text == "hello")
        } else {
            #expect(try await client.send(url).text == "hello")
        }
        #expect(notes.all.filter { $0 == "began" }.count == 1)
        #expect(notes.all.filter { $0 == "proxy challenge 407" }.count == 1)
        #expect(notes.all.suffix(2) == ["received 200", "ended"])
    }

    @Test func `the question to a trust evaluator is reported`() async throws {
        let server = try await SecureServer()
        let notes = StepNotes(.all)
        let client = server.client {
            $0.observers = [notes]
            $0.security.evaluator = .vetoing { _ in .accept }
        }
        _ = try await client.send(HTTPRequest(server.url))
        let steps = notes.all.drop { $0 != "tlsHandshake" }.prefix(3)
        #expect(steps == ["tlsHandshake", "trust localhost", "sending"])
    }

    // MARK: - Single exchanges

    @Test func `exchanges on a dedicated connection are calls for observers`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.hello), .expectHead, .reply(Self.hello), .expectHead, .close,
        ])
        let notes = StepNotes(.all)
        let client = client(notes)
        let connection = try await client.pool.acquire(for: origin.url)
        let opening = ["resolve", "connect"]
        #expect(notes.all == opening)
        _ = try await connection.send(origin.url)
        let sent = ["began", "prepared", "head", "sending", "responseHead", "body"]
        #expect(notes.all == opening + sent + ["received 200", "ended"])
        _ = try await connection.stream(origin.url).body.collect()
        #expect(
            Array(notes.all.dropFirst(opening.count + 8)) == sent + [
                "received 200", "ended", "streamed",
            ]
        )
        let error = await failure { try await connection.send(origin.url) }
        #expect(error != nil)
        #expect(notes.all.suffix(2) == ["failed", "ended with an error"])
        let count = notes.all.count
        _ = await failure { try await connection.send("http://other.example/") }
        #expect(notes.all.dropFirst(count).first == "began")
        #expect(notes.all.dropFirst(count).suffix(2) == ["failed", "ended with an error"])
    }

    @Test func `a streamed body with another digest ends with an error`() async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let notes = StepNotes(.calls)
        let connection = try await client(notes).pool.acquire(for: origin.url)
        let request = HTTPRequest(origin.url).expectingDigest(try .sha256(of: Array("other".utf8)))
        let error = await failure { try await connection.stream(request).body.collect() }
        guard case .digestMismatch = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(notes.all.last == "streamed with an error")
    }

    @Test func `a refused request is not reported as being prepared again`() async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let notes = StepNotes(.all)
        let request = HTTPRequest(origin.url).header("X", "a\r\nb")
        _ = await failure { try await client(notes).send(request) }
        #expect(notes.all.suffix(2) == ["failed", "ended with an error"])
        #expect(!notes.all.contains("preparing"))
    }

    @Test func `an upgrade is a call for observers`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.hello), .expectHead,
            .reply(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"
            ),
        ])
        let notes = StepNotes(.calls)
        let counters = HTTPCounters()
        let client = client(notes).with { $0.observers.append(counters) }
        guard case .declined(let response) = try await client.upgrade(origin.url, to: "echo") else {
            Issue.record("the origin declines the first upgrade")
            return
        }
        _ = try await response.body.collect()
        #expect(notes.all == ["began", "prepared", "head", "received 200", "ended", "streamed"])
        guard case .upgraded(let stream) = try await client.upgrade(origin.url, to: "echo") else {
            Issue.record("the origin accepts the second upgrade")
            return
        }
        stream.close()
        #expect(Array(notes.all.dropFirst(6)) == ["began", "prepared", "head", "upgraded 101"])
        let counted = counters.snapshot
        #expect(counted.calls == 2 && counted.activeCalls == 0 && counted.attempts == 2)
        #expect(counted.statuses == [2: 1, 1: 1])
        #expect(counted.bytesReceived > 100)
    }

    @Test func `an observer of phases sees those of an upgrade`() async throws {
        let switching =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .pause(gate), .reply(Self.hello), .expectHead, .reply(switching),
        ])
        let (notes, phases) = (StepNotes(.all), StepNotes(.phases))
        let client = client(notes, phases)
        async let first = client.upgrade(origin.url, to: "echo")
        // The phases are reported while the attempt runs: the origin has not answered yet.
        await phases.reach("responseHead")
        #expect(phases.all == ["resolve", "connect", "sending", "responseHead"])
        #expect(notes.metrics(in: .sending)?.remotePort == origin.port)
        #expect(notes.metrics(in: .responseHead)?.sent != nil)
        #expect(notes.metrics(in: .responseHead)?.firstByte == nil)
        gate.open()
        guard case .declined(let response) = try await first else {
            Issue.record("the origin declines the first upgrade")
            return
        }
        _ = try await response.body.collect()
        #expect(notes.metrics(in: .body)?.firstByte != nil)
        let calls = ["began", "prepared", "head"]
        #expect(
            notes.all == calls + [
                "resolve", "connect", "sending", "responseHead", "body", "received 200", "ended",
                "streamed",
            ]
        )
        let before = (notes: notes.all.count, phases: phases.all.count)
        // The connection is idle again, so that the second upgrade needs no new one.
        guard case .upgraded(let stream) = try await client.upgrade(origin.url, to: "echo") else {
            Issue.record("the origin accepts the second upgrade")
            return
        }
        stream.close()
        let sent = ["sending", "responseHead", "body"]
        #expect(Array(phases.all.dropFirst(before.phases)) == sent)
        #expect(Array(notes.all.dropFirst(before.notes)) == calls + sent + ["upgraded 101"])
    }
}
