import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing
import Wire

/// Tests the rules for retries without a socket or a clock.
@Suite struct RetryRulesTests {
    private let now = Deadline(nanoseconds: 1_000_000_000_000)

    private func grant(
        _ rules: RetryRules = RetryRules(),
        _ strategy: HTTPRetryOptions.Strategy = .immediate,
        after outcome: RetryRules.Outcome = .response(.get, 503),
        retryAfter: Duration? = nil,
        for candidate: RetryRules.Candidate = RetryRules.Candidate(method: .get),
        _ options: HTTPRetryOptions = HTTPRetryOptions(),
        until deadline: Deadline = .never
    ) -> RetryGrant? {
        var random = SeededGenerator(seed: 1)
        return rules.grant(
            strategy,
            after: outcome,
            retryAfter: retryAfter,
            for: candidate,
            options,
            until: deadline,
            now: now,
            random: &random
        )
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let method: HTTPMethod
        let outcome: RetryRules.Outcome
        let isGranted: Bool

        init(
            _ name: String,
            _ method: HTTPMethod,
            _ outcome: RetryRules.Outcome,
            _ isGranted: Bool
        ) {
            testDescription = name
            self.method = method
            self.outcome = outcome
            self.isGranted = isGranted
        }
    }

    static let rows: [Row] = [
        Row("GET, 503", .get, .response(.get, 503), true),
        Row("PUT, 503", .put, .response(.put, 503), true),
        Row("DELETE, 500", .delete, .response(.delete, 500), true),
        Row("POST, 503", .post, .response(.post, 503), false),
        Row("PATCH, 200", .patch, .response(.patch, 200), false),
        Row("POST, rejected with 401", .post, .response(.post, 401), true),
        Row("POST, rejected with 403", .post, .response(.post, 403), true),
        Row("POST, rejected with 421", .post, .response(.post, 421), true),
        Row("POST, rejected with 425", .post, .response(.post, 425), true),
        Row("POST, 307", .post, .response(.post, 307), false),
        Row("GET of a redirected POST", .get, .response(.post, 303), false),
        Row("GET, nothing sent", .get, .failure(isRetrySafe: true, isIdempotent: true), true),
        Row("POST, nothing sent", .post, .failure(isRetrySafe: true, isIdempotent: false), true),
        Row(
            "GET, truncated response",
            .get,
            .failure(isRetrySafe: false, isIdempotent: true),
            true
        ),
        Row("POST, sent", .post, .failure(isRetrySafe: false, isIdempotent: false), false),
        Row("POST after a GET", .post, .failure(isRetrySafe: false, isIdempotent: true), false),
        Row(
            "GET, cancelled",
            .get,
            .failure(isRetrySafe: true, isIdempotent: true, isCancellation: true),
            false
        ),
    ]

    @Test(arguments: rows) func `a retry must not repeat a side effect`(row: Row) {
        var rules = RetryRules()
        rules.record(row.outcome)
        let candidate = RetryRules.Candidate(method: row.method)
        #expect((grant(rules, after: row.outcome, for: candidate) != nil) == row.isGranted)
    }

    @Test(
        arguments: [
            (429, .fibonacci(), nil, 3), (429, .immediate, nil, 3),
            (503, .delayed(.seconds(7)), nil, 7),
            (429, .immediate, .seconds(2), 3), (429, .immediate, .seconds(5), 5),
            (500, .delayed(.seconds(7)), nil, 0),
            (429, .afterTask(delay: .seconds(1)) { _ in }, nil, 1),
        ] as [(HTTPStatus, HTTPRetryOptions.Strategy, Duration?, Int)]
    )
    func `a wait for a status replaces the delay, unless Retry-After is longer`(
        status: HTTPStatus,
        strategy: HTTPRetryOptions.Strategy,
        retryAfter: Duration?,
        seconds: Int
    ) throws {
        var options = HTTPRetryOptions.standard
        options.statusDelays = [429: .seconds(3), 500: .seconds(-1)]
        let found = grant(
            RetryRules(),
            strategy,
            after: .response(.get, status),
            retryAfter: retryAfter,
            options
        )
        #expect(try #require(found).delay == .seconds(seconds))
    }

    @Test(arguments: ["QUERY", "PROPFIND", "MKCOL"] as [HTTPMethod])
    func `a registered idempotent method is retried as PUT is`(method: HTTPMethod) {
        let candidate = RetryRules.Candidate(method: method)
        var rules = RetryRules()
        rules.record(.response(method, 503))
        #expect(grant(rules, after: .response(method, 503), for: candidate) != nil)
    }

    @Test func `a side effect of an earlier attempt counts`() {
        var rules = RetryRules()
        rules.record(.response(.post, 200))
        #expect(rules.mayHaveSideEffects)
        #expect(grant(rules, after: .response(.get, 503)) == nil)
    }

