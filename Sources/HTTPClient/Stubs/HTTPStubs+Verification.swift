internal import SocketTransport

extension HTTPStubs {
    /// Holds a request that was asked, and who answered.
    public struct Call: Sendable {
        /// The request, its body whole once it has arrived.
        public internal(set) var request: HTTPStub.Request

        /// The stub that answered, in words, or `cassette` and its path; nil when none did.
        public let stub: String?

        /// Whether it went to the network.
        public let isPassedThrough: Bool
    }

    /// Says that requests were not made as often as was expected.
    public struct VerificationError: Error, Sendable, Hashable, CustomStringConvertible {
        /// One line, and one for each request that was made.
        public let description: String
    }

    /// The requests so far, in the order in which they were about to be sent.
    ///
    /// That is when their turn in a queue has come; those that go to the network are here before it.
    /// Retries, redirects and answers to challenges are requests of their own. The oldest are forgotten
    /// beyond 4096, and beyond 64 MiB of bodies together those of the oldest, which are empty then.
    public var calls: [Call] { state.withLock { $0.log.calls } }

    /// Finds the requests that a matcher means.
    public func calls(_ matcher: HTTPStub.Matcher) -> [Call] {
        calls.filter { matcher.matches($0.request) }
    }

    /// Checks how often something was asked.
    ///
    /// - Parameters:
    ///   - matcher: which requests are meant.
    ///   - count: how many there must have been; default 1.
    /// - Throws: when there were more or fewer; a test that throws it fails and shows all requests.
    public func verify(_ matcher: HTTPStub.Matcher, times count: Int = 1) throws(VerificationError)
    {
        try verify(matcher, times: count...count)
    }

    /// Checks how often something was asked.
    ///
    /// - Parameters:
    ///   - matcher: which requests are meant.
    ///   - counts: how many there may have been.
    /// - Throws: when there were more or fewer.
    public func verify(
        _ matcher: HTTPStub.Matcher,
        times counts: ClosedRange<Int>
    ) throws(VerificationError) {
        let calls = calls
        let found = calls.count { matcher.matches($0.request) }
        guard !counts.contains(found) else { return }
        let wanted =
            counts.count == 1
            ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
        throw VerificationError(
            description:
                "\(matcher): asked \(found) times and not \(wanted)\(Self.list(of: calls))"
        )
    }

    /// Checks that each stub has answered at least once.
    ///
    /// - Throws: when one has not; the error names them.
    public func verifyAllUsed() throws(VerificationError) {
        let unused = state.withLock { state in
            state.stubs.filter { state.uses[$0.number] == nil }.map(\.stub.description)
        }
        guard !unused.isEmpty else { return }
        let names = unused.joined(separator: "; ")
        throw VerificationError(description: "never asked: \(names)\(Self.list(of: calls))")
    }

    /// Forgets the requests so far; sequences go on where they are.
    public func removeAllCalls() {
        state.withLock { $0.log.removeAll() }
    }

    private static func list(of calls: [Call]) -> String {
        guard !calls.isEmpty else { return "; nothing was asked" }
        let lines = calls.map { call in
            "\n  \(call.request)\(call.stub == nil && !call.isPassedThrough ? " (unmatched)" : "")"
        }
        return ". There were:\(lines.joined())"
    }

    // MARK: - Noting

    /// Adds to the log.
    ///
    /// - Returns: where it is.
    func record(_ call: Call) -> Int { state.withLock { $0.log.append(call) } }

    /// Notes what arrived of a request.
    func record(_ request: HTTPStub.Request, at number: Int) {
        state.withLock { $0.log.replace(request, at: number) }
    }
}
