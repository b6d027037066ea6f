import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// A record of events in their order.
private final class Log: Sendable {
    private let lines = Locked<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func note(_ line: String) { lines.withLock { $0.append(line) } }
}

/// An interceptor that records its stages and requests retries as configured.
private struct StageRecorder: HTTPStagedInterceptor {
    let name: String
    let log: Log
    var scope = HTTPInterceptorScope.attempt
    var onError = HTTPRetryOptions.Decision.proceed
    var retriesOn: HTTPStatus?

    func prepare(_ request: inout HTTPRequest, _ context: HTTPContext) async throws {
        log.note("\(name) prepares \(context.retryCount)")
        request.headers.append("X-Way", name)
    }

    func handle(_ error: HTTPError, _ context: HTTPContext) async -> HTTPRetryOptions.Decision {
        log.note("\(name) handles")
        return onError
    }

    func process(
        _ response: inout HTTPResponse,
        _ context: HTTPContext
    ) async throws -> HTTPRetryOptions.Decision {
        log.note("\(name) processes \(response.status.code)")
        response.head.headers.append("X-Back", name)
        return response.status == retriesOn ? .retry : .proceed
    }
}

/// An interceptor that runs a closure.
private struct ClosureInterceptor: HTTPInterceptor {
    var scope = HTTPInterceptorScope.attempt
    let body: @Sendable (HTTPRequest, HTTPContext, HTTPNext) async throws -> HTTPInterceptorResult

    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult { try await body(request, context, next) }
}

private struct TestError: Error {}

