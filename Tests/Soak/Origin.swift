import CSSL
import Glibc
import SocketTransport

/// A server for scenarios on two loopback ports, with one thread and epoll.
///
/// Its reaction to a request follows from the seed and the number in the request's target. It
/// reports violations to the log.
final class SoakOrigin: @unchecked Sendable {
    // `@unchecked Sendable`: only the origin's thread uses the mutable state, except for the flag and
    // the table of ports, which are locked.
    let ports: [Int]
    let seed: UInt64
    let log: RunLog
    /// Whether garbage was sent on the connections of each pair of ports: bit 0 for the current
    /// connection, bit 1 for the previous one.
    ///
    /// A pair is needed, because the kernel can assign one client port to connections to both of the
    /// origin's ports. The previous connection matters, because a corrupted connection is closed at
    /// once, and its ports may be reused before its request is checked.
    private let corrupted: Locked<[Int: [UInt8]]>
    private let isEnding = Locked(false)

    private let listeners: [Int32]
    private let epoll: Int32
    private var peers: [OriginPeer?] = []
    private var timers: [Timer] = []
    private var generation: UInt32 = 0
    var buffer = [UInt8](repeating: 0, count: 64 << 10)

    struct Timer {
        let due: Int64
        let descriptor: Int32
        let generation: UInt32
        let purpose: Purpose
    }

    enum Purpose {
        /// Continues the steps of a response.
        case step
        /// Continues reading.
        case read
        /// Performs the idle action, unless a further request has arrived.
        case idleAction(requests: Int)
    }

    init(seed: UInt64, log: RunLog) throws(ViolationError) {
        self.seed = seed
        self.log = log
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw ViolationError("epoll_create1: errno \(errno)") }
        var listeners: [Int32] = []
        var ports: [Int] = []
        for _ in 0..<2 {
            let (listener, port) = try LoopbackSocket.listen()
            listeners.append(listener)
            ports.append(port)
        }
        self.listeners = listeners
        self.ports = ports
        let none = [UInt8](repeating: 0, count: 65_536)
        corrupted = Locked(Dictionary(uniqueKeysWithValues: ports.map { ($0, none) }))
        for listener in listeners { watch(listener, EPOLLIN.rawValue, EPOLL_CTL_ADD) }
    }

    /// Returns whether garbage was sent on the current or previous connection of two ports.
    func hasCorrupted(port: Int, clientPort: Int) -> Bool {
        corrupted.withLock { ($0[port]?[Int(clientPort)] ?? 0) != 0 }
    }

    func setCorrupted(port: Int, clientPort: Int) {
        corrupted.withLock { $0[port]?[Int(clientPort)] |= 1 }
    }

    private func recordConnection(port: Int, clientPort: Int) {
        corrupted.withLock { corrupted in
            let before = corrupted[port]?[Int(clientPort)] ?? 0
            corrupted[port]?[Int(clientPort)] = before << 1 & 2
        }
    }

    /// Ends the thread, which then closes everything.
    func end() { isEnding.withLock { $0 = true } }

    /// Serves until ``end()`` is called.
    func run() {
        var events = unsafe [epoll_event](repeating: epoll_event(), count: 256)
        while !isEnding.withLock({ $0 }) {
            let now = Self.now()
            let next = timers.min { $0.due < $1.due }?.due ?? now + 100
            let wait = Int32(max(0, min(next - now, 100)))
            let count = unsafe epoll_wait(epoll, &events, Int32(events.count), wait)
            if count > 0 {
                for index in 0..<Int(count) {
                    let event = unsafe events[index]
                    unsafe dispatch(event.data.u64, event.events)
                }
            }
            if !timers.isEmpty { fire() }
        }
        for peer in peers { peer?.close() }
        for listener in listeners { Glibc.close(listener) }
        Glibc.close(epoll)
    }

    private func dispatch(_ token: UInt64, _ events: UInt32) {
        let descriptor = Int32(truncatingIfNeeded: token & 0xffff_ffff)
        if listeners.contains(descriptor) {
            accept(descriptor)
        } else if let peer = peer(descriptor, UInt32(token >> 32)) {
            if events & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
                peer.receive()
            }
            if events & EPOLLOUT.rawValue != 0 { peer.advance() }
        }
    }

    private func peer(_ descriptor: Int32, _ generation: UInt32) -> OriginPeer? {
        guard Int(descriptor) < peers.count, let peer = peers[Int(descriptor)],
            peer.generation == generation
        else { return nil }
        return peer
    }

    private func accept(_ listener: Int32) {
        guard let index = listeners.firstIndex(of: listener) else { return }
        let port = ports[index]
        while let (descriptor, clientPort) = LoopbackSocket.accept(listener) {
            generation &+= 1
            recordConnection(port: port, clientPort: clientPort)
            while peers.count <= Int(descriptor) { peers.append(nil) }
            peers[Int(descriptor)] = OriginPeer(
                self,
                descriptor,
                generation,
                port: port,
                clientPort: clientPort
            )
            watch(descriptor, EPOLLIN.rawValue, EPOLL_CTL_ADD)
        }
    }

    /// Sets the events to wait for on a descriptor; the token contains the connection's generation.
    func watch(_ descriptor: Int32, _ interest: UInt32, _ operation: Int32 = EPOLL_CTL_MOD) {
        var event = unsafe epoll_event()
        unsafe event.events = interest
        let number = Int(descriptor) < peers.count ? peers[Int(descriptor)]?.generation ?? 0 : 0
        unsafe event.data.u64 = UInt64(number) << 32 | UInt64(UInt32(descriptor))
        // SAFETY: the kernel copies the event before the call returns.
        _ = unsafe epoll_ctl(epoll, operation, descriptor, &event)
    }

    func forget(_ descriptor: Int32) { peers[Int(descriptor)] = nil }

    func schedule(_ purpose: Purpose, _ peer: OriginPeer, in milliseconds: Int) {
        let due = Self.now() + Int64(milliseconds)
        timers.append(
            Timer(
                due: due,
                descriptor: peer.descriptor,
                generation: peer.generation,
                purpose: purpose
            )
        )
    }

    private func fire() {
        let now = Self.now()
        let due = timers.filter { $0.due <= now }
        guard !due.isEmpty else { return }
        timers.removeAll { $0.due <= now }
        for timer in due {
            guard let peer = peer(timer.descriptor, timer.generation) else { continue }
            switch timer.purpose {
            case .step: peer.resumeSending()
            case .read: peer.resumeReading()
            case .idleAction(let requests): peer.performIdleAction(requests)
            }
        }
    }

    private static func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// The raw socket calls that the origin needs.
enum LoopbackSocket {
    static func listen() throws(ViolationError) -> (descriptor: Int32, port: Int) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw ViolationError("socket: errno \(errno)") }
        // Connections inherit the small buffer, so that a large upload has to wait for the origin.
        var room: Int32 = 64 << 10
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isDone = unsafe withUnsafeMutablePointer(to: &address) { start in
            unsafe start.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(descriptor, generic, length) == 0 && Glibc.listen(descriptor, 1024) == 0
                    && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard isDone else { throw ViolationError("bind: errno \(errno)") }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    static func accept(_ listener: Int32) -> (descriptor: Int32, port: Int)? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = unsafe cssl_accept4(listener, &address, &length, flags)
        guard descriptor >= 0 else { return nil }
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Closes a connection with RST instead of FIN.
    static func reset(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
        close(descriptor)
    }
}
