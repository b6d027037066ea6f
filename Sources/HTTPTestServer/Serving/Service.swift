internal import SocketTransport

/// The state shared by the connections of one server: its loop, its handler and its log.
///
/// The tasks of the server refer to this object, never to the `HTTPTestServer`, so that releasing
/// the latter ends them.
final class Service: Sendable {
    struct Log {
        var connections = 0
        private(set) var requests: [HTTPTestServer.Request] = []
        /// The size of all bodies in `requests`, in bytes.
        private var bytes = 0
        /// The number of oldest requests whose bodies were removed.
        private var clearedBodies = 0

        /// Adds a request.
        ///
        /// Removes the older half if there are too many requests, and the oldest bodies if all
        /// bodies together are too large.
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
    /// The added routes, the newest first.
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

    /// Serves each connection in its own task, until the server stops.
    func accept(_ listener: LoopBound<ListeningSocket>) async {
        guard loop.isCurrent else { return }
        let listener = listener.value
        while true {
            do throws(TransportError) {
                serve(try await listener.accept())
            } catch .cancelled {
                return
            } catch {
                // No descriptor is free, or the client disconnected while it was queued: both are
                // temporary.
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

    /// Adds a request to the log.
    func record(_ request: HTTPTestServer.Request) { log.withLock { $0.append(request) } }

    /// Returns the handler of a request, and sets the request's parameters from its route.
    func handler(for request: inout HTTPTestServer.Request) -> HTTPTestServer.Handler {
        for route in routes.withLock({ $0 }) {
            guard let parameters = route.parameters(of: request) else { continue }
            request.parameters = parameters
            return route.handler
        }
        return handler
    }

    // MARK: - Ending

    /// Closes all connections and ends the loop's thread, without waiting for it; idempotent.
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

    /// The number of requests that the log keeps at least.
    private static let maxLoggedRequests = 4096
    /// The maximum size of the bodies in the log in bytes; the newest body is always kept.
    private static let maxLoggedBytes = 64 << 20
}
