internal import Wire

// To change which statuses the client answers with the same request, change this file. `CallState` asks it after each
// exchange, and `CallDriver` sends the request. `Policies` must not treat such a response as final. The tests are
// `StatusRepetitionTests`, and `CallStateTests` without a socket.

/// The statuses that ask for the same request again, and the rules for sending it.
///
/// These repetitions are not retries: they need no permission and no budget, because the server has not processed the
/// request. Each happens at most once in a call.
package struct StatusRepetition: Sendable {
    /// A status that asks for the same request again.
    package enum Cause: Sendable, Hashable {
        /// A 417: the server does not support the Expect field of the request (RFC 9110 §10.1.1).
        case expectationFailed
        /// A 421: the connection is not the right one for the request (RFC 9110 §15.5.20).
        case misdirected
        /// A 425: the server does not risk that the request is a replay (RFC 8470 §5.2).
        ///
        /// The client sends no early data, so the second request follows a complete handshake.
        case tooEarly

        /// Creates the cause for a status; nil if it does not ask for the request again.
        package init?(_ status: HTTPStatus) {
            switch status {
            case .expectationFailed: self = .expectationFailed
            case .misdirectedRequest: self = .misdirected
            case .tooEarly: self = .tooEarly
            default: return nil
            }
        }

        /// The reason of the attempt that follows.
        package var reason: HTTPMetrics.Attempt.Reason {
            switch self {
            case .expectationFailed: .expectationFailed
            case .misdirected: .misdirected
            case .tooEarly: .tooEarly
            }
        }
    }

    private var past: Set<Cause> = []

    package init() {}

    /// Decides which request follows a response.
    ///
    /// - Parameters:
    ///   - cause: the status of the response.
    ///   - request: the request that was sent.
    ///   - expectsContinue: whether it was sent with `Expect: 100-continue`.
    /// - Returns: the request; nil if none follows.
    package mutating func request(
        after cause: Cause,
        to request: HTTPRequest,
        expectsContinue: Bool
    ) -> HTTPRequest? {
        guard request.body.isReadyToSend, cause != .expectationFailed || expectsContinue,
            past.insert(cause).inserted
        else { return nil }
        var request = request
        switch cause {
        case .expectationFailed:
            request.headers.remove(.expect)
            // The field may also come from the client's header fields or from a head modifier.
            return request.headModifier { $0.headers.remove(.expect) }
        case .misdirected: request.connection = .fresh
        case .tooEarly: break
        }
        return request
    }
}
