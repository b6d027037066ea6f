private import CSSL

/// Speaks TLS without touching a socket: ciphertext in and out, plain bytes out and in.
///
/// ```
///   feed, fill ─▶ input ─▶ ┌─────┐ ─▶ read
///                          │ SSL │
///   withOutput ◀─ output ◀─└─────┘ ◀─ write
/// ```
///
/// One thread at a time uses an engine. Steps, in order: ``stepHandshake()`` until it says done,
/// then ``read(into:)`` and ``write(_:)`` freely, then ``shutDown()``. After each step, whether it
/// threw or not, the output may hold something for the peer.
///
/// INVARIANT: `ssl` is alive from init to deinit; its BIO borrows `pipe` and its application data
/// borrows `self`, and both live longer than it.
///
/// What each read and write looks at is exempt from the runtime's search for overlapping accesses: its
/// accesses last no longer than a load or a store.
@safe package final class TLSEngine {
    let ssl: OpaquePointer
    let context: TLSContext
    let bufferBIO = TLSBufferBIO()
    /// What the peer's certificate is checked against; nil on the server side.
    let peerName: TLSPeerName?
    /// What the verification found first; set by its callback.
    var rejection: TLSError?
    @safe @exclusivity(unchecked) var phase = Phase.handshaking
    /// Set once: no more ciphertext will come.
    @safe @exclusivity(unchecked) var hasEnded = false
    /// Set once: the peer sent close-notify, perhaps behind bytes that were read with it.
    @safe @exclusivity(unchecked) var hasPeerClosed = false
    @safe @exclusivity(unchecked) var recordSniffer = TLSRecordSniffer()
    /// Who the server is; set when its certificates are judged, or a session is taken up.
    var peer: TLSPeer?
    /// Who the server was when the session that is offered was made.
    var offeredPeer: TLSPeer?
    /// The peer is accepted by everyone who is asked.
    var isApproved = false
    /// Sessions that came before the approval, each with a reference of its own.
    var pendingSessions: [OpaquePointer] = unsafe []

    enum Phase {
        case handshaking
        case open
        /// The library must not be asked again; the failure is told at each call.
        case failed(TLSError)
    }

    /// Says which side of the handshake this is.
    package enum Role: Sendable, Hashable {
        /// `host`: a DNS name, or an IPv4 or IPv6 literal; one trailing dot is dropped.
        case client(host: String)
        case server
    }

    /// - Throws: `.badHost`, `.badTrust` (the system's store is read here if it is needed and has
    ///   not been read), `.internalError`.
    package init(context: TLSContext, role: Role) throws(TLSError) {
        self.context = context
        switch role {
        case .client(let host): peerName = try TLSPeerName(host: host)
        case .server: peerName = nil
        }
        let store = try context.trustStore()
        // SAFETY: makeSSL and makeBIO give objects that are ours; SSL_set_bio takes the BIO over,
        // for both directions at once. Should init throw later, deinit frees the SSL.
        ERR_clear_error()
        guard let ssl = unsafe context.makeSSL() else {
            throw .internalError(reason: OpenSSLError.pop().reason)
        }
        unsafe self.ssl = ssl
        guard let bio = unsafe bufferBIO.makeBIO() else {
            throw .internalError(reason: OpenSSLError.pop().reason)
        }
        unsafe SSL_set_bio(ssl, bio, bio)
        unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        if store != nil || peerName != nil { try verify(against: store) }
        if let peerName {
            try startClient(as: peerName)
        } else {
            unsafe SSL_set_accept_state(ssl)
        }
    }

    deinit {
        // SAFETY: nobody else holds `ssl`. Without the shutdown marks, freeing it would spoil its
        // session for later connections although nothing was wrong with it.
        if case .open = phase {
            unsafe SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        }
        for index in unsafe pendingSessions.indices {
            unsafe SSL_SESSION_free(pendingSessions[index])
        }
        unsafe SSL_free(ssl)
    }
}

// MARK: - Ciphertext

extension TLSEngine {
    /// Bytes of ciphertext that wait to be sent.
    package var outputCount: Int { bufferBIO.output.count }

