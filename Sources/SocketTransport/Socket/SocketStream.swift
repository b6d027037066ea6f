private import Glibc

/// A stream over one connected TCP or Unix domain socket.
///
/// Loop-confined. The runtime's checks for overlapping accesses to its properties are therefore
/// disabled; they would cost several times as much as the accesses. Only one thread uses the
/// properties, and functions called while one of them changes do not call back.
package final class SocketStream: ByteStream, PollTarget, TimerTarget {
    /// The outcome of a wait.
    private enum Outcome {
        case ready
        case timedOut
        case cancelled
    }

    /// The address of the peer; nil for a Unix domain socket.
    package let peerAddress: SocketAddress?
    package let loop: EventLoop
    @safe @exclusivity(unchecked) private var descriptor: Descriptor?
    @safe @exclusivity(unchecked) private var registration: Registration?

    /// The operations that may succeed without waiting; a call that would block removes its own.
    @safe @exclusivity(unchecked) private var ready: Readiness
    /// Whether the peer closed or the connection failed; reading then never blocks again.
    @safe @exclusivity(unchecked) private var isFinished: Bool
    @safe @exclusivity(unchecked) private var isCancelled = false

    /// Whether each wait asks for one event, and nothing is reported between waits.
    ///
    /// ``ready`` then lacks what happened since the last wait.
    @safe @exclusivity(unchecked) private var hasOneShotEvents = false
    @safe @exclusivity(unchecked) private var interest: Readiness = []
    @safe @exclusivity(unchecked) private var waiter = Waiter<Outcome>()
    /// The end of the wait in progress.
    ///
    /// The timer itself is moved lazily, because it seldom fires.
    @safe @exclusivity(unchecked) private var deadline = Deadline.never
    @safe @exclusivity(unchecked) private var timer: TimerHandle?
    @safe @exclusivity(unchecked) private var timerDeadline = Deadline.never

    /// Called when the socket becomes readable without a waiter; see ``setIdleHandler(_:)``.
    @safe @exclusivity(unchecked) private var idleHandler: (() -> Void)?

    /// Takes ownership of a connected, registered socket.
    init(
        loop: EventLoop,
        descriptor: consuming Descriptor,
        registration: Registration,
        peer: SocketAddress?,
        initialEvents events: PollEvents
    ) {
        self.loop = loop
        self.descriptor = consume descriptor
        self.registration = registration
        peerAddress = peer
        ready = .writable
        isFinished = events.contains(.finished)
        if events.contains(.readable) || isFinished { ready.insert(.readable) }
        loop.retarget(registration, to: self)
    }

    /// Takes ownership of a connected socket and registers it.
    convenience init(loop: EventLoop, connected descriptor: consuming Descriptor) throws(Errno) {
        let target = PlaceholderTarget()
        let registration = try loop.register(descriptor.rawValue, target)
        self.init(
            loop: loop,
            descriptor: descriptor,
            registration: registration,
            peer: nil,
            initialEvents: []
        )
    }

    /// A temporary target until the stream exists; both are set within one pass of the loop.
    private final class PlaceholderTarget: PollTarget {
        func becameReady(_ events: PollEvents) {}
        func loopStopped() {}
    }

    /// The local address; nil after the close, and for a Unix domain socket.
    package var localAddress: SocketAddress? {
        descriptor.number.flatMap { Syscalls.localAddress($0) }
    }

    // MARK: - ByteStream

    package func receive(
        into buffer: inout MutableSpan<UInt8>
    ) throws(TransportError) -> ReceiveOutcome {
        guard let raw = descriptor.number else { throw .readFailed(Errno(rawValue: EBADF)) }
        let count: Int?
        do {
            count = try Syscalls.receive(raw, into: &buffer)
        } catch {
            throw error == .connectionReset ? .closedByPeer(error) : .readFailed(error)
        }
        guard let count else {
            ready.remove(.readable)
            return .wouldBlock
        }
        guard count > 0 else { return .end }
        // A short read emptied the socket, so the next bytes raise a new edge. A FIN that came with
        // these bytes does not, so a finished socket stays readable.
        if count < buffer.count && !isFinished { ready.remove(.readable) }
        return .bytes(count)
    }

    package func send(_ bytes: Span<UInt8>) throws(TransportError) -> Int {
        guard let raw = descriptor.number else { throw .writeFailed(Errno(rawValue: EBADF)) }
        do {
            guard let count = try Syscalls.send(raw, bytes) else {
                ready.remove(.writable)
                return 0
            }
            if count < bytes.count { ready.remove(.writable) }
            return count
        } catch {
            switch error {
            case .brokenPipe, .connectionReset: throw .closedByPeer(error)
            default: throw .writeFailed(error)
            }
        }
    }

    package func flush() -> Bool { true }

    /// Sends bytes of a file inside the kernel, without waiting for the socket.
    ///
    /// Waits for the disk if the bytes are not in the page cache; see ``FileReader/load(_:)``.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - offset: the position of the first byte.
    ///   - count: the maximum number of bytes, at least 1.
    /// - Returns: the progress.
    /// - Throws: the same errors as ``send(_:)``.
    package func send(
        _ file: FileReader,
        from offset: Int,
        _ count: Int
    ) throws(TransportError) -> FileSendOutcome {
        guard let raw = descriptor.number else { throw .writeFailed(Errno(rawValue: EBADF)) }
        do {
            let sent = try Syscalls.sendFile(file.descriptor.rawValue, from: offset, count, to: raw)
            guard let sent else {
                ready.remove(.writable)
                return .wouldBlock
            }
            // A short count does not show that the socket is full: the file may have ended.
            return sent > 0 ? .bytes(sent) : .endOfFile
        } catch {
            switch error {
            case .brokenPipe, .connectionReset: throw .closedByPeer(error)
            case _ where error.isTransferUnsupported || error.isFileUnreadable:
                return .unsupported
            default: throw .writeFailed(error)
            }
        }
    }

    /// Moves received bytes into a pipe inside the kernel, without waiting.
    ///
    /// - Parameters:
    ///   - pipe: the pipe.
    ///   - count: the maximum number of bytes, at least 1.
    /// - Returns: the progress.
    /// - Throws: the same errors as ``receive(into:)``.
    package func receive(
        into pipe: TransferPipe,
        _ count: Int
    ) throws(TransportError) -> PipeReceiveOutcome {
        guard let raw = descriptor.number else { throw .readFailed(Errno(rawValue: EBADF)) }
        do {
            let moved = try Syscalls.splice(count, from: raw, to: pipe.writing.rawValue)
            if let moved {
                pipe.count += moved
                return moved > 0 ? .bytes(moved) : .end
            }
            // The system does not say which of the two stopped the call. A socket that is wrongly
            // considered empty would never report readiness again.
            if pipe.count > 0, try Syscalls.peek(raw) != nil { return .full }
            ready.remove(.readable)
            return .wouldBlock
        } catch  where error.isTransferUnsupported {
            return .unsupported
        } catch {
            throw error == .connectionReset ? .closedByPeer(error) : .readFailed(error)
        }
    }

    package nonisolated(nonsending) func wait(
        for readiness: Readiness,
        until deadline: Deadline
    ) async throws(TransportError) {
        guard !isCancelled, registration != nil else { throw .cancelled }
        guard ready.isDisjoint(with: readiness) else { return }
        if hasOneShotEvents {
            var events: PollEvents = readiness.contains(.readable) ? [.readable, .finished] : []
            if readiness.contains(.writable) { events.insert(.writable) }
            try askForEvents(once: events)
        }
        interest = readiness
        setDeadline(deadline)
        // SAFETY: `Waiter` resumes it once.
        let outcome = await unsafe withUnsafeContinuation { unsafe waiter.store($0) }
        self.deadline = .never
        switch outcome {
        case .ready: return
        case .timedOut: throw .timedOut(readiness.contains(.readable) ? .read : .write)
        case .cancelled: throw .cancelled
        }
    }

    package func cancelWait() {
        isCancelled = true
        waiter.resume(returning: .cancelled)
    }

    /// Ends the wait in progress as if the socket were ready, which the caller must tolerate.
    ///
    /// Used to make the caller wait for an additional event.
    package func interruptWait() {
        waiter.resume(returning: .ready)
    }

    package func close() {
        guard let registration else { return }
        self.registration = nil
        idleHandler = nil
        loop.unregister(registration)
        if let timer {
            loop.removeTimer(timer)
            self.timer = nil
        }
        descriptor = nil
        waiter.resume(returning: .cancelled)
    }

    /// Ends the sending side (FIN); receiving continues.
    package func closeWrite() {
        if let raw = descriptor.number { Syscalls.shutdownWrite(raw) }
    }

    /// Closes at once with a reset (RST): unsent data is lost, and the peer sees a failure.
    package func closeWithReset() {
        if let raw = descriptor.number { Syscalls.resetOnClose(raw) }
        close()
    }

    // MARK: - Idle connections

    /// Calls `handler` whenever the socket becomes readable without a waiter.
    ///
    /// On an idle connection this means that the peer closed it or sent unsolicited bytes.
    package func setIdleHandler(_ handler: @escaping () -> Void) {
        idleHandler = handler
    }

    /// Whether the connection is open and has no bytes to read, according to the kernel.
    package var hasNoPendingInput: Bool {
        guard !isFinished, let raw = descriptor.number else { return false }
        do {
            guard try Syscalls.peek(raw) == nil else { return false }
            ready.remove(.readable)
            return true
        } catch {
            return false
        }
    }

    /// Whether there may be bytes to read, determined without a system call.
    package var mayHaveUnreadInput: Bool { !wasDrained || hasOneShotEvents }

    /// Whether the last read emptied the socket, and no event has been reported since.
    package var wasDrained: Bool { !isFinished && !ready.contains(.readable) }

    // MARK: - Events

    /// Asks for events only for a wait and one at a time, until ``endOneShotEvents()``.
    ///
    /// A thread that reads as the loop (``EventLoop/runInline(_:)``) finds most bytes without a wait.
    /// Their events would wake the loop's thread, which then had to wait for the end of the read.
    package func beginOneShotEvents() {
        guard !hasOneShotEvents else { return }
        // If the kernel refuses, the loop's thread wakes up more often than it has to.
        hasOneShotEvents = (try? askForEvents(once: [])) != nil
    }

    /// Asks for every event again; those that were not reported follow.
    ///
    /// - Throws: `.cancelled` after the close; `.systemFailure`.
    package func endOneShotEvents() throws(TransportError) {
        guard hasOneShotEvents else { return }
        try askForEvents(once: nil)
        hasOneShotEvents = false
        // Bytes or a close may not have been reported yet.
        ready.insert(.readable)
    }

    private func askForEvents(once events: PollEvents?) throws(TransportError) {
        guard let registration, let raw = descriptor.number else { throw .cancelled }
        do {
            try loop.change(registration, raw, once: events)
        } catch {
            throw .systemFailure(call: "epoll_ctl", error)
        }
    }

    // MARK: - Called by the loop

    func becameReady(_ events: PollEvents) {
        if events.contains(.writable) { ready.insert(.writable) }
        if !events.isDisjoint(with: .finished) {
            isFinished = true
            ready.formUnion([.readable, .writable])
        } else if events.contains(.readable) {
            ready.insert(.readable)
        }
        if waiter.isWaiting {
            if !ready.isDisjoint(with: interest) { waiter.resume(returning: .ready) }
        } else if ready.contains(.readable), let handler = idleHandler {
            handler()
        }
    }

    func loopStopped() {
        close()
    }

    package func timerFired(now: Deadline) {
        timer = nil
        guard waiter.isWaiting, deadline != .never else { return }
        if deadline <= now {
            waiter.resume(returning: .timedOut)
        } else {
            setDeadline(deadline)
        }
    }

    /// Stores the end of the wait and ensures that a timer fires no later than that.
    private func setDeadline(_ deadline: Deadline) {
        self.deadline = deadline
        guard deadline != .never else { return }
        guard let timer else {
            timer = loop.addTimer(self, at: deadline)
            timerDeadline = deadline
            return
        }
        if deadline < timerDeadline {
            loop.moveTimer(timer, to: deadline)
            timerDeadline = deadline
        }
    }
}

