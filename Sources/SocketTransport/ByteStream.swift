/// Moves bytes to and from one peer: the whole border between HTTP and the outside world.
///
/// Reading and writing never wait; waiting is one separate call. So a driver decides itself what
/// to do first when both directions are open, and a test double is a list of byte strings.
///
/// A stream belongs to one event loop: every member is called on that loop's thread, and at most
/// one ``wait(for:until:)`` is under way at a time.
package protocol ByteStream: CancellableWait {
    /// Copies bytes that have arrived into `buffer`, without waiting.
    ///
    /// `buffer` must not be empty. After an error or ``ReceiveOutcome/end`` nothing more comes.
    func receive(into buffer: inout MutableSpan<UInt8>) throws(TransportError) -> ReceiveOutcome

    /// Takes a prefix of `bytes` for sending, without waiting.
    ///
    /// - Returns: bytes taken; 0 means "wait until ``Readiness/writable``". Bytes taken may still
    ///   lie in the stream's own buffer (TLS): ``flush()`` tells.
    func send(_ bytes: Span<UInt8>) throws(TransportError) -> Int

    /// Pushes bytes taken by ``send(_:)`` towards the peer.
    ///
    /// - Returns: true when nothing is left to push.
    func flush() throws(TransportError) -> Bool

    /// Suspends until the stream is ready, or may be: a caller tolerates a would-block after it.
    ///
    /// - Throws: `.timedOut` at `deadline`; `.cancelled` when ``cancelWait()`` was called.
    nonisolated(nonsending) func wait(
        for readiness: Readiness,
        until deadline: Deadline
    ) async throws(TransportError)

    /// Ends a wait that is under way, and any later one, with `.cancelled`.
    func cancelWait()

    /// Closes at once and frees the descriptor; ends a wait that is under way. Idempotent.
    func close()
}

/// Says what ``ByteStream/receive(into:)`` found.
package enum ReceiveOutcome: Sendable, Equatable {
    /// This many bytes were copied; never 0.
    case bytes(Int)
    /// Nothing has arrived; wait until readable.
    case wouldBlock
    /// The peer closed its sending side in order (FIN; with TLS, close-notify).
    case end
    /// The peer closed the TCP connection without TLS close-notify: what came may be cut short.
    case truncated
}

/// Names what a wait waits for.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let readable = Readiness(rawValue: 1)
    package static let writable = Readiness(rawValue: 2)
}
