internal import HTTPClient
internal import SocketTransport

/// A set of stubs that answer the requests of clients in place of the network, and record them.
///
///     let stubs = HTTPStubs {
///         HTTPStub(.get("https://api.example.com/users/7"), answer: .json(["name": "Ada"]))
///     }
///     let client = HTTPClient().with { $0.stubs = stubs }
///     let user = try await client.send("https://api.example.com/users/7")
///     try stubs.verify(.get("https://api.example.com/users/7"))
///
/// Stubs apply only to the clients that use them, so tests can run in parallel. A request is
/// matched after interceptors, cookies and credentials were applied, each time it is sent. The
/// first stub that matches answers, over a pair of sockets within the process. Limits, timeouts,
/// progress, metrics, streaming, downloads, blocking calls and cancellation work as with the
/// network. The client does not resolve names or use a proxy or TLS. For https,
/// `TLSSessionInfo.isSimulated` is true in the metrics. Stubbed connections do not count against the
/// pool's limits.
///
/// Upgrades, tunnels and dedicated connections (`HTTPClient.upgrade(_:to:)`,
/// `HTTPClient.tunnel(to:port:through:)`, `HTTPConnectionPool`) throw
/// an ``HTTPStubError`` for `.needsNetwork`, unless unmatched requests pass through.
///
/// ## Topics
/// ### Creating stubs
/// - ``init(onUnmatched:ignoring:_:)``
/// - ``init(cassette:ignoring:_:)``
/// - ``add(_:)``
/// - ``remove(_:)``
/// - ``removeAll()``
/// ### Verifying requests
/// - ``calls``
/// - ``calls(_:)``
/// - ``verify(_:times:)-(_,Int)``
/// - ``verifyAllUsed()``
/// - ``removeAllCalls()``
public final class HTTPStubs: Sendable {
    /// The handling of a request that no stub matches.
    public enum UnmatchedPolicy: Sendable, Hashable {
        /// The request fails with an ``HTTPStubError`` for `.unmatched`, which names the closest
        /// stub and why it does not match.
        case fail
        /// The request is sent over the network.
        case passThrough
    }

    struct State: Sendable {
        var stubs: [(number: Int, stub: HTTPStub)] = []
        var lastNumber = 0
        /// The number of uses of each stub, by stub number.
        var uses: [Int: Int] = [:]
        /// The requests that were made.
        var log = Log()
    }

    /// The handling of a request that no stub matches.
    public let onUnmatched: UnmatchedPolicy
    let ignored: [HTTPStub.Matcher]
    let recording: (any StubRecording)?
    let state = Locked(State())

    /// Creates stubs.
    ///
    /// - Parameters:
    ///   - onUnmatched: the handling of a request that no stub matches. Default
    ///     ``UnmatchedPolicy/fail``, so that no test uses the network by accident.
    ///   - ignored: matchers of the requests that are sent over the network, even if a stub matches.
    ///   - stubs: the stubs, tried in this order. Default none.
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
        _ recording: (any StubRecording)?,
        _ stubs: [HTTPStub]
    ) {
        self.onUnmatched = onUnmatched
        self.ignored = ignored
        self.recording = recording
        for stub in stubs { add(stub) }
    }

    /// Adds a stub after the others; it does not apply to requests in progress.
    public func add(_ stub: HTTPStub) {
        state.withLock { state in
            state.lastNumber += 1
            state.stubs.append((state.lastNumber, stub))
        }
    }

    /// Removes a stub and the copies of its value; requests in progress are still answered.
    ///
    /// The recorded requests stay in ``calls``. Two stubs that were created separately are different stubs, even if
    /// they match the same requests.
    ///
    /// - Parameter stub: a value that was added.
    /// - Returns: whether the stub was there.
    @discardableResult public func remove(_ stub: HTTPStub) -> Bool {
        state.withLock { state in
            let removed = state.stubs.filter { $0.stub.identity === stub.identity }
            state.stubs.removeAll { $0.stub.identity === stub.identity }
            for (number, _) in removed { state.uses[number] = nil }
            return !removed.isEmpty
        }
    }

    /// Removes all stubs; the recorded requests stay in ``calls``.
    public func removeAll() {
        state.withLock { state in
            state.stubs = []
            state.uses = [:]
        }
    }
}

/// A cassette: it answers the requests that no stub matches.
protocol StubRecording: Sendable {
    /// The name in errors and in the log of calls.
    var path: String { get }

    /// Returns the closure that answers a request.
    func answer(to request: HTTPDialRequest) -> HTTPStub.Answer
}

/// A result builder for lists of stubs, which may contain `if`, `for` and arrays.
@resultBuilder public enum HTTPStubsBuilder {
    /// Returns one stub.
    public static func buildExpression(_ stub: HTTPStub) -> [HTTPStub] { [stub] }
    /// Returns several stubs.
    public static func buildExpression(_ stubs: [HTTPStub]) -> [HTTPStub] { stubs }
    /// Returns the stubs of all lines.
    public static func buildBlock(_ parts: [HTTPStub]...) -> [HTTPStub] { parts.flatMap { $0 } }
    /// Returns the stubs of a condition that is true.
    public static func buildOptional(_ part: [HTTPStub]?) -> [HTTPStub] { part ?? [] }
    /// Returns the stubs of the first branch.
    public static func buildEither(first part: [HTTPStub]) -> [HTTPStub] { part }
    /// Returns the stubs of the second branch.
    public static func buildEither(second part: [HTTPStub]) -> [HTTPStub] { part }
    /// Returns the stubs of a loop.
    public static func buildArray(_ parts: [[HTTPStub]]) -> [HTTPStub] { parts.flatMap { $0 } }
}
