/// A non-blocking stream of bytes to and from one peer.
///
/// All network I/O of the HTTP code goes through this protocol. Reading and writing never wait;
/// waiting is a separate call. A driver can therefore choose what to do first when both directions
/// are open, and a test double is a list of byte strings.
///
/// A stream belongs to one event loop. Every member is called on that loop's thread, and at most
/// one ``wait(for:until:)`` is in progress at a time.
package protocol ByteStream: CancellableWait {
    /// Copies received bytes into `buffer`, without waiting.
    ///
    /// `buffer` must not be empty. After an error or ``ReceiveOutcome/end`` no more bytes arrive.
    func receive(into buffer: inout MutableSpan<UInt8>) throws(TransportError) -> ReceiveOutcome

    /// Accepts a prefix of `bytes` for sending, without waiting.
    ///
    /// - Returns: the number of bytes accepted; 0 means "wait until ``Readiness/writable``".
    ///   Accepted bytes may still be in the stream's own buffer (TLS); see ``flush()``.
    func send(_ bytes: Span<UInt8>) throws(TransportError) -> Int

    /// Writes the bytes accepted by ``send(_:)`` to the peer.
    ///
    /// - Returns: true when the stream's buffer is empty.
    func flush() throws(TransportError) -> Bool

    /// Suspends until the stream is ready, or may be ready.
    ///
    /// The caller must expect that the next call would block.
    ///
    /// - Throws: `.timedOut` at `deadline`; `.cancelled` if ``cancelWait()`` was called.
    nonisolated(nonsending) func wait(
        for readiness: Readiness,
        until deadline: Deadline
    ) async throws(TransportError)

    /// Ends the wait in progress and every later wait with `.cancelled`.
    func cancelWait()

    /// Closes the stream at once and frees the descriptor; ends the wait in progress. Idempotent.
    func close()
}

/// The result of ``ByteStream/receive(into:)``.
package enum ReceiveOutcome: Sendable, Equatable {
    /// The number of bytes copied; never 0.
    case bytes(Int)
    /// No bytes have arrived; wait until readable.
    case wouldBlock
    /// The peer closed its sending side cleanly (FIN; with TLS, close-notify).
    case end
    /// The peer closed the TCP connection without TLS close-notify: the data may be truncated.
    case truncated
}

/// The events that a wait ends on.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let readable = Readiness(rawValue: 1)
    package static let writable = Readiness(rawValue: 2)
}

extension ByteStream {
    /// Appends received bytes to `output`, without waiting.
    ///
    /// Works like ``receive(into:)``, but the free space of `output` need not be initialized. For a
    /// large body this saves a tenth of the cost of reading. `output` must have free capacity.
    package func receive(
        appendingTo output: inout OutputSpan<UInt8>
    ) throws(TransportError) -> ReceiveOutcome {
        // SAFETY: the bytes after `count` belong to this function and may be written. They are
        // passed to the stream as if they were initialized, but a stream only writes to them. Only
        // the bytes that it reports as written are counted.
        try unsafe output.withUnsafeMutableBufferPointer {
            buffer,
            count throws(TransportError) -> ReceiveOutcome in
            let free = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...])
            var target = unsafe MutableSpan(_unsafeElements: free)
            let outcome = try receive(into: &target)
            if case .bytes(let received) = outcome { count += received }
            return outcome
        }
    }
}
