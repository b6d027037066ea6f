import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

private struct ServiceError: Error, Equatable {
    var message: String
}

/// A custom validator that searches the body for an error.
private struct ErrorFieldValidator: HTTPResponseValidator {
    func validate(
        _ outcome: Result<HTTPResponse, HTTPError>,
        of request: HTTPRequest,
        _ context: HTTPContext
    ) async throws -> HTTPValidationResult {
        guard case .success(let response) = outcome,
            let message = try? response.json()["error"].string, !message.isEmpty
        else { return .accept }
        return .fail(ServiceError(message: message))
    }
}

/// An observer that notes when calls enter and leave the queue, by the paths of their requests.
private struct QueueObserver: HTTPObserver {
    let notes: EventRecorder<String>

    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        let name = context.originalRequest.url.split(separator: "/").last ?? ""
        switch step {
        case .began: notes.add("\(name) began")
        case .queued: notes.add("\(name) queued")
        case .dequeued: notes.add("\(name) dequeued")
        case .ended(.success): notes.add("\(name) ended")
        case .ended(.failure): notes.add("\(name) failed")
        default: break
        }
    }
}

@Suite("IndomioHTTP: HTTP Client", .timeLimit(.minutes(10))) struct IndomioClientTests {
    @Test func `Create a new client: a request is relative to the base URL`() async throws {
        let server = try await echoServer()
        let myWSClient = try HTTPClient(baseURL: server.url + "/v1")
        let response = try await HTTPRequest("users").send(in: myWSClient)
        #expect(try response.json()["target"] == "/v1/users")
        #expect(server.requests.map(\.target) == ["/v1/users"])
    }

    /// Starts a server that answers `/first` when the gate is finished, and other requests at once.
    private func holdingServer() async throws -> (
        server: HTTPTestServer, arrivals: AsyncStream<Void>, gate: AsyncStream<Void>.Continuation
    ) {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let (open, gate) = AsyncStream<Void>.makeStream()
        let server = try await HTTPTestServer.start { request in
            if request.path == "/first" {
                arrival.yield()
                for await _ in open {}
            }
            return .echo(request)
        }
        return (server, arrivals, gate)
    }

    @Test func `Create a queue client: the highest priority runs first`() async throws {
        let (server, arrivals, gate) = try await holdingServer()
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let client = try HTTPClient(baseURL: server.url) { $0.queue = queue }
        let first = HTTPRequest("first").start(in: client)
        for await _ in arrivals { break }
        let later = [
            HTTPRequest("low").with { $0.priority = .veryLow }, HTTPRequest("normal"),
            HTTPRequest("high").with { $0.priority = .veryHigh },
            HTTPRequest("cancelled").with { $0.priority = .veryHigh },
        ]
        .map { $0.start(in: client) }
        while queue.waitingCount < later.count { await moment() }
        #expect(queue.runningCount == 1 && later.allSatisfy { $0.state == .waiting })
        later[3].cancel()
        let cancelled = await failure { try await later[3].value }
        #expect(cancelled?.kind == .cancelled)
        gate.finish()
        #expect(try await first.value.isSuccess)
        for call in later.dropLast() { #expect(try await call.value.isSuccess) }
        #expect(server.requests.map(\.path) == ["/first", "/high", "/normal", "/low"])
    }

    @Test func `Create a queue client: waiting and running calls are canceled`() async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let server = try await HTTPTestServer.start { _ in
            arrival.yield()
            return .stall
        }
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let client = try HTTPClient(baseURL: server.url) { $0.queue = queue }
        let running = HTTPRequest("a").start(in: client)
        for await _ in arrivals { break }
        let waiting = HTTPRequest("b").start(in: client)
        waiting.cancel()
        #expect(await failure { try await waiting.value }?.kind == .cancelled)
        running.cancel()
        #expect(await failure { try await running.value }?.kind == .cancelled)
        #expect(server.requests.map(\.path) == ["/a"])
    }

    @Test func `Create a queue client: observers see which call waits`() async throws {
        let (server, arrivals, gate) = try await holdingServer()
        let notes = EventRecorder<String>()
        let client = try HTTPClient(baseURL: server.url) {
            $0.queue = HTTPClientQueue(maxSimultaneousRequests: 1)
            $0.observers = [QueueObserver(notes: notes)]
        }
        let first = HTTPRequest("first").start(in: client)
        for await _ in arrivals { break }
        let second = HTTPRequest("second").start(in: client)
        let cancelled = HTTPRequest("cancelled").start(in: client)
        #expect(await notes.first { $0 == "second queued" } != nil)
        #expect(await notes.first { $0 == "cancelled queued" } != nil)
        cancelled.cancel()
        #expect(await failure { try await cancelled.value }?.kind == .cancelled)
        #expect(!notes.all.contains { $0.hasSuffix("dequeued") })
        #expect(server.requests.map(\.path) == ["/first"])
        gate.finish()
        for call in [first, second] { #expect(try await call.value.isSuccess) }
        func steps(_ name: String) -> [String] {
            notes.all.filter { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count + 1)) }
        }
        // The first call has its place at once.
        #expect(steps("first") == ["began", "ended"])
        #expect(steps("second") == ["began", "queued", "dequeued", "ended"])
        #expect(steps("cancelled") == ["began", "queued", "failed"])
    }

    // MARK: - Validators

    /// Tests the same rule as a type and as a closure.
    @Test(arguments: [false, true])
    func `Response Validators: an error field in the body fails the call`(
        asClosure: Bool
    ) async throws {
        let server = try await HTTPTestServer.start(routes: [
            "/good": .json(#"{"items": []}"#),
            "/bad": .json(#"{"error": "no such item"}"#),
        ])
        let closure = HTTPClosureValidator { outcome, _, _ in
            guard case .success(let response) = outcome,
                let message = try? response.json()["error"].string, !message.isEmpty
            else { return .accept }
            return .fail(ServiceError(message: message))
        }
        let validator: any HTTPResponseValidator = asClosure ? closure : ErrorFieldValidator()
        let client = try HTTPClient(baseURL: server.url) { $0.validators.append(validator) }
        #expect(try await HTTPRequest("good").send(in: client).status == .ok)
        let error = await failure { try await HTTPRequest("bad").send(in: client) }
        #expect(error?.underlying as? ServiceError == ServiceError(message: "no such item"))
        #expect(error?.head?.status == .ok)
        #expect(server.requests.map(\.path) == ["/good", "/bad"])
    }

    @Test func `Response Validators: they run in order until one fails`() async throws {
        let server = try await serverAnswering([.text("")])
        let called = EventRecorder<String>()
        func validator(_ name: String, _ verdict: HTTPValidationResult) -> HTTPClosureValidator {
            HTTPClosureValidator { _, _, _ in
                called.add(name)
                return verdict
            }
        }
        let validators: [any HTTPResponseValidator] = [
            validator("first", .accept),
            validator("second", .fail(ServiceError(message: "second"))),
            validator("third", .fail(ServiceError(message: "third"))),
        ]
        let client = try HTTPClient(baseURL: server.url) { $0.validators = validators }
        let error = await failure { try await HTTPRequest("").send(in: client) }
        #expect(error?.underlying as? ServiceError == ServiceError(message: "second"))
        #expect(called.all == ["first", "second"])
        #expect(server.requests.count == 1)
    }

    @Test func `Response Validators: a call is retried within its limit`() async throws {
        let server = try await serverAnswering([.text("busy"), .text("busy"), .text("done")])
        let again = HTTPClosureValidator { outcome, _, _ in
            guard case .success(let response) = outcome, response.text == "busy" else {
                return .accept
            }
            return .retry(.immediate)
        }
        let client = try HTTPClient(baseURL: server.url) { $0.validators.append(again) }
        #expect(try await HTTPRequest("").maxRetries(1).send(in: client).text == "busy")
        #expect(server.requests.count == 2)
        #expect(try await HTTPRequest("").maxRetries(0).send(in: client).text == "done")
        #expect(server.requests.count == 3)
    }

    @Test func `Response Validators: a call is retried after another request`() async throws {
        let token = Locked("old")
        let server = try await HTTPTestServer.start { request in
            switch request.path {
            case "/login":
                token.withLock { $0 = "new" }
                return .json(#"{"token": "new"}"#)
            default:
                let good = "Bearer " + token.withLock { $0 }
                let isGood = good != "Bearer old" && request.headers[.authorization] == good
                return isGood ? .echo(request) : .status(.unauthorized)
            }
        }
        let url = server.url
        let silentLogin = HTTPClosureValidator { outcome, _, context in
            guard case .success(let response) = outcome, response.status == .unauthorized,
                context.retryCount == 0
            else { return .accept }
            let login = HTTPRequest(.post, url + "/login")
            return .retry(
                .afterRequest(login) { response, request in
                    let token = try response.json()["token"].string ?? ""
                    request.headers[.authorization] = "Bearer \(token)"
                }
            )
        }
        let client = try HTTPClient(baseURL: url) { $0.validators.append(silentLogin) }
        let request = HTTPRequest("data").header(.authorization, "Bearer old")
        let response = try await request.send(in: client)
        #expect(try response.json()["headers"]["Authorization"] == "Bearer new")
        #expect(server.requests.map(\.path) == ["/data", "/login", "/data"])
    }

    /// An observer with the events of the original's delegate.
    private struct Delegate: HTTPObserver {
        let notes: EventRecorder<String>
        var interests: HTTPStep.Interests { .all }

        func observe(_ step: HTTPStep, _ context: HTTPContext) {
            switch step {
            case .began: notes.add("didEnqueue")
            case .sending: notes.add("didExecute")
            case .entered(.connect, _): notes.add("waitingForConnectivity")
            case .challenged(.origin): notes.add("didReceiveAuthChallenge")
            case .redirected: notes.add("willPerformRedirect")
            case .retrying(let number, _): notes.add("willRetry \(number)")
            case .ended(let result):
                let metrics = (try? result.get())?.metrics
                notes.add("didFinish after \(metrics?.attempts.count ?? 0) attempts")
            default: break
            }
        }
    }

    @Test func `Client Delegate: it is notified of each event`() async throws {
        let server = try await serverAnswering([
            .status(.found, headers: [.location: "/new"]),
            .status(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"a\""]),
            .status(.serviceUnavailable), .text("done"),
        ])
        let notes = EventRecorder<String>()
        let client = try HTTPClient(baseURL: server.url) {
            $0.observers.append(Delegate(notes: notes))
            $0.authentication = .any(user: "a", password: "b")
            $0.retries = .standard
            $0.retries.statusDelays = [.serviceUnavailable: .zero]
        }
        #expect(try await HTTPRequest("/old").send(in: client).text == "done")
        #expect(
            notes.all == [
                "didEnqueue", "didExecute", "waitingForConnectivity", "willPerformRedirect",
                "didExecute",
                "didReceiveAuthChallenge", "didExecute", "willRetry 1", "didExecute",
                "didFinish after 4 attempts",
            ]
        )
    }

    /// An observer with the live phases and the challenges of the original's delegate.
    private struct LiveDelegate: HTTPObserver {
        let notes: EventRecorder<String>
        var interests: HTTPStep.Interests { .all }

        func observe(_ step: HTTPStep, _ context: HTTPContext) {
            switch step {
            case .entered(.resolve, _): notes.add("resolving")
            case .entered(.connect, _): notes.add("connecting")
            case .entered(.tlsHandshake, _): notes.add("securing")
            case .entered(.sending, let metrics):
                notes.add(metrics.connectionID == 0 ? "no connection" : "connection acquired")
            case .entered(.responseHead, let metrics):
                notes.add(metrics.sent == nil ? "not sent" : "sent")
            case .entered(.body, let metrics):
                notes.add(metrics.firstByte == nil ? "no byte" : "first byte")
            case .challenged(.origin(let head)): notes.add("challenge \(head.status.code)")
            case .challenged(.proxy(let head)): notes.add("proxy challenge \(head.status.code)")
            case .challenged(.trust(let peer)): notes.add("trust \(peer.host)")
            default: break
            }
        }
    }

    @Test func `Client Delegate: it sees the phases and the question of trust`() async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { request in
            let isKnown = request.headers.contains(.authorization)
            return isKnown
                ? .text("done")
                : .status(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"a\""])
        }
        let notes = EventRecorder<String>()
        let client = try HTTPClient(baseURL: server.url) {
            $0.observers.append(LiveDelegate(notes: notes))
            $0.authentication = .any(user: "a", password: "b")
            $0.security.trust = .pem(server.certificateAuthorityPEM)
            $0.security.evaluator = .vetoing { _ in .accept }
        }
        #expect(try await HTTPRequest("").send(in: client).text == "done")
        let host = try #require(try URI(server.url).host)
        let exchange = ["connection acquired", "sent", "first byte"]
        #expect(
            notes.all == ["resolving", "connecting", "securing", "trust \(host)"] + exchange
                + ["challenge 401"] + exchange
        )
    }

    @Test func `Client Delegate: it sees the challenge of a proxy`() async throws {
        let refusal =
            "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\n"
            + "Content-Length: 0\r\n\r\n"
        let proxy = try ScriptedOrigin([
            .expectHead, .reply(refusal), .expectHead,
            .reply("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"),
        ])
        let notes = EventRecorder<String>()
        let route = try HTTPProxy("http://a:b@127.0.0.1:\(proxy.port)")
        let client = HTTPClient().with {
            $0.observers = [LiveDelegate(notes: notes)]
            $0.proxy = .proxy(route)
        }
        #expect(try await HTTPRequest("http://a.example/").send(in: client).text == "done")
        let seen = ["connection acquired", "sent", "proxy challenge 407"]
        #expect(notes.all.filter { seen.contains($0) } == seen + seen.dropLast())
        #expect(notes.all.last == "first byte")
    }

    @Test func `Default Response Validator: an unexpected status fails the call`() async throws {
        let server = try await serverAnswering([.text("gone", status: .gone), .text("here")])
        let client = try HTTPClient(baseURL: server.url) {
            $0.validators = [HTTPDefaultValidator(accepting: .successful)]
        }
        let error = await failure { try await HTTPRequest("").send(in: client) }
        #expect(error?.kind == .rejectedStatus(.gone))
        #expect(error?.partialBody == Array("gone".utf8))
        #expect(try await HTTPRequest("").send(in: client).text == "here")
        #expect(server.requests.count == 2)
    }

    /// The connection is lost or reset after the request, or refused.
    @Test func `Default Response Validator: connection failures are retried`() async throws {
        let server = try await serverAnswering([.close, .reset, .text("here")])
        var validator = HTTPDefaultValidator()
        validator.strategy = .immediate
        let validators = [validator]
        let client = try HTTPClient(baseURL: server.url) { $0.validators = validators }
        let plain = await failure { try await HTTPRequest("").maxRetries(0).send(in: client) }
        #expect(plain?.blame == .peer)
        #expect(server.requests.count == 1)
        #expect(try await HTTPRequest("").maxRetries(4).send(in: client).text == "here")
        #expect(server.requests.count == 3)
        let refused = HTTPRequest("http://127.0.0.1:\(try UnreachablePorts.refusing())").maxRetries(
            1
        )
        let error = await failure { try await refused.send(in: client) }
        #expect(error?.metrics.attempts.count == 2)
    }

    @Test(arguments: [true, false])
    func `Default Response Validator: empty responses can be rejected`(
        areAllowed: Bool
    ) async throws {
        let server = try await serverAnswering([.status(.ok), .status(.noContent)])
        let client = try HTTPClient(baseURL: server.url) {
            $0.validators = [HTTPDefaultValidator(allowsEmptyResponses: areAllowed)]
        }
        let result = await HTTPRequest("").start(in: client).result
        if areAllowed {
            #expect(try result.get().body == [])
        } else {
            #expect(await failure { try result.get() }?.kind == .emptyBody(.ok))
        }
        // A 204 response may always be empty.
        #expect(try await HTTPRequest("").send(in: client).status == .noContent)
        #expect(server.requests.count == 2)
    }

    // MARK: - Client Configuration

    @Test func `Client Configuration: a request overrides headers and timeout`() async throws {
        let server = try await serverAnswering([.text("prompt"), .stall])
        let client = try HTTPClient(baseURL: server.url + "/webservice/v1") {
            $0.headers = [.userAgent: "MyAwesomeAppV1", "X-API-V": "1.0.1"]
            $0.timeouts.total = .seconds(60)
        }
        let request = HTTPRequest("users").header("X-API-V", "2")
        #expect(try await request.send(in: client).text == "prompt")
        let seen = try #require(server.requests.first)
        #expect(seen.target == "/webservice/v1/users")
        #expect(seen.headers[.userAgent] == "MyAwesomeAppV1")
        #expect(seen.headers.values("X-API-V") == ["2"])
        // The request's own timeout takes precedence over the client's.
        let error = await failure {
            try await request.timeout(.milliseconds(50)).send(in: client)
        }
        #expect(error?.kind == .timedOut(.total))
    }

    @Test func `Client Configuration: a request overrides the cache policy`() async throws {
        let server = try await serverAnswering([
            .text("first").header(.cacheControl, "max-age=60"), .text("second"),
        ])
        let client = try HTTPClient(baseURL: server.url) {
            $0.cache = .memory()
            $0.cacheMode = .onlyIfCached
        }
        let request = HTTPRequest("users")
        #expect(try await request.send(in: client).status == .gatewayTimeout)
        #expect(server.requests.isEmpty)
        let asking = request.with { $0.cacheMode = .default }
        #expect(try await asking.send(in: client).text == "first")
        // The policy of the client applies again.
        let stored = try await request.send(in: client)
        #expect(stored.text == "first" && stored.cacheStatus?.outcome == .hit)
        let reloading = request.with { $0.cacheMode = .reload }
        #expect(try await reloading.send(in: client).text == "second")
        #expect(server.requests.map(\.path) == ["/users", "/users"])
    }

    @Test func `Client Configuration: a request asks for a revalidation or for stored data`()
        async throws
    {
        let server = try await HTTPTestServer.start { request in
            let isKnown = request.headers[.ifNoneMatch] == #""a""#
            let response: HTTPTestServer.Response =
                isKnown ? .text("", status: .notModified) : .text("data")
            return response.header(.etag, #""a""#).header(.cacheControl, "max-age=0")
        }
        let client = try HTTPClient(baseURL: server.url) { $0.cache = .memory() }
        // reloadRevalidatingCacheData and returnCacheDataElseLoad
        let revalidating = HTTPRequest("users").with { $0.cacheMode = .noCache }
        let storedFirst = HTTPRequest("users").with { $0.cacheMode = .forceCache }
        var outcomes: [HTTPResponse.CacheStatus.Outcome?] = []
        for request in [storedFirst, storedFirst, revalidating, storedFirst] {
            let response = try await request.send(in: client)
            #expect(response.text == "data" && response.status == .ok)
            outcomes.append(response.cacheStatus?.outcome)
        }
        #expect(outcomes == [.miss, .staleHit, .revalidated, .staleHit])
        #expect(server.requests.map { $0.headers[.ifNoneMatch] } == [nil, #""a""#])
        #expect(server.requests.map { $0.headers[.cacheControl] } == [nil, "max-age=0"])
    }

    @Test func `Client Configuration: a base URL without a scheme is rejected`() async throws {
        let error = await failure { try HTTPClient(baseURL: "myawesomeapp.com/webservice/v1") }
        #expect(
            error?.kind == .invalidRequest(.missingScheme("myawesomeapp.com/webservice/v1"))
        )
    }
}
