import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPTokenSourceTests {
    private struct Refusal: Error {}

    /// Refreshes that are counted and wait until the test ends them.
    private final class Refreshes: Sendable {
        let count = Atomic<Int>(0)
        private let gate = AsyncStream<Void>.makeStream()

        func begin() async -> Int {
            let number = count.add(1, ordering: .relaxed).newValue
            for await _ in gate.stream { break }
            return number
        }

        func end() { gate.continuation.yield() }
    }

    /// Creates a source of tokens with lifetimes and the clock of the test.
    private func source(
        _ token: HTTPTokenSource.Token?,
        _ time: ManualClock,
        _ refresh: @escaping HTTPTokenSource.TimedRefresh
    ) -> HTTPTokenSource {
        HTTPTokenSource(
            token,
            coolDown: .seconds(5),
            now: { time.now },
            timedRefresh: refresh
        )
    }

    @Test func `a hundred callers share one token refresh`() async throws {
        let refreshes = Refreshes()
        let source = HTTPTokenSource("old") { previous in
            #expect(previous == "old")
            return "new\(await refreshes.begin())"
        }
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask { try await source.token(after: 1).text }
            }
            while source.waiting < 100 { await moment() }
            refreshes.end()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: "new1", count: 100))
        #expect(refreshes.count.load(ordering: .relaxed) == 1)
        // A late caller with the old token receives the new one.
        #expect(try await source.token(after: 1).text == "new1")
        #expect(source.current == "new1")
        #expect(refreshes.count.load(ordering: .relaxed) == 1)
    }

    @Test func `a failed refresh fails its waiters once and delays the next refresh`() async throws
    {
        let refreshes = Refreshes()
        let time = ManualClock()
        let refresh: HTTPTokenSource.Refresh = { _ in
            let number = await refreshes.begin()
            if number == 1 { throw Refusal() }
            return "token\(number)"
        }
        let source = HTTPTokenSource(
            nil,
            coolDown: .seconds(5),
            now: { time.now },
            refresh: refresh
        )
        let errors = await withTaskGroup(of: HTTPError?.self) { group in
            for _ in 0..<10 { group.addTask { await failure { _ = try await source.token() } } }
            while source.waiting < 10 { await moment() }
            refreshes.end()
            return await group.reduce(into: []) { $0.append($1) }
        }
        let kind = HTTPError.Kind.authenticationFailed(.refresh(description: "Refusal()"))
        #expect(errors.count == 10)
        #expect(errors.allSatisfy { $0?.kind == kind && $0?.underlying is Refusal })
        time.advance(by: .milliseconds(4999))
        #expect(await failure { _ = try await source.token() }?.kind == kind)
        #expect(refreshes.count.load(ordering: .relaxed) == 1)
        time.advance(by: .milliseconds(1))
        refreshes.end()
        #expect(try await source.token() == "token2")
    }

    @Test func `a canceled waiter does not stop the refresh of others`() async throws {
        let refreshes = Refreshes()
        let source = HTTPTokenSource { _ in "token\(await refreshes.begin())" }
        let first = Task { await failure { _ = try await source.token() } }
        while source.waiting < 1 { await moment() }
        let second = Task { try await source.token() }
        while source.waiting < 2 { await moment() }
        first.cancel()
        #expect(await first.value?.kind == .cancelled)
        refreshes.end()
        #expect(try await second.value == "token1")
    }

    @Test func `a refresh that requests its own token fails with an error`() async throws {
        let itself = Locked<HTTPTokenSource?>(nil)
        let source = HTTPTokenSource { _ in
            try await itself.withLock { $0 }?.token() ?? ""
        }
        itself.withLock { $0 = source }
        // Breaks the retain cycle.
        defer { itself.withLock { $0 = nil } }
        let error = await failure { _ = try await source.token() }
        let inner = error?.underlying as? HTTPError
        #expect(inner?.kind == .authenticationFailed(.recursiveRefresh))
    }

    @Test func `an invalidated token is not used again`() async throws {
        let source = HTTPTokenSource("a") { previous in (previous ?? "") + "b" }
        #expect(try await source.token() == "a")
        source.invalidate()
        #expect(source.current == nil)
        #expect(try await source.token() == "ab")
    }

    @Test func `the token generation determines which caller refreshes`() {
        let now = Deadline(nanoseconds: 1)
        var flight = TokenRefreshState(HTTPTokenSource.Token("a"), at: now)
        func step(_ refused: UInt64?) -> String {
            switch flight.nextStep(after: refused, now: now) {
            case .use(let token): "use \(token.text)"
            case .wait: "wait"
            case .refresh(let previous): "refresh \(previous ?? "-")"
            case .fail: "fail"
            }
        }
        #expect(step(nil) == "use a")
        #expect(step(1) == "refresh a")
        #expect(step(1) == "wait")
        #expect(step(nil) == "use a")
        #expect(flight.refreshed(HTTPTokenSource.Token("b"), at: now).generation == 2)
        #expect(step(1) == "use b")
        #expect(step(2) == "refresh b")
        flight.failed(HTTPError(CancellationError()), until: Deadline(nanoseconds: 2))
        #expect(step(2) == "fail")
        #expect(step(1) == "use b")
    }

    @Test(arguments: [(3600, 3570), (100, 90), (10, 9)])
    func `a token is refreshed before its lifetime ends`(lifetime: Int, due: Int) async throws {
        let time = ManualClock()
        let count = Atomic<Int>(0)
        let source = source(nil, time) { _ in
            let number = count.add(1, ordering: .relaxed).newValue
            return HTTPTokenSource.Token("t\(number)", expiresIn: .seconds(lifetime))
        }
        #expect(try await source.token() == "t1")
        time.advance(by: .seconds(due) - .nanoseconds(1))
        #expect(try await source.token() == "t1" && source.current == "t1")
        time.advance(by: .nanoseconds(1))
        #expect(try await source.token() == "t2" && source.current == "t2")
        time.advance(by: .seconds(lifetime))
        #expect(source.current == nil)
        #expect(try await source.token() == "t3")
    }

    @Test func `while one call refreshes a token, the others use the old one`() async throws {
        let time = ManualClock()
        let refreshes = Refreshes()
        let initial = HTTPTokenSource.Token("old", expiresIn: .seconds(100))
        let source = source(initial, time) { _ in
            HTTPTokenSource.Token("new\(await refreshes.begin())")
        }
        time.advance(by: .seconds(95))
        let first = Task { try await source.token() }
        while source.waiting < 1 { await moment() }
        #expect(try await source.token() == "old")
        time.advance(by: .seconds(5))
        let late = Task { try await source.token() }
        while source.waiting < 2 { await moment() }
        refreshes.end()
        #expect(try await first.value == "new1")
        #expect(try await late.value == "new1")
    }

    @Test func `if an early refresh fails, the old token is used until it expires`() async throws {
        let time = ManualClock()
        let count = Atomic<Int>(0)
        let initial = HTTPTokenSource.Token("old", expiresIn: .seconds(100))
        let source = source(initial, time) { _ in
            if count.add(1, ordering: .relaxed).newValue < 4 { throw Refusal() }
            return HTTPTokenSource.Token("new")
        }
        time.advance(by: .seconds(92))
        #expect(try await source.token() == "old")
        #expect(try await source.token() == "old")
        #expect(count.load(ordering: .relaxed) == 1)
        time.advance(by: .seconds(5))
        #expect(try await source.token() == "old")
        #expect(count.load(ordering: .relaxed) == 2)
        time.advance(by: .seconds(5))
        let error = await failure { _ = try await source.token() }
        #expect(error?.underlying is Refusal)
        time.advance(by: .seconds(5))
        #expect(try await source.token() == "new")
    }

    @Test func `a rejected token is not used again when its refresh fails`() async throws {
        let time = ManualClock()
        for lifetime in [nil, Duration.seconds(100)] {
            let initial = HTTPTokenSource.Token("old", expiresIn: lifetime)
            let source = source(initial, time) { _ in throw Refusal() }
            let error = await failure { _ = try await source.token(after: 1) }
            #expect(error?.underlying is Refusal)
            #expect(await failure { _ = try await source.token(after: 1) }?.underlying is Refusal)
            #expect(try await source.token(after: nil).text == "old")
        }
    }

    @Test func `a token shows its lifetime and not its text`() {
        let token = HTTPTokenSource.Token("secret", expiresIn: .seconds(90))
        #expect("\(token)" == "token that expires after 90 s")
        var dumped = ""
        dump(token, to: &dumped)
        #expect(!dumped.contains("secret") && !String(reflecting: token).contains("secret"))
    }
}
