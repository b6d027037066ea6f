private import CSSL

/// A cache of sessions for later handshakes with the same peer (RFC 8446 §2.2, RFC 5077).
///
/// A session represents a verified server, so it is stored under the verified name. It is stored under the port too,
/// because a session that is offered to another port would link the two connections. A cache belongs to one context,
/// so a session verified under other settings is never resumed. The peer is stored with the session, so that each
/// resumption checks it again against the pins and the caller's evaluator.
///
/// `@unchecked Sendable` only in ``Entry``: the reference count of an `SSL_SESSION` is atomic, and
/// the session does not change after OpenSSL has returned it.
final class TLSSessionCache: Sendable {
    /// The server that issued a session.
    struct Server: Equatable {
        var host: String
        var port: Int
    }

    private let entries = Locked<[Entry]>([])

    /// Stores a session; takes over the caller's reference.
    func insert(_ session: OpaquePointer, of peer: TLSPeer, for server: Server) {
        let entry = unsafe Entry(server: server, peer: peer, session: session)
        entries.withLock { entries in
            let same = entries.indices.filter { entries[$0].server == server }
            if same.count >= Self.maxPerName, let oldest = same.first {
                entries.remove(at: oldest)
            } else if entries.count >= Self.capacity {
                entries.removeFirst()
            }
            entries.append(entry)
        }
    }

    /// Makes `ssl` offer the newest session stored for `server`, if there is one.
    ///
    /// A TLS 1.3 ticket is used only once, so that an observer cannot link connections (RFC 8446
    /// §C.4).
    ///
    /// - Returns: the peer of the offered session; nil if none is offered.
    func applySession(to ssl: OpaquePointer, for server: Server) -> TLSPeer? {
        let entry = entries.withLock { entries -> Entry? in
            guard let index = entries.lastIndex(where: { $0.server == server }) else { return nil }
            return entries[index].isSingleUse ? entries.remove(at: index) : entries[index]
        }
        // SAFETY: the caller owns `ssl`, before its handshake; it takes its own reference to the
        // session.
        guard let entry, entry.isResumable else { return nil }
        let done = unsafe SSL_set_session(ssl, entry.session)
        ERR_clear_error()
        return done == 1 ? entry.peer : nil
    }

    /// The maximum number of sessions per peer: the default limit of connections to it.
    ///
    /// Each connection uses one session. With fewer, some connections would need a full handshake.
    private static let maxPerName = 8
    /// The maximum number of sessions of all peers.
    private static let capacity = 256

    @safe private final class Entry: @unchecked Sendable {
        let server: Server
        let peer: TLSPeer
        let session: OpaquePointer

        init(server: Server, peer: TLSPeer, session: OpaquePointer) {
            self.server = server
            self.peer = peer
            unsafe self.session = session
        }

        deinit {
            // SAFETY: releases the reference that OpenSSL gave to the callback.
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
