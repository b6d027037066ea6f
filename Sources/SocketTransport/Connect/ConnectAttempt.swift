/// Tells what became of one attempt to connect to one address.
package struct ConnectAttempt: Sendable, Hashable {
    /// How a try ended.
    package enum Outcome: Sendable, Hashable {
        case connected
        case failed(Errno, ConnectFailure.Step)
        /// Another address answered first, or nobody wanted the connection any more.
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

    /// How the address failed; nil when it did not.
    package var failure: ConnectFailure? {
        guard case .failed(let errno, let step) = outcome else { return nil }
        return ConnectFailure(address: address, errno: errno, step: step)
    }
}
