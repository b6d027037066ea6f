private import CSSL

extension TLSEngine {
    /// Notes what a verification found wrong, the first time; called by the library's callback.
    func recordRejection(_ state: OpaquePointer) {
        guard rejection == nil else { return }
        // SAFETY: the library lends `state`, and with it the current certificate, to its callback.
        let code = unsafe X509_STORE_CTX_get_error(state)
        let certificate = unsafe X509_STORE_CTX_get_current_cert(state)
        if code == X509_V_ERR_HOSTNAME_MISMATCH || code == X509_V_ERR_IP_ADDRESS_MISMATCH {
            rejection = .hostnameMismatch(
                expected: peerName?.text ?? "",
                presented: unsafe certificate.map {
                    unsafe CertificateReader.names(of: $0, limit: Self.maxNames)
                        .filter(\.isHost).map(\.text)
                } ?? []
            )
            return
        }
        let reason = unsafe X509_verify_cert_error_string(Int(code)).map {
            unsafe String(cString: $0)
        }
        rejection = .certificateRejected(
            CertificateRejection(
                code: code,
                reason: reason ?? "",
                depth: Int(unsafe X509_STORE_CTX_get_error_depth(state)),
                subject: unsafe certificate.map {
                    unsafe CertificateReader.subject(of: $0)
                } ?? "",
                issuer: unsafe certificate.map { unsafe CertificateReader.issuer(of: $0) } ?? ""
            )
        )
    }

    /// Enough to recognise a wrong server by; some certificates hold thousands.
    private static let maxNames = 100
}

// MARK: - Judging a server

extension TLSEngine {
    /// Decides about the certificates of a server; called by the library in a full handshake.
    ///
    /// In the order: verification, unless the settings waive it; then pins. What the caller's own
    /// code says is asked later, when the handshake can wait (``TLSStream``).
    ///
    /// - Returns: false to end the handshake with an alert; then ``rejection`` says why.
    func verifyPeer(_ state: OpaquePointer) -> Bool {
        // SAFETY: the library lends `state` and all that belongs to it to its callback.
        guard let peerName, let rules = context.client else { return false }
        var verificationStatus = TLSPeer.VerificationStatus.unchecked
        if rules.verification != .none {
            if unsafe X509_verify_cert(state) == 1, rejection == nil {
                verificationStatus = .verified
            } else {
                unsafe recordRejection(state)
                verificationStatus = .refused(
                    rejection ?? .internalError(reason: "verification failed")
                )
            }
        }
        let stack =
            verificationStatus == .verified
            ? unsafe X509_STORE_CTX_get0_chain(state) : unsafe X509_STORE_CTX_get0_untrusted(state)
        let peer = TLSPeer(
            chain: unsafe CertificateList(stack: stack),
            verificationStatus: verificationStatus
        )
        self.peer = peer
        if case .refused = verificationStatus {
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

    /// Says whether what the verification found wrong is waived: a certificate that vouches for
    /// itself, for a host that may show one.
    func isWaived(_ state: OpaquePointer) -> Bool {
        // SAFETY: as in `verifyPeer`.
        guard unsafe X509_STORE_CTX_get_error(state) == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            case .fullButSelfSigned(let hosts)? = context.client?.verification, let peerName
        else { return false }
        return hosts.contains(peerName.text)
    }

    /// Holds a peer against the pins, and reports what does not fit.
    private func pinFailure(of peer: TLSPeer, as host: String, resumed: Bool) -> TLSError? {
        guard let rules = context.client else { return nil }
        let broken = rules.pins.violatedRules(by: peer, as: host)
        for rule in broken {
            rules.onPinMismatch?.notify(
                TLSPinMismatch(host: host, peer: peer, rule: rule, resumed: resumed)
            )
        }
        return broken.contains { $0.mode == .enforce }
            ? .pinMismatch(host: host, peer: peer) : nil
    }

    /// Checks what a finished handshake of a client must have: a peer that was judged, now or when
    /// the session was made, and pins that fit it today.
    func finishVerification() throws(TLSError) {
        guard let peerName, let rules = context.client else { return }
        // SAFETY: see INVARIANT.
        if unsafe SSL_session_reused(ssl) == 1 {
            peer = offeredPeer
            if let peer, let failure = pinFailure(of: peer, as: peerName.text, resumed: true) {
                throw failure
            }
        }
        guard peer != nil else { throw .protocolError(reason: "the peer showed no certificate") }
        if rules.evaluator == nil { acceptPeer() }
    }

    /// Says that the peer is accepted: its sessions may be taken up later.
    func acceptPeer() {
        guard !isApproved else { return }
        isApproved = true
        let held = unsafe pendingSessions
        unsafe pendingSessions = []
        // SAFETY: each held session comes with the reference that `retainSession` took.
        for index in unsafe held.indices { unsafe storeSession(held[index]) }
    }

    /// Ends a handshake that is complete but for the approval; what waits to be sent is dropped, a
    /// certificate of ours among it.
    func rejectPeer(_ failure: TLSError) -> TLSError {
        discardOutput()
        return fail(failure)
    }

    /// What the caller's own code is to be asked; nil when nobody is to be asked.
    var pendingEvaluation: (evaluator: TLSEvaluator, evidence: TLSEvaluator.Evidence)? {
        guard !isApproved, let evaluator = context.client?.evaluator, let peer, let peerName else {
            return nil
        }
        // SAFETY: see INVARIANT.
        let resumed = unsafe SSL_session_reused(ssl) == 1
        return (
            evaluator, TLSEvaluator.Evidence(host: peerName.text, peer: peer, resumed: resumed)
        )
    }
}
