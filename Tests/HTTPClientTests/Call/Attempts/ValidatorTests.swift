import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

private struct TestError: Error {}

@Suite(.timeLimit(.minutes(10))) struct ValidatorTests {
    @Test func `the first validator that does not accept decides`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("old") }
        let asked = Locked<[Int]>([])
        func validator(
            _ number: Int,
            _ verdict: @escaping @Sendable (HTTPResponse) -> HTTPValidationResult
        )
            -> HTTPClosureValidator
        {
            HTTPClosureValidator { outcome, _, _ in
                asked.withLock { $0.append(number) }
                return verdict(try outcome.get())
            }
        }
        let client = HTTPClient().with {
            $0.validators = [
                validator(1) { _ in .accept },
                validator(2) { response in
                    var other = response
                    other.body = Array("new".utf8)
                    return .replace(other)
                },
                validator(3) { $0.text == "new" ? .accept : .fail(TestError()) },
            ]
        }
        let request = HTTPRequest(server.url)
        #expect(try await client.send(request).text == "new")
        let error = await failure {
            try await client.send(
                request.validator(validator(4) { _ in .fail(TestError()) })
                    .validator(validator(5) { _ in .accept })
            )
        }
        #expect(error?.kind == .rejectedResponse(reason: "TestError()"))
        #expect(error?.underlying is TestError && error?.partialBody == Array("new".utf8))
        #expect(asked.withLock { $0 } == [1, 2, 3, 1, 2, 3, 4])
    }

    @Test func `validators see the last request sent`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/old" ? .redirect(to: "/new", status: .seeOther) : .text("")
        }
        let seen = Locked<[String]>([])
        let client = HTTPClient().with {
            $0.validators = [
                HTTPClosureValidator { _, request, _ in
                    seen.withLock {
                        $0.append("\(request.method.rawValue) \(request.url.hasSuffix("/new"))")
                    }
                    return .accept
                }
            ]
            $0.transformers = [
                HTTPResponseTransformer { _, request in
                    seen.withLock { $0.append(request.method.rawValue) }
                }
            ]
        }
        _ = try await client.send(HTTPRequest(.post, server.url + "/old"))
        #expect(seen.withLock { $0 } == ["GET", "GET true"])
    }

    @Test func `a validator that throws fails the call`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("") }
        let client = HTTPClient().with {
            $0.validators = [HTTPClosureValidator { _, _, _ in throw TestError() }]
        }
        let error = await failure { try await client.send(HTTPRequest(server.url)) }
        #expect(error?.kind == .rejectedResponse(reason: "TestError()"))
        let port = try UnreachablePorts.refusing()
        let refused = await failure {
            try await client.send(HTTPRequest("http://127.0.0.1:\(port)"))
        }
        #expect(refused?.kind == .rejectedResponse(reason: "TestError()"))
        #expect(refused?.failedAddresses.count == 1)
    }

    @Test func `the default validator rejects the configured responses`() async throws {
        let server = try await HTTPTestServer.start { request in
            .text(
                request.path == "/full" ? "x" : "",
                status: HTTPStatus(Int(request.query ?? "") ?? 200)
            )
        }
        let strict = HTTPDefaultValidator(accepting: .successful, allowsEmptyResponses: false)
        let client = HTTPClient().with { $0.validators = [strict] }
        let url = server.url
        #expect(try await client.send(HTTPRequest(url + "/full")).text == "x")
        #expect(try await client.send(HTTPRequest(url + "/?204")).status == .noContent)
        #expect(try await client.send(HTTPRequest(url + "/", method: .head)).status == .ok)
        let empty = await failure { try await client.send(HTTPRequest(url + "/")) }
        #expect(empty?.kind == .emptyBody(.ok))
        let missing = await failure { try await client.send(HTTPRequest(url + "/full?404")) }
        #expect(missing?.kind == .rejectedStatus(.notFound))
        #expect(try await client.stream(HTTPRequest(url + "/")).status == .ok)
        let streamed = await failure { try await client.stream(HTTPRequest(url + "/?500")) }
        #expect(streamed?.kind == .rejectedStatus(.internalServerError))
    }

    // MARK: - Retries

    /// Returns a client with a validator and changed retry options.
    private func makeClient(
        _ server: HTTPTestServer,
        _ validator: some HTTPResponseValidator,
        _ change: (inout HTTPRetryOptions) -> Void = { _ in }
    ) -> HTTPClient {
        HTTPClient().with {
            $0.validators = [validator]
            change(&$0.retries)
        }
    }

    private func immediateValidator(
        _ strategy: HTTPRetryOptions.Strategy = .immediate
    ) -> HTTPDefaultValidator {
        var validator = HTTPDefaultValidator(accepting: .successful)
        validator.strategy = strategy
        return validator
    }

    @Test func `a busy server is retried up to the limit`() async throws {
        let count = Locked(0)
        let server = try await HTTPTestServer.start { _ in
            count.withLock {
                $0 += 1
                return $0
            } < 3 ? .status(.serviceUnavailable) : .text("ok")
        }
        let client = makeClient(server, immediateValidator())
        let response = try await client.send(HTTPRequest(server.url))
        #expect(response.text == "ok" && server.requests.count == 3)
        count.withLock { $0 = -10 }
        let error = await failure { try await client.send(HTTPRequest(server.url).maxRetries(1)) }
        #expect(error?.kind == .rejectedStatus(.serviceUnavailable))
        #expect(error?.metrics.attempts.count == 2)
        #expect(server.requests.count == 5)
        let streamed = await failure { try await client.stream(HTTPRequest(server.url)) }
        #expect(streamed?.metrics.attempts.count == 3)
        let url = server.url
        let blocking = await onThread {
            Result { try client.blocking.send(HTTPRequest(url)) }
        }
        guard case .failure(let last as HTTPError) = blocking else {
            Issue.record("nothing was thrown")
            return
        }
        #expect(last.metrics.attempts.count == 3)
    }

    @Test func `an unsafe request is not retried unless allowed`() async throws {
        let server = try await HTTPTestServer.start { _ in .status(.serviceUnavailable) }
        let client = makeClient(server, immediateValidator())
        let post = HTTPRequest(server.url, method: .post, body: .string("x"))
        _ = await failure { try await client.send(post) }
        #expect(server.requests.count == 1)
        _ = await failure { try await client.send(post.header("Idempotency-Key", "1")) }
        #expect(server.requests.count == 4)
        let insisting = makeClient(server, immediateValidator()) { $0.retriesUnsafeRequests = true }
        _ = await failure { try await insisting.send(post) }
        #expect(server.requests.count == 7)
    }

    @Test func `the retry budget limits retries over all calls`() async throws {
        let server = try await HTTPTestServer.start { _ in .status(.serviceUnavailable) }
        let client = makeClient(server, immediateValidator())
        for _ in 0..<40 { _ = await failure { try await client.send(HTTPRequest(server.url)) } }
        // The budget starts with 10 retries, and forty calls deposit 8.
        #expect((57...58).contains(server.requests.count))
        let unbounded = makeClient(server, immediateValidator()) { $0.budget = nil }
        let before = server.requests.count
        for _ in 0..<10 { _ = await failure { try await unbounded.send(HTTPRequest(server.url)) } }
        #expect(server.requests.count == before + 30)
    }

    @Test func `a Retry-After beyond the limit prevents the retry`() async throws {
        let server = try await HTTPTestServer.start { request in
            .status(.tooManyRequests, headers: [.retryAfter: request.query ?? ""])
        }
        let client = makeClient(server, immediateValidator())
        for wish in ["61", "99999999999999999999", "Fri,%2031%20Dec%209999%2023:59:59%20GMT"] {
            let before = server.requests.count
            _ = await failure { try await client.send(HTTPRequest(server.url + "/?" + wish)) }
            #expect(server.requests.count == before + (wish.hasPrefix("F") ? 3 : 1), "\(wish)")
        }
        // The delay would exceed the total timeout.
        let before = server.requests.count
        let soon = HTTPRequest(server.url + "/?30").timeout(.seconds(20))
        _ = await failure { try await client.send(soon) }
        #expect(server.requests.count == before + 1)
    }

    @Test func `another request can be sent before a retry and change it`() async throws {
        let server = try await HTTPTestServer.start { request in
            if request.path == "/login" { return .text("token") }
            return .status(request.headers[.authorization] == "Bearer token" ? .ok : .unauthorized)
        }
        let login = HTTPRequest(server.url + "/login", method: .post)
        let validator = HTTPClosureValidator { outcome, _, _ in
            guard try outcome.get().status == .unauthorized else { return .accept }
            return .retry(
                .afterRequest(login) { response, request in
                    request.headers[.authorization] = "Bearer \(response.text)"
                }
            )
        }
        let response = try await makeClient(server, validator).send(HTTPRequest(server.url + "/x"))
        #expect(response.status == .ok)
        #expect(server.requests.map(\.path) == ["/x", "/login", "/x"])
        let failing = HTTPClosureValidator { _, _, _ in
            .retry(.afterTask { _ in throw TestError() })
        }
        let error = await failure {
            try await makeClient(server, failing).send(HTTPRequest(server.url + "/x"))
        }
        #expect(error?.kind == .interceptorFailed(reason: "TestError()"))
    }

    @Test func `delays grow, vary and stop at the cap`() {
        var dice = SystemRandomNumberGenerator()
        let exponential = HTTPRetryOptions.Strategy.exponential(
            base: .milliseconds(200),
            cap: .seconds(10)
        )
        let bounds: [Int64] = [200, 400, 800, 1600, 3200, 6400, 10000, 10000]
        for (number, bound) in zip(1..., bounds) {
            let drawn = (0..<100).map { _ in exponential.delay(before: number, &dice) }
            #expect(drawn.allSatisfy { $0 >= .zero && $0 <= .milliseconds(bound) })
            #expect(Set(drawn).count > 90)
        }
        #expect(exponential.delay(before: .max, &dice) <= .seconds(10))
        let fibonacci = HTTPRetryOptions.Strategy.fibonacci(unit: .seconds(1), cap: .seconds(20))
        let delays = (1...9).map { fibonacci.delay(before: $0, &dice) }
        #expect(delays == [1, 1, 2, 3, 5, 8, 13, 20, 20].map { Duration.seconds($0) })
        #expect(fibonacci.delay(before: .max, &dice) == .seconds(20))
        #expect(HTTPRetryOptions.Strategy.delayed(.seconds(-1)).delay(before: 1, &dice) == .zero)
        #expect(HTTPRetryOptions.Strategy.immediate.delay(before: 3, &dice) == .zero)
    }
}
