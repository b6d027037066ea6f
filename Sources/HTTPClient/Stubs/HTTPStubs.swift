internal import SocketTransport

/// Answers the requests of clients in place of the network, and remembers them.
///
///     let stubs = HTTPStubs {
///         HTTPStub(.get("https://api.example.com/users/7"), answer: .json(["name": "Ada"]))
///     }
///     let client = HTTPClient().with { $0.stubs = stubs }
///     let user = try await client.send("https://api.example.com/users/7")
///     try stubs.verify(.get("https://api.example.com/users/7"))
///
/// They belong to the clients that were given them, and to no other: tests run side by side. A request
/// is looked at when interceptors, cookies and credentials have left it, each time it is sent. The first
/// stub that matches answers, over a pair of sockets within the process: limits, time-outs, progress,
/// metrics, streaming, downloads, blocking calls and cancellation are those of the network. No name is
/// looked up, no proxy is asked, TLS is left out, and the pool's limits do not count.
///
/// Upgrades, tunnels and connections of one's own (``HTTPClient/upgrade(_:to:)``,
/// ``HTTPClient/tunnel(to:port:through:)``, ``HTTPConnectionPool``) throw
/// `.stubFailed(.needsNetwork)`, unless unmatched requests may pass.
///
/// ## Topics
/// ### Making them
/// - ``init(onUnmatched:ignoring:_:)``
/// - ``init(cassette:ignoring:_:)``
/// - ``add(_:)``
/// - ``removeAll()``
/// ### Looking back
/// - ``calls``
/// - ``calls(_:)``
/// - ``verify(_:times:)-(_,Int)``
/// - ``verifyAllUsed()``
/// - ``removeAllCalls()``
public final class HTTPStubs: Sendable {
    /// Says what becomes of a request that no stub matches.
    public enum UnmatchedPolicy: Sendable, Hashable {
        /// It fails: `.stubFailed(.unmatched(…))` names the stub that came nearest and what it misses.
        case fail
        /// It goes to the network.
        case passThrough
    }

    struct State: Sendable {
        var stubs: [(number: Int, stub: HTTPStub)] = []
        var lastNumber = 0
        /// How often each stub has answered, by its number.
        var uses: [Int: Int] = [:]
        /// The requests that were made.
        var log = Log()
    }

    /// What becomes of a request that no stub matches.
    public let onUnmatched: UnmatchedPolicy
    let ignored: [HTTPStub.Matcher]
    let cassette: HTTPCassette?
    let state = Locked(State())

    /// Makes stubs.
    ///
    /// - Parameters:
    ///   - onUnmatched: default ``UnmatchedPolicy/fail``, so that no test leaves the machine by accident.
    ///   - ignored: requests that go to the network whatever matches them.
    ///   - stubs: in the order in which they are asked; default none.
    public convenience init(
        onUnmatched: UnmatchedPolicy = .fail,
        ignoring ignored: [HTTPStub.Matcher] = [],
        @HTTPStubsBuilder _ stubs: () -> [HTTPStub] = { [] }
    ) {
        self.init(onUnmatched, ignored, nil, stubs())
    }

    init(
        _ onUnmatched: UnmatchedPolicy,
        _ ignored: [HTTPStub.Matcher],
        _ cassette: HTTPCassette?,
        _ stubs: [HTTPStub]
    ) {
        self.onUnmatched = onUnmatched
        self.ignored = ignored
        self.cassette = cassette
        for stub in stubs { add(stub) }
    }

    /// Adds a stub behind the others; requests that are under way do not see it.
    public func add(_ stub: HTTPStub) {
        state.withLock { state in
            state.lastNumber += 1
            state.stubs.append((state.lastNumber, stub))
        }
    }

    /// Removes all stubs; what was asked stays in ``calls``.
    public func removeAll() {
        state.withLock { state in
            state.stubs = []
            state.uses = [:]
        }
    }
}

/// Lists stubs, with `if`, `for` and arrays of them among them.
@resultBuilder public enum HTTPStubsBuilder {
    /// One stub.
    public static func buildExpression(_ stub: HTTPStub) -> [HTTPStub] { [stub] }
    /// Several.
    public static func buildExpression(_ stubs: [HTTPStub]) -> [HTTPStub] { stubs }
    /// Those of all lines.
    public static func buildBlock(_ parts: [HTTPStub]...) -> [HTTPStub] { parts.flatMap { $0 } }
    /// Those of a condition that holds.
    public static func buildOptional(_ part: [HTTPStub]?) -> [HTTPStub] { part ?? [] }
    /// Those of one branch.
    public static func buildEither(first part: [HTTPStub]) -> [HTTPStub] { part }
    /// Those of the other branch.
    public static func buildEither(second part: [HTTPStub]) -> [HTTPStub] { part }
    /// Those of a loop.
    public static func buildArray(_ parts: [[HTTPStub]]) -> [HTTPStub] { parts.flatMap { $0 } }
}
