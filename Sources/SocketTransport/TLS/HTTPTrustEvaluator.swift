/// A custom check of TLS peers during the handshake, for example for revocation, transparency logs
/// or a blocklist.
///
///     security.evaluator = .vetoing { peer in
///         await blocklist.contains(peer.certificates[0].sha256) ? .refuse(reason: "blocked") : .accept
///     }
///
/// The closure runs on Swift's concurrent pool, so that other connections are not delayed. The
/// client calls it in each handshake, including resumed sessions, after it has checked the pins.
/// Until the closure returns, the client sends no application data, and with TLS 1.3 no client
/// certificate.
///
/// The closure has the time of `HTTPTimeouts.tlsHandshake`. When that expires or the call is
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

    /// The permissions of the closure.
    enum Mode: Sendable, Hashable {
        /// It may refuse a peer that passed verification; it is not called if verification failed.
        case veto
        /// It may also accept a peer that failed verification.
        case override
    }

    let mode: Mode
    private let box: Box

    private final class Box: Sendable, IdentityHashable {
        let evaluate: Evaluate

        init(_ evaluate: @escaping Evaluate) {
            self.evaluate = evaluate
        }
    }

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

    private init(_ mode: Mode, _ evaluate: @escaping Evaluate) {
        self.mode = mode
        box = Box(evaluate)
    }

    /// Returns the decision of the closure.
    ///
    /// The task of the caller is canceled if the decision is no longer needed.
    func evaluate(_ peer: Peer) async -> Decision {
        await box.evaluate(peer)
    }
}
