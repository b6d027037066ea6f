internal import SocketTransport

/// Holds what the connections of one server share: its loop, its handler and its log.
///
/// The tasks of the server refer to this, never to the `HTTPTestServer`, so that dropping the
/// latter ends them.
final class Service: Sendable {
    struct Log {
        var connections = 0
        private(set) var requests: [HTTPTestServer.Request] = []
        /// Bytes of the bodies of these.
        private var bytes = 0
        /// How many of the oldest have no body any more.
        private var clearedBodies = 0

        /// Adds a request; forgets the older half when there are too many, and the oldest bodies when
        /// they are too large together.
        mutating func append(_ request: HTTPTestServer.Request) {
            if requests.count >= 2 * Service.maxLoggedRequests {
                bytes -= requests.prefix(Service.maxLoggedRequests).reduce(0) { $0 + $1.body.count }
                requests.removeFirst(Service.maxLoggedRequests)
                clearedBodies = max(0, clearedBodies - Service.maxLoggedRequests)
            }
            requests.append(request)
            bytes += request.body.count
            while bytes > Service.maxLoggedBytes, clearedBodies < requests.count - 1 {
                bytes -= requests[clearedBodies].body.count
                requests[clearedBodies].body = []
                clearedBodies += 1
            }
        }
    }

    /// A connection that is being served.
    private struct OpenConnection {
        let socket: LoopBound<SocketStream>
        let task: Task<Void, Never>
    }

    let loop = EventLoop.threaded()
    let security: TLSContext?
    private let handler: HTTPTestServer.Handler
    /// The newest first.
    let routes = Locked<[Route]>([])
    let log = Locked(Log())
    let port = Locked<UInt16>(0)
    private let listener = Locked<LoopBound<ListeningSocket>?>(nil)
    private let open = Locked<[Int: OpenConnection]>([:])

    init(security: TLSContext?, handler: @escaping HTTPTestServer.Handler) {
        self.security = security
        self.handler = handler
    }

    // MARK: - Accepting

    /// Opens the port.
    func listen() async -> Result<LoopBound<ListeningSocket>, TransportError> {
        await Task(executorPreference: loop) { () -> Result<_, TransportError> in
            guard self.loop.isCurrent, let any = SocketAddress(literal: "127.0.0.1", port: 0) else {
                return .failure(.descriptorsExhausted(.processFilesExhausted))
            }
            do throws(TransportError) {
                let socket = try ListeningSocket(on: self.loop, address: any)
                self.port.withLock { $0 = socket.address.port }
                let bound = LoopBound(socket, on: self.loop)
                self.listener.withLock { $0 = bound }
                return .success(bound)
            } catch {
                return .failure(error)
            }
        }.value
    }

    /// Serves every connection in a task of its own, until the server stops.
    func accept(_ listener: LoopBound<ListeningSocket>) async {
        guard loop.isCurrent else { return }
        let listener = listener.value
        while true {
            do throws(TransportError) {
                serve(try await listener.accept())
            } catch .cancelled {
                return
            } catch {
                // No descriptor is free, or the client gave up while it waited: both pass.
                try? await Task.sleep(for: .milliseconds(10))
                guard loop.isCurrent else { return }
            }
        }
    }

    private func serve(_ socket: SocketStream) {
        let number = log.withLock { log in
            log.connections += 1
            return log.connections
        }
        let socket = LoopBound(socket, on: loop)
        // The task cannot run before this function has returned: both need the loop.
        let task = Task(executorPreference: loop) {
            guard self.loop.isCurrent else { return }
            await ServedConnection(socket.value, number: number, service: self).serve()
            _ = self.open.withLock { $0.removeValue(forKey: number) }
        }
        open.withLock { $0[number] = OpenConnection(socket: socket, task: task) }
    }

    /// Adds to the log.
    func record(_ request: HTTPTestServer.Request) { log.withLock { $0.append(request) } }

    /// Finds who answers a request, which gets the parameters of its route.
    func handler(for request: inout HTTPTestServer.Request) -> HTTPTestServer.Handler {
        for route in routes.withLock({ $0 }) {
            guard let parameters = route.parameters(of: request) else { continue }
            request.parameters = parameters
            return route.handler
        }
        return handler
    }

    // MARK: - Ending

    /// Closes everything and ends the loop's thread, without waiting for it; idempotent.
    func stop() {
        loop.stop { [self] in
            listener.withLock { $0.take() }?.value.close()
            let connections = open.withLock { open in
                defer { open = [:] }
                return open
            }
            for connection in connections.values {
                connection.socket.value.close()
                connection.task.cancel()
            }
        }
    }

    /// Requests that the log keeps at least.
    private static let maxLoggedRequests = 4096
    /// Bytes of bodies that the log keeps; that of the newest request whatever it has.
    private static let maxLoggedBytes = 64 << 20
}
