/// The action for the body of a request, as determined by the response.
public enum RequestBodyAction: Sendable, Hashable {
    /// Start or continue to send the body.
    case send
    /// Wait: the request expects 100 (Continue), and there is no response yet (RFC 9110 §10.1.1).
    ///
    /// Use a timeout, because many servers never send 100. After the timeout, call
    /// ``MessageExchange/proceedWithoutContinue()``.
    case wait
    /// Do not begin: a final response arrived instead of 100 (Continue).
    ///
    /// The connection cannot be reused unless the caller sends the whole body anyway.
    case doNotSend
    /// Stop: a final response of 300 or above arrived, so the server does not need the rest (RFC
    /// 9112 §9.5).
    ///
    /// The connection cannot be reused unless the caller sends the rest anyway.
    case stop
    /// The whole request was sent.
    case complete
}
