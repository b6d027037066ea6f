internal import SocketTransport

/// Says what TLS objected to.
@nonexhaustive public enum TLSFailureReason: Sendable, Hashable {
    /// The peer's certificate chain is not accepted.
    case certificate(TLSCertificateFailureReason)
    /// The certificate is valid, but for other names (RFC 9525).
    case hostname(expected: String, presented: [String])
    /// No certificate of the chain is one that ``HTTPSecurity/pins`` names for the host.
    ///
    /// `presented` is what there was, the peer's own first: the verified chain, unless verification
    /// is off.
    case pinMismatch(host: String, presented: [HTTPCertificate])
    /// ``HTTPSecurity/evaluator`` refused the peer.
    case vetoed(reason: String)
    /// The peer refused; `alert` is the number of RFC 8446 §6.
    case alert(UInt8, reason: String)
    /// The peer and this client have no TLS version in common.
    case version
    /// The peer broke the protocol.
    case peerProtocol(reason: String)
    /// The peer closed during the handshake.
    case closed
    /// The peer does not speak TLS on this port.
    case notTLS
    /// The trusted certificates of ``HTTPSecurity`` cannot be read or hold none.
    case trust(source: String, reason: String)
    /// ``HTTPSecurity/identity`` cannot be used: a file, its form, the passphrase, or a key that is
    /// another certificate's.
    case identity(reason: String)
    /// A pin of ``HTTPSecurity/pins`` cannot be read, or a rule has none.
    case pinSettings(reason: String)
    /// None of the ciphers, suites or groups asked for is known.
    case ciphers(reason: String)
    /// Another setting of ``HTTPSecurity`` cannot be used.
    case settings(reason: String)
}

extension TLSFailureReason: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .certificate(let problem): "the peer's certificate is not trusted: \(problem)"
        case .hostname(let expected, let presented):
            "the peer's certificate is for \(presented.joined(separator: ", ")), not \(expected)"
        case .pinMismatch(let host, let presented):
            "no pin for \(host) fits what the peer showed: "
                + presented.map(\.publicKeyPin).joined(separator: ", ")
        case .vetoed(let reason): "the peer's certificate was refused: \(reason)"
        case .alert(let code, let reason): "the peer refused TLS: \(reason) (alert \(code))"
        case .version: "no TLS version in common"
        case .peerProtocol(let reason): "the peer broke the TLS protocol: \(reason)"
        case .closed: "the peer closed during the TLS handshake"
        case .notTLS: "the peer does not speak TLS on this port"
        case .trust(let source, let reason):
            "cannot read trusted certificates (\(source)): \(reason)"
        case .identity(let reason): "the client certificate cannot be used: \(reason)"
        case .pinSettings(let reason): "the pins cannot be used: \(reason)"
        case .ciphers(let reason): "the ciphers cannot be used: \(reason)"
        case .settings(let reason): "the security settings cannot be used: \(reason)"
        }
    }
}

extension TLSFailureReason {
    /// Whether the caller has to change a setting.
    var isOwn: Bool {
        switch self {
        case .trust, .identity, .pinSettings, .ciphers, .settings: true
        default: false
        }
    }

    /// Whether its description has the words of an evaluator or the paths of files in it.
    var quotesApplication: Bool {
        if case .vetoed = self { true } else { isOwn }
    }

    /// Translates the TLS layer's words.
    init(_ failure: TLSError) {
        self =
            switch failure {
            case .certificateRejected(let rejection):
                .certificate(TLSCertificateFailureReason(rejection))
            case .hostnameMismatch(let expected, let presented):
                .hostname(expected: expected, presented: presented)
            case .pinMismatch(let host, let peer):
                .pinMismatch(host: host, presented: HTTPCertificate.all(of: peer.chain))
            case .vetoed(let reason): .vetoed(reason: reason)
            case .peerAlert(let code, let reason): .alert(code, reason: reason)
            case .notTLS: .notTLS
            case .closedDuringHandshake: .closed
            case .versionMismatch: .version
            case .protocolError(let reason): .peerProtocol(reason: reason)
            case .badTrust(let source, let reason): .trust(source: source, reason: reason)
            case .badIdentity(let reason): .identity(reason: reason)
            case .badPin(let reason): .pinSettings(reason: reason)
            case .badCiphers(let reason): .ciphers(reason: reason)
            case .badConfiguration(let reason): .settings(reason: reason)
            case .badHost(let host): .settings(reason: "host name \(host)")
            case .internalError(let reason): .settings(reason: reason)
            }
    }
}

extension HTTPError.Kind {
    /// Translates the TLS layer's words.
    init(_ failure: TLSError) {
        if case .internalError(let reason) = failure {
            self = .systemFailure(reason: reason)
        } else {
            self = .tlsFailed(TLSFailureReason(failure))
        }
    }
}
