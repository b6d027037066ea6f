private import CSSL
internal import Glibc

/// Makes every system call of the module; EINTR and `errno` are dealt with here and nowhere else.
///
/// Each function names its manual page's call and throws the `errno` it ended with.
enum Syscalls {
    // MARK: - Sockets

    /// socket(2): a TCP socket, non-blocking and close-on-exec.
    static func tcpSocket(ipv6: Bool) throws(Errno) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = socket(ipv6 ? AF_INET6 : AF_INET, type, 0)
        guard raw >= 0 else { throw Errno.current }
        return Descriptor(owning: raw)
    }

    /// socket(2): a unix domain stream socket, non-blocking and close-on-exec.
    static func unixSocket() throws(Errno) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = socket(AF_UNIX, type, 0)
        guard raw >= 0 else { throw Errno.current }
        return Descriptor(owning: raw)
    }

    /// connect(2).
    ///
    /// EINTR counts as "in progress": Linux goes on connecting.
    ///
    /// - Returns: true when connected at once, false when in progress.
    static func connect(_ descriptor: Int32, to address: SocketAddress) throws(Errno) -> Bool {
        let (storage, length) = address.storage
        return try connect(descriptor, storage, length)
    }

    /// connect(2) to a unix domain socket, which ends at once.
    ///
    /// - Throws: `EAGAIN` when the socket that listens takes no more connections at the moment.
    static func connect(_ descriptor: Int32, to address: UnixAddress) throws(Errno) {
        let (storage, length) = address.storage
        // A stream socket that was interrupted has not connected, and may be asked again.
        while try !connect(descriptor, storage, length) {}
    }

    private static func connect(
        _ descriptor: Int32,
        _ storage: sockaddr_storage,
        _ length: socklen_t
    ) throws(Errno) -> Bool {
        let result = unsafe withSocketAddress(storage) { pointer in
            unsafe Glibc.connect(descriptor, pointer, length)
        }
        guard result != 0 else { return true }
        let errno = Errno.current
        if errno == .inProgress || errno == .interrupted { return false }
        throw errno
    }

    /// getsockopt(2) with SO_ERROR: how a connect in progress ended.
    static func pendingError(_ descriptor: Int32) -> Errno? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        // SAFETY: both pointers are to locals that outlive the call; the kernel writes four bytes.
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
            return Errno.current
        }
        return code == 0 ? nil : Errno(rawValue: code)
    }

    /// setsockopt(2) with a flag or number.
    static func set(
        _ option: Int32,
        level: Int32,
        to value: Int32,
        of descriptor: Int32
    )
        throws(Errno)
    {
        var value = value
        // SAFETY: the pointer is to a local that outlives the call.
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe setsockopt(descriptor, level, option, &value, size) == 0 else {
            throw Errno.current
        }
    }

    /// Sends small writes at once: a message head must not wait for an acknowledgement (TCP_NODELAY).
    static func setNoDelay(_ descriptor: Int32) throws(Errno) {
        try set(TCP_NODELAY, level: Int32(IPPROTO_TCP), to: 1, of: descriptor)
    }

    /// getsockname(2).
    static func localAddress(_ descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            // SAFETY: sockaddr_storage is made to be seen as any sockaddr; `length` is its size.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        return result == 0 ? SocketAddress(storage) : nil
    }

    /// bind(2) and listen(2).
    static func listen(
        _ descriptor: Int32,
        on address: SocketAddress,
        backlog: Int32
    )
        throws(Errno)
    {
        try set(SO_REUSEADDR, level: SOL_SOCKET, to: 1, of: descriptor)
        let (storage, length) = address.storage
        let result = unsafe withSocketAddress(storage) { pointer in
            unsafe Glibc.bind(descriptor, pointer, length)
        }
        guard result == 0, Glibc.listen(descriptor, backlog) == 0 else { throw Errno.current }
    }

    /// accept4(2): non-blocking, close-on-exec; nil when nobody waits.
    ///
    /// - Parameters:
    ///   - descriptor: the socket that listens.
    ///   - peer: set to the address of who connects.
    /// - Returns: the connection.
    /// - Throws: what accept4 ended with, but for an interruption and who gave up meanwhile.
    static func accept(
        _ descriptor: Int32,
        from peer: inout SocketAddress?
    ) throws(Errno) -> Descriptor? {
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        while true {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let raw = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
                // SAFETY: `length` is the size of what the pointer leads to.
                unsafe cssl_accept4(descriptor, pointer, &length, flags)
            }
            if raw >= 0 {
                peer = SocketAddress(storage)
                return Descriptor(owning: raw)
            }
            let errno = Errno.current
            switch errno {
            case .again: return nil
            case .interrupted, .connectionAborted: continue
            default: throw errno
            }
        }
    }

    // MARK: - Bytes

    /// recv(2) into the whole of `buffer`; nil means EAGAIN, 0 means the peer closed.
    static func receive(
        _ descriptor: Int32,
        into buffer: inout MutableSpan<UInt8>
    )
        throws(Errno) -> Int?
    {
        // SAFETY: the kernel writes at most `count` bytes into memory we hold exclusively.
        let result = unsafe buffer.withUnsafeMutableBufferPointer { target in
            var count: Int
            repeat {
                count = unsafe recv(descriptor, target.baseAddress, target.count, 0)
            } while count < 0 && Glibc.errno == EINTR
            return count
        }
        guard result < 0 else { return result }
        let errno = Errno.current
        guard errno == .again else { throw errno }
        return nil
    }

    /// recv(2) with MSG_PEEK of one byte: tells an idle connection's state without reading.
    static func peek(_ descriptor: Int32) throws(Errno) -> Int? {
        var byte: UInt8 = 0
        let flags = Int32(MSG_PEEK | MSG_DONTWAIT)
        // SAFETY: the kernel writes at most one byte into the local.
        let count = unsafe recv(descriptor, &byte, 1, flags)
        guard count < 0 else { return count }
        let errno = Errno.current
        guard errno == .again || errno == .interrupted else { throw errno }
        return nil
    }

    /// send(2) with MSG_NOSIGNAL; nil means EAGAIN.
    static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(Errno) -> Int? {
        // SAFETY: the kernel reads at most `count` bytes of memory that the span keeps alive.
        let result = unsafe bytes.withUnsafeBufferPointer { source in
            var count: Int
            repeat {
                let flags = Int32(MSG_NOSIGNAL)
                count = unsafe Glibc.send(descriptor, source.baseAddress, source.count, flags)
            } while count < 0 && Glibc.errno == EINTR
            return count
        }
        guard result < 0 else { return result }
        let errno = Errno.current
        guard errno == .again else { throw errno }
        return nil
    }

    /// shutdown(2) of the sending side: the peer reads what was sent, then the end.
    static func shutdownWrite(_ descriptor: Int32) {
        // Fails only when the peer is gone, and then there is nobody to tell.
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes the close of `descriptor` discard what is unsent and send RST.
    static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        let length = socklen_t(MemoryLayout<linger>.size)
        // SAFETY: the kernel reads `length` bytes of the local during the call.
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, length)
    }

    /// close(2).
    ///
    /// Linux frees the descriptor even when it reports EINTR, so nothing is retried.
    static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    static func withSocketAddress(
        _ storage: sockaddr_storage,
        _ call: (UnsafePointer<sockaddr>) -> Int32
    ) -> Int32 {
        var storage = storage
        return unsafe withUnsafePointer(to: &storage) { pointer in
            // SAFETY: sockaddr_storage is made to be seen as any sockaddr.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0) }
        }
    }
}
