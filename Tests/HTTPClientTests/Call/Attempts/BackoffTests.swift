import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// An interceptor that answers every request with a closure and sends nothing.
private struct AnsweringInterceptor: HTTPInterceptor {
    let answer: @Sendable (HTTPRequest) throws -> HTTPResponse

    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult { .response(try answer(request)) }
}

/// Clients with a simulated clock, which only retry delays advance.
private final class SimulatedClients: Sendable {
    /// The wall-clock time at the beginning of the test, in seconds since 1970.
    static let beginning = 1_800_000_000

    let time = ManualClock(nanoseconds: Deadline.now().nanoseconds)
    let pauses = Locked<[Duration]>([])
    let sent = Locked(0)

    func client(
        _ strategy: HTTPRetryOptions.Strategy,
        seed: UInt64 = 1,
        limit: Int = 2,
        budget: Double? = nil,
        answer: (@Sendable (HTTPRequest) throws -> HTTPResponse)? = nil
    ) -> HTTPClient {
        let start = time.now
        let clock = PolicyClock { [time] in
            time.now
        } secondsSince1970: { [time] in
            Self.beginning + Int(time.now.nanoseconds - start.nanoseconds) / 1_000_000_000
        } pause: { [self] delay in
            pauses.withLock { $0.append(delay) }
            time.advance(by: delay)
        }
        var validator = HTTPDefaultValidator(accepting: .successful)
        validator.strategy = strategy
        var configuration = HTTPClient.Configuration()
        configuration.validators = [validator]
        configuration.retries.maxRetries = limit
        configuration.retries.budget = budget
        if let answer {
            configuration.interceptors = [
                AnsweringInterceptor { [self] request in
                    sent.withLock { $0 += 1 }
                    return try answer(request)
                }
            ]
        }
        return HTTPClient(configuration, clock: clock, seed: seed)
    }

    /// Makes a call that fails, and returns the delay before each retry.
    func waits(_ client: HTTPClient, _ request: HTTPRequest = "http://a.test/") async -> [Duration]
    {
        pauses.withLock { $0 = [] }
        _ = await failure { try await client.send(request) }
        return pauses.withLock { $0 }
    }
}

