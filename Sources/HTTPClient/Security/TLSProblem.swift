internal import SocketTransport

/// Says what TLS objected to.
@nonexhaustive public enum TLSProblem: Sendable, Hashable {
    /// The peer's certificate chain is not accepted; `reason` names certificate and cause.
    case certificate(reason: String)
    /// The certificate is valid, but for other names (RFC 9525).
    case hostname(expected: String, presented: [String])
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
    /// Another setting of ``HTTPSecurity`` cannot be used.
    case settings(reason: String)
}

extension TLSProblem: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .certificate(let reason): "the peer's certificate is not trusted: \(reason)"
        case .hostname(let expected, let presented):
            "the peer's certificate is for \(presented.joined(separator: ", ")), not \(expected)"
        case .alert(let code, let reason): "the peer refused TLS: \(reason) (alert \(code))"
        case .version: "no TLS version in common"
        case .peerProtocol(let reason): "the peer broke the TLS protocol: \(reason)"
        case .closed: "the peer closed during the TLS handshake"
        case .notTLS: "the peer does not speak TLS on this port"
        case .trust(let source, let reason):
            "cannot read trusted certificates (\(source)): \(reason)"
        case .settings(let reason): "the security settings cannot be used: \(reason)"
        }
    }
}

extension HTTPError.Kind {
    /// Translates the TLS layer's words.
    init(_ failure: TLSFailure) {
        switch failure {
        case .certificateRejected(let rejection):
            self = .tlsFailed(
                .certificate(
                    reason: "\(rejection.reason) (\(rejection.subject), depth \(rejection.depth))"
                )
            )
        case .hostnameMismatch(let expected, let presented):
            self = .tlsFailed(.hostname(expected: expected, presented: presented))
        case .peerAlert(let code, let reason): self = .tlsFailed(.alert(code, reason: reason))
        case .notTLS: self = .tlsFailed(.notTLS)
        case .closedDuringHandshake: self = .tlsFailed(.closed)
        case .versionMismatch: self = .tlsFailed(.version)
        case .protocolError(let reason): self = .tlsFailed(.peerProtocol(reason: reason))
        case .badTrust(let source, let reason):
            self = .tlsFailed(.trust(source: source, reason: reason))
        case .badIdentity(let reason), .badConfiguration(let reason):
            self = .tlsFailed(.settings(reason: reason))
        case .badHost(let host): self = .tlsFailed(.settings(reason: "host name \(host)"))
        case .internalError(let reason): self = .systemFailure(reason: reason)
        }
    }
}
