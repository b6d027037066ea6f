internal import SocketTransport

/// Decides about peers with code of your own, while the handshake waits: revocation, transparency
/// logs, a list of your own.
///
///     security.evaluator = .vetoing { peer in
///         await blocklist.contains(peer.certificates[0].sha256) ? .refuse(reason: "blocked") : .accept
///     }
///
/// The code runs on Swift's concurrent pool, so other connections go on meanwhile. It is asked at each
/// handshake, also when an earlier session is taken up, and after the pins. Nothing of a request, nor
/// (with TLS 1.3) a certificate of ours, is sent before it answers. It has the time of
/// ``HTTPTimeouts/tlsHandshake``; then, or when the call is cancelled, its task is cancelled and the
/// connection is closed.
///
/// Copies of an evaluator are equal, and so can be the settings that hold them: make one and keep it.
public struct HTTPTrustEvaluator: Sendable, Hashable {
    /// Holds what is to be decided about.
    public struct Peer: Sendable {
        /// The name or address that was asked for.
        public let host: String
        /// The verified chain, the peer's own certificate first; what the peer sent, when it was
        /// refused or not checked.
        public let certificates: [HTTPCertificate]
        /// What the built-in verification says.
        public let verification: VerificationResult
        /// Whether an earlier session is taken up.
        public let isResumed: Bool
    }

    /// Says what the built-in verification found.
    @nonexhaustive public enum VerificationResult: Sendable, Hashable {
        /// The chain, its dates and uses and the host name are good.
        case accepted
        /// They are not.
        case refused(TLSFailureReason)
        /// Nothing was checked: ``HTTPSecurity/Verification/disabled``.
        case unchecked
    }

    /// Says what follows.
    public enum Decision: Sendable, Hashable {
        /// The connection is used.
        case accept
        /// The handshake fails: with the built-in verdict if that was a refusal, else with
        /// `.tlsFailed(.vetoed)`.
        case refuse(reason: String)
    }

    /// Decides about a peer.
    public typealias Evaluate = @concurrent @Sendable (Peer) async -> Decision

    let transport: TLSEvaluator

    /// Makes an evaluator that may refuse what the built-in verification accepted.
    ///
    /// It is not asked about peers that were refused already.
    public static func vetoing(_ evaluate: @escaping Evaluate) -> HTTPTrustEvaluator {
        HTTPTrustEvaluator(.veto, evaluate)
    }

    /// Makes an evaluator that may also accept what the built-in verification refused.
    ///
    /// **Every mistake in it lets an attacker in.** It is asked about expired, untrusted and
    /// misnamed certificates as well; what is in their chain proves nothing but that the peer has the
    /// key of the first. Look at ``Peer/verification``.
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
    /// Translates the TLS layer's words.
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
