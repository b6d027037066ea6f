private import Glibc

extension SocketStream {
    /// Creates two connected streams without a network between them.
    ///
    /// - Throws: `.descriptorsExhausted`, `.systemFailure`.
    package static func pair(
        on loop: EventLoop
    ) throws(TransportError) -> (near: SocketStream, far: SocketStream) {
        do throws(Errno) {
            let (first, second) = try Syscalls.socketPair()
            // Both are owned before anything else can fail.
            let nearEnd = Descriptor(owning: first)
            let farEnd = Descriptor(owning: second)
            let near = try SocketStream(loop: loop, connected: nearEnd)
            do throws(Errno) {
                return (near, try SocketStream(loop: loop, connected: farEnd))
            } catch {
                near.close()
                throw error
            }
        } catch {
            throw error.isDescriptorExhaustion
                ? .descriptorsExhausted(error) : .systemFailure(call: "socketpair", error)
        }
    }

    /// Closes this stream so that its peer in a pair sees ECONNRESET after the bytes sent so far.
    ///
    /// The kernel does this when a local socket is closed with unread bytes in its buffer.
    package func close(resetting peer: SocketStream) {
        let byte: [UInt8] = [0]
        // If the send fails, the peer is closed or this socket already has enough unread bytes.
        _ = try? peer.send(byte.span)
        close()
    }
}

extension Syscalls {
    /// Creates two connected sockets with socketpair(2), non-blocking and close-on-exec.
    ///
    /// - Returns: the two descriptors, which have no owner yet.
    static func socketPair() throws(Errno) -> (Int32, Int32) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        var raw: [Int32] = [-1, -1]
        // SAFETY: the kernel writes two numbers into an array of two.
        guard unsafe socketpair(AF_UNIX, type, 0, &raw) == 0 else { throw Errno.current }
        return (raw[0], raw[1])
    }
}
