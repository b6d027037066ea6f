import Glibc

/// Access to the client's end of a connection, which is also a descriptor of this process.
enum ClientSocket {
    enum Event {
        /// Bytes, an end of stream or an error can be read.
        case happened
        /// The connection no longer exists.
        case closed
        /// No event arrived within 10 seconds.
        case missed
    }

    /// Waits for an event on a connection without reading from it.
    static func waitForEvent(from localPort: Int, to port: Int) -> Event {
        guard let descriptor = find(from: localPort, to: port) else { return .closed }
        // An end of stream and an error make the socket readable too.
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, 10_000) == 1 else { return .missed }
        return entry.revents & Int16(POLLNVAL) == 0 ? .happened : .closed
    }

    private static func find(from localPort: Int, to port: Int) -> Int32? {
        let fitting = (0..<4096).filter { unsafe Self.port($0, Glibc.getsockname) == localPort }
        // After a reset a socket has no peer.
        return fitting.first { unsafe Self.port($0, Glibc.getpeername) == port }
            ?? fitting.first { unsafe Self.port($0, Glibc.getpeername) == nil }
    }

    private static func port(
        _ descriptor: Int32,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { start in
            unsafe start.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe call(descriptor, generic, &length)
            }
        }
        return result == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }
}
