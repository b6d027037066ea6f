internal import SocketTransport

/// Tells when each step of a call ended and what it ran on.
///
/// Marks are nanoseconds of the monotonic clock, from the start of the call on; nil means that the
/// step did not happen, such as resolving a name for a connection that was open already.
public struct HTTPMetrics: Sendable, Hashable {
    /// Identifies the connection within its client; 0 when none was leased.
    public internal(set) var connectionID: UInt64 = 0
    /// How many exchanges the connection had carried before this one.
    public internal(set) var priorUses: Int = 0
    /// How often the request was sent again on a fresh connection, because a reused one turned out
    /// to be closed before a single octet of response.
    public internal(set) var replays: Int = 0
    /// Octets of head and body that were sent.
    public internal(set) var bytesSent: UInt64 = 0
    /// Octets of heads, framing and coded body that were received.
    public internal(set) var bytesReceived: UInt64 = 0
    /// Octets of the body as the peer framed it, before content decoding.
    public internal(set) var bodyBytesReceived: UInt64 = 0
    /// What the TLS handshake of the connection settled; nil for plain http.
    ///
    /// Of a handshake that failed it tells how far that came.
    public internal(set) var tls: HTTPTLSFacts?

    var startMark = Deadline.never
    var resolvedMark = Deadline.never
    var connectedMark = Deadline.never
    var tunnelledMark = Deadline.never
    var securedMark = Deadline.never
    var leasedMark = Deadline.never
    var sentMark = Deadline.never
    var firstByteMark = Deadline.never
    var endMark = Deadline.never
    var peer: SocketAddress?
    var local: SocketAddress?

    /// Whether the connection had carried an exchange before.
    public var isReused: Bool { priorUses > 0 }
    /// The peer's address without the port.
    public var remoteAddress: String? { peer?.literal }
    /// The peer's port.
    public var remotePort: UInt16? { peer?.port }
    /// Our address without the port.
    public var localAddress: String? { local?.literal }
    /// Our port.
    public var localPort: UInt16? { local?.port }

    /// From the start until the name was resolved.
    public var resolved: Duration? { elapsed(resolvedMark) }
    /// From the start until TCP was connected.
    public var connected: Duration? { elapsed(connectedMark) }
    /// From the start until a proxy had opened a tunnel to the origin; the peer's address is the
    /// proxy's then.
    public var tunnelled: Duration? { elapsed(tunnelledMark) }
    /// From the start until TLS was established.
    public var secured: Duration? { elapsed(securedMark) }
    /// From the start until a connection was ours.
    public var leased: Duration? { elapsed(leasedMark) }
    /// From the start until the request was sent.
    public var sent: Duration? { elapsed(sentMark) }
    /// From the start until the first octet of the response.
    public var firstByte: Duration? { elapsed(firstByteMark) }
    /// From the start until the end of the body.
    public var total: Duration? { elapsed(endMark) }

    private func elapsed(_ mark: Deadline) -> Duration? {
        guard mark != .never, startMark != .never else { return nil }
        return .nanoseconds(mark.nanoseconds - startMark.nanoseconds)
    }
}