    @Test(arguments: [HTTPStatus(307), 308, 401, 403, 421, 425])
    func `a POST that was rejected or redirected as it is had no side effect`(status: HTTPStatus) {
        var rules = RetryRules()
        rules.record(.response(.post, status))
        #expect(!rules.mayHaveSideEffects)
    }

    @Test func `an idempotency key permits the retry of a POST`() {
        var candidate = RetryRules.Candidate(method: .post)
        candidate.hasIdempotencyKey = true
        var rules = RetryRules()
        rules.record(.response(.post, 503))
        #expect(grant(rules, after: .response(.post, 503), for: candidate) != nil)
    }

    @Test func `the option for unsafe requests permits the retry of a POST`() {
        var options = HTTPRetryOptions()
        options.retriesUnsafeRequests = true
        let candidate = RetryRules.Candidate(method: .post)
        #expect(grant(after: .response(.post, 503), for: candidate, options) != nil)
    }

    @Test func `a body that cannot be sent again prevents a retry`() {
        var candidate = RetryRules.Candidate(method: .put)
        candidate.isReplayable = false
        #expect(grant(for: candidate) == nil)
    }

    @Test(arguments: [(0, 0), (1, 1), (2, 2), (5, 5)])
    func `the limit counts retries`(limit: Int, count: Int) {
        var rules = RetryRules()
        var granted = 0
        while grant(rules, HTTPRetryOptions(maxRetries: limit)) != nil, granted < 10 {
            granted += 1
            #expect(rules.beginRetry() == granted)
        }
        #expect(granted == count)
    }

    private func grant(_ rules: RetryRules, _ options: HTTPRetryOptions) -> RetryGrant? {
        grant(rules, .immediate, after: .response(.get, 503), options)
    }

    @Test func `the limit of the request wins`() {
        var candidate = RetryRules.Candidate(method: .get)
        candidate.maxRetries = 0
        #expect(grant(for: candidate, HTTPRetryOptions(maxRetries: 5)) == nil)
    }

    @Test(arguments: [
        (Duration?.none, Duration.seconds(1)), (.seconds(3), .seconds(3)), (.zero, .seconds(1)),
    ])
    func `the longer of both delays is used`(retryAfter: Duration?, delay: Duration) {
        let grant = grant(RetryRules(), .delayed(.seconds(1)), retryAfter: retryAfter)
        #expect(grant?.delay == delay)
    }

    @Test(arguments: [(60, true), (61, false)])
    func `a Retry-After above the maximum prevents a retry`(seconds: Int, isGranted: Bool) {
        #expect((grant(retryAfter: .seconds(seconds)) != nil) == isGranted)
    }

    @Test(arguments: [(999, true), (1000, false), (1001, false)])
    func `a delay that ends at the deadline or later prevents a retry`(
        milliseconds: Int,
        isGranted: Bool
    ) {
        let grant = grant(
            RetryRules(),
            .delayed(.milliseconds(milliseconds)),
            until: now.advanced(by: .seconds(1))
        )
        #expect((grant != nil) == isGranted)
    }

    @Test func `only strategies that wait are withdrawn from the budget`() {
        #expect(grant()?.chargesBudget == true)
        #expect(grant(RetryRules(), .exponential())?.chargesBudget == true)
        #expect(grant(RetryRules(), .afterTask { _ in })?.chargesBudget == false)
        var options = HTTPRetryOptions()
        options.budget = nil
        #expect(grant(options)?.chargesBudget == false)
    }

    private func grant(_ options: HTTPRetryOptions) -> RetryGrant? {
        grant(RetryRules(), options)
    }

    private static func lost(
        _ change: (inout RetryRules.LostAttempt) -> Void = { _ in }
    ) -> RetryRules.LostAttempt {
        var attempt = RetryRules.LostAttempt()
        change(&attempt)
        return attempt
    }

    static let lostAttempts: [(String, RetryRules.LostAttempt, Bool)] = [
        ("an idle connection was lost", lost(), true),
        ("a new connection was lost", lost { $0.isReused = false }, false),
        ("the connection belongs to the caller", lost { $0.isDedicated = true }, false),
        ("it was replayed before", lost { $0.replays = 1 }, false),
        ("a POST was not sent", lost { $0.isIdempotent = false }, true),
        ("a GET was sent", lost { $0.bytesSent = 100 }, true),
        ("a response had begun", lost { $0.hasResponseBegun = true }, false),
        (
            "a POST was sent",
            lost {
                $0.isIdempotent = false
                $0.bytesSent = 1
            }, false
        ),
    ]

    @Test(arguments: lostAttempts)
    func `a request is replayed once after the loss of an idle connection`(
        name: String,
        attempt: RetryRules.LostAttempt,
        isReplayed: Bool
    ) {
        #expect(RetryRules.replays(attempt) == isReplayed, "\(name)")
    }
}

extension RetryRules.Outcome {
    /// A response to a request with this method.
    fileprivate static func response(_ method: HTTPMethod, _ status: HTTPStatus) -> Self {
        .response(isIdempotent: method.isIdempotent, status)
    }
}
