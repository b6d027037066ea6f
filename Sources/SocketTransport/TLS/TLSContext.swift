private import CSSL

/// An `SSL_CTX`: the settings shared by all connections of one client or one server.
///
/// `@unchecked Sendable`: only the initializers change the `SSL_CTX`. Afterwards it is only read,
/// and its reference count, which `SSL_new` changes, is atomic. All other state is a `let` or
/// locked.
@safe package final class TLSContext: @unchecked Sendable {
    private let context: OpaquePointer
    private let trust: HTTPSecurity.Trust?
    private let store: Locked<TrustStore?>
    /// The client settings that the engines use; nil on the server side.
    let client: ClientSettings?
    /// The ALPN names in wire format; the select callback uses them while `context` lives.
    private let protocols: ALPNProtocolList
    let sessions: TLSSessionCache?
    private let replaced = Locked(false)

    /// Creates the context of a client.
    ///
    /// Reads a trust file at once, but the system's store only when a handshake needs it.
    ///
    /// - Parameters:
    ///   - security: the settings.
    ///   - applicationProtocols: the ALPN names in order of preference (RFC 7301); if empty, the
    ///     extension is omitted.
    ///   - hostName: returns a host of the settings in the form that it has in TLS: in ASCII, in
    ///     lower case, without brackets and trailing dot.
    /// - Throws: `.trust`, `.identity`, `.pinSettings`, `.ciphers`, `.settings`, `.internalError`.
    package convenience init(
        client security: HTTPSecurity,
        applicationProtocols: [String] = ["http/1.1"],
        hostName: (String) -> String = { $0 }
    ) throws(TLSError) {
        try self.init(
            client: ClientSettings(security, hostName),
            versions: (security.minimumVersion, security.maximumVersion),
            protocols: applicationProtocols,
            trust: security.verification == .disabled ? nil : security.trust
        )
        try configureOffer(security)
        if let identity = security.identity?.content {
            unsafe try identity.install(in: context)
        }
    }

    /// Creates the context of a server.
    ///
    /// - Parameters:
    ///   - identity: the certificate sent to every client, regardless of the requested name.
    ///   - applicationProtocols: ALPN names, best first. A client that offers only others is
    ///     rejected (RFC 7301 §3.2); one that offers none is accepted.
    ///   - minimumVersion: the minimum version.
    ///   - maximumVersion: the maximum version.
    ///   - clientTrust: the authorities of clients; each client must then present a certificate.
    ///     Nil asks for none.
    /// - Throws: the same errors as the context of a client.
    package convenience init(
        server identity: IssuedCertificate,
        applicationProtocols: [String] = ["http/1.1"],
        minimumVersion: HTTPSecurity.Version = .tls12,
        maximumVersion: HTTPSecurity.Version = .tls13,
        clientTrust: HTTPSecurity.Trust? = nil
    ) throws(TLSError) {
        try self.init(
            client: nil,
            versions: (minimumVersion, maximumVersion),
            protocols: applicationProtocols,
            trust: clientTrust
        )
        let own = TLSClientIdentity.separate(
            chain: .bytes(identity.certificateChain),
            key: .bytes(identity.privateKey),
            passphrase: nil
        )
        unsafe try own.install(in: context)
    }

    /// The client settings that the engines use.
    struct ClientSettings: Sendable {
        let verification: HTTPSecurity.Verification
        /// The hosts that may present a self-signed certificate, in the form that TLS uses.
        let selfSignedHosts: Set<String>
        let pins: TLSPinSet
        let pinReporter: HTTPPin.Reporter?
        let evaluator: HTTPTrustEvaluator?
        let resumption: HTTPSecurity.Resumption
        let keyLog: TLSKeyLogFile?

        init(_ security: HTTPSecurity, _ hostName: (String) -> String) throws(TLSError) {
            verification = security.verification
            selfSignedHosts =
                switch security.verification {
                case .acceptSelfSigned(let hosts): Set(hosts.map(hostName))
                case .full, .disabled: []
                }
            pins = try TLSPinSet(security.pins, hostName)
            pinReporter = security.pinReporter
            evaluator = security.evaluator
            resumption = security.resumption
            keyLog = try security.keyLog.flatMap { log throws(TLSError) in
                try TLSKeyLogFile.open(log)
            }
        }
    }

    private init(
        client: ClientSettings?,
        versions: (least: HTTPSecurity.Version, most: HTTPSecurity.Version),
        protocols: [String],
        trust: HTTPSecurity.Trust?
    ) throws(TLSError) {
        guard versions.least <= versions.most else {
            throw .failed(.settings(reason: "the minimum version is above the maximum"))
        }
        let list = try ALPNProtocolList(protocols)
        var store: TrustStore?
        if let trust, !trust.includesSystem {
            guard !trust.sources.isEmpty else {
                throw .failed(
                    .trust(source: "settings", reason: "the list of authorities is empty")
                )
            }
            store = try TrustStore(trust.sources)
        }
        // SAFETY: until the end of the initializers no other code has access to the new SSL_CTX.
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

        guard unsafe cssl_CTX_set_min_proto_version(context, versions.least.number) == 1,
            unsafe cssl_CTX_set_max_proto_version(context, versions.most.number) == 1
        else {
            throw .internalError(reason: OpenSSLError.pop().reason)
        }
        unsafe SSL_CTX_set_options(
            context,
            CSSL_OP_NO_COMPRESSION | CSSL_OP_NO_RENEGOTIATION | CSSL_OP_CIPHER_SERVER_PREFERENCE
        )
        // The machine's openssl.cnf may enable this option; it would hide truncation.
        unsafe SSL_CTX_clear_options(context, CSSL_OP_IGNORE_UNEXPECTED_EOF)
        // A server sends the certificate that it is given; its clients decide whether it is strong
        // enough.
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
        // SAFETY: releases the one reference that init took; connections have their own.
        unsafe SSL_CTX_free(context)
    }

    /// Whether a newer context has taken the place of this one, so that its connections should end soon.
    package var isReplaced: Bool { replaced.withLock { $0 } }

    /// Records that a newer context has taken the place of this one.
    func markReplaced() { replaced.withLock { $0 = true } }

    /// Creates the SSL object of one connection; the caller owns it.
    func makeSSL() -> OpaquePointer? {
        // SAFETY: the SSL_CTX is alive; SSL_new takes its own reference.
        unsafe SSL_new(context)
    }

    /// Returns the certificates for verifying the peer; nil if it is not verified.
    ///
    /// - Throws: `.trust` if the system's store is required and cannot be read.
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

    /// Whether only the authorities that the caller named are trusted.
    ///
    /// Then any of them may end a chain, including intermediates, because the caller named them
    /// explicitly.
    var trustsNamedCertificatesOnly: Bool {
        trust.map { !$0.includesSystem } ?? false
    }

    /// Reads the system's store now, at a time when blocking for about 20 ms does not matter.
    ///
    /// Does nothing if this context does not need it, or if it was already read.
    package func prepareTrust() throws(TLSError) {
        _ = try trustStore()
    }

    /// Whether any context of this process has read the system's store.
    package static var hasReadSystemTrust: Bool { TrustStore.isSystemLoaded }

    /// 112 bits, which excludes RSA below 2048 bits and SHA-1 signatures.
    private static let securityLevel: Int32 = 2
}

