internal import SocketTransport
internal import Wire

extension ClientConnection {
    /// The properties that a connection has since it was opened.
    struct Opening {
        let id: UInt64
        /// The connection's index in the pool.
        let poolIndex: PoolState.ConnectionIndex
        let local: SocketAddress?
        /// The results of the TLS handshake; placeholders if a dialed stream replaces TLS; nil for http.
        let tls: TLSSessionInfo?
        let time = Deadline.now()
    }

    /// The exchanges and idle times of a connection.
    struct Usage {
        /// The number of exchanges carried so far.
        var exchanges = 0
        /// How long the peer keeps an idle connection open, as announced, in nanoseconds.
        var keepAlive: Int64?
        /// Whether the connection is idle; false while leased.
        var isIdle = false
        var idleSince = Deadline.never
    }

    /// The properties of a response's body, which its head states.
    struct ResponseBody {
        var framing = BodyFraming.noBody
        /// Whether the response has the field Content-Encoding.
        var hasContentEncoding = false
    }

    /// The state of the side of a stream on which the peer sends.
    enum Receiving {
        case open
        case ended
        /// The stream ended without TLS close-notify.
        case truncated
    }
}
