private import Glibc

extension SocketStream {
    /// Makes two streams, each of which is the other's peer, without a network between them.
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

    /// Closes this stream so that its peer in a pair sees a failure (ECONNRESET) behind what was sent.
    ///
    /// The kernel does that when a local socket is closed with bytes in it that nobody has read.
    package func close(resetting peer: SocketStream) {
        let byte: [UInt8] = [0]
        // When it cannot be sent, the peer is closed, or so much of it is unread that this will do.
        _ = try? peer.send(byte.span)
        close()
    }
}

extension Syscalls {
    /// socketpair(2): two unix domain stream sockets, non-blocking and close-on-exec.
    ///
    /// - Returns: both, which nobody owns yet.
    static func socketPair() throws(Errno) -> (Int32, Int32) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        var raw: [Int32] = [-1, -1]
        // SAFETY: the kernel writes two numbers into an array of two.
        guard unsafe socketpair(AF_UNIX, type, 0, &raw) == 0 else { throw Errno.current }
        return (raw[0], raw[1])
    }
}
