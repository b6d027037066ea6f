import Glibc

/// The client's end of a connection, which is a descriptor of this process as well.
enum ClientSocket {
    enum Event {
        /// There are bytes, an end of stream or an error to read.
        case happened
        /// There is no such connection any more.
        case closed
        /// Nothing happened in time.
        case missed
    }

    /// Waits until something happened on a connection, and reads nothing of it.
    static func waitForEvent(from localPort: Int, to port: Int) -> Event {
        guard let descriptor = find(from: localPort, to: port) else { return .closed }
        // An end of stream and an error count as something to read.
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, 10_000) == 1 else { return .missed }
        return entry.revents & Int16(POLLNVAL) == 0 ? .happened : .closed
    }

    private static func find(from localPort: Int, to port: Int) -> Int32? {
        let fitting = (0..<4096).filter { unsafe Self.port($0, Glibc.getsockname) == localPort }
        // After a reset a socket has no peer any more.
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
