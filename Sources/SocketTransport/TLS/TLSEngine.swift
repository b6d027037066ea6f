private import CSSL

// To call another function of OpenSSL, open the file that owns the object: this one and its extensions for a
// connection, `TLSContext` for settings, `CertificateReader` for a certificate. A macro of OpenSSL needs an inline
// function in `CSSL/include/CSSL.h`. The test is `TLSEngineTests`.

/// A TLS engine without a socket: ciphertext in and out, plain bytes out and in.
///
/// ```
///   feed, fill ─▶ input ─▶ ┌─────┐ ─▶ read
///                          │ SSL │
///   withOutput ◀─ output ◀─└─────┘ ◀─ write
/// ```
///
/// One thread at a time uses an engine. The order of calls is ``stepHandshake()`` until it returns
/// done, then any number of ``read(into:)`` and ``write(_:)``, then ``shutDown()``. After each
/// call, even if it threw, the output may contain bytes for the peer.
///
/// INVARIANT: `ssl` is alive from init to deinit. Its BIO borrows `bufferBIO` and its application
/// data borrows `self`, and both outlive it.
///
/// The runtime's checks for overlapping accesses are disabled for the properties that each read and
/// write uses: their accesses last no longer than a load or a store.
@safe package final class TLSEngine {
    package let ssl: OpaquePointer
    let context: TLSContext
    let bufferBIO = TLSBufferBIO()
    /// The name that the peer's certificate is checked against; nil on the server side.
    let peerName: TLSPeerName?
    /// The port of the peer, for its sessions; 0 on the server side.
    let peerPort: Int
    /// The first error of the verification; set by its callback.
    var rejection: TLSFailureReason?
    @safe @exclusivity(unchecked) var phase = Phase.handshaking
    /// Whether the ciphertext has ended; set once.
    @safe @exclusivity(unchecked) var hasEnded = false
    /// Whether the peer sent close-notify; set once, possibly before its last bytes are returned.
    @safe @exclusivity(unchecked) var hasPeerClosed = false
    @safe @exclusivity(unchecked) var recordSniffer = TLSRecordSniffer()
    /// The ciphertext since the last data, in bytes: messages of the protocol, and a record that is incomplete.
    @safe @exclusivity(unchecked) var inputWithoutData = 0
    /// Whether the last write needs input: OpenSSL first reads a message of which only a part has arrived.
    @safe @exclusivity(unchecked) package var writeNeedsInput = false
    /// The server's identity; set when its certificates are verified, or a session is resumed.
    var peer: TLSPeer?
    /// The server's identity at the time when the offered session was created.
    var offeredPeer: TLSPeer?
    /// Whether verification, pins and evaluator have accepted the peer.
    var isApproved = false
    /// The sessions that arrived before the approval; this object owns a reference to each.
    var pendingSessions: [OpaquePointer] = unsafe []

    enum Phase {
        case handshaking
        case open
        /// OpenSSL must not be called again; each call throws the failure.
        case failed(TLSError)
    }

    /// The side of the handshake.
    package enum Role: Sendable, Hashable {
        /// A client of `host`: a DNS name, or an IPv4 or IPv6 literal; one trailing dot is removed.
        ///
        /// Sessions are resumed with the same host and port only.
        case client(host: String, port: Int = 443)
        case server
    }

    /// - Throws: `.settings`, `.trust` (the system's store is read here if it is required and was
    ///   not read yet), `.internalError`.
    package init(context: TLSContext, role: Role) throws(TLSError) {
        self.context = context
        switch role {
        case .client(let host, let port): (peerName, peerPort) = (try TLSPeerName(host: host), port)
        case .server: (peerName, peerPort) = (nil, 0)
        }
        let store = try context.trustStore()
        // SAFETY: makeSSL and makeBIO return objects that this engine owns. SSL_set_bio takes over
        // the BIO for both directions at once. If init throws later, deinit frees the SSL.
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
        // SAFETY: only this object owns `ssl`. Without the shutdown flags, freeing it would
        // invalidate its session for later connections, although the session is good.
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
    /// The size of the ciphertext to send, in bytes.
    package var outputCount: Int { bufferBIO.output.count }

    /// Whether a read may succeed without new ciphertext, with plain bytes or a close by the peer.
    ///
    /// So can a read that throws the failure of the engine.
    package var hasUnreadInput: Bool {
        if case .failed = phase { return true }
        // SAFETY: see INVARIANT.
        return !bufferBIO.input.isEmpty || hasPeerClosed || (unsafe SSL_pending(ssl)) > 0
    }

    /// Appends a copy of ciphertext from the peer to the input.
    package func feed(_ ciphertext: Span<UInt8>) {
        bufferBIO.input.append(ciphertext)
        inputWithoutData += ciphertext.count
        if recordSniffer.isIncomplete { recordSniffer.record(ciphertext) }
    }

    /// Records that the peer's TCP side has ended and no more ciphertext will arrive.
    package func feedEndOfStream() {
        hasEnded = true
    }

    /// Calls `receive` to write ciphertext into the input, with at least 64 KiB of free space.
    ///
    /// `.end` and `.truncated` count as ``feedEndOfStream()``.
    package func fill<Failure: Error>(
        _ receive: (inout MutableSpan<UInt8>) throws(Failure) -> ReceiveOutcome
    ) throws(Failure) -> ReceiveOutcome {
        try bufferBIO.input.fill(room: Self.inputCapacity) { (room) throws(Failure) in
            let outcome = try receive(&room)
            switch outcome {
            case .bytes(let count):
                inputWithoutData += count
                if recordSniffer.isIncomplete {
                    recordSniffer.record(room.span.extracting(first: count))
                }
            case .end, .truncated:
                hasEnded = true
            case .wouldBlock:
                break
            }
            return outcome
        }
    }

    /// Calls `send` with the ciphertext to send, and removes the bytes that it accepted.
    ///
    /// - Parameter send: returns the number of bytes accepted.
    /// - Throws: the error of `send`; then nothing is removed.
    package func withOutput<Failure: Error>(
        _ send: (Span<UInt8>) throws(Failure) -> Int
    ) throws(Failure) {
        bufferBIO.output.consume(try bufferBIO.output.withBytes(send))
    }

    /// Discards the ciphertext to send, if the peer will no longer accept it.
    func discardOutput() {
        bufferBIO.output.consume(bufferBIO.output.count)
    }

    /// The memory of the buffers of ciphertext, in bytes.
    package var bufferCapacity: Int { bufferBIO.input.capacity + bufferBIO.output.capacity }

    /// Frees the memory of the buffers that are empty: about 80 KiB, as much as an idle connection has otherwise.
    package func releaseEmptyBuffers() {
        bufferBIO.input.releaseIfEmpty()
        bufferBIO.output.releaseIfEmpty()
    }

    /// Whether the peer sends messages without data, faster or more than any honest peer.
    ///
    /// OpenSSL limits neither session tickets nor key updates nor calls for a new handshake. They cost more
    /// time than a peer needs to send them, and a reply to each can be larger than the message.
    var isFlooded: Bool {
        inputWithoutData > Self.floodLimit || bufferBIO.output.count > Self.floodLimit
    }

    static let flood = TLSError.failed(.peerProtocol(reason: "too many messages without data"))

    /// The maximum ciphertext without data, and of replies to it, in bytes.
    ///
    /// 256 KiB: OpenSSL accepts certificates of up to 100 KiB in a handshake. A record of data has up to 16 KiB, the
    /// tickets of a server a few KiB, and a write leaves up to 80 KiB of output.
    private static let floodLimit = 256 * 1024
    /// Four records of the maximum size; larger reads were slower.
    private static let inputCapacity = 64 * 1024
}

// MARK: - Failures and callbacks

extension TLSEngine {
    /// Returns the engine that `ssl` belongs to.
    static func owner(of ssl: OpaquePointer) -> TLSEngine? {
        // SAFETY: application data is set only by init, to an engine that outlives `ssl`.
        guard let data = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
        return unsafe Unmanaged<TLSEngine>.fromOpaque(data).takeUnretainedValue()
    }

    /// Stores a session that OpenSSL provides.
    ///
    /// - Returns: whether this function took its reference.
    func retainSession(_ session: OpaquePointer) -> Bool {
        guard context.sessions != nil else { return false }
        if isApproved || context.client?.evaluator == nil {
            unsafe storeSession(session)
        } else {
            unsafe pendingSessions.append(session)
        }
        return true
    }

    /// Stores a session under the name of the peer; takes over the reference.
    func storeSession(_ session: OpaquePointer) {
        // SAFETY: the caller owns a reference, which is passed on or released here. In a TLS 1.2
        // handshake the session arrives before `finishVerification` has set its peer.
        let known = unsafe peer ?? (SSL_session_reused(ssl) == 1 ? offeredPeer : nil)
        guard let peerName, let sessions = context.sessions, let known else {
            unsafe SSL_SESSION_free(session)
            return
        }
        unsafe sessions.insert(session, of: known, for: .init(host: peerName.text, port: peerPort))
    }

    /// Ends the engine with a failure; OpenSSL must not be called again.
    func fail(_ failure: TLSError) -> TLSError {
        phase = .failed(failure)
        return failure
    }

    /// Converts an OpenSSL error.
    static func failure(_ error: OpenSSLError) -> TLSError {
        if error.isVersionMismatch { return .failed(.version) }
        guard let alert = error.alert else { return .failed(.peerProtocol(reason: error.reason)) }
        if Int32(alert) == SSL_AD_PROTOCOL_VERSION { return .failed(.version) }
        // SAFETY: the text is a constant of OpenSSL.
        let text = unsafe SSL_alert_desc_string_long(Int32(alert)).map {
            unsafe String(cString: $0)
        }
        return .failed(.alert(alert, reason: text ?? "unknown"))
    }
}
