/// An error in the communication with a peer, by phase.
///
/// - term TransportError:
///   - `resolve…`   the name has no address
///   - `connect…`   no address accepted a connection
///   - `read`/`write`/`closedByPeer`   an open connection failed
///   - `tls`   the TLS layer failed (``TLSError`` names the side and the reason)
///   - `timedOut`, `cancelled`   the client stopped waiting
///   - `descriptorsExhausted`, `systemFailure`   this machine failed
package enum TransportError: Error, Sendable, Hashable {
    /// getaddrinfo found no address; `code` is its `EAI_…` value.
    case resolveFailed(host: String, code: Int32)
    /// A custom resolver threw an error or found no address.
    case resolverFailed(host: String, reason: String)
    /// Every address failed; one entry for each address tried, in order.
    case connectFailed([ConnectFailure])
    /// No socket could be bound to the requested local address or interface.
    case bindFailed(HTTPSocketOptions.LocalBinding, Errno)
    /// recv(2) failed.
    case readFailed(Errno)
    /// send(2) failed for another reason than a close by the peer.
    case writeFailed(Errno)
    /// The peer reset the connection, or closed it while this side was sending.
    case closedByPeer(Errno)
    /// TLS failed.
    case tls(TLSError)
    /// The deadline of the phase passed.
    case timedOut(TransportPhase)
    /// The caller canceled the operation.
    case cancelled
    /// The process or the system has no free descriptor (EMFILE, ENFILE).
    case descriptorsExhausted(Errno)
    /// A local system call failed unexpectedly.
    case systemFailure(call: String, Errno)
}

/// The phase of a connection that a deadline applies to.
package enum TransportPhase: Sendable, Hashable {
    case resolve
    case connect
    case tlsHandshake
    case read
    case write
}

/// The failure of one address.
package struct ConnectFailure: Sendable, Hashable {
    package let address: SocketAddress
    package let errno: Errno
    /// The step that failed.
    package let step: Step

    /// A step of connecting to an address.
    package enum Step: Sendable, Hashable {
        /// Binding to the local address or interface.
        case bind
        case connect
    }

    package init(address: SocketAddress, errno: Errno, step: Step = .connect) {
        self.address = address
        self.errno = errno
        self.step = step
    }
}

/// An error of the TLS layer.
package enum TLSError: Error, Sendable, Hashable {
    /// The handshake or the connection failed because of the peer or the settings.
    case failed(TLSFailureReason)
    /// OpenSSL failed for a reason other than the input, such as exhausted memory.
    case internalError(reason: String)
}
