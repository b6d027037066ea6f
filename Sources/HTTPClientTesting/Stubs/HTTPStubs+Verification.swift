internal import HTTPClient
internal import SocketTransport

extension HTTPStubs {
    /// A recorded request, and the stub that answered it.
    public struct Call: Sendable {
        /// The request; its body is complete once it has arrived.
        public internal(set) var request: HTTPStub.Request

        /// The description of the stub that answered, or `cassette` and its path; nil if none did.
        public let stub: String?

        /// Whether the request was sent over the network.
        public let isPassedThrough: Bool
    }

    /// An error for requests that were not made as often as expected.
    public struct VerificationError: Error, Sendable, Hashable, CustomStringConvertible {
        /// One line, followed by one line for each request that was made.
        public let description: String
    }

    /// The requests so far, in the order in which they were about to be sent.
    ///
    /// A request is recorded after its wait in a queue, or before it if it is sent over the
    /// network. Retries, redirects and answers to challenges are separate requests. At least the
    /// latest 4096 requests are kept. If their bodies exceed 64 MiB in total, the oldest bodies are
    /// removed and become empty.
    public var calls: [Call] { state.withLock { $0.log.calls } }

    /// Returns the recorded requests that match all matchers.
    public func calls(_ matchers: HTTPStub.Matcher...) -> [Call] {
        let matcher = HTTPStub.Matcher(all: matchers)
        return calls.filter { matcher.matches($0.request) }
    }

    /// Checks how often matching requests were made.
    ///
    ///     try stubs.verify(.post, "/orders", .header("Idempotency-Key"))
    ///
    /// - Parameters:
    ///   - matchers: the matchers of the requests to count, which must match all of them.
    ///   - count: the expected number. Default 1.
    /// - Throws: an error if there were more or fewer; a test that does not catch it shows all
    ///   requests.
    public func verify(
        _ matchers: HTTPStub.Matcher...,
        times count: Int = 1
    ) throws(VerificationError) {
        try verify(HTTPStub.Matcher(all: matchers), count...count)
    }

    /// Checks how often matching requests were made.
    ///
    /// - Parameters:
    ///   - matchers: the matchers of the requests to count, which must match all of them.
    ///   - counts: the allowed numbers.
    /// - Throws: an error if there were more or fewer.
    public func verify(
        _ matchers: HTTPStub.Matcher...,
        times counts: ClosedRange<Int>
    ) throws(VerificationError) {
        try verify(HTTPStub.Matcher(all: matchers), counts)
    }

    private func verify(
        _ matcher: HTTPStub.Matcher,
        _ counts: ClosedRange<Int>
    ) throws(VerificationError) {
        let calls = calls
        let found = calls.count { matcher.matches($0.request) }
        guard !counts.contains(found) else { return }
        let wanted =
            counts.count == 1
            ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
        throw VerificationError(
            description:
                "\(matcher): requested \(found) times, not \(wanted)\(Self.list(of: calls))"
        )
    }

    /// Checks that each stub has answered at least once.
    ///
    /// - Throws: an error that names the stubs that have not.
    public func verifyAllUsed() throws(VerificationError) {
        let unused = state.withLock { state in
            state.stubs.filter { state.uses[$0.number] == nil }.map(\.stub.description)
        }
        guard !unused.isEmpty else { return }
        let names = unused.joined(separator: "; ")
        throw VerificationError(description: "never requested: \(names)\(Self.list(of: calls))")
    }

    /// Removes the recorded requests; sequences continue from their present position.
    public func removeAllCalls() {
        state.withLock { $0.log.removeAll() }
    }

    private static func list(of calls: [Call]) -> String {
        guard !calls.isEmpty else { return "; there were no requests" }
        let lines = calls.map { call in
            "\n  \(call.request)\(call.stub == nil && !call.isPassedThrough ? " (unmatched)" : "")"
        }
        return ". The requests were:\(lines.joined())"
    }

    // MARK: - Recording

    /// Appends to the log.
    ///
    /// - Returns: the number of the call.
    func record(_ call: Call) -> Int { state.withLock { $0.log.append(call) } }

    /// Records the complete request after it has arrived.
    func record(_ request: HTTPStub.Request, at number: Int) {
        state.withLock { $0.log.replace(request, at: number) }
    }
}
