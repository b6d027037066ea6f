import Dispatch
import Glibc
import Wire

/// An error of a system call.
struct SystemError: Error {
    let call: String
    let code = errno
}

/// Serves each client that connects to the loopback address on its own thread, without end.
///
/// The port is printed, because with 0 the system chooses one.
func listen(port: UInt16, _ serve: @escaping @Sendable (Socket) -> Void) throws {
    let listener = Socket(descriptor: socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0))
    listener.set(SO_REUSEADDR, CInt(1))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout.size(ofValue: address))
    let isListening = withUnsafeMutableBytes(of: &address) { bytes in
        let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
        return bind(listener.descriptor, address, size) == 0 && listen(listener.descriptor, 64) == 0
            && getsockname(listener.descriptor, address, &size) == 0
    }
    guard isListening else { throw SystemError(call: "listen") }
    print("listening on port \(UInt16(bigEndian: address.sin_port))")
    // A process that reads this through a pipe waits for the line.
    fflush(nil)
    while true {
        let client = Socket(descriptor: accept(listener.descriptor, nil, nil))
        guard client.descriptor >= 0 else {
            guard errno == EINTR || errno == ECONNABORTED else { throw SystemError(call: "accept") }
            continue
        }
        DispatchQueue.global().async {
            client.wait(atMost: 30)
            serve(client)
            client.close()
        }
    }
}

/// A blocking socket.
struct Socket: Sendable {
    let descriptor: CInt

    /// Appends received bytes to the buffer; returns false at end of stream.
    func read(into buffer: inout [UInt8]) throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count >= 0 else { throw SystemError(call: "recv") }
        buffer += piece[..<count]
        return count > 0
    }

    /// Writes all bytes and empties the buffer.
    func write(_ buffer: inout [UInt8]) throws {
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count >= 0 else { throw SystemError(call: "send") }
            rest.removeFirst(count)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Closes the socket in two steps.
    ///
    /// Otherwise a peer that is still sending could lose the end of the response (RFC 9112 §9.6).
    func close() {
        shutdown(descriptor, CInt(SHUT_WR))
        wait(atMost: 1)
        var (rest, remainingReads): ([UInt8], Int) = ([], 64)
        while remainingReads > 0, (try? read(into: &rest)) == true {
            (rest, remainingReads) = ([], remainingReads - 1)
        }
        _ = Glibc.close(descriptor)
    }

    /// Sets the timeout of each read and write, in seconds.
    func wait(atMost seconds: Int) {
        set(SO_RCVTIMEO, timeval(tv_sec: seconds, tv_usec: 0))
        set(SO_SNDTIMEO, timeval(tv_sec: seconds, tv_usec: 0))
    }

    func set<Value>(_ option: CInt, _ value: Value) {
        withUnsafeBytes(of: value) { bytes in
            let size = socklen_t(bytes.count)
            _ = setsockopt(descriptor, SOL_SOCKET, option, bytes.baseAddress, size)
        }
    }
}

/// Returns the current time.
func now() -> HTTPDate { HTTPDate(secondsSince1970: time(nil)) }
