extension WireError {
    /// The status with which a server answers a request with this error before it closes the
    /// connection.
    ///
    /// - 505: another major version of HTTP, including a preface of HTTP/2 (RFC 9110 §15.6.6).
    /// - 501: a transfer coding other than chunked (RFC 9112 §6.1).
    /// - 415: an unknown content coding, or too many codings (RFC 9110 §15.5.16).
    /// - 414: the request line is too long (RFC 9112 §3).
    /// - 431: the head or the trailers are too large (RFC 6585 §5).
    /// - 413: the body is too large, before or after decoding (RFC 9110 §15.5.14).
    /// - 500: the error is in the message that the server wanted to send.
    /// - 400: everything else.
    ///
    /// 411 is not used, because no rule of this module requires a length where chunks are allowed.
    /// A server with such a rule must choose 411 itself (RFC 9110 §15.5.12).
    ///
    /// Nil for errors that only a response can have.
    public var responseStatus: HTTPStatus? {
        switch self {
        case .unsupportedVersion, .foreignProtocol(.http2): .httpVersionNotSupported
        case .unknownTransferCoding: .notImplemented
        case .unknownContentCoding: .unsupportedMediaType
        case .limitExceeded(let limit): limit.responseStatus
        case .malformedStatus, .malformedReason, .closedBeforeResponse, .unofferedUpgrade: nil
        default: kind == .outgoing ? .internalServerError : .badRequest
        }
    }
}

extension ExceededLimit {
    fileprivate var responseStatus: HTTPStatus? {
        switch self {
        case .requestLineBytes: .uriTooLong
        case .headBytes, .fieldCount, .trailerBytes, .trailerCount: .requestHeaderFieldsTooLarge
        case .requestBodyBytes, .decodedBytes, .expansionRatio, .codingOverheadBytes:
            .contentTooLarge
        case .codingCount: .unsupportedMediaType
        case .chunkLineBytes, .chunkExtensionBytes: .badRequest
        case .informationalCount: nil
        }
    }
}
