/// Tells a client what to do with the body of its request, as far as the response says.
public enum RequestBodyAction: Sendable, Hashable {
    /// Send it, or go on sending it.
    case send
    /// Wait: the request asks for 100 (Continue), and nothing was answered (RFC 9110 §10.1.1).
    ///
    /// Not for ever, as many servers never send it. When the caller has waited long enough, say so
    /// with ``MessageExchange/proceedWithoutContinue()``.
    case wait
    /// Do not begin: a final response came instead of 100 (Continue).
    ///
    /// The connection is of no more use, unless the caller sends the whole body all the same.
    case doNotSend
    /// Stop: a final response of 300 or above came first, so nobody wants the rest (RFC 9112 §9.5).
    ///
    /// The connection is of no more use, unless the caller sends the rest all the same.
    case stop
    /// The request was sent as a whole.
    case complete
}
