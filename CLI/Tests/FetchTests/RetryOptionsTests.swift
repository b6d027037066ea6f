import HTTPClient
import Testing
import fetch

@Suite struct RetryOptionsTests {
    private let minute = Duration.seconds(60)

    private func rule(_ change: (inout RetryOptions) -> Void = { _ in }) -> RetryOptions {
        var rule = RetryOptions()
        rule.maxRetries = 12
        change(&rule)
        return rule
    }

    @Test(
        arguments: [
            (408, true), (429, true), (500, true), (502, true), (503, true), (504, true),
            (522, true), (524, true), (200, false), (404, false), (501, false), (505, false),
        ] as [(Int, Bool)]
    )
    func `transient statuses are retried`(code: Int, isTransient: Bool) {
        let outcome = RetryOptions.Outcome(code: .rejectedStatus, status: HTTPStatus(code))
        #expect(rule().isRetryable(outcome) == isTransient)
        #expect(rule { $0.retriesAllErrors = true }.isRetryable(outcome))
    }

    @Test func `transient failures are retried, and others only if options say so`() {
        #expect(rule().isRetryable(.init(code: .timedOut)))
        #expect(rule().isRetryable(.init(code: .unresolvedHost)))
        #expect(!rule().isRetryable(.init(code: .notConnected)))
        #expect(rule { $0.retriesConnectionRefused = true }.isRetryable(.init(code: .notConnected)))
        #expect(!rule().isRetryable(.init(code: .partialBody)))
        #expect(rule { $0.retriesAllErrors = true }.isRetryable(.init(code: .partialBody)))
        #expect(!rule { $0.retriesAllErrors = true }.isRetryable(.init(code: .done)))
    }

    @Test func `retry delays double up to ten minutes`() {
        let waits = (0..<12).map {
            rule().wait(
                after: .init(code: .timedOut),
                retries: $0,
                elapsed: .zero,
                transferTimeout: nil
            )
        }
        let seconds: [Int64] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]
        #expect(waits == seconds.map { .seconds($0) })
    }

    @Test func `a fixed retry delay is kept until the retries are used up`() {
        let rule = rule {
            $0.delay = .milliseconds(1500)
            $0.maxRetries = 2
        }
        let outcome = RetryOptions.Outcome(code: .timedOut)
        let waits = (0..<3).map {
            rule.wait(after: outcome, retries: $0, elapsed: .zero, transferTimeout: nil)
        }
        #expect(waits == [.milliseconds(1500), .milliseconds(1500), nil])
    }

    @Test(arguments: [
        (Duration.seconds(2), Duration?.none, Duration?.some(.seconds(2))),
        (.zero, nil, .seconds(1)),
        (.seconds(600), nil, .seconds(600)),
        (.seconds(601), nil, nil),
        (.seconds(4), .seconds(3), nil),
        (.seconds(3), .seconds(3), .seconds(3)),
    ])
    func `Retry-After is followed within ten minutes and the transfer timeout`(
        retryAfter: Duration,
        transferTimeout: Duration?,
        wait: Duration?
    ) {
        let outcome = RetryOptions.Outcome(
            code: .done,
            status: HTTPStatus(503),
            retryAfter: retryAfter
        )
        #expect(
            rule().wait(
                after: outcome,
                retries: 0,
                elapsed: .zero,
                transferTimeout: transferTimeout
            ) == wait
        )
    }

    @Test(
        arguments: [
            (59, nil, 5, .seconds(32)), (60, nil, 0, nil), (0, 60, 0, .seconds(60)),
            (0, 61, 0, nil), (50, 11, 0, nil), (59, 1, 0, .seconds(1)),
        ] as [(Int64, Int64?, Int, Duration?)]
    )
    func `no retry is made if the retry time is over or Retry-After exceeds it`(
        elapsed: Int64,
        retryAfter: Int64?,
        retries: Int,
        wait: Duration?
    ) {
        let rule = rule { $0.maxTime = minute }
        let outcome = RetryOptions.Outcome(
            code: .timedOut,
            retryAfter: retryAfter.map { .seconds($0) }
        )
        #expect(
            rule.wait(
                after: outcome,
                retries: retries,
                elapsed: .seconds(elapsed),
                transferTimeout: nil
            ) == wait
        )
    }
}
