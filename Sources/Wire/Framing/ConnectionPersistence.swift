/// The rules for reusing a connection after an exchange (RFC 9112 §9.3).
public enum ConnectionPersistence {
    /// Returns the reason why the two heads forbid another exchange.
    ///
    /// The reasons are checked in this order: a change of protocol; a body that ends with the
    /// connection; contradicting framing fields; `Connection: close` from either side; HTTP/1.0 on
    /// either side without `Connection: keep-alive`, or with Transfer-Encoding.
    ///
    /// - Returns: nil if the connection can be reused.
    public static func closeReason(
        request: RequestHead,
        response: ResponseHead,
        framing: BodyFraming
    ) -> CloseReason? {
        closeReason(
            method: request.method,
            requestCloseReason: closeReason(of: request.headers, version: request.version),
            response: response,
            framing: framing
        )
    }

    /// Returns the reason why one head forbids another exchange, or nil.
    public static func closeReason(of headers: HTTPHeaders, version: HTTPVersion) -> CloseReason? {
        var isClosing = false
        var isKept = version >= .http11
        // HTTP/1.0 does not define Transfer-Encoding, so an intermediary may have framed the
        // message differently (RFC 9112 §6.1).
        if !isKept, headers.contains(.transferEncoding) { return .http10 }
        guard let first = headers.firstIndex(of: .connection) else {
            return isKept ? nil : .http10
        }
        // Fast path for one line with one word, the usual case.
        if isKept, let storage = headers.storage,
            storage.withBytes(storage[first].value, isKeepAlive),
            headers.firstIndex(of: .connection, from: first + 1) == nil
        {
            return nil
        }
        headers.forEachElement(of: .connection) { element in
            if ByteClass.equalsIgnoringCase(element, "close".utf8.span) { isClosing = true }
            if isKeepAlive(element) { isKept = true }
        }
        if isClosing { return .connectionClose }
        return isKept ? nil : .http10
    }

    private static func isKeepAlive(_ word: Span<UInt8>) -> Bool {
        ByteClass.equalsIgnoringCase(word, "keep-alive".utf8.span)
    }

    /// Returns the reason from a request's method and its own close reason, without its full head.
    ///
    /// `isFramingOfHead` is whether the framing was determined from the head of the response. Then a
    /// length excludes Transfer-Encoding.
    static func closeReason(
        method: HTTPMethod,
        requestCloseReason: CloseReason?,
        response: ResponseHead,
        framing: BodyFraming,
        isFramingOfHead: Bool = false
    ) -> CloseReason? {
        if response.status == .switchingProtocols { return .upgraded }
        if method == .connect, response.status.kind == .successful { return .upgraded }
        if framing == .untilClose { return .closeDelimited }
        if case .length = framing, isFramingOfHead {
            // There is no Transfer-Encoding.
        } else if response.headers.contains(.transferEncoding),
            response.headers.contains(.contentLength)
        {
            return .lengthAndTransferEncoding
        }
        return requestCloseReason ?? closeReason(of: response.headers, version: response.version)
    }
}

/// A reason why a connection cannot carry another exchange (RFC 9112 §9.3 and §9.6).
///
/// The reasons apply to both the client and the server.
public enum CloseReason: Sendable, Hashable {
    /// One side sent `Connection: close`.
    case connectionClose
    /// One side uses HTTP/1.0 and did not request to keep the connection.
    case http10
    /// The response body ends with the connection.
    case closeDelimited
    /// The response had both Transfer-Encoding and Content-Length, of which one may be wrong.
    case lengthAndTransferEncoding
    /// The reader accepted a deviation after which other readers may find another end of the
    /// message.
    ///
    /// A line of the head ended in LF alone, contained a CR or was folded. At
    /// ``Strictness/forensic``, any deviation has this effect.
    case ambiguousFraming
    /// The request was not sent or received completely.
    case requestIncomplete
    /// The response was not received or sent completely.
    case responseIncomplete
    /// The server sent the final response without the 100 (Continue) that the client waits for.
    ///
    /// Whether the client still sends the body is unknown (RFC 9110 §10.1.1).
    case continueNotSent
    /// The request broke a rule or a limit, so the start of the next one is unknown.
    case requestRefused
    /// The peer closed its side.
    case peerClosed
    /// The connection now uses another protocol; see ``ProtocolSwitch``.
    case upgraded
    /// Bytes followed the end of the response although no request was outstanding.
    case unsolicitedBytes
}