/// Tests retry delays and limits with a clock that only the delays advance.
@Suite(.timeLimit(.minutes(10))) struct BackoffTests {
    private static let busy: @Sendable (HTTPRequest) throws -> HTTPResponse = { request in
        try HTTPResponse(status: .serviceUnavailable, for: request)
    }

    @Test func `exponential delays are random and double up to the cap`()
        async throws
    {
        let clients = SimulatedClients()
        let strategy = HTTPRetryOptions.Strategy.exponential(
            base: .milliseconds(200),
            cap: .seconds(2)
        )
        let client = clients.client(strategy, limit: 6, answer: Self.busy)
        var calls: [[Duration]] = []
        for _ in 0..<200 { calls.append(await clients.waits(client)) }
        for (number, bound) in zip(0..., [200, 400, 800, 1600, 2000, 2000]) {
            let drawn = calls.map { $0[number] / .milliseconds(bound) }
            #expect(drawn.allSatisfy { (0...1).contains($0) }, "retry \(number + 1)")
            // Of 200 random delays, some are near each end of the range, and their mean is in the middle.
            #expect(drawn.contains { $0 < 0.1 } && drawn.contains { $0 > 0.9 })
            #expect((0.4...0.6).contains(drawn.reduce(0, +) / 200))
        }
        let (first, second) = (SimulatedClients(), SimulatedClients())
        let same = await first.waits(first.client(strategy, seed: 7, answer: Self.busy))
        #expect(same == (await second.waits(second.client(strategy, seed: 7, answer: Self.busy))))
    }

    @Test func `fibonacci delays add the two before, up to the cap`() async throws {
        let clients = SimulatedClients()
        let client = clients.client(
            .fibonacci(unit: .seconds(1), cap: .seconds(6)),
            limit: 7,
            answer: Self.busy
        )
        #expect(await clients.waits(client) == [1, 1, 2, 3, 5, 6, 6].map { .seconds($0) })
        #expect(clients.sent.withLock { $0 } == 8)
    }

    @Test(
        arguments: [
            ("7", HTTPRetryOptions.Strategy.immediate, [7, 7]),
            ("7", .delayed(.seconds(9)), [9, 9]),
            ("0", .immediate, []),
            ("60", .immediate, [60, 60]),
            ("61", .immediate, nil),
            ("soon", .delayed(.seconds(1)), [1, 1]),
            // 30 s after the beginning of the test, which the first delay reaches.
            (
                HTTPDate(secondsSince1970: SimulatedClients.beginning + 30).description, .immediate,
                [30]
            ),
            (
                HTTPDate(secondsSince1970: SimulatedClients.beginning - 30).description, .immediate,
                []
            ),
            (
                HTTPDate(secondsSince1970: SimulatedClients.beginning + 61).description, .immediate,
                nil
            ),
        ] as [(String, HTTPRetryOptions.Strategy, [Int]?)]
    )
    func `Retry-After is obeyed in both forms`(
        wish: String,
        strategy: HTTPRetryOptions.Strategy,
        waits: [Int]?
    ) async throws {
        let clients = SimulatedClients()
        let client = clients.client(strategy) { request in
            try HTTPResponse(
                status: .serviceUnavailable,
                headers: [.retryAfter: wish],
                for: request
            )
        }
        let expected = (waits ?? []).map { Duration.seconds($0) }
        #expect(await clients.waits(client) == expected)
        #expect(clients.sent.withLock { $0 } == (waits == nil ? 1 : 3))
    }

    @Test func `the retry budget limits a thousand failing calls to 209 retries`() async throws {
        let clients = SimulatedClients()
        let client = clients.client(.immediate, budget: 0.2, answer: Self.busy)
        for _ in 0..<1000 { _ = await clients.waits(client) }
        // The budget starts full with 10 retries. Each call after the first deposits 0.2.
        #expect(clients.sent.withLock { $0 } - 1000 == 209)
        let other = SimulatedClients()
        let unbounded = other.client(.immediate, answer: Self.busy)
        for _ in 0..<100 { _ = await other.waits(unbounded) }
        #expect(other.sent.withLock { $0 } == 300)
    }

    @Test func `a retry delay does not exceed the total timeout`() async throws {
        let server = try await HTTPTestServer.start { _ in .status(.serviceUnavailable) }
        let clients = SimulatedClients()
        // The total timeout also runs in real time, so it is long enough for a busy machine.
        let client = clients.client(.delayed(.seconds(400)), limit: 9)
        let request = HTTPRequest(server.url)
        #expect(
            await clients.waits(client, request.timeout(.seconds(1000)))
                == [.seconds(400), .seconds(400)]
        )
        #expect(server.requests.count == 3)
        let patient = SimulatedClients()
        let all = await patient.waits(
            patient.client(.delayed(.seconds(400)), limit: 9),
            request.timeout(.seconds(3600 * 24))
        )
        #expect(all.count == 9)
    }

    @Test func `canceling a retry delay cancels the call`() async throws {
        let clock = PolicyClock {
            .now()
        } secondsSince1970: {
            0
        } pause: { _ in
            throw CancellationError()
        }
        var configuration = HTTPClient.Configuration()
        configuration.validators = [HTTPDefaultValidator()]
        configuration.interceptors = [AnsweringInterceptor(answer: Self.busy)]
        let client = HTTPClient(configuration, clock: clock, seed: 1)
        #expect(await failure { try await client.send("http://a.test/") }?.kind == .cancelled)
    }
    @Test func `a call canceled during its delay withdraws nothing from the retry budget`()
        async throws
    {
        let isGivenUp = Locked(true)
        let clock = PolicyClock {
            .now()
        } secondsSince1970: {
            0
        } pause: { _ in
            if isGivenUp.withLock({ $0 }) { throw CancellationError() }
        }
        let sent = Locked(0)
        var validator = HTTPDefaultValidator()
        validator.strategy = .delayed(.seconds(1))
        var configuration = HTTPClient.Configuration()
        configuration.validators = [validator]
        configuration.retries.budget = 0.000_001
        configuration.interceptors = [
            AnsweringInterceptor { request in
                sent.withLock { $0 += 1 }
                return try Self.busy(request)
            }
        ]
        let client = HTTPClient(configuration, clock: clock, seed: 1)
        for _ in 0..<50 { _ = await failure { try await client.send("http://a.test/") } }
        #expect(sent.withLock { $0 } == 50)
        isGivenUp.withLock { $0 = false }
        _ = try await client.send("http://a.test/")
        #expect(sent.withLock { $0 } > 51)
    }

    @Test func `a canceled retry delay reports the preceding response`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("later", status: .tooManyRequests)
        }
        let clock = PolicyClock {
            .now()
        } secondsSince1970: {
            0
        } pause: { _ in
            throw CancellationError()
        }
        var configuration = HTTPClient.Configuration()
        configuration.validators = [HTTPDefaultValidator()]
        let client = HTTPClient(configuration, clock: clock, seed: 1)
        let error = await failure { try await client.send(HTTPRequest(server.url)) }
        #expect(error?.kind == .cancelled && error?.head?.status == .tooManyRequests)
        #expect(error?.metrics.attempts.count == 1)
        #expect(error?.partialBody == Array("later".utf8))
    }

    @Test func `a request deposits into the retry budget by its own setting`() async throws {
        let server = try await HTTPTestServer.start { _ in .status(.serviceUnavailable) }
        let clients = SimulatedClients()
        // The client sets no budget, so only the budgets of the requests are used.
        let client = clients.client(.immediate)
        var request = HTTPRequest(server.url)
        request.retries = HTTPRetryOptions()
        request.retries?.maxRetries = 1
        request.retries?.budget = 1
        for _ in 0..<30 { _ = await failure { [request] in try await client.send(request) } }
        #expect(server.requests.count == 60)
    }

    @Test func `calls without validators deposit into the retry budget`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/busy" ? .status(.serviceUnavailable) : .text("")
        }
        let clients = SimulatedClients()
        let client = clients.client(.immediate, budget: 0.5)
        let quiet = client.with { $0.validators = [] }
        let busy = HTTPRequest(server.url + "/busy")
        for _ in 0..<30 { _ = await failure { try await client.send(busy) } }
        let before = server.requests.count
        _ = await failure { try await client.send(busy.maxRetries(9)) }
        let poor = server.requests.count - before
        for _ in 0..<12 { _ = try await quiet.send(HTTPRequest(server.url)) }
        let between = server.requests.count
        _ = await failure { try await client.send(busy.maxRetries(9)) }
        #expect(poor <= 2 && server.requests.count - between >= 7)
    }
}
