private import CSSL
private import Glibc

/// A poller that waits for readiness of descriptors (epoll, edge-triggered) and for wake-ups.
///
/// All functions except ``wake()`` are called on the loop's thread.
@safe final class Poller: @unchecked Sendable {
    // Sendable because other threads call only `wake`, which writes to a descriptor that never
    // changes.
    private let epoll: Descriptor
    /// An eventfd, registered edge-triggered: each write is an edge, so it never needs reading.
    private let wakeDescriptor: Descriptor
    private let events: UnsafeMutablePointer<epoll_event>
    /// The maximum number of events that one wait reports.
    static let maxEvents = 256

    init() throws(Errno) {
        let epollNumber = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epollNumber >= 0 else { throw Errno.current }
        epoll = Descriptor(owning: epollNumber)
        let wakeNumber = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeNumber >= 0 else { throw Errno.current }
        wakeDescriptor = Descriptor(owning: wakeNumber)
        unsafe events = .allocate(capacity: Self.maxEvents)
        try add(wakeNumber, token: 0, interest: EPOLLIN.rawValue | EPOLLET.rawValue)
    }

    deinit {
        // SAFETY: allocated in `init`, used only by this object.
        unsafe events.deallocate()
    }

    /// The events of a socket, each time they begin.
    private static let everyEdge =
        EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue

    /// Registers a socket for its whole lifetime; closing the descriptor unregisters it.
    func add(_ descriptor: Int32, token: UInt64) throws(Errno) {
        try add(descriptor, token: token, interest: Self.everyEdge)
    }

    private func add(_ descriptor: Int32, token: UInt64, interest: UInt32) throws(Errno) {
        try control(EPOLL_CTL_ADD, descriptor, token: token, interest: interest)
    }

    /// Changes which events of a registered socket are reported.
    ///
    /// - Parameters:
    ///   - descriptor: the socket.
    ///   - token: the token passed to ``add(_:token:)``.
    ///   - events: one of these is reported, now or when it happens, and then nothing (one-shot). Nil:
    ///     the current events are reported, and then each one that begins.
    /// - Throws: the error of the kernel.
    func change(_ descriptor: Int32, token: UInt64, once events: PollEvents?) throws(Errno) {
        let interest = events.map { $0.rawValue | EPOLLONESHOT.rawValue } ?? Self.everyEdge
        try control(EPOLL_CTL_MOD, descriptor, token: token, interest: interest)
    }

    private func control(
        _ operation: Int32,
        _ descriptor: Int32,
        token: UInt64,
        interest: UInt32
    ) throws(Errno) {
        var event = unsafe epoll_event()
        unsafe event.events = interest
        unsafe event.data.u64 = token
        // SAFETY: the kernel copies the event before the call returns.
        guard unsafe epoll_ctl(epoll.rawValue, operation, descriptor, &event) == 0 else {
            throw Errno.current
        }
    }

    /// Waits at most `milliseconds` (-1: without a limit, 0: not at all).
    ///
    /// - Returns: the number of ready descriptors, for ``report(_:_:)``.
    func wait(milliseconds: Int32) -> Int {
        // SAFETY: `events` has `maxEvents` entries; the kernel fills the first `count`.
        let count = unsafe epoll_wait(epoll.rawValue, events, Int32(Self.maxEvents), milliseconds)
        // A negative count is EINTR; any other error would be a misuse of this object's
        // descriptors.
        return max(0, Int(count))
    }

    /// Reports the events that the last wait found.
    ///
    /// - Parameters:
    ///   - count: the result of ``wait(milliseconds:)``.
    ///   - report: receives the token passed to ``add(_:token:)`` and the events.
    func report(_ count: Int, _ report: (UInt64, PollEvents) -> Void) {
        for index in 0..<count {
            let event = unsafe events[index]
            let token = unsafe event.data.u64
            if token != 0 { report(token, unsafe PollEvents(rawValue: event.events)) }
        }
    }

    /// Ends the current wait, or the next one; callable from any thread.
    func wake() {
        var one: UInt64 = 1
        // SAFETY: writes eight bytes of a local variable. It fails only if the counter is full;
        // then the poller is already awake.
        _ = unsafe write(wakeDescriptor.rawValue, &one, MemoryLayout<UInt64>.size)
    }
}

/// The events that epoll reports for one descriptor.
struct PollEvents: OptionSet {
    let rawValue: UInt32

    /// The descriptor can be read: bytes, the end of the stream, or an error.
    static let readable = PollEvents(rawValue: EPOLLIN.rawValue)
    static let writable = PollEvents(rawValue: EPOLLOUT.rawValue)
    /// The peer closed or the connection failed; the descriptor stays readable.
    static let finished = PollEvents(
        rawValue: EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
    )
}

/// The targets that receive the events of each registered descriptor.
///
/// A token contains an index and a generation. An event of an unregistered descriptor is therefore
/// dropped, even if another descriptor uses its index.
struct PollTable {
    private struct Entry {
        var target: (any PollTarget)?
        var generation: UInt32
    }

    private var entries: [Entry] = []
    private var free: [Int] = []

    /// All registered targets.
    var targets: [any PollTarget] { entries.compactMap(\.target) }

    /// Adds a target and returns the token that the poller reports for its descriptor; never 0.
    mutating func add(_ target: any PollTarget) -> (Registration, token: UInt64) {
        let index: Int
        if let last = free.popLast() {
            index = last
        } else {
            index = entries.count
            entries.append(Entry(target: nil, generation: 0))
        }
        entries[index].target = target
        let registration = Registration(index: index)
        return (registration, token(of: registration))
    }

    /// Returns the token that the poller reports for a registered descriptor.
    func token(of registration: Registration) -> UInt64 {
        let index = registration.index
        return UInt64(entries[index].generation) << 32 | UInt64(index + 1)
    }

    /// Returns the target of a token; nil if it has been unregistered since.
    func target(for token: UInt64) -> (any PollTarget)? {
        let entry = entries[Int(UInt32(truncatingIfNeeded: token)) - 1]
        return entry.generation == UInt32(token >> 32) ? entry.target : nil
    }

    mutating func retarget(_ registration: Registration, to target: any PollTarget) {
        entries[registration.index].target = target
    }

    mutating func remove(_ registration: Registration) {
        entries[registration.index].target = nil
        entries[registration.index].generation &+= 1
        free.append(registration.index)
    }
}

/// A handle to a registered descriptor of one loop.
struct Registration {
    fileprivate let index: Int
}

/// A receiver of the events of a descriptor, on the loop's thread.
protocol PollTarget: AnyObject {
    func becameReady(_ events: PollEvents)
    /// Closes the descriptor and ends the wait in progress, because the loop ends.
    func loopStopped()
}
