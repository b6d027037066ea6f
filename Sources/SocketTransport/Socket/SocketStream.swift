private import Glibc

/// Moves bytes over one connected TCP or unix domain socket.
///
/// Loop-confined. So the runtime need not look for overlapping accesses to its properties, which would
/// cost several times what the accesses do: one thread alone comes here, and what is called while one
/// of them is being changed does not come back.
package final class SocketStream: ByteStream, PollTarget, TimerTarget {
    /// How a wait ended.
    private enum Outcome {
        case ready
        case timedOut
        case cancelled
    }

    /// The address of the peer's end; nil for a unix domain socket.
    package let peerAddress: SocketAddress?
    package let loop: EventLoop
    @safe @exclusivity(unchecked) private var descriptor: Descriptor?
    @safe @exclusivity(unchecked) private var registration: Registration?

    /// What may be tried without waiting; cleared by a call that would block.
    @safe @exclusivity(unchecked) private var ready: Readiness
    /// The peer closed or the connection failed: reading never blocks again.
    @safe @exclusivity(unchecked) private var isFinished: Bool
    @safe @exclusivity(unchecked) private var isCancelled = false

    @safe @exclusivity(unchecked) private var interest: Readiness = []
    @safe @exclusivity(unchecked) private var waiter = Waiter<Outcome>()
    /// Where the wait under way ends; the timer itself is moved lazily, for it seldom fires.
    @safe @exclusivity(unchecked) private var deadline = Deadline.never
    @safe @exclusivity(unchecked) private var timer: TimerHandle?
    @safe @exclusivity(unchecked) private var timerDeadline = Deadline.never

    /// Called when the peer speaks though nobody listens; see ``setIdleHandler(_:)``.
    @safe @exclusivity(unchecked) private var idleHandler: (() -> Void)?

    /// Takes over a connected, registered socket.
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

    /// Takes over a connected socket and registers it.
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

    /// Stands in until the stream is there: both happen in one turn of the loop.
    private final class PlaceholderTarget: PollTarget {
        func becameReady(_ events: PollEvents) {}
        func loopStopped() {}
    }

    /// The address of our end; nil once closed, and for a unix domain socket.
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
        // A short read emptied the socket: the next bytes raise a new edge. The peer's end does
        // not when it came with these bytes, so a finished socket stays readable.
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

    package nonisolated(nonsending) func wait(
        for readiness: Readiness,
        until deadline: Deadline
    ) async throws(TransportError) {
        guard !isCancelled, registration != nil else { throw .cancelled }
        guard ready.isDisjoint(with: readiness) else { return }
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

    /// Ends a wait that is under way as if the socket were ready, which a caller tolerates.
    ///
    /// For one who wants it to wait for something else besides.
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

    /// Tells the peer that nothing more will be sent (FIN); receiving goes on.
    package func closeWrite() {
        if let raw = descriptor.number { Syscalls.shutdownWrite(raw) }
    }

    /// Closes at once with a reset (RST): what is unsent is lost, and the peer sees a failure.
    package func closeWithReset() {
        if let raw = descriptor.number { Syscalls.resetOnClose(raw) }
        close()
    }

    // MARK: - Idle connections

    /// Calls `handler` whenever the socket turns readable while nobody waits for it.
    ///
    /// On an idle connection that means that the peer closed it or sent what nobody asked for.
    package func setIdleHandler(_ handler: @escaping () -> Void) {
        idleHandler = handler
    }

    /// Asks the kernel whether the connection is open and has nothing to read.
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

    /// Tells, without a system call, whether there may be something to read.
    package var mayHaveUnreadInput: Bool { isFinished || ready.contains(.readable) }

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

    /// Notes where the wait ends and makes sure that a timer fires no later than that.
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
