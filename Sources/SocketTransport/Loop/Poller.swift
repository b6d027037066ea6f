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

    /// Registers a socket once for its whole lifetime; closing the descriptor unregisters it.
    func add(_ descriptor: Int32, token: UInt64) throws(Errno) {
        let interest =
            EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        try add(descriptor, token: token, interest: interest)
    }

    private func add(_ descriptor: Int32, token: UInt64, interest: UInt32) throws(Errno) {
        var event = unsafe epoll_event()
        unsafe event.events = interest
        unsafe event.data.u64 = token
        // SAFETY: the kernel copies the event before the call returns.
        guard unsafe epoll_ctl(epoll.rawValue, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
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