@Suite(.timeLimit(.minutes(10))) struct InterceptorTests {
    @Test func `requests pass interceptors in order, and responses in reverse`() async throws {
        let log = Log()
        let server = try await HTTPTestServer.start { _ in .text("") }
        let client = HTTPClient().with {
            $0.interceptors = [
                StageRecorder(name: "a", log: log), StageRecorder(name: "b", log: log),
            ]
        }
        let request = HTTPRequest(server.url).interceptor(StageRecorder(name: "c", log: log))
        let response = try await client.send(request)
        #expect(server.requests.last?.headers.values("X-Way") == ["a", "b", "c"])
        #expect(response.headers.values("X-Back") == ["c", "b", "a"])
        #expect(
            log.all == [
                "a prepares 0", "b prepares 0", "c prepares 0", "c processes 200",
                "b processes 200", "a processes 200",
            ]
        )
    }

    @Test func `a retry request ends the pass, and all interceptors prepare again`() async throws {
        let log = Log()
        let count = Locked(0)
        let server = try await HTTPTestServer.start { _ in
            .status(
                count.withLock {
                    $0 += 1
                    return $0
                } < 3 ? .conflict : .ok
            )
        }
        let client = HTTPClient().with {
            $0.interceptors = [
                StageRecorder(name: "a", log: log),
                StageRecorder(name: "b", log: log, retriesOn: .conflict),
            ]
        }
        let response = try await client.send(HTTPRequest(server.url))
        #expect(response.status == .ok && server.requests.count == 3)
        #expect(
            log.all == [
                "a prepares 0", "b prepares 0", "b processes 409",
                "a prepares 1", "b prepares 1", "b processes 409",
                "a prepares 2", "b prepares 2", "b processes 200", "a processes 200",
            ]
        )
        #expect(response.metrics.attempts.map(\.reason) == [.first, .retry, .retry])
        // At the limit the response is final, and outer interceptors still process it.
        count.withLock { $0 = -100 }
        let once = try await client.send(HTTPRequest(server.url).maxRetries(1))
        #expect(once.status == .conflict)
        #expect(once.headers.values("X-Back") == ["b", "a"])
    }

    @Test func `if a retry is not granted, redirects are still followed`() async throws {
        let server = try await HTTPTestServer.start { request in
            switch request.path {
            case "/old": .redirect(to: "/new")
            case "/away": .redirect(to: "/gone")
            case "/gone": .status(.gone)
            default: .text("new")
            }
        }
        let client = HTTPClient().with {
            $0.interceptors = [StageRecorder(name: "a", log: Log(), retriesOn: .found)]
            $0.retries.maxRetries = 0
        }
        let response = try await client.send(HTTPRequest(.post, server.url + "/old"))
        #expect(response.text == "new" && response.redirects.count == 1)
        let picky = client.with {
            $0.interceptors = [StageRecorder(name: "a", log: Log(), retriesOn: .gone)]
        }
        let gone = try await picky.send(HTTPRequest(server.url + "/away"))
        #expect(gone.status == .gone && gone.redirects.count == 1)
    }

    @Test func `a retry of a call interceptor repeats the whole call`() async throws {
        let log = Log()
        let count = Locked(0)
        let server = try await HTTPTestServer.start { _ in
            .status(
                count.withLock {
                    $0 += 1
                    return $0
                } < 3 ? .conflict : .ok
            )
        }
        let client = HTTPClient().with {
            $0.interceptors = [
                StageRecorder(name: "a", log: log, scope: .call),
                StageRecorder(name: "b", log: log, scope: .call, retriesOn: .conflict),
                StageRecorder(name: "c", log: log),
            ]
        }
        let response = try await client.send(HTTPRequest(server.url))
        #expect(response.status == .ok && server.requests.count == 3)
        #expect(log.all.filter { $0.hasSuffix("prepares 2") }.count == 3)
        #expect(log.all.suffix(3) == ["c processes 200", "b processes 200", "a processes 200"])
        // Retries of outer and inner interceptors count toward the same limit.
        count.withLock { $0 = -100 }
        let both = client.with {
            $0.interceptors.append(StageRecorder(name: "d", log: log, retriesOn: .conflict))
            $0.retries.maxRetries = 3
            $0.retries.budget = nil
        }
        let before = server.requests.count
        #expect(try await both.send(HTTPRequest(server.url)).status == .conflict)
        #expect(server.requests.count - before == 4)
    }

    @Test func `an interceptor error contains the preceding response`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("whole") }
        let url = server.url
        let transforming = HTTPClient().with {
            $0.transformers = [HTTPResponseTransformer { _, _ in throw TestError() }]
        }
        let around = ClosureInterceptor { request, _, next in
            _ = try await next(request)
            throw TestError()
        }
        let intercepting = HTTPClient().with { $0.interceptors = [around] }
        for client in [transforming, intercepting] {
            let error = await failure { try await client.send(HTTPRequest(url)) }
            #expect(error?.head?.status == .ok)
            #expect(error?.partialBody == Array("whole".utf8))
            #expect(error?.metrics.attempts.count == 1 && error?.isRetrySafe == false)
        }
    }

    @Test func `an interceptor can retry a failure`() async throws {
        let log = Log()
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reset], .always("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
        ])
        let client = HTTPClient().with {
            $0.interceptors = [StageRecorder(name: "a", log: log, onError: .retry)]
        }
        let response = try await client.send(HTTPRequest(origin.url))
        #expect(response.text == "ok")
        #expect(log.all == ["a prepares 0", "a handles", "a prepares 1", "a processes 200"])
    }

    @Test func `an interceptor can return a retry instead of a response`() async throws {
        let server = try await HTTPTestServer.start { request in
            .status(request.headers["X-Try"] == "1" ? .ok : .conflict)
        }
        let retrying = ClosureInterceptor { request, context, next in
            var request = request
            request.headers["X-Try"] = "\(context.retryCount)"
            let result = try await next(request)
            guard result.response?.status == .conflict else { return result }
            return .retry(.immediate, orElse: result.outcome)
        }
        let seen = Locked<[String]>([])
        let outer = ClosureInterceptor { request, _, next in
            let result = try await next(request)
            let text = if case .retry = result { "retry" } else { "response" }
            let status = (try? result.outcome.get().status.code) ?? 0
            seen.withLock { $0.append("\(text) \(status)") }
            return result
        }
        let client = HTTPClient().with { $0.interceptors = [outer, retrying] }
        #expect(try await client.send(HTTPRequest(server.url)).status == .ok)
        #expect(seen.withLock { $0 } == ["retry 409", "response 200"])
        #expect(server.requests.count == 2)
    }

    @Test func `a retry that is not permitted becomes its outcome`() async throws {
        let server = try await HTTPTestServer.start { _ in .status(.conflict) }
        let url = server.url
        let retrying = ClosureInterceptor { request, _, next in
            .retry(.immediate, orElse: try await next(request).outcome)
        }
        let seen = Locked<[HTTPStatus?]>([])
        let outer = ClosureInterceptor { request, _, next in
            let result = try await next(request)
            seen.withLock { $0.append(result.response?.status) }
            return result
        }
        for scope in [HTTPInterceptorScope.attempt, .call] {
            let client = HTTPClient().with {
                $0.interceptors = [
                    ClosureInterceptor(scope: scope, body: outer.body),
                    ClosureInterceptor(scope: scope, body: retrying.body),
                ]
                $0.retries.maxRetries = 0
            }
            #expect(try await client.send(HTTPRequest(url)).status == .conflict)
        }
        #expect(seen.withLock { $0 } == [.conflict, .conflict])
        // A canceled call is never retried.
        let failing = ClosureInterceptor { _, _, _ in
            .retry(.immediate, orElse: .failure(HTTPError(CancellationError())))
        }
        let cancelled = HTTPClient().with { $0.interceptors = [failing] }
        let error = await failure { try await cancelled.send(HTTPRequest(url)) }
        #expect(error?.kind == .cancelled)
    }

    @Test func `a retry is withdrawn from the budget once, however many interceptors it passes`()
        async throws
    {
        let server = try await HTTPTestServer.start { _ in .status(.conflict) }
        let url = server.url
        let retrying = ClosureInterceptor { request, _, next in
            .retry(.immediate, orElse: try await next(request).outcome)
        }
        let passing = ClosureInterceptor { request, _, next in try await next(request) }
        let client = HTTPClient().with {
            $0.interceptors = [passing, passing, passing, retrying]
            $0.retries.maxRetries = 1
            $0.retries.budget = 0.000_001
        }
        // The budget starts with 10 retries.
        for _ in 0..<12 { _ = try await client.send(HTTPRequest(url)) }
        #expect(server.requests.count == 12 + 10)
    }

    @Test func `an outer interceptor can replace a retry with a response`() async throws {
        let server = try await HTTPTestServer.start { _ in .status(.conflict) }
        let retrying = ClosureInterceptor { request, _, next in
            .retry(.immediate, orElse: try await next(request).outcome)
        }
        let outer = ClosureInterceptor { request, _, next in
            var result = try await next(request)
            result.response = nil
            result.response = try HTTPResponse(status: .ok, for: request)
            return result
        }
        let client = HTTPClient().with { $0.interceptors = [outer, retrying] }
        #expect(try await client.send(HTTPRequest(server.url)).status == .ok)
        #expect(server.requests.count == 1)
    }

    @Test func `a call interceptor can retry the whole call`() async throws {
        let server = try await HTTPTestServer.start { request in
            if request.path == "/start" { return .redirect(to: "/end") }
            return .status(request.headers["X-Try"] == "1" ? .ok : .conflict)
        }
        let retrying = ClosureInterceptor(scope: .call) { request, context, next in
            var request = request
            request.headers["X-Try"] = "\(context.retryCount)"
            let result = try await next(request)
            return result.response?.isSuccess == true
                ? result : .retry(.immediate, orElse: result.outcome)
        }
        let client = HTTPClient().with { $0.interceptors = [retrying] }
        let response = try await client.send(HTTPRequest(server.url + "/start"))
        #expect(response.status == .ok && response.redirects.count == 1)
        #expect(server.requests.map(\.path) == ["/start", "/end", "/start", "/end"])
        #expect(response.metrics.attempts.map(\.reason) == [.first, .redirect, .retry, .redirect])
    }

    @Test func `an interceptor can respond itself, also to a streamed request`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("server") }
        let client = HTTPClient().with {
            $0.interceptors = [
                ClosureInterceptor { request, _, next in
                    guard request.url.hasSuffix("/mine") else { return try await next(request) }
                    return .response(
                        try HTTPResponse(status: .ok, body: Array("mine".utf8), for: request)
                    )
                }
            ]
        }
        #expect(try await client.send(HTTPRequest(server.url + "/mine")).text == "mine")
        let streamed = try await client.stream(HTTPRequest(server.url + "/mine"))
        #expect(try await streamed.body.collect() == Array("mine".utf8))
        #expect(server.requests.isEmpty)
        let real = try await client.stream(HTTPRequest(server.url + "/x"))
        #expect(try await real.body.collect() == Array("server".utf8))
    }

    @Test func `an interceptor can send several times and choose a response`() async throws {
        let server = try await HTTPTestServer.start { .text("\($0.path)") }
        let client = HTTPClient().with {
            $0.interceptors = [
                ClosureInterceptor { request, _, next in
                    let first = try await next(request.path("/1"))
                    _ = try await next(request.path("/2"))
                    return first
                }
            ]
        }
        #expect(try await client.send(HTTPRequest(server.url)).text == "/1")
        let streamed = try await client.stream(HTTPRequest(server.url))
        #expect(try await streamed.body.collect() == Array("/1".utf8))
    }

    @Test func `an error thrown by an interceptor ends the call with that error`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("") }
        for scope in [HTTPInterceptorScope.call, .attempt] {
            let client = HTTPClient().with {
                $0.interceptors = [
                    ClosureInterceptor(scope: scope) { _, _, _ in throw TestError() }
                ]
            }
            let error = await failure { try await client.send(HTTPRequest(server.url)) }
            #expect(error?.kind == .interceptorFailed(reason: "TestError()"))
            #expect(error?.underlying is TestError && error?.blame == .caller)
            #expect(error?.phase == .validating && error?.request.hasPrefix("GET http") == true)
        }
        let client = HTTPClient().with {
            $0.interceptors = [ClosureInterceptor { _, _, _ in throw CancellationError() }]
        }
        let error = await failure { try await client.send(HTTPRequest(server.url)) }
        #expect(error?.kind == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test func `call interceptors wrap redirects, and attempt interceptors each request`()
        async throws
    {
        let log = Log()
        let server = try await HTTPTestServer.start {
            $0.path == "/a" ? .redirect(to: "/b") : .text("")
        }
        let client = HTTPClient().with {
            $0.interceptors = [
                StageRecorder(name: "attempt", log: log),
                StageRecorder(name: "call", log: log, scope: .call),
            ]
        }
        let response = try await client.send(HTTPRequest(server.url + "/a"))
        #expect(response.redirects.count == 1)
        #expect(
            log.all == [
                "call prepares 0", "attempt prepares 0", "attempt processes 302",
                "attempt prepares 0", "attempt processes 200", "call processes 200",
            ]
        )
    }

    @Test func `transformers run after interceptors and before validators`() async throws {
        let log = Log()
        let server = try await HTTPTestServer.start { _ in .text("plain") }
        let client = HTTPClient().with {
            $0.interceptors = [StageRecorder(name: "i", log: log)]
            $0.transformers = [
                HTTPResponseTransformer { response, _ in
                    log.note("transforms")
                    response.body = Array("changed".utf8)
                }
            ]
            $0.validators = [
                HTTPClosureValidator { outcome, _, _ in
                    log.note("validates \(try outcome.get().text)")
                    return .accept
                }
            ]
        }
        #expect(try await client.send(HTTPRequest(server.url)).text == "changed")
        #expect(
            log.all == ["i prepares 0", "i processes 200", "transforms", "validates changed"]
        )
    }
}