// MARK: - Setup

extension TLSContext {
    private func configureClient() throws(TLSError) {
        // SAFETY: called only from init; the callbacks capture nothing.
        unsafe SSL_CTX_set_cert_verify_callback(
            context,
            { state, _ in
                // SAFETY: the SSL belongs to a live engine, and this callback runs within a call to
                // it.
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
                // SAFETY: as above; the line is valid during the callback and ends with NUL.
                guard let ssl = unsafe ssl, let line = unsafe line,
                    let engine = unsafe TLSEngine.owner(of: ssl)
                else { return }
                unsafe engine.context.client?.keyLog?.append(Array(String(cString: line).utf8))
            }
        }
        unsafe SSL_CTX_sess_set_new_cb(context) { ssl, session in
            // SAFETY: the SSL belongs to a live engine, and this callback runs within a call to it.
            guard let ssl = unsafe ssl, let session = unsafe session,
                let engine = unsafe TLSEngine.owner(of: ssl)
            else { return 0 }
            return unsafe engine.retainSession(session) ? 1 : 0
        }
        guard !protocols.wire.isEmpty else { return }
        // Unlike similar functions, this one returns 0 on success.
        let failed = unsafe SSL_CTX_set_alpn_protos(
            context,
            protocols.wire,
            UInt32(protocols.wire.count)
        )
        guard failed == 0 else { throw .internalError(reason: OpenSSLError.pop().reason) }
    }

    /// Sets the parameters that a client offers in addition to versions and protocols.
    private func configureOffer(_ security: HTTPSecurity) throws(TLSError) {
        // SAFETY: called only from init; the texts are copied.
        if let ciphers = security.ciphers {
            // "@SECLEVEL" would also weaken the requirements for certificates.
            guard !ciphers.hasNUL, !ciphers.hasSubstring("@SECLEVEL") else {
                throw .failed(
                    .ciphers(reason: "\(ciphers): a cipher list cannot set the security level")
                )
            }
            // Suites without a certificate would leave nothing to verify.
            let list = ciphers + ":!aNULL:!eNULL:!PSK:!SRP"
            guard unsafe SSL_CTX_set_cipher_list(context, list) == 1 else {
                throw .failed(.ciphers(reason: "\(ciphers): \(OpenSSLError.pop().reason)"))
            }
        }
        if let suites = security.cipherSuites?.joined(separator: ":") {
            guard !suites.hasNUL, unsafe SSL_CTX_set_ciphersuites(context, suites) == 1
            else { throw .failed(.ciphers(reason: "\(suites): \(OpenSSLError.pop().reason)")) }
        }
        if let groups = security.groups?.joined(separator: ":") {
            guard !groups.hasNUL,
                unsafe cssl_CTX_set1_groups_list(context, groups) == 1
            else { throw .failed(.ciphers(reason: "\(groups): \(OpenSSLError.pop().reason)")) }
        }
    }

    private func configureServer() {
        // Tickets contain the whole session; a server-side cache would only grow.
        unsafe cssl_CTX_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        let scope: [UInt8] = [0x73]
        // SAFETY: called only from init; the scope is copied. The list that the callback reads is a
        // `let` of `self`, which every engine keeps alive while it uses its SSL.
        _ = unsafe SSL_CTX_set_session_id_context(context, scope, UInt32(scope.count))
        guard !protocols.wire.isEmpty else { return }
        let list = unsafe Unmanaged.passUnretained(protocols).toOpaque()
        unsafe SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, length, offered, count, list in
                // SAFETY: `list` is the ALPNProtocolList above; OpenSSL keeps the other four valid
                // during the callback.
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
