private import CSSL

/// Owns an `SSL_CTX`: the settings that all connections of one client or one server share.
///
/// `@unchecked Sendable`: the `SSL_CTX` is changed only by the initialisers; afterwards it is read,
/// and its reference count, which `SSL_new` moves, is atomic. All else is a `let` or locked.
@safe package final class TLSContext: @unchecked Sendable {
    private let context: OpaquePointer
    private let trust: TLSConfiguration.Trust?
    private let store: Locked<TrustStore?>
    /// ALPN names in wire form; the select callback reads them, so they live as long as `context`.
    private let protocols: TLSProtocolList
    let sessions: TLSSessionStore?

    /// Makes the context of a client.
    ///
    /// Reads a trust file at once, but the system's store only when a handshake needs it.
    ///
    /// - Throws: `.badTrust`, `.badIdentity`, `.badConfiguration`, `.internalError`.
    package convenience init(client configuration: TLSConfiguration) throws(TLSFailure) {
        try self.init(
            side: .client,
            versions: (configuration.minimumVersion, configuration.maximumVersion),
            protocols: configuration.applicationProtocols,
            trust: configuration.verification == .full ? configuration.trust : nil
        )
        if let identity = configuration.identity { try use(identity) }
    }

    /// Makes the context of a server.
    ///
    /// - Parameters:
    ///   - identity: what every client is shown, whatever name it asks for.
    ///   - applicationProtocols: ALPN names, best first; a client that offers only others is
    ///     refused (RFC 7301 §3.2), one that offers none is served.
    ///   - minimumVersion: the oldest version spoken.
    ///   - maximumVersion: the newest version spoken.
    ///   - clientTrust: authorities of clients; each client must then show a certificate. Nil asks
    ///     for none.
    /// - Throws: as ``init(client:)``.
    package convenience init(
        server identity: TLSConfiguration.Identity,
        applicationProtocols: [String] = ["http/1.1"],
        minimumVersion: TLSVersion = .tls12,
        maximumVersion: TLSVersion = .tls13,
        clientTrust: TLSConfiguration.Trust? = nil
    ) throws(TLSFailure) {
        try self.init(
            side: .server,
            versions: (minimumVersion, maximumVersion),
            protocols: applicationProtocols,
            trust: clientTrust
        )
        try use(identity)
    }

    private enum Side {
        case client
        case server
    }

    private init(
        side: Side,
        versions: (least: TLSVersion, most: TLSVersion),
        protocols: [String],
        trust: TLSConfiguration.Trust?
    ) throws(TLSFailure) {
        guard versions.least <= versions.most else {
            throw .badConfiguration(reason: "the minimum version is above the maximum")
        }
        let list = try TLSProtocolList(protocols)
        let store: TrustStore? =
            switch trust {
            case .certificates(let pem)?: try TrustStore(.bytes(pem))
            case .file(let path)?: try TrustStore(.file(path))
            case .system?, .systemAnd?, nil: nil
            }
        // SAFETY: from here to the end of the initialisers nobody else holds the new SSL_CTX.
        ERR_clear_error()
        let method = side == .client ? unsafe TLS_client_method() : unsafe TLS_server_method()
        guard let context = unsafe SSL_CTX_new(method) else {
            throw .internalError(reason: LibraryError.take().reason)
        }
        unsafe self.context = context
        self.trust = trust
        self.store = Locked(store)
        self.protocols = list
        sessions = side == .client ? TLSSessionStore() : nil

        let least = Int32(versions.least.rawValue)
        let most = Int32(versions.most.rawValue)
        guard unsafe cssl_CTX_set_min_proto_version(context, least) == 1,
            unsafe cssl_CTX_set_max_proto_version(context, most) == 1
        else {
            throw .internalError(reason: LibraryError.take().reason)
        }
        unsafe SSL_CTX_set_options(
            context,
            CSSL_OP_NO_COMPRESSION | CSSL_OP_NO_RENEGOTIATION | CSSL_OP_CIPHER_SERVER_PREFERENCE
        )
        // The machine's openssl.cnf may turn this on; it would hide truncation.
        unsafe SSL_CTX_clear_options(context, CSSL_OP_IGNORE_UNEXPECTED_EOF)
        unsafe SSL_CTX_set_security_level(context, Self.securityLevel)
        unsafe cssl_CTX_set_mode(
            context,
            Int(SSL_MODE_RELEASE_BUFFERS) | Int(SSL_MODE_ENABLE_PARTIAL_WRITE)
                | Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
        )
        switch side {
        case .client: try configureClient()
        case .server: configureServer()
        }
    }

    deinit {
        // SAFETY: drops the one reference that init took; connections hold their own.
        unsafe SSL_CTX_free(context)
    }

    /// Makes the state of one connection; the caller owns it.
    func makeSSL() -> OpaquePointer? {
        // SAFETY: the SSL_CTX is alive; SSL_new takes its own reference.
        unsafe SSL_new(context)
    }

    /// Finds the certificates to verify the peer against; nil when it is not verified.
    ///
    /// - Throws: `.badTrust`, when the system's store is asked for and cannot be read.
    func trustStore() throws(TLSFailure) -> TrustStore? {
        switch trust {
        case nil:
            return nil
        case .system?:
            return try TrustStore.system()
        case .certificates?, .file?:
            return store.withLock { $0 }
        case .systemAnd(let pem)?:
            if let made = store.withLock({ $0 }) { return made }
            let made = try TrustStore(TrustStore.system(), and: .bytes(pem))
            return store.withLock { kept in
                if kept == nil { kept = made }
                return kept
            }
        }
    }

    /// Whether only the authorities the caller named are trusted.
    ///
    /// Any of them may then end a chain, intermediates too: that is what naming it says.
    var trustsNamedCertificatesOnly: Bool {
        switch trust {
        case .certificates?, .file?: true
        case .system?, .systemAnd?, nil: false
        }
    }

    /// Reads the system's store now, where blocking for about 20 ms does not matter.
    ///
    /// Does nothing when this context does not need it, or it has been read.
    package func prepareTrust() throws(TLSFailure) {
        _ = try trustStore()
    }

    /// Whether any context of this process has read the system's store.
    package static var hasReadSystemTrust: Bool { TrustStore.isSystemLoaded }

    /// 112 bits, which rules out RSA below 2048 bits and SHA-1 signatures.
    private static let securityLevel: Int32 = 2
}

