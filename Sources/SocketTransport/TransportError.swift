/// Says what went wrong between this machine and a peer, and in which phase.
///
/// - term TransportError:
///   - `resolve…`   the name did not lead to an address
///   - `connect…`   no address accepted a connection
///   - `read`/`write`/`closedByPeer`   an open connection failed
///   - `tls`   the TLS layer refused (``TLSError`` says who and why)
///   - `timedOut`, `cancelled`   nobody failed; we stopped waiting
///   - `descriptorsExhausted`, `systemFailure`   this machine could not
package enum TransportError: Error, Sendable, Hashable {
    /// getaddrinfo found no address; `code` is its `EAI_…` value.
    case resolveFailed(host: String, code: Int32)
    /// A resolver other than the C library's threw, or found nothing.
    case resolverFailed(host: String, reason: String)
    /// Every address refused or failed; one entry for each address tried, in order.
    case connectFailed([ConnectFailure])
    /// No socket could be bound to the local address or interface that was asked for.
    case bindFailed(LocalBinding, Errno)
    /// recv(2) failed.
    case readFailed(Errno)
    /// send(2) failed, but not because the peer had closed.
    case writeFailed(Errno)
    /// The peer reset the connection, or closed it while we were sending.
    case closedByPeer(Errno)
    /// TLS failed.
    case tls(TLSError)
    /// The deadline of the phase passed.
    case timedOut(TransportPhase)
    /// The caller gave up.
    case cancelled
    /// The process or the system has no descriptor left (EMFILE, ENFILE).
    case descriptorsExhausted(Errno)
    /// A local system call failed that has no reason to.
    case systemFailure(call: String, Errno)
}

/// Names the step of a connection's life that a deadline bounds.
package enum TransportPhase: Sendable, Hashable {
    case resolve
    case connect
    case tlsHandshake
    case read
    case write
}

/// Tells how one address failed.
package struct ConnectFailure: Sendable, Hashable {
    package let address: SocketAddress
    package let errno: Errno
    /// What was being done.
    package let step: Step

    /// What is done for an address.
    package enum Step: Sendable, Hashable {
        /// Binding to our own end.
        case bind
        case connect
    }

    package init(address: SocketAddress, errno: Errno, step: Step = .connect) {
        self.address = address
        self.errno = errno
        self.step = step
    }
}
