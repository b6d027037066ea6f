import CSSL
import Glibc
import SocketTransport

/// Serves scenarios on two loopback ports, with one thread and epoll.
///
/// What it does about a request follows from the seed and the number in the request's target; what
/// it finds wrong goes into the log.
final class SoakOrigin: @unchecked Sendable {
    // Sendable because all that is not constant belongs to its thread, but the flag and the table of
    // ports, which synchronise themselves.
    let ports: [Int]
    let seed: UInt64
    let log: RunLog
    /// For each pair of ports whether rubbish was sent on its connections: bit 0 stands for the
    /// present one, bit 1 for the one before.
    ///
    /// Both ports count: the kernel gives one port of the client's to connections with different
    /// ports of ours. The one before counts, too: a connection that was corrupted is gone at once, and
    /// its pair may be in use again before its request is judged.
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
        /// Goes on with the steps of an answer.
        case step
        /// Reads on.
        case read
        /// Has an afterthought, if this is the last request so far.
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

    /// Tells whether rubbish was sent on a connection of two ports, the present or the one before.
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

    /// Ends the thread; it closes everything.
    func end() { isEnding.withLock { $0 = true } }

    /// Serves until ``end()``; the whole life of its thread.
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

    /// Says what a descriptor is watched for; the connection's generation goes along.
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

/// The raw calls that the origin needs.
enum LoopbackSocket {
    static func listen() throws(ViolationError) -> (descriptor: Int32, port: Int) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw ViolationError("socket: errno \(errno)") }
        // Connections inherit it: small, so that a large upload has to wait for its reader.
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

    /// Closes, with RST instead of FIN.
    static func reset(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
        close(descriptor)
    }
}
