private import CSSL

/// Owns an `SSL_CTX`: the settings that all connections of one client or one server share.
///
/// `@unchecked Sendable`: the `SSL_CTX` is changed only by the initialisers; afterwards it is read,
/// and its reference count, which `SSL_new` moves, is atomic. All else is a `let` or locked.
@safe package final class TLSContext: @unchecked Sendable {
    private let context: OpaquePointer
    private let trust: TLSConfiguration.Trust?
    private let store: Locked<TrustStore?>
    /// What of a client's settings the engines obey; nil on the server side.
    let client: ClientSettings?
    /// ALPN names in wire form; the select callback reads them, so they live as long as `context`.
    private let protocols: ALPNProtocolList
    let sessions: TLSSessionCache?

    /// Makes the context of a client.
    ///
    /// Reads a trust file at once, but the system's store only when a handshake needs it.
    ///
    /// - Throws: `.badTrust`, `.badIdentity`, `.badPin`, `.badCiphers`, `.badConfiguration`,
    ///   `.internalError`.
    package convenience init(client configuration: TLSConfiguration) throws(TLSError) {
        try self.init(
            client: ClientSettings(configuration),
            versions: (configuration.minimumVersion, configuration.maximumVersion),
            protocols: configuration.applicationProtocols,
            trust: configuration.verification == .none ? nil : configuration.trust
        )
        try configureOffer(configuration)
        if let identity = configuration.identity {
            unsafe try identity.install(in: context)
        }
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
    ) throws(TLSError) {
        try self.init(
            client: nil,
            versions: (minimumVersion, maximumVersion),
            protocols: applicationProtocols,
            trust: clientTrust
        )
        unsafe try TLSClientIdentity.plain(identity).install(in: context)
    }

    /// Holds the settings of a client that its engines obey.
    struct ClientSettings: Sendable {
        let verification: TLSConfiguration.Verification
        let pins: TLSPinSet
        let onPinMismatch: TLSPinMismatchHandler?
        let evaluator: TLSEvaluator?
        let resumption: TLSConfiguration.Resumption
        let keyLog: TLSKeyLogFile?

        init(_ configuration: TLSConfiguration) throws(TLSError) {
            verification = configuration.verification
            pins = try TLSPinSet(configuration.pins)
            onPinMismatch = configuration.onPinMismatch
            evaluator = configuration.evaluator
            resumption = configuration.resumption
            keyLog = try configuration.keyLog.flatMap { log throws(TLSError) in
                try TLSKeyLogFile.open(log)
            }
        }
    }

    private init(
        client: ClientSettings?,
        versions: (least: TLSVersion, most: TLSVersion),
        protocols: [String],
        trust: TLSConfiguration.Trust?
    ) throws(TLSError) {
        guard versions.least <= versions.most else {
            throw .badConfiguration(reason: "the minimum version is above the maximum")
        }
        let list = try ALPNProtocolList(protocols)
        var store: TrustStore?
        if let trust, !trust.includesSystem {
            guard !trust.sources.isEmpty else {
                throw .badTrust(source: "settings", reason: "no authority is named")
            }
            store = try TrustStore(trust.sources)
        }
        // SAFETY: from here to the end of the initialisers nobody else holds the new SSL_CTX.
        ERR_clear_error()
        let method = client != nil ? unsafe TLS_client_method() : unsafe TLS_server_method()
        guard let context = unsafe SSL_CTX_new(method) else {
            throw .internalError(reason: OpenSSLError.pop().reason)
        }
        unsafe self.context = context
        self.trust = trust
        self.store = Locked(store)
        self.protocols = list
        self.client = client
        sessions = client?.resumption == .on ? TLSSessionCache() : nil

        let least = Int32(versions.least.rawValue)
        let most = Int32(versions.most.rawValue)
        guard unsafe cssl_CTX_set_min_proto_version(context, least) == 1,
            unsafe cssl_CTX_set_max_proto_version(context, most) == 1
        else {
            throw .internalError(reason: OpenSSLError.pop().reason)
        }
        unsafe SSL_CTX_set_options(
            context,
            CSSL_OP_NO_COMPRESSION | CSSL_OP_NO_RENEGOTIATION | CSSL_OP_CIPHER_SERVER_PREFERENCE
        )
        // The machine's openssl.cnf may turn this on; it would hide truncation.
        unsafe SSL_CTX_clear_options(context, CSSL_OP_IGNORE_UNEXPECTED_EOF)
        // A server shows what it is given: whether that is good enough its clients say.
        unsafe SSL_CTX_set_security_level(context, client == nil ? 0 : Self.securityLevel)
        unsafe cssl_CTX_set_mode(
            context,
            Int(SSL_MODE_RELEASE_BUFFERS) | Int(SSL_MODE_ENABLE_PARTIAL_WRITE)
                | Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
        )
        if client != nil {
            try configureClient()
        } else {
            configureServer()
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
    func trustStore() throws(TLSError) -> TrustStore? {
        guard let trust else { return nil }
        if let made = store.withLock({ $0 }) { return made }
        if trust.sources.isEmpty { return try TrustStore.system() }
        let made = try TrustStore(trust.sources, and: TrustStore.system())
        return store.withLock { kept in
            if kept == nil { kept = made }
            return kept
        }
    }

    /// Whether only the authorities the caller named are trusted.
    ///
    /// Any of them may then end a chain, intermediates too: that is what naming it says.
    var trustsNamedCertificatesOnly: Bool {
        trust.map { !$0.includesSystem } ?? false
    }

    /// Reads the system's store now, where blocking for about 20 ms does not matter.
    ///
    /// Does nothing when this context does not need it, or it has been read.
    package func prepareTrust() throws(TLSError) {
        _ = try trustStore()
    }

    /// Whether any context of this process has read the system's store.
    package static var hasReadSystemTrust: Bool { TrustStore.isSystemLoaded }

    /// 112 bits, which rules out RSA below 2048 bits and SHA-1 signatures.
    private static let securityLevel: Int32 = 2
}

// MARK: - Set-up

extension TLSContext {
    private func configureClient() throws(TLSError) {
        // SAFETY: called from init only; the callbacks capture nothing.
        unsafe SSL_CTX_set_cert_verify_callback(
            context,
            { state, _ in
                // SAFETY: the SSL belongs to a live engine, which is running inside a call to it.
                guard let state = unsafe state,
                    let ssl = unsafe X509_STORE_CTX_get_ex_data(
                        state,
                        SSL_get_ex_data_X509_STORE_CTX_idx()
                    ), let engine = unsafe TLSEngine.owner(of: OpaquePointer(ssl))
                else { return 0 }
                return unsafe engine.verifyPeer(state) ? 1 : 0
            },
            nil
        )
        unsafe cssl_CTX_set_session_cache_mode(
            context,
            sessions == nil
                ? Int(SSL_SESS_CACHE_OFF) : Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL)
        )
        if sessions == nil { unsafe SSL_CTX_set_options(context, CSSL_OP_NO_TICKET) }
        if client?.keyLog != nil {
            unsafe SSL_CTX_set_keylog_callback(context) { ssl, line in
                // SAFETY: as above; the library lends the line, which ends with NUL.
                guard let ssl = unsafe ssl, let line = unsafe line,
                    let engine = unsafe TLSEngine.owner(of: ssl)
                else { return }
                unsafe engine.context.client?.keyLog?.append(Array(String(cString: line).utf8))
            }
        }
        unsafe SSL_CTX_sess_set_new_cb(context) { ssl, session in
            // SAFETY: the SSL belongs to a live engine, which is running inside a call to it.
            guard let ssl = unsafe ssl, let session = unsafe session,
                let engine = unsafe TLSEngine.owner(of: ssl)
            else { return 0 }
            return unsafe engine.retainSession(session) ? 1 : 0
        }
        guard !protocols.wire.isEmpty else { return }
        // Unlike its neighbours this function returns 0 when all is well.
        let failed = unsafe SSL_CTX_set_alpn_protos(
            context,
            protocols.wire,
            UInt32(protocols.wire.count)
        )
        guard failed == 0 else { throw .internalError(reason: OpenSSLError.pop().reason) }
    }

    /// Sets what a client offers besides versions and protocols.
    private func configureOffer(_ configuration: TLSConfiguration) throws(TLSError) {
        // SAFETY: called from init only; the texts are copied.
        if let ciphers = configuration.ciphers {
            // "@SECLEVEL" would loosen what is asked of certificates too.
            guard !ciphers.utf8.contains(0), !ciphers.hasSubstring("@SECLEVEL") else {
                throw .badCiphers(reason: "\(ciphers): no security level can be set here")
            }
            // Suites without a certificate would leave nothing to verify.
            let list = ciphers + ":!aNULL:!eNULL:!PSK:!SRP"
            guard unsafe SSL_CTX_set_cipher_list(context, list) == 1 else {
                throw .badCiphers(reason: "\(ciphers): \(OpenSSLError.pop().reason)")
            }
        }
        if let suites = configuration.suites {
            guard !suites.utf8.contains(0), unsafe SSL_CTX_set_ciphersuites(context, suites) == 1
            else { throw .badCiphers(reason: "\(suites): \(OpenSSLError.pop().reason)") }
        }
        if let groups = configuration.groups {
            guard !groups.utf8.contains(0),
                unsafe cssl_CTX_set1_groups_list(context, groups) == 1
            else { throw .badCiphers(reason: "\(groups): \(OpenSSLError.pop().reason)") }
        }
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
                // SAFETY: `list` is the ALPNProtocolList above; the library lends the other four.
                guard let list = unsafe list, let offered = unsafe offered,
                    let chosen = unsafe chosen, let length = unsafe length
                else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                let ours = unsafe Unmanaged<ALPNProtocolList>.fromOpaque(list).takeUnretainedValue()
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
}
