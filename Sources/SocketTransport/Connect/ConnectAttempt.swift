/// One attempt to connect to one address, and its outcome.
package struct ConnectAttempt: Sendable, Hashable {
    /// The outcome of an attempt.
    package enum Outcome: Sendable, Hashable {
        case connected
        case failed(Errno, ConnectFailure.Step)
        /// Another address answered first, or the connection is no longer needed.
        case abandoned
    }

    package let address: SocketAddress
    package let start: Deadline
    package let end: Deadline
    package let outcome: Outcome

    package init(address: SocketAddress, start: Deadline, end: Deadline, outcome: Outcome) {
        self.address = address
        self.start = start
        self.end = end
        self.outcome = outcome
    }

    /// The failure of the address; nil if the attempt did not fail.
    package var failure: ConnectFailure? {
        guard case .failed(let errno, let step) = outcome else { return nil }
        return ConnectFailure(address: address, errno: errno, step: step)
    }
}
