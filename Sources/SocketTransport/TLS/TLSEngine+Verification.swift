private import CSSL

extension TLSEngine {
    /// Records the first error of a verification; called by OpenSSL's callback.
    func recordRejection(_ state: OpaquePointer) {
        guard rejection == nil else { return }
        // SAFETY: OpenSSL keeps `state` and the current certificate valid during its callback.
        let code = unsafe X509_STORE_CTX_get_error(state)
        let certificate = unsafe X509_STORE_CTX_get_current_cert(state)
        if code == X509_V_ERR_HOSTNAME_MISMATCH || code == X509_V_ERR_IP_ADDRESS_MISMATCH {
            rejection = .hostname(
                expected: peerName?.text ?? "",
                presented: unsafe certificate.map {
                    unsafe CertificateReader.names(of: $0, limit: Self.maxNames)
                        .compactMap(\.host)
                } ?? []
            )
            return
        }
        let reason = unsafe X509_verify_cert_error_string(Int(code)).map {
            unsafe String(cString: $0)
        }
        rejection = .certificate(
            TLSFailureReason.CertificateReason(
                kind: .init(code: code),
                reason: reason ?? "",
                depth: Int(unsafe X509_STORE_CTX_get_error_depth(state)),
                subject: unsafe certificate.map {
                    unsafe CertificateReader.subject(of: $0)
                } ?? "",
                issuer: unsafe certificate.map { unsafe CertificateReader.issuer(of: $0) } ?? ""
            )
        )
    }

    /// The maximum number of reported names; some certificates have thousands.
    ///
    /// It suffices to recognize a wrong server.
    private static let maxNames = 100
}

// MARK: - Verifying a server

extension TLSEngine {
    /// Verifies the certificates of a server; called by OpenSSL in a full handshake.
    ///
    /// The order is: verification, unless the settings disable it; then pins. The caller's
    /// evaluator is called later, when the handshake can wait (``TLSStream``).
    ///
    /// - Returns: false to end the handshake with an alert; then ``rejection`` contains the reason.
    func verifyPeer(_ state: OpaquePointer) -> Bool {
        // SAFETY: OpenSSL keeps `state` and everything that belongs to it valid during its
        // callback.
        guard let peerName, let rules = context.client else { return false }
        var verification = HTTPTrustEvaluator.VerificationResult.unchecked
        if rules.verification != .disabled {
            if unsafe X509_verify_cert(state) == 1, rejection == nil {
                verification = .accepted
            } else {
                unsafe recordRejection(state)
                verification = .refused(rejection ?? .settings(reason: "verification failed"))
            }
        }
        let stack =
            verification == .accepted
            ? unsafe X509_STORE_CTX_get0_chain(state) : unsafe X509_STORE_CTX_get0_untrusted(state)
        let peer = TLSPeer(
            chain: unsafe CertificateList(stack: stack),
            verification: verification
        )
        self.peer = peer
        if case .refused = verification {
            guard rules.evaluator?.mode == .override else { return false }
            rejection = nil
        }
        if let failure = pinFailure(of: peer, as: peerName.text, resumed: false) {
            rejection = failure
            unsafe X509_STORE_CTX_set_error(state, X509_V_ERR_APPLICATION_VERIFICATION)
            return false
        }
        unsafe X509_STORE_CTX_set_error(state, X509_V_OK)
        return true
    }

    /// Returns whether the settings permit the error: a self-signed certificate of a listed host.
    func isWaived(_ state: OpaquePointer) -> Bool {
        // SAFETY: as in `verifyPeer`.
        guard unsafe X509_STORE_CTX_get_error(state) == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            let rules = context.client, let peerName
        else { return false }
        return rules.selfSignedHosts.contains(peerName.text)
    }

    /// Checks a peer against the pins, and reports each mismatch.
    private func pinFailure(of peer: TLSPeer, as host: String, resumed: Bool) -> TLSFailureReason? {
        guard let rules = context.client else { return nil }
        let broken = rules.pins.violatedRules(by: peer, as: host)
        for rule in broken {
            rules.pinReporter?.notify(
                HTTPPin.Reporter.Mismatch(
                    host: host,
                    rule: rule,
                    certificates: peer.certificates,
                    isResumed: resumed
                )
            )
        }
        return broken.contains { $0.mode == .enforce }
            ? .pinMismatch(host: host, presented: peer.certificates) : nil
    }

    /// Checks that the client has a verified peer after the handshake.
    ///
    /// The peer was verified now or when the session was created. A resumed peer must match the
    /// current pins.
    func finishVerification() throws(TLSError) {
        guard let peerName, let rules = context.client else { return }
        // SAFETY: see INVARIANT.
        if unsafe SSL_session_reused(ssl) == 1 {
            peer = offeredPeer
            if let peer, let failure = pinFailure(of: peer, as: peerName.text, resumed: true) {
                throw .failed(failure)
            }
        }
        guard peer != nil else {
            throw .failed(.peerProtocol(reason: "the peer sent no certificate"))
        }
        if rules.evaluator == nil { acceptPeer() }
    }

    /// Accepts the peer, so that its sessions may be resumed later.
    func acceptPeer() {
        guard !isApproved else { return }
        isApproved = true
        let held = unsafe pendingSessions
        unsafe pendingSessions = []
        // SAFETY: each stored session has the reference that `retainSession` took.
        for index in unsafe held.indices { unsafe storeSession(held[index]) }
    }

    /// Ends a handshake that lacks only the approval.
    ///
    /// Pending output is discarded, which includes the client's own certificate.
    func rejectPeer(_ failure: TLSError) -> TLSError {
        discardOutput()
        return fail(failure)
    }

    /// The evaluator to call and its argument; nil if no evaluator needs to be called.
    var pendingEvaluation: (evaluator: HTTPTrustEvaluator, peer: HTTPTrustEvaluator.Peer)? {
        guard !isApproved, let evaluator = context.client?.evaluator, let peer, let peerName else {
            return nil
        }
        // SAFETY: see INVARIANT.
        let resumed = unsafe SSL_session_reused(ssl) == 1
        return (
            evaluator,
            HTTPTrustEvaluator.Peer(
                host: peerName.text,
                certificates: peer.certificates,
                verification: peer.verification,
                isResumed: resumed
            )
        )
    }
}
