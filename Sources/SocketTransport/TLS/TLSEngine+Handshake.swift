private import CSSL

extension TLSEngine {
    /// The progress of a handshake.
    package enum HandshakeStep: Sendable, Hashable {
        case done
        case needsInput
    }

    /// Advances the handshake as far as the input allows.
    ///
    /// - Throws: the reason why the handshake failed; the output may contain an alert for the peer.
    package func stepHandshake() throws(TLSError) -> HandshakeStep {
        switch phase {
        case .open: return .done
        case .failed(let failure): throw failure
        case .handshaking: break
        }
        // SAFETY: see INVARIANT.
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 {
            do throws(TLSError) {
                try finishVerification()
            } catch {
                throw rejectPeer(error)
            }
            phase = .open
            inputWithoutData = bufferBIO.input.count
            return .done
        }
        guard unsafe SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else {
            throw fail(handshakeFailure())
        }
        guard !isFlooded else { throw fail(Self.flood) }
        guard hasEnded else { return .needsInput }
        throw fail(.failed(recordSniffer.isNotTLS ? .notTLS : .closed))
    }

    private func handshakeFailure() -> TLSError {
        let error = OpenSSLError.pop()
        if let rejection { return .failed(rejection) }
        if recordSniffer.isNotTLS { return .failed(.notTLS) }
        return Self.failure(error)
    }

    /// Makes OpenSSL ask for and verify the peer's chain; ``recordRejection(_:)`` records errors.
    ///
    /// - Parameter store: nil verifies nothing; ``verifyPeer(_:)`` still checks a server's chain.
    /// - Throws: `.internalError`.
    func verify(against store: TrustStore?) throws(TLSError) {
        // SAFETY: see INVARIANT; the callback captures nothing and runs within calls to `ssl`.
        let mode = SSL_VERIFY_PEER | (peerName == nil ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0)
        unsafe SSL_set_verify(ssl, mode) { accepted, state in
            guard accepted != 1, let state = unsafe state,
                let data = unsafe X509_STORE_CTX_get_ex_data(
                    state,
                    SSL_get_ex_data_X509_STORE_CTX_idx()
                ), let engine = unsafe TLSEngine.owner(of: OpaquePointer(data))
            else { return accepted }
            if unsafe engine.isWaived(state) { return 1 }
            unsafe engine.recordRejection(state)
            return 0
        }
        guard let store else { return }
        guard unsafe store.install(in: ssl) else {
            throw .internalError(reason: OpenSSLError.pop().reason)
        }
    }

    /// Sets the name that the server's certificate must contain, and the name for SNI.
    func startClient(as name: TLSPeerName) throws(TLSError) {
        // SAFETY: see INVARIANT. TLSPeerName contains only visible ASCII, so the C strings are
        // complete.
        let parameters = unsafe SSL_get0_param(ssl)
        var done: Int32
        switch name.kind {
        case .name:
            let flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
            unsafe X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(flags))
            done = unsafe X509_VERIFY_PARAM_set1_host(parameters, name.text, name.text.utf8.count)
            if done == 1 { done = unsafe cssl_set_tlsext_host_name(ssl, name.text) }
        case .address:
            done = unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, name.text)
        }
        guard done == 1 else { throw TLSPeerName.error(name.text) }
        if context.trustsNamedCertificatesOnly {
            unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        }
        unsafe SSL_set_connect_state(ssl)
        let server = TLSSessionCache.Server(host: name.text, port: peerPort)
        offeredPeer = unsafe context.sessions?.applySession(to: ssl, for: server)
    }
}
