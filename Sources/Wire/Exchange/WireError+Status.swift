extension WireError {
    /// The status with which a server answers a request that has this fault; it closes afterwards.
    ///
    /// - 505: another major version of HTTP, a preface of HTTP/2 included (RFC 9110 §15.6.6).
    /// - 501: a transfer coding beside chunked (RFC 9112 §6.1).
    /// - 414: the request line is too long (RFC 9112 §3).
    /// - 431: the head or the trailers are too large (RFC 6585 §5).
    /// - 413: the body is, before or after decoding (RFC 9110 §15.5.14).
    /// - 500: the fault is in what we wanted to send ourselves.
    /// - 400: everything else.
    ///
    /// 411 is not here: no rule of this module wants a length where chunks are allowed. A server
    /// that does answers it on its own account (RFC 9110 §15.5.12).
    ///
    /// Nil for what a request cannot do, but a response can.
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
