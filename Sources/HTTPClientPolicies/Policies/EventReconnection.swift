internal import SocketTransport
internal import Wire

// To change when an event stream reconnects, change this file; `ReconnectingEventSource` sends the requests.
// `EventReconnectionTests` has neither a clock nor a socket.

/// The decisions of an event stream about reconnecting, without I/O (WHATWG HTML §9.2.3).
package struct EventReconnection: Sendable {
    /// The reaction to the end of a connection.
    package enum Action {
        /// The stream is at its end.
        case end
        /// The stream ends with this error.
        case fail(HTTPError)
        /// The stream ends, because the limit of reconnects is reached; this is the last error, if any.
        case stop(HTTPError?)
        /// The request is sent again after the delay.
        case reconnect(after: Duration)
    }

    private let options: HTTPEventOptions
    /// Whether the request may be sent again.
    private let isRepeatable: Bool
    /// The number of reconnects in a row.
    private var count = 0
    /// Whether the stream has never reconnected.
    private var isFirst = true
    /// Whether the current event stream has had an event.
    private var hasEvent = false
    /// The delay that the server has set.
    private var serverDelay: Duration?
    /// Whether there has been an event stream.
    private var hasConnected = false
    /// The time at which the current event stream began; nil while there is none.
    private var start: Deadline?

    /// Creates the state before the first request.
    ///
    /// A request whose method is not safe is never sent again, because it could have its effect twice
    /// (RFC 9110 §9.2.1).
    package init(_ options: HTTPEventOptions, method: HTTPMethod) {
        self.options = options
        isRepeatable = method.isSafe && options.maxReconnects > 0
    }

    /// Records the begin of an event stream.
    package mutating func connected(at now: Deadline) {
        hasConnected = true
        start = now
    }

    /// Records an event.
    package mutating func received() {
        hasEvent = true
    }

    /// Decides what follows after the end of a connection or of the attempt to open one.
    ///
    /// - Parameters:
    ///   - error: the error; nil if the server has ended the body.
    ///   - retryDelay: the delay that the server has set on this connection; nil if none.
    ///   - now: the current time.
    ///   - random: the source of randomness.
    /// - Returns: the action.
    package mutating func ended(
        _ error: HTTPError?,
        retryDelay: Duration?,
        at now: Deadline,
        _ random: inout some RandomNumberGenerator
    ) -> Action {
        if let retryDelay { serverDelay = retryDelay }
        let isHealthy = isHealthy(at: now)
        start = nil
        hasEvent = false
        guard hasConnected, isRepeatable else { return error.map { .fail($0) } ?? .end }
        if let error, !error.isRetryable { return .fail(error) }
        if isHealthy { count = 0 }
        guard count < options.maxReconnects else { return .stop(error) }
        count += 1
        defer { isFirst = false }
        return .reconnect(after: delay(&random))
    }

    /// Returns whether the connection that has ended starts the count again.
    ///
    /// A server that sends an event and closes within a second must not make the client connect without end. If it lets
    /// the client wait, though, it is polled, which may go on.
    private func isHealthy(at now: Deadline) -> Bool {
        guard let start else { return false }
        let second = Duration.seconds(1)
        let isPolled = (serverDelay ?? options.reconnectDelay) >= second
        let isEventful = hasEvent && (isPolled || now >= start.advanced(by: second))
        return isEventful || now >= start.advanced(by: max(options.maxReconnectDelay, second))
    }

    private func delay(_ random: inout some RandomNumberGenerator) -> Duration {
        let cap = max(options.maxReconnectDelay, .zero).wholeNanoseconds
        let least = isFirst ? 0 : min(options.minReconnectDelay.wholeNanoseconds, cap)
        let base = max(least, min((serverDelay ?? options.reconnectDelay).wholeNanoseconds, cap))
        var bound = base
        for _ in 1..<count where bound < cap { bound = bound > cap / 2 ? cap : bound * 2 }
        return .nanoseconds(Int64.random(in: base...bound, using: &random))
    }
}
