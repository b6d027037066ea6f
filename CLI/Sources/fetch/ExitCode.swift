package import HTTPClient

/// The exit status of the program: curl's numbers, and 110, which curl does not use.
///
/// Only this type maps failures to numbers.
package struct ExitCode: Sendable, Hashable {
    /// The number that the shell receives.
    package let number: Int32

    package static let done = ExitCode(number: 0)
    package static let unsupportedScheme = ExitCode(number: 1)
    package static let badUsage = ExitCode(number: 2)
    package static let malformedURL = ExitCode(number: 3)
    package static let unresolvedProxy = ExitCode(number: 5)
    package static let unresolvedHost = ExitCode(number: 6)
    package static let notConnected = ExitCode(number: 7)
    package static let weirdReply = ExitCode(number: 8)
    package static let partialBody = ExitCode(number: 18)
    package static let rejectedStatus = ExitCode(number: 22)
    package static let writeFailed = ExitCode(number: 23)
    package static let readFailed = ExitCode(number: 26)
    package static let outOfMemory = ExitCode(number: 27)
    package static let timedOut = ExitCode(number: 28)
    package static let rangeRefused = ExitCode(number: 33)
    package static let badResume = ExitCode(number: 36)
    package static let handshakeFailed = ExitCode(number: 35)
    package static let misuse = ExitCode(number: 43)
    package static let interfaceFailed = ExitCode(number: 45)
    package static let badOptionSyntax = ExitCode(number: 49)
    package static let tooManyRedirects = ExitCode(number: 47)
    package static let emptyReply = ExitCode(number: 52)
    package static let sendFailed = ExitCode(number: 55)
    package static let receiveFailed = ExitCode(number: 56)
    package static let badCertificate = ExitCode(number: 58)
    package static let badCiphers = ExitCode(number: 59)
    package static let untrustedPeer = ExitCode(number: 60)
    package static let badCoding = ExitCode(number: 61)
    package static let tooLarge = ExitCode(number: 63)
    package static let rewindFailed = ExitCode(number: 65)
    package static let badTrust = ExitCode(number: 77)
    package static let authenticationFailed = ExitCode(number: 94)
    package static let proxyHandshakeFailed = ExitCode(number: 97)
    package static let pinMismatch = ExitCode(number: 90)
    package static let headTooLarge = ExitCode(number: 100)
    /// The body has another digest than that of `--checksum`; curl has no such option and no such number.
    package static let wrongDigest = ExitCode(number: 110)

    /// Whether later transfers would fail for the same reason, so that none is started.
    package var isFatal: Bool {
        [.badUsage, .outOfMemory, .misuse].contains(self)
    }

    /// Creates the code for the error of a call.
    package init(_ error: HTTPError) {
        if case .bodyFailed = error.kind, error.underlying is StandardInput.NoLongerAvailableError {
            self = .rewindFailed
        } else {
            self.init(error.kind, phase: error.phase)
        }
    }

    /// Creates the code for a failure in the given phase.
    package init(_ kind: HTTPError.Kind, phase: HTTPPhase) {
        self =
            switch kind {
            case .invalidRequest(let reason): ExitCode(reason)
            case .resolveFailed: .unresolvedHost
            case .connectFailed, .addressesRefused: .notConnected
            case .bindFailed: .interfaceFailed
            case .proxyFailed(let reason): ExitCode(reason)
            case .tlsFailed(let reason): ExitCode(reason, phase: phase)
            case .authenticationFailed: .authenticationFailed
            case .bodyFailed(.notReplayable): .rewindFailed
            case .bodyFailed: .readFailed
            case .connectionLost:
                switch phase {
                case .tlsHandshake: .handshakeFailed
                case .sending, .sendingBody: .sendFailed
                default: .receiveFailed
                }
            case .connectionClosed: .receiveFailed
            case .malformedResponse(let error), .truncatedResponse(let error),
                .codingFailed(let error), .limitExceeded(let error):
                ExitCode(error)
            case .bodyTooLarge, .fileTooLarge: .tooLarge
            case .redirectFailed(let reason): ExitCode(reason)
            case .rejectedStatus, .rejectedResponse: .rejectedStatus
            case .emptyBody: .weirdReply
            case .digestMismatch: .wrongDigest
            case .digestMissing, .malformedDigest: .weirdReply
            case .interceptorFailed, .dialerFailed: .misuse
            case .decodingFailed, .undecodableText, .recordFailed: .weirdReply
            case .resumeFailed, .rangeMismatch: .rangeRefused
            case .fileFailed, .descriptorFailed: .writeFailed
            case .timedOut: .timedOut
            case .cancelled: .misuse
            case .systemFailure: .outOfMemory
            @unknown default: .receiveFailed
            }
    }

    private init(number: Int32) {
        self.number = number
    }

    /// Creates the code for an invalid request, of which nothing was sent.
    private init(_ reason: HTTPError.InvalidRequestReason) {
        self =
            switch reason {
            case .url, .relativeURL, .missingScheme, .template, .parameter: .malformedURL
            case .unsupportedScheme: .unsupportedScheme
            // curl reports a failure with the socket as a failure to resolve the host.
            case .unixSocket: .unresolvedHost
            case .bodyFile: .readFailed
            case .bodyAlreadyConsumed: .rewindFailed
            case .resumeData: .badResume
            case .proxy(let reason): ExitCode(reason)
            default: .misuse
            }
    }

    /// Creates the code for a proxy setting that cannot be used.
    package init(_ reason: HTTPProxy.ConfigurationError) {
        self =
            switch reason {
            case .unsupportedScheme: .notConnected
            default: .unresolvedProxy
            }
    }

    /// Creates the code for a redirect that cannot be followed.
    private init(_ reason: HTTPError.RedirectReason) {
        self =
            switch reason {
            case .tooMany: .tooManyRedirects
            case .invalidLocation: .malformedURL
            case .differentLocations: .weirdReply
            case .unsupportedScheme, .downgrade: .unsupportedScheme
            default: .misuse
            }
    }

    /// Creates the code for a proxy that could not be reached, or did not reach the server.
    private init(_ reason: HTTPError.ProxyReason) {
        self =
            switch reason {
            case .unresolved: .unresolvedProxy
            case .unreachable, .refused: .notConnected
            case .socks: .proxyHandshakeFailed
            default: .receiveFailed
            }
    }

    /// Creates the code for a TLS failure.
    ///
    /// After the handshake it counts as a failure to receive.
    private init(_ reason: TLSFailureReason, phase: HTTPPhase) {
        self =
            switch reason {
            case .certificate, .hostname, .vetoed: .untrustedPeer
            case .pinMismatch, .pinSettings: .pinMismatch
            case .trust: .badTrust
            case .identity: .badCertificate
            case .ciphers: .badCiphers
            default: phase == .tlsHandshake ? .handshakeFailed : .receiveFailed
            }
    }

    /// Creates the code for a violation of HTTP by the peer.
    private init(_ error: WireError) {
        self =
            switch error {
            case .closedBeforeResponse: .emptyReply
            case .headTruncated: .receiveFailed
            case .codingOutOfMemory: .outOfMemory
            case .limitExceeded(let limit): ExitCode(limit)
            default:
                switch error.kind {
                case .uri: .malformedURL
                case .outgoing: .misuse
                case .head, .framing: .weirdReply
                case .body: .receiveFailed
                case .truncated: .partialBody
                case .coding: .badCoding
                case .limit: .headTooLarge
                }
            }
    }

    private init(_ limit: ExceededLimit) {
        self =
            switch limit {
            case .headBytes, .fieldCount, .informationalCount, .trailerBytes, .trailerCount:
                .headTooLarge
            // These limits apply to servers; no response can exceed them.
            case .requestLineBytes, .requestBodyBytes: .misuse
            case .chunkLineBytes, .chunkExtensionBytes: .receiveFailed
            case .decodedBytes: .tooLarge
            case .expansionRatio, .codingOverheadBytes, .codingCount: .badCoding
            }
    }
}
