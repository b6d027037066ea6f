extension HTTPDialRequest {
    /// A failure of a call that a dialer or its stream determines.
    ///
    ///     return .stream { stream in
    ///         try await stream.wait(for: .seconds(1))
    ///         throw HTTPDialRequest.DialError(.resolveFailed(host: "example.com", reason: "no such name"))
    ///     }
    ///
    /// If nothing was read or written before it is thrown, nothing of the request was sent, and
    /// ``HTTPError/isRetrySafe`` is true.
    public struct DialError: Error, Sendable, CustomStringConvertible {
        /// The kind of the call's error.
        public let kind: HTTPError.Kind
        /// The phase of the call's error; nil for the phase of the call at that time.
        public let phase: HTTPPhase?
        /// The cause of the failure, for ``HTTPError/underlying``.
        public let underlying: (any Error)?

        /// Creates an error.
        ///
        /// - Parameters:
        ///   - kind: the kind of the call's error.
        ///   - phase: the phase of the call's error. Default nil: the phase in which such an error
        ///     usually occurs, such as `.resolve` for `.resolveFailed`.
        ///   - underlying: the cause of the failure. Default nil.
        public init(
            _ kind: HTTPError.Kind,
            in phase: HTTPPhase? = nil,
            underlying: (any Error)? = nil
        ) {
            self.kind = kind
            self.phase = phase ?? Self.usualPhase(of: kind)
            self.underlying = underlying
        }

        /// Creates the error for an error that a dialer or its stream threw.
        package init(thrown error: any Error) {
            switch error {
            case let error as DialError: self = error
            case let error as HTTPError:
                self.init(error.kind, in: error.phase, underlying: error.underlying)
            default: self.init(.dialerFailed(reason: "\(error)"), underlying: error)
            }
        }

        /// One line that describes the failure.
        public var description: String { kind.description }

        /// Returns the phase in which such an error usually occurs; nil if it can occur in any phase.
        private static func usualPhase(of kind: HTTPError.Kind) -> HTTPPhase? {
            switch kind {
            case .dialerFailed: nil
            case .timedOut(let phase): phase
            case .resolveFailed: .resolve
            case .connectFailed, .addressesRefused, .bindFailed, .systemFailure: .connect
            case .proxyFailed: .proxyHandshake
            case .tlsFailed: .tlsHandshake
            case .bodyFailed: .sendingBody
            case .connectionLost, .malformedResponse, .limitExceeded: .responseHead
            case .truncatedResponse, .codingFailed, .bodyTooLarge, .digestMismatch, .digestMissing,
                .malformedDigest:
                .body
            case .decodingFailed, .undecodableText: .decoding
            case .rejectedStatus, .rejectedResponse, .emptyBody, .redirectFailed,
                .interceptorFailed:
                .validating
            default: .preparing
            }
        }
    }
}