/// The result of ``SocketStream/send(_:from:_:)``.
package enum FileSendOutcome: Sendable, Equatable {
    /// The number of bytes sent; never 0.
    case bytes(Int)
    /// The socket accepts no more; wait until writable.
    case wouldBlock
    /// The file ends at the offset.
    case endOfFile
    /// The kernel cannot send this file directly, or cannot read it: read it instead.
    case unsupported
}

/// The result of ``SocketStream/receive(into:_:)`` with a pipe.
package enum PipeReceiveOutcome: Sendable, Equatable {
    /// The number of bytes moved; never 0.
    case bytes(Int)
    /// No bytes have arrived; wait until readable.
    case wouldBlock
    /// The pipe accepts no more bytes.
    case full
    /// The peer closed its sending side.
    case end
    /// The kernel cannot move bytes of this socket into a pipe: receive them instead.
    case unsupported
}

extension SocketStream {
    /// Creates two connected streams without a network between them.
    ///
    /// - Throws: `.descriptorsExhausted`, `.systemFailure`.
    package static func pair(
        on loop: EventLoop
    ) throws(TransportError) -> (near: SocketStream, far: SocketStream) {
        do throws(Errno) {
            let (first, second) = try Syscalls.socketPair()
            // Both are owned before anything else can fail.
            let nearEnd = Descriptor(owning: first)
            let farEnd = Descriptor(owning: second)
            let near = try SocketStream(loop: loop, connected: nearEnd)
            do throws(Errno) {
                return (near, try SocketStream(loop: loop, connected: farEnd))
            } catch {
                near.close()
                throw error
            }
        } catch {
            throw error.isDescriptorExhaustion
                ? .descriptorsExhausted(error) : .systemFailure(call: "socketpair", error)
        }
    }

    /// Closes this stream so that its peer in a pair sees ECONNRESET after the bytes sent so far.
    ///
    /// The kernel does this when a local socket is closed with unread bytes in its buffer.
    package func close(resetting peer: SocketStream) {
        let byte: [UInt8] = [0]
        // If the send fails, the peer is closed or this socket already has enough unread bytes.
        _ = try? peer.send(byte.span)
        close()
    }
}

extension Syscalls {
    /// Creates two connected sockets with socketpair(2), non-blocking and close-on-exec.
    ///
    /// - Returns: the two descriptors, which have no owner yet.
    static func socketPair() throws(Errno) -> (Int32, Int32) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        var raw: [Int32] = [-1, -1]
        // SAFETY: the kernel writes two numbers into an array of two.
        guard unsafe socketpair(AF_UNIX, type, 0, &raw) == 0 else { throw Errno.current }
        return (raw[0], raw[1])
    }
}
