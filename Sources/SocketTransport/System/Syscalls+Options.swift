internal import Glibc

/// Options that are set on a socket before it connects.
extension Syscalls {
    /// Sets `options`, except the binding, on a socket that will connect to `peer`.
    static func set(_ options: HTTPSocketOptions, of descriptor: Int32) throws(Errno) {
        let tcp = Int32(IPPROTO_TCP)
        try setNoDelay(descriptor)
        if let keepAlive = options.keepAlive {
            try set(SO_KEEPALIVE, level: SOL_SOCKET, to: 1, of: descriptor)
            try set(TCP_KEEPIDLE, level: tcp, to: seconds(keepAlive.idle), of: descriptor)
            try set(TCP_KEEPINTVL, level: tcp, to: seconds(keepAlive.interval), of: descriptor)
            if let count = keepAlive.count, count > 0 {
                try set(TCP_KEEPCNT, level: tcp, to: Int32(min(count, 127)), of: descriptor)
            }
        }
        if let timeout = options.userTimeout {
            try set(TCP_USER_TIMEOUT, level: tcp, to: milliseconds(timeout), of: descriptor)
        }
    }

    /// Returns whole seconds in the range that the kernel accepts.
    private static func seconds(_ duration: Duration) -> Int32 {
        Int32(min(max(duration.components.seconds, 1), 32_767))
    }

    /// Returns whole milliseconds, at most those of 24 days, which an Int32 can hold.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        let milliseconds = min(seconds, 2_000_000) * 1000 + attoseconds / 1_000_000_000_000_000
        return Int32(clamping: max(milliseconds, 1))
    }

    /// Binds a socket that will connect to `peer` as `binding` requires.
    static func bind(
        _ descriptor: Int32,
        to binding: HTTPSocketOptions.LocalBinding,
        toReach peer: SocketAddress
    ) throws(Errno) {
        switch binding {
        case .address(let host):
            try bind(descriptor, to: host)
        case .device(let name):
            try bindToDevice(descriptor, name)
        case .interface(let name):
            do {
                try bindToDevice(descriptor, name)
            } catch .notPermitted {
                try bind(descriptor, to: InterfaceAddress.of(name, toReach: peer))
            }
        }
    }

    /// Binds to an address with bind(2); the system chooses the port when the peer is known.
    ///
    /// The number of connections from one address is then limited by the pairs of peer and port,
    /// not by the ports alone.
    private static func bind(_ descriptor: Int32, to host: IPAddress) throws(Errno) {
        // Failure is harmless; it only reserves more ports.
        try? set(bindAddressNoPort, level: Int32(IPPROTO_IP), to: 1, of: descriptor)
        let (storage, length) = SocketAddress(host: host, port: 0).storage
        let result = unsafe withSocketAddress(storage) { pointer in
            unsafe Glibc.bind(descriptor, pointer, length)
        }
        guard result == 0 else { throw Errno.current }
    }

    /// Binds to a network interface with setsockopt(2) and SO_BINDTODEVICE.
    private static func bindToDevice(_ descriptor: Int32, _ name: String) throws(Errno) {
        // The kernel would truncate a longer name and use another interface.
        guard !name.isEmpty, name.utf8.count < Int(IFNAMSIZ), !name.hasNUL else {
            throw .noSuchDevice
        }
        let bytes = Array(name.utf8)
        // SAFETY: the kernel reads `count` bytes of the array during the call.
        let result = unsafe bytes.withUnsafeBytes { bytes in
            unsafe setsockopt(
                descriptor,
                SOL_SOCKET,
                SO_BINDTODEVICE,
                bytes.baseAddress,
                socklen_t(bytes.count)
            )
        }
        guard result == 0 else { throw Errno.current }
    }

    /// IP_BIND_ADDRESS_NO_PORT, which Swift's Glibc does not export.
    private static let bindAddressNoPort: Int32 = 24
}

/// The addresses of network interfaces (getifaddrs(3)).
enum InterfaceAddress {
    /// Returns the address of the interface `name` to use for connections to `peer`.
    ///
    /// The address has the family of `peer`. It is link-local only for a link-local peer, if there
    /// is a choice.
    static func of(_ name: String, toReach peer: SocketAddress) throws(Errno) -> IPAddress {
        let hosts = try all(of: name)
        guard !hosts.isEmpty else { throw .noSuchDevice }
        let fitting = hosts.filter { $0.isIPv6 == peer.isIPv6 }
        let best = fitting.first { $0.isLinkLocal == peer.host.isLinkLocal } ?? fitting.first
        guard let best else { throw .addressNotAvailable }
        return best
    }

    private static func all(of name: String) throws(Errno) -> [IPAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { throw Errno.current }
        defer { unsafe freeifaddrs(list) }
        var hosts: [IPAddress] = []
        var next = unsafe list
        // SAFETY: getifaddrs allocated the list, its names and its addresses; they are valid until
        // freeifaddrs above.
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ifa_addr,
                let entryName = unsafe entry.pointee.ifa_name,
                unsafe String(cString: entryName) == name
            {
                var storage = sockaddr_storage()
                let family = Int32(unsafe address.pointee.sa_family)
                let count =
                    switch family {
                    case AF_INET: MemoryLayout<sockaddr_in>.size
                    case AF_INET6: MemoryLayout<sockaddr_in6>.size
                    default: 0
                    }
                unsafe withUnsafeMutableBytes(of: &storage) { target in
                    unsafe target.copyMemory(
                        from: UnsafeRawBufferPointer(start: address, count: count)
                    )
                }
                if count > 0, let host = SocketAddress(storage)?.host { hosts.append(host) }
            }
            unsafe next = entry.pointee.ifa_next
        }
        return hosts
    }
}
