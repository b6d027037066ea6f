import HTTPClient
import Testing
import fetch

@Suite struct RetryRuleTests {
    private let minute = Duration.seconds(60)

    private func rule(_ change: (inout RetryRule) -> Void = { _ in }) -> RetryRule {
        var rule = RetryRule()
        rule.tries = 12
        change(&rule)
        return rule
    }

    @Test(
        arguments: [
            (408, true), (429, true), (500, true), (502, true), (503, true), (504, true),
            (522, true), (524, true), (200, false), (404, false), (501, false), (505, false),
        ] as [(Int, Bool)]
    )
    func `statuses that may pass are tried again`(code: Int, isTransient: Bool) {
        let outcome = RetryRule.Outcome(code: .rejectedStatus, status: HTTPStatus(code))
        #expect(rule().covers(outcome) == isTransient)
        #expect(rule { $0.takesAllFailures = true }.covers(outcome))
    }

    @Test func `failures that may pass are tried again, and others when asked`() {
        #expect(rule().covers(.init(code: .timedOut)))
        #expect(rule().covers(.init(code: .unresolvedHost)))
        #expect(!rule().covers(.init(code: .notConnected)))
        #expect(rule { $0.takesRefusals = true }.covers(.init(code: .notConnected)))
        #expect(!rule().covers(.init(code: .partialBody)))
        #expect(rule { $0.takesAllFailures = true }.covers(.init(code: .partialBody)))
        #expect(!rule { $0.takesAllFailures = true }.covers(.init(code: .done)))
    }

    @Test func `waits double up to ten minutes`() {
        let waits = (0..<12).map {
            rule().wait(after: .init(code: .timedOut), made: $0, elapsed: .zero, longest: nil)
        }
        let seconds: [Int64] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]
        #expect(waits == seconds.map { .seconds($0) })
    }

    @Test func `a delay of the caller's is kept, and tries end`() {
        let rule = rule {
            $0.delay = .milliseconds(1500)
            $0.tries = 2
        }
        let outcome = RetryRule.Outcome(code: .timedOut)
        let waits = (0..<3).map {
            rule.wait(after: outcome, made: $0, elapsed: .zero, longest: nil)
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
    func `a server is believed within bounds`(asked: Duration, longest: Duration?, wait: Duration?)
    {
        let outcome = RetryRule.Outcome(code: .done, status: HTTPStatus(503), asked: asked)
        #expect(rule().wait(after: outcome, made: 0, elapsed: .zero, longest: longest) == wait)
    }

    @Test(
        arguments: [
            (59, nil, 5, .seconds(32)), (60, nil, 0, nil), (0, 60, 0, .seconds(60)),
            (0, 61, 0, nil), (50, 11, 0, nil), (59, 1, 0, .seconds(1)),
        ] as [(Int64, Int64?, Int, Duration?)]
    )
    func `the time counts when it is over, or what the server asks for would be`(
        elapsed: Int64,
        asked: Int64?,
        made: Int,
        wait: Duration?
    ) {
        let rule = rule { $0.maximum = minute }
        let outcome = RetryRule.Outcome(code: .timedOut, asked: asked.map { .seconds($0) })
        #expect(
            rule.wait(after: outcome, made: made, elapsed: .seconds(elapsed), longest: nil) == wait
        )
    }
}
