import HTTPClient
import HTTPTestServer
import SocketTransport
import Testing

private struct UserAgentInterceptor: HTTPStagedInterceptor {
    func prepare(_ request: inout HTTPRequest, _ context: HTTPContext) async throws {
        request.headers[.userAgent] = "My User-Agent"
    }
}

private struct RetryOnTransportErrorInterceptor: HTTPStagedInterceptor {
    func handle(_ error: HTTPError, _ context: HTTPContext) async -> HTTPRetryOptions.Decision {
        guard context.retryCount < 5 else { return .proceed }
        return .retryAfter(.milliseconds(context.retryCount))
    }
}

/// An interceptor that records the calls of its stages.
private struct Stages: HTTPStagedInterceptor {
    let name: String
    let notes: EventRecorder<String>

    func prepare(_ request: inout HTTPRequest, _ context: HTTPContext) async throws {
        notes.add("\(name) prepare \(context.retryCount)")
    }

    func handle(_ error: HTTPError, _ context: HTTPContext) async -> HTTPRetryOptions.Decision {
        notes.add("\(name) handle")
        return .proceed
    }

    func process(
        _ response: inout HTTPResponse,
        _ context: HTTPContext
    ) async throws -> HTTPRetryOptions.Decision {
        notes.add("\(name) process")
        return name == "request" && context.retryCount == 0 ? .retry : .proceed
    }
}

/// An interceptor that adds a proof to each request: a digest of a secret, the method, the URL and a number.
private struct ProofInterceptor: HTTPInterceptor {
    static let field: FieldName = "X-Proof"
    let secret: String
    let last = EventRecorder<Int>()

    // A proof is valid once and for one URL, so that each retry and each redirect needs a new one.
    let scope = HTTPInterceptorScope.attempt

    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult {
        guard !context.hasCrossedOrigin, let url = request.uri else {
            return try await next(request)
        }
        let number = last.all.count + 1
        last.add(number)
        var request = request
        request.headers[Self.field] = try Self.proof(secret, request.method, url.text, number)
        return try await next(request)
    }

    static func proof(
        _ secret: String,
        _ method: HTTPMethod,
        _ url: String,
        _ number: Int
    ) throws -> String {
        let digest = try HTTPDigest.sha256(of: Array("\(secret) \(method) \(url) \(number)".utf8))
        return "\(number):\(digest.base64)"
    }
}

/// An observer that records the steps as text, as a call of `print` would.
private struct PrintingObserver: HTTPObserver {
    let notes: EventRecorder<String>

    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        switch step {
        case .prepared(let request): notes.add("Did prepare request: \(request.method)")
        case .failed(let error): notes.add("Did encounter transport error: \(error.blame)")
        case .received(let response): notes.add("Did receive response: \(response.status.code)")
        default: break
        }
    }
}

@Suite("HTTPSwift: Intercept and Observe", .timeLimit(.minutes(10))) struct HTTPSwiftTests {
    @Test func `Intercept: an interceptor adds a field to every request`() async throws {
        let server = try await echoServer()
        let httpClient = HTTPClient().with {
            $0.interceptors = [UserAgentInterceptor(), RetryOnTransportErrorInterceptor()]
        }
        let endpoint = HTTPEndpoint(.get, server.url, .void())
        let result: Result<Void, HTTPError> = await httpClient.start(endpoint).result
        try result.get()
        #expect(server.requests.map { $0.headers.values(.userAgent) } == [["My User-Agent"]])
    }

    @Test func `Intercept and retry: a transport error is retried five times`() async throws {
        let server = try await serverAnswering([.close, .close, .close, .close, .close, .text("")])
        let httpClient = HTTPClient().with {
            $0.interceptors = [UserAgentInterceptor(), RetryOnTransportErrorInterceptor()]
            $0.retries.maxRetries = 5
        }
        let endpoint = HTTPEndpoint(.get, server.url, .void())
        let result: Result<Void, HTTPError> = await httpClient.start(endpoint).result
        try result.get()
        #expect(server.requests.count == 6)
        let broken = try await serverAnswering([.close])
        let error = await failure {
            try await HTTPRequest(broken.url).send(in: httpClient)
        }
        #expect(error?.blame == .peer)
        #expect(broken.requests.count == 6)
        #expect(error?.metrics.attempts.count == 6)
    }

    @Test func `Intercept: a retry passes all interceptors again, outermost first`() async throws {
        let server = try await echoServer()
        let notes = EventRecorder<String>()
        let httpClient = HTTPClient().with {
            $0.interceptors = [Stages(name: "client", notes: notes)]
        }
        let request = HTTPRequest(server.url).interceptor(Stages(name: "request", notes: notes))
        #expect(try await request.send(in: httpClient).isSuccess)
        #expect(
            notes.all == [
                "client prepare 0", "request prepare 0", "request process",
                "client prepare 1", "request prepare 1", "request process", "client process",
            ]
        )
        #expect(server.requests.count == 2)
    }

    @Test func `Intercept: each attempt has its own proof, and another origin gets none`()
        async throws
    {
        let other = try await echoServer()
        let server = try await serverAnswering([
            .text("later", status: .serviceUnavailable), .redirect(to: "/next"),
            .redirect(to: other.url + "/elsewhere"),
        ])
        var validator = HTTPDefaultValidator()
        validator.strategy = .immediate
        let httpClient = HTTPClient().with { $0.validators = [validator] }
        let endpoint = HTTPEndpoint(.get, server.url + "/start", .void())
            .interceptor(ProofInterceptor(secret: "key"))
        let result: Result<Void, HTTPError> = await httpClient.start(endpoint).result
        try result.get()
        #expect(server.requests.map(\.path) == ["/start", "/start", "/next"])
        for (index, request) in server.requests.enumerated() {
            let url = server.url + request.path
            let proof = try ProofInterceptor.proof("key", .get, url, index + 1)
            #expect(request.headers.values(ProofInterceptor.field) == [proof])
        }
        #expect(other.requests.map(\.path) == ["/elsewhere"])
        #expect(other.requests.first?.headers.contains(ProofInterceptor.field) == false)
    }

    @Test func `Observe: an observer gets requests, responses and errors`() async throws {
        let server = try await serverAnswering([.text(""), .close])
        let notes = EventRecorder<String>()
        let httpClient = HTTPClient().with { $0.observers = [PrintingObserver(notes: notes)] }
        let endpoint = HTTPEndpoint(.get, server.url, .void())
        let result: Result<Void, HTTPError> = await httpClient.start(endpoint).result
        try result.get()
        let second = await httpClient.start(endpoint.with { $0.connection = .fresh }).result
        #expect(throws: HTTPError.self) { try second.get() }
        #expect(
            notes.all == [
                "Did prepare request: GET", "Did receive response: 200",
                "Did prepare request: GET", "Did encounter transport error: peer",
            ]
        )
        #expect(server.requests.count == 2)
    }
}
