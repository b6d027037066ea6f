/// The waits of one reader and one writer on a stream that supports only one wait.
///
/// The first of the two waits for both. Loop-confined.
package final class DuplexWait {
    /// A direction of the stream.
    package enum Side: Sendable {
        case reading
        case writing

        fileprivate var readiness: Readiness { self == .reading ? .readable : .writable }
        fileprivate var phase: TransportPhase { self == .reading ? .read : .write }
    }

    private let loop: EventLoop
    private let stream: any ByteStream
    private let socket: SocketStream
    private var isClosed = false
    /// The side that waits on the stream.
    private var activeWaiter: Side?
    /// The side that waits for the active waiter.
    private var secondWaiter: Suspension<Void>?
    /// Whether the second waiter came after the wait had begun.
    private var hasNewSecondWaiter = false

    /// - Parameters:
    ///   - stream: the stream to wait on: `socket`, or TLS over it.
    ///   - socket: the socket below the stream.
    package init(on stream: any ByteStream, over socket: SocketStream) {
        self.stream = stream
        self.socket = socket
        loop = socket.loop
    }

    /// Waits until a side may continue, or should try to; at most one wait of each side at a time.
    ///
    /// - Throws: `.cancelled`, also after ``close()``; `.timedOut`.
    package nonisolated(nonsending) func wait(
        for side: Side,
        until deadline: Deadline
    ) async throws(TransportError) {
        guard !isClosed else { throw .cancelled }
        guard activeWaiter == nil else {
            let suspension = Suspension<Void>(on: loop, phase: side.phase)
            secondWaiter = suspension
            hasNewSecondWaiter = true
            socket.interruptWait()
            defer { if secondWaiter === suspension { secondWaiter = nil } }
            return try await suspension.wait(until: deadline)
        }
        activeWaiter = side
        defer {
            activeWaiter = nil
            secondWaiter?.resume(returning: ())
            secondWaiter = nil
        }
        repeat {
            hasNewSecondWaiter = false
            let interest = secondWaiter == nil ? side.readiness : [.readable, .writable]
            try await stream.wait(for: interest, until: deadline)
        } while hasNewSecondWaiter && !isClosed
    }

    /// Ends the waits because the owner has closed the stream.
    package func close() {
        isClosed = true
        secondWaiter?.fail(.cancelled)
        secondWaiter = nil
    }
}
