internal import SocketTransport

extension HTTPMetrics {
    /// Tells what became of one address that was tried (RFC 8305 §5).
    public struct ConnectAttempt: Sendable, Hashable {
        /// Says how a try ended.
        @nonexhaustive public enum Outcome: Sendable, Hashable {
            /// It won.
            case connected
            /// It failed, or the time for connecting was over.
            case failed(FailedAddress)
            /// Another address answered first, or the call was cancelled.
            case abandoned
        }

        /// Address and port, such as `127.0.0.1:80`; a unix domain socket's name, where it failed,
        /// else `unix`.
        public let address: String
        /// From the start of the call until the try began.
        public let start: Duration
        /// From the start of the call until the try ended.
        public let end: Duration
        /// How it ended.
        public let outcome: Outcome

        init(address: String, start: Duration, end: Duration, outcome: Outcome) {
            self.address = address
            self.start = start
            self.end = end
            self.outcome = outcome
        }

        init(_ entry: SocketTransport.ConnectAttempt, from callStart: Deadline) {
            address = entry.address.description
            start = .nanoseconds(entry.start.nanoseconds - callStart.nanoseconds)
            end = .nanoseconds(entry.end.nanoseconds - callStart.nanoseconds)
            switch entry.outcome {
            case .connected: outcome = .connected
            case .failed(let errno, _):
                outcome = .failed(FailedAddress(errno, at: entry.address.description))
            case .abandoned: outcome = .abandoned
            }
        }
    }
}