// MARK: - Set-up

extension TLSContext {
    private func configureClient() throws(TLSFailure) {
        // SAFETY: called from init only; the callbacks capture nothing.
        unsafe cssl_CTX_set_session_cache_mode(
            context,
            Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL)
        )
        unsafe SSL_CTX_sess_set_new_cb(context) { ssl, session in
            // SAFETY: the SSL belongs to a live engine, which is running inside a call to it.
            guard let ssl = unsafe ssl, let session = unsafe session,
                let engine = unsafe TLSEngine.owner(of: ssl)
            else { return 0 }
            return unsafe engine.keep(session) ? 1 : 0
        }
        guard !protocols.wire.isEmpty else { return }
        // Unlike its neighbours this function returns 0 when all is well.
        let failed = unsafe SSL_CTX_set_alpn_protos(
            context,
            protocols.wire,
            UInt32(protocols.wire.count)
        )
        guard failed == 0 else { throw .internalError(reason: LibraryError.take().reason) }
    }

    private func configureServer() {
        // Tickets carry the whole session; a cache on our side would only grow.
        unsafe cssl_CTX_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        let scope: [UInt8] = [0x73]
        // SAFETY: called from init only; the scope is copied. The list that the callback reads is
        // a `let` of `self`, which every engine keeps alive while it uses its SSL.
        _ = unsafe SSL_CTX_set_session_id_context(context, scope, UInt32(scope.count))
        guard !protocols.wire.isEmpty else { return }
        let list = unsafe Unmanaged.passUnretained(protocols).toOpaque()
        unsafe SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, length, offered, count, list in
                // SAFETY: `list` is the TLSProtocolList above; the library lends the other four.
                guard let list = unsafe list, let offered = unsafe offered,
                    let chosen = unsafe chosen, let length = unsafe length
                else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                let ours = unsafe Unmanaged<TLSProtocolList>.fromOpaque(list).takeUnretainedValue()
                let all = unsafe UnsafeBufferPointer(start: offered, count: Int(count))
                guard let range = unsafe ours.firstShared(in: all) else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                unsafe chosen.pointee = unsafe offered + range.lowerBound
                unsafe length.pointee = UInt8(range.count)
                return SSL_TLSEXT_ERR_OK
            },
            list
        )
    }

    private func use(_ identity: TLSConfiguration.Identity) throws(TLSFailure) {
        var position = 0
        var accepted = true
        do throws(PEMFault) {
            // SAFETY: called from init only. The SSL_CTX takes its own reference to each
            // certificate and to the key; ours to the key is dropped by the defer.
            _ = try unsafe PEM.forEachCertificate(
                in: .bytes(identity.certificateChain),
                .everyOne
            ) { certificate in
                let result =
                    position == 0
                    ? unsafe SSL_CTX_use_certificate(context, certificate)
                    : unsafe cssl_CTX_add1_chain_cert(context, certificate)
                accepted = accepted && result == 1
                position += 1
            }
            guard position > 0 else { throw .undecodable(reason: "no certificate in the chain") }
            guard accepted else { throw .undecodable(reason: LibraryError.take().reason) }
            let key = try unsafe PEM.privateKey(in: .bytes(identity.privateKey))
            defer { unsafe EVP_PKEY_free(key) }
            guard unsafe SSL_CTX_use_PrivateKey(context, key) == 1,
                unsafe SSL_CTX_check_private_key(context) == 1
            else { throw .undecodable(reason: LibraryError.take().reason) }
        } catch {
            throw .badIdentity(reason: error.reason)
        }
    }
}