/// A call sends a thousand requests before it is stopped, which takes more than a minute beside all other tests.
@Suite(.timeLimit(.minutes(10))) struct EndlessRetryTests {
    @Test func `an interceptor that retries without end is stopped`() async throws {
        let sent = Locked(0)
        let answering = ClosureInterceptor { request, _, _ in
            sent.withLock { $0 += 1 }
            return .response(try HTTPResponse(status: .serviceUnavailable, for: request))
        }
        let looping = ClosureInterceptor { request, _, next in
            while true {
                let result = try await next(request)
                if result.response?.isSuccess == true { return result }
            }
        }
        let server = try await HTTPTestServer.start { _ in .status(.serviceUnavailable) }
        let url = server.url
        let loop = HTTPClient().with { $0.interceptors = [looping] }
        let error = await failure { try await loop.send(HTTPRequest(url)) }
        guard case .interceptorFailed? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(server.requests.count == HTTPRetryOptions.maxRequests)
        #expect(error?.head?.status == .serviceUnavailable)

        let again = HTTPClient().with {
            $0.validators = [HTTPClosureValidator { _, _, _ in .retry(.immediate) }]
            $0.retries.maxRetries = .max
            $0.retries.budget = nil
        }
        let bounded = await failure { try await again.send(HTTPRequest(url)) }
        guard case .interceptorFailed? = bounded?.kind else {
            Issue.record("\(String(describing: bounded))")
            return
        }
        // An interceptor that answers itself sends nothing, so only the retry limit ends the call.
        let made = again.with {
            $0.interceptors = [answering]
            $0.retries.maxRetries = 5
        }
        #expect(try await made.send(HTTPRequest(url)).status == .serviceUnavailable)
        #expect(sent.withLock { $0 } == 6)
    }
}
