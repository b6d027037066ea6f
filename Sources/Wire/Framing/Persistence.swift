/// Decides whether a connection survives an exchange (RFC 9112 §9.3).
public enum Persistence {
    /// Finds what in the two heads forbids another exchange.
    ///
    /// In order: a change of protocol; a body that ends with the connection; contradicting framing
    /// fields; `Connection: close` from either side; HTTP/1.0 on either side without
    /// `Connection: keep-alive`.
    ///
    /// - Returns: nil when the connection may be used again.
    public static func closeReason(
        request: RequestHead,
        response: ResponseHead,
        framing: BodyFraming
    ) -> CloseReason? {
        closeReason(
            method: request.method,
            requestReason: closeReason(of: request.headers, version: request.version),
            response: response,
            framing: framing
        )
    }

    /// Finds what in one head forbids another exchange.
    public static func closeReason(of headers: HTTPHeaders, version: HTTPVersion) -> CloseReason? {
        if headers.contains(.connection) {
            if headers.lists("close", in: .connection) { return .connectionClose }
            if headers.lists("keep-alive", in: .connection) { return nil }
        }
        return version >= .http11 ? nil : .http10
    }

    /// As above, for a caller that kept of the request only its method and its own reason.
    static func closeReason(
        method: HTTPMethod,
        requestReason: CloseReason?,
        response: ResponseHead,
        framing: BodyFraming
    ) -> CloseReason? {
        if response.status == .switchingProtocols { return .upgraded }
        if method == .connect, response.status.kind == .successful { return .upgraded }
        if framing == .untilClose { return .closeDelimited }
        if response.headers.contains(.transferEncoding),
            response.headers.contains(.contentLength)
        {
            return .lengthAndTransferEncoding
        }
        return requestReason ?? closeReason(of: response.headers, version: response.version)
    }
}
