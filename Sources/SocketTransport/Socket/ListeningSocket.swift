/// A socket that accepts TCP connections for servers: the test origin and the demo.
///
/// Loop-confined.
package final class ListeningSocket: PollTarget, CancellableWait {
    /// The address that clients connect to; the kernel chooses its port if 0 was requested.
    package let address: SocketAddress
    private let loop: EventLoop
    private var descriptor: Descriptor?
    private var registration: Registration?
    private var waiter = Waiter<Void>()
    private var hasSignal = false

    /// Binds the socket and listens.
    ///
    /// - Throws: `.systemFailure` with the name of the call, `.descriptorsExhausted`.
    package init(on loop: EventLoop, address: SocketAddress) throws(TransportError) {
        self.loop = loop
        do {
            let socket = try Syscalls.tcpSocket(ipv6: address.isIPv6)
            let raw = socket.rawValue
            try Syscalls.listen(raw, on: address, backlog: 1024)
            self.address = Syscalls.localAddress(raw) ?? address
            descriptor = consume socket
            registration = try loop.register(raw, self)
        } catch {
            switch error {
            case .processFilesExhausted, .systemFilesExhausted: throw .descriptorsExhausted(error)
            default: throw .systemFailure(call: "listen", error)
            }
        }
    }

    /// Waits for the next connection.
    ///
    /// - Throws: `.cancelled` after ``close()``; `.descriptorsExhausted`, after which the
    ///   connection stays in the backlog and the caller may accept again.
    package nonisolated(nonsending) func accept() async throws(TransportError) -> SocketStream {
        while true {
            guard let stream = try acceptWaiting() else {
                if !hasSignal {
                    // SAFETY: `Waiter` resumes it once.
                    await unsafe withUnsafeContinuation { unsafe waiter.store($0) }
                }
                hasSignal = false
                continue
            }
            return stream
        }
    }

    private func acceptWaiting() throws(TransportError) -> SocketStream? {
        guard let listener = descriptor.number else { throw .cancelled }
        do {
            var peer: SocketAddress?
            guard let socket = try Syscalls.accept(listener, from: &peer) else { return nil }
            let raw = socket.rawValue
            try Syscalls.setNoDelay(raw)
            let registration = try loop.register(raw, self)
            return SocketStream(
                loop: loop,
                descriptor: socket,
                registration: registration,
                peer: peer,
                initialEvents: []
            )
        } catch {
            switch error {
            case .processFilesExhausted, .systemFilesExhausted: throw .descriptorsExhausted(error)
            default: throw .systemFailure(call: "accept", error)
            }
        }
    }

    package func close() {
        if let registration {
            loop.unregister(registration)
            self.registration = nil
        }
        descriptor = nil
        waiter.resume(returning: ())
    }

    package func cancelWait() {
        close()
    }

    func becameReady(_ events: PollEvents) {
        hasSignal = true
        waiter.resume(returning: ())
    }

    func loopStopped() {
        close()
    }
}