    /// Whether a read may find something without new ciphertext: plain bytes, or that the peer has
    /// closed.
    package var hasUnreadInput: Bool {
        // SAFETY: see INVARIANT.
        !bufferBIO.input.isEmpty || hasPeerClosed || (unsafe SSL_pending(ssl)) > 0
    }

    /// Copies ciphertext from the peer.
    package func feed(_ ciphertext: Span<UInt8>) {
        bufferBIO.input.append(ciphertext)
        if recordSniffer.isIncomplete { recordSniffer.record(ciphertext) }
    }

    /// Says that the peer's TCP side has ended: no more ciphertext will come.
    package func feedEndOfStream() {
        hasEnded = true
    }

    /// Lets `receive` put ciphertext straight into the input, 64 KiB of room at least.
    ///
    /// `.end` and `.truncated` count as ``feedEndOfStream()``.
    package func fill<Failure: Error>(
        _ receive: (inout MutableSpan<UInt8>) throws(Failure) -> ReceiveOutcome
    ) throws(Failure) -> ReceiveOutcome {
        try bufferBIO.input.fill(room: Self.inputCapacity) { (room) throws(Failure) in
            let outcome = try receive(&room)
            switch outcome {
            case .bytes(let count) where recordSniffer.isIncomplete:
                recordSniffer.record(room.span.extracting(first: count))
            case .end, .truncated:
                hasEnded = true
            case .bytes, .wouldBlock:
                break
            }
            return outcome
        }
    }

    /// Lends the ciphertext to be sent; what `send` took is dropped.
    ///
    /// - Parameter send: returns bytes taken.
    /// - Throws: what `send` throws; then nothing is dropped.
    package func withOutput<Failure: Error>(
        _ send: (Span<UInt8>) throws(Failure) -> Int
    ) throws(Failure) {
        bufferBIO.output.consume(try bufferBIO.output.withBytes(send))
    }

    /// Drops the ciphertext to be sent, when nobody will take it any more.
    package func discardOutput() {
        bufferBIO.output.consume(bufferBIO.output.count)
    }

    /// Four records of the largest size; larger reads were slower.
    private static let inputCapacity = 64 * 1024
}

// MARK: - Failures and callbacks

extension TLSEngine {
    /// Finds the engine that `ssl` belongs to.
    static func owner(of ssl: OpaquePointer) -> TLSEngine? {
        // SAFETY: application data is set by init alone, to an engine that outlives `ssl`.
        guard let data = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
        return unsafe Unmanaged<TLSEngine>.fromOpaque(data).takeUnretainedValue()
    }

    /// Files a session that the library hands over.
    ///
    /// - Returns: whether its reference was taken.
    func retainSession(_ session: OpaquePointer) -> Bool {
        guard context.sessions != nil else { return false }
        if isApproved || context.client?.evaluator == nil {
            unsafe storeSession(session)
        } else {
            unsafe pendingSessions.append(session)
        }
        return true
    }

    /// Files a session under the name of the peer; takes over the reference.
    func storeSession(_ session: OpaquePointer) {
        // SAFETY: the caller owns a reference, which is passed on or dropped here.
        // In a handshake of TLS 1.2 the session comes before `finishVerification` knows whose it is.
        let known = unsafe peer ?? (SSL_session_reused(ssl) == 1 ? offeredPeer : nil)
        guard let peerName, let sessions = context.sessions, let known else {
            unsafe SSL_SESSION_free(session)
            return
        }
        unsafe sessions.insert(session, of: known, for: peerName.text)
    }

    /// Ends the engine; the library must not be asked again.
    func fail(_ failure: TLSError) -> TLSError {
        phase = .failed(failure)
        return failure
    }

    /// Says in our words what the library reported.
    static func failure(_ error: OpenSSLError) -> TLSError {
        if error.isVersionMismatch { return .versionMismatch }
        guard let alert = error.alert else { return .protocolError(reason: error.reason) }
        if Int32(alert) == SSL_AD_PROTOCOL_VERSION { return .versionMismatch }
        // SAFETY: the text is a constant of the library.
        let text = unsafe SSL_alert_desc_string_long(Int32(alert)).map {
            unsafe String(cString: $0)
        }
        return .peerAlert(code: alert, description: text ?? "unknown")
    }
}
