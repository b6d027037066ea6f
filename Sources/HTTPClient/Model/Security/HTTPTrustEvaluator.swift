internal import SocketTransport

/// A custom check of TLS peers during the handshake, for example for revocation, transparency logs
/// or a blocklist.
///
///     security.evaluator = .vetoing { peer in
///         await blocklist.contains(peer.certificates[0].sha256) ? .refuse(reason: "blocked") : .accept
///     }
///
/// The closure runs on Swift's concurrent pool, so that other connections are not delayed. The
/// client calls it in each handshake, including resumed sessions, after it has checked the pins.
/// Until the closure returns, the client sends no part of a request, and with TLS 1.3 no client
/// certificate.
///
/// The closure has the time of ``HTTPTimeouts/tlsHandshake``. When that expires or the call is
/// canceled, the client cancels the closure's task and closes the connection.
///
/// Copies of an evaluator are equal, so that settings with an evaluator can be equal too. Create
/// one and keep it.
public struct HTTPTrustEvaluator: Sendable, Hashable {
    /// The peer to check.
    public struct Peer: Sendable {
        /// The requested host name or address.
        public let host: String
        /// The verified chain, the peer's own certificate first.
        ///
        /// If verification failed or was off, the certificates that the peer sent.
        public let certificates: [HTTPCertificate]
        /// The result of the built-in verification.
        public let verification: VerificationResult
        /// Whether the connection resumes an earlier session.
        public let isResumed: Bool
    }

    /// A result of the built-in verification.
    @nonexhaustive public enum VerificationResult: Sendable, Hashable {
        /// The chain, its dates and uses, and the host name are valid.
        case accepted
        /// The verification failed for this reason.
        case refused(TLSFailureReason)
        /// The verification is off (``HTTPSecurity/Verification/disabled``).
        case unchecked
    }

    /// The decision of an evaluator.
    public enum Decision: Sendable, Hashable {
        /// The connection is used.
        case accept
        /// The handshake fails.
        ///
        /// The error is that of the built-in verification if it failed, otherwise
        /// `.tlsFailed(.vetoed)`.
        case refuse(reason: String)
    }

    /// A closure that decides about a peer.
    public typealias Evaluate = @concurrent @Sendable (Peer) async -> Decision

    let transport: TLSEvaluator

    /// Creates an evaluator that can reject peers which the built-in verification accepted.
    ///
    /// The closure is not called for peers that were already rejected.
    public static func vetoing(_ evaluate: @escaping Evaluate) -> HTTPTrustEvaluator {
        HTTPTrustEvaluator(.veto, evaluate)
    }

    /// Creates an evaluator that can also accept peers which the built-in verification rejected.
    ///
    /// **Every mistake in the closure lets an attacker in.** It is also called for expired,
    /// untrusted and misnamed certificates. Their chain proves only that the peer has the key of
    /// the first certificate. Check ``Peer/verification``.
    public static func dangerouslyOverridingVerification(
        _ evaluate: @escaping Evaluate
    ) -> HTTPTrustEvaluator {
        HTTPTrustEvaluator(.override, evaluate)
    }

    private init(_ mode: TLSEvaluator.Mode, _ evaluate: @escaping Evaluate) {
        transport = TLSEvaluator(mode) { evidence in
            switch await evaluate(Peer(evidence)) {
            case .accept: .accept
            case .refuse(let reason): .refuse(reason: reason)
            }
        }
    }
}

extension HTTPTrustEvaluator.Peer {
    /// Converts the transport's type.
    fileprivate init(_ evidence: TLSEvaluator.Evidence) {
        host = evidence.host
        certificates = HTTPCertificate.all(of: evidence.peer.chain)
        isResumed = evidence.resumed
        verification =
            switch evidence.peer.verificationStatus {
            case .verified: .accepted
            case .refused(let failure): .refused(TLSFailureReason(failure))
            case .unchecked: .unchecked
            }
    }
}
