private import CSSL

/// Keeps sessions for later handshakes with the same peer (RFC 8446 §2.2, RFC 5077).
///
/// A session stands for a verified peer, so it is filed under the checked name, and a store belongs
/// to one context: what was verified under other rules is never taken up. The peer it was made with
/// is kept beside it, so that pins and the caller's own code judge it again each time.
///
/// `@unchecked Sendable` in ``Entry`` alone: an `SSL_SESSION` is counted atomically and not changed
/// once the library has handed it over.
final class TLSSessionCache: Sendable {
    private let entries = Locked<[Entry]>([])

    /// Files a session; takes over the caller's reference.
    func insert(_ session: OpaquePointer, of peer: TLSPeer, for name: String) {
        let entry = unsafe Entry(name: name, peer: peer, session: session)
        entries.withLock { entries in
            let same = entries.indices.filter { entries[$0].name == name }
            if same.count >= Self.maxPerName, let oldest = same.first {
                entries.remove(at: oldest)
            } else if entries.count >= Self.capacity {
                entries.removeFirst()
            }
            entries.append(entry)
        }
    }

    /// Makes `ssl` offer the newest session filed under `name`, if there is one.
    ///
    /// A TLS 1.3 ticket is used once only, so that an onlooker cannot link connections
    /// (RFC 8446 §C.4).
    ///
    /// - Returns: whom the session was made with; nil when none is offered.
    func applySession(to ssl: OpaquePointer, for name: String) -> TLSPeer? {
        let entry = entries.withLock { entries -> Entry? in
            guard let index = entries.lastIndex(where: { $0.name == name }) else { return nil }
            return entries[index].isSingleUse ? entries.remove(at: index) : entries[index]
        }
        // SAFETY: `ssl` is the caller's, before its handshake; it takes its own reference.
        guard let entry, entry.isResumable else { return nil }
        let done = unsafe SSL_set_session(ssl, entry.session)
        ERR_clear_error()
        return done == 1 ? entry.peer : nil
    }

    /// Sessions of one peer: as many as connections are opened to it at once, by default.
    ///
    /// Each takes one along, and with fewer some would shake hands in full.
    private static let maxPerName = 8
    /// Sessions of all peers.
    private static let capacity = 256

    @safe private final class Entry: @unchecked Sendable {
        let name: String
        let peer: TLSPeer
        let session: OpaquePointer

        init(name: String, peer: TLSPeer, session: OpaquePointer) {
            self.name = name
            self.peer = peer
            unsafe self.session = session
        }

        deinit {
            // SAFETY: drops the reference that the library gave to the callback.
            unsafe SSL_SESSION_free(session)
        }

        var isSingleUse: Bool {
            unsafe SSL_SESSION_get_protocol_version(session) >= TLS1_3_VERSION
        }

        var isResumable: Bool {
            unsafe SSL_SESSION_is_resumable(session) == 1
        }
    }
}
