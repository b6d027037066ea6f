internal import Glibc

/// The raw socket calls that the test servers need.
///
/// They duplicate code of the library on purpose, so that a test never checks the library's sockets
/// with the library's sockets.
package enum TestSocket {
    /// Opens a listening socket on 127.0.0.1, or another address of the loopback network.
    ///
    /// - Parameters:
    ///   - port: the port; 0 lets the kernel choose.
    ///   - backlog: the number of connections that may be queued; nil only binds, so that a connect
    ///     is refused.
    ///   - host: the last byte of the address.
    package static func listen(
        port: Int = 0,
        backlog: Int32? = 128,
        host: UInt8 = 1
    ) throws(SystemError)
        -> (descriptor: Int32, port: Int)
    {
        let descriptor = socket(
            AF_INET,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue),
            0
        )
        guard descriptor >= 0 else { throw SystemError("socket") }
        var yes: Int32 = 1
        unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_REUSEADDR,
            &yes,
            socklen_t(MemoryLayout<Int32>.size)
        )
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var address = loopback(port: port, host: host)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withUnsafeMutablePointer(to: &address) { start in
            unsafe start.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(descriptor, generic, length) == 0
                    && (backlog.map { Glibc.listen(descriptor, $0) == 0 } ?? true)
                    && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard bound else {
            let failure = SystemError("bind")
            close(descriptor)
            throw failure
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Connects to 127.0.0.1.
    ///
    /// - Returns: the socket; nil if no server listens there.
    package static func connect(
        port: Int,
        nonBlocking: Bool = false,
        host: UInt8 = 1
    ) -> Int32? {
        let flags = nonBlocking ? Int32(SOCK_NONBLOCK.rawValue) : 0
        let descriptor = socket(
            AF_INET,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | flags,
            0
        )
        guard descriptor >= 0 else { return nil }
        var address = loopback(port: port, host: host)
        let result = unsafe withUnsafeMutablePointer(to: &address) { start in
            unsafe start.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe Glibc.connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result == 0 || nonBlocking && errno == EINPROGRESS { return descriptor }
        close(descriptor)
        return nil
    }

    /// Opens a listening Unix domain socket; a name that begins with a NUL is abstract.
    package static func listen(
        unix name: String,
        backlog: Int32 = 128
    ) throws(SystemError) -> Int32 {
        try unixSocket(name, backlog: backlog, nonBlocking: true)
    }

    /// Connects to a Unix domain socket, and waits until the connection is accepted into the queue.
    static func connect(unix name: String) throws(SystemError) -> Int32 {
        try unixSocket(name, backlog: nil, nonBlocking: false)
    }

    private static func unixSocket(
        _ name: String,
        backlog: Int32?,
        nonBlocking: Bool
    ) throws(SystemError) -> Int32 {
        let flags = Int32(SOCK_CLOEXEC.rawValue) | (nonBlocking ? Int32(SOCK_NONBLOCK.rawValue) : 0)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(name.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
            for (index, byte) in bytes.enumerated() { unsafe path[index] = byte }
        }
        let isAbstract = bytes.first == 0
        let length = socklen_t(2 + bytes.count + (isAbstract ? 0 : 1))
        let done = unsafe withUnsafePointer(to: &address) { start in
            unsafe start.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard let backlog else {
                    return unsafe Glibc.connect(descriptor, generic, length) == 0
                }
                return unsafe bind(descriptor, generic, length) == 0
                    && Glibc.listen(descriptor, backlog) == 0
            }
        }
        guard done else {
            let failure = SystemError("unix socket")
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    package static func accept(_ listener: Int32) -> Int32? {
        let descriptor = SpawnLock.withoutSpawning {
            let descriptor = Glibc.accept(listener, nil, nil)
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            return descriptor
        }
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var yes: Int32 = 1
        unsafe setsockopt(
            descriptor,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &yes,
            socklen_t(MemoryLayout<Int32>.size)
        )
        return descriptor
    }

    /// Makes the next close of `descriptor` send RST instead of FIN.
    static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_LINGER,
            &option,
            socklen_t(MemoryLayout<linger>.size)
        )
    }

    /// Returns the port of the peer, if `descriptor` is a connected IPv4 or IPv6 socket.
    static func peerPort(_ descriptor: Int32) -> Int? {
        // sockaddr_in6 is the larger type, and both have the port at the same offset.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { start in
            unsafe start.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe getpeername(descriptor, generic, &length)
            }
        }
        let family = Int32(address.sin6_family)
        guard result == 0, family == AF_INET || family == AF_INET6 else { return nil }
        return Int(UInt16(bigEndian: address.sin6_port))
    }

    private static func loopback(port: Int, host: UInt8 = 1) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr = in_addr(s_addr: (0x7f00_0000 | UInt32(host)).bigEndian)
        return address
    }
}

/// The error of a failed call in a test server.
package struct SystemError: Error, CustomStringConvertible {
    package let description: String

    init(_ call: String) {
        let code = errno
        description = "\(call): \(unsafe String(cString: strerror(code)))"
    }

    init(text: String) {
        description = text
    }
}
