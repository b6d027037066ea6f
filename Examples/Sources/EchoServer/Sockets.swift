import Glibc
import Wire

/// What the system said to a call that failed.
struct SystemError: Error {
    let call: String
    let code = errno
}

/// Waits for connections on the loopback address.
struct Listener {
    private let descriptor: CInt

    /// Listens on that port; 0 lets the system choose one.
    init(port: UInt16) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError(call: "socket") }
        var yes: CInt = 1
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_REUSEADDR,
            &yes,
            socklen_t(MemoryLayout.size(ofValue: yes))
        )
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isBound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 64) == 0 else { throw SystemError(call: "listen") }
    }

    /// The port that clients connect to.
    var port: UInt16 {
        get throws {
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &size) == 0
                }
            }
            guard isKnown else { throw SystemError(call: "getsockname") }
            return UInt16(bigEndian: address.sin_port)
        }
    }

    func accept() throws -> Socket {
        while true {
            let client = Glibc.accept(descriptor, nil, nil)
            if client >= 0 { return Socket(client) }
            guard errno == EINTR || errno == ECONNABORTED else { throw SystemError(call: "accept") }
        }
    }
}

/// A connected socket; who reads or writes waits, half a minute at most.
struct Socket: Sendable {
    private let descriptor: CInt

    init(_ descriptor: CInt) {
        self.descriptor = descriptor
        wait(atMost: 30)
    }

    /// Bounds each wait, in seconds.
    private func wait(atMost seconds: Int) {
        var patience = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                descriptor,
                SOL_SOCKET,
                option,
                &patience,
                socklen_t(MemoryLayout<timeval>.size)
            )
        }
    }

    /// Adds what has come to the buffer; false when the peer has closed its side.
    func read(into buffer: inout [UInt8]) throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(call: "recv") }
            buffer += piece[..<count]
            return count > 0
        }
    }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(call: "send") }
            rest.removeFirst(count)
        }
    }

    /// Closes in two steps: a peer that is still sending would lose our last words otherwise
    /// (RFC 9112 §9.6).
    func close() {
        shutdown(descriptor, Int32(SHUT_WR))
        wait(atMost: 1)
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        var patience = 64
        while patience > 0, recv(descriptor, &piece, piece.count, 0) > 0 { patience -= 1 }
        _ = Glibc.close(descriptor)
    }
}

/// Tells the time.
enum Clock {
    static var now: HTTPDate { HTTPDate(secondsSince1970: Int64(time(nil))) }
}
