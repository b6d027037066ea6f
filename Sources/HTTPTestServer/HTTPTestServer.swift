internal import SocketTransport

/// An HTTP/1.1 server on the loopback interface, for tests and demonstrations.
///
///     let server = try await HTTPTestServer.start { _ in .json(#"{"ok": true}"#) }
///     let response = try await client.send(HTTPRequest(server.url + "/x"))
///     #expect(server.requests.first?.target == "/x")
///
/// The kernel chooses the port, so any number of servers can run at the same time. You need not
/// stop a server. When its last reference is released, it closes the port and all connections, and
/// its thread ends. Keep a reference for as long as you need the server.
///
/// Requests that violate HTTP/1.1 are answered with 400 (or 413, 431, 501, 505), and the connection
/// is closed. Every wait has a timeout: 30 s for handshakes, heads and writes, 30 s between reads
/// of a body, and 60 s for idle connections. A test that leaves a connection open therefore leaks
/// nothing.
///
/// The server is for tests only. It has no protection against a flood of connections, and the key
/// of the certificate that it issues is unprotected in memory.
///
/// ## Topics
/// ### Starting
/// - ``start(tls:)``
/// - ``start(tls:_:)``
/// - ``start(tls:routes:)``
/// - ``route(_:_:_:)-(_,_,Handler)``
/// ### Address and certificate
/// - ``url``
/// - ``port``
/// - ``certificateAuthorityPEM``
/// ### Received requests
/// - ``requests``
/// - ``requests(to:_:)``
/// - ``stop()``
public final class HTTPTestServer: Sendable {
    /// A closure that returns the response to a request.
    ///
    /// A thrown error becomes a 500 with its text.
    ///
    /// It runs on Swift's concurrent pool, never on the thread of the server's sockets. For each
    /// connection, at most one call runs at a time. Its task is canceled when the server stops.
    public typealias Handler = @concurrent @Sendable (Request) async throws -> Response

    /// The base URL, without a path: `http://127.0.0.1:49152`, or `https://…` with TLS.
    public let url: String

    /// The port that the kernel chose.
    public let port: Int

    /// The certificate, in PEM, that a client must trust; empty without TLS.
    ///
    /// Each server has its own new authority, so a client that trusts it trusts no other server.
    public let certificateAuthorityPEM: [UInt8]

    private let service: Service
    private let accepting: Task<Void, Never>

    private init(
        service: Service,
        accepting: Task<Void, Never>,
        port: Int,
        authority: [UInt8]
    ) {
        self.service = service
        self.accepting = accepting
        self.port = port
        certificateAuthorityPEM = authority
        url = "\(service.security == nil ? "http" : "https")://127.0.0.1:\(port)"
    }

    /// Starts a server on a free port of 127.0.0.1.
    ///
    /// - Parameters:
    ///   - tls: the TLS setting; off by default, which serves plain HTTP.
    ///   - handler: called once for each request, after its body has arrived.
    /// - Returns: the listening server, which runs until it is released.
    /// - Throws: an error if the machine has no free descriptor, thread or port.
    public static func start(
        tls: TLS = .off,
        _ handler: @escaping Handler
    ) async throws(StartError) -> HTTPTestServer {
        let credentials: TLS.Credentials?
        do {
            credentials = try tls.credentials()
        } catch {
            throw StartError(reason: "no certificate: \(error)")
        }
        let service = Service(security: credentials?.context, handler: handler)
        let listener: LoopBound<ListeningSocket>
        do {
            listener = try await service.listen().get()
        } catch {
            service.stop()
            throw StartError(reason: "cannot listen on 127.0.0.1: \(error)")
        }
        let accepting = Task(executorPreference: service.loop) { await service.accept(listener) }
        return HTTPTestServer(
            service: service,
            accepting: accepting,
            port: Int(service.port.withLock { $0 }),
            authority: credentials?.authority ?? []
        )
    }

    /// Starts a server with fixed responses.
    ///
    /// - Parameters:
    ///   - tls: the TLS setting; off by default, which serves plain HTTP.
    ///   - routes: responses by path, such as `"/users"`, or by method and path, such as `"POST
    ///     /users"`, which takes precedence. The query is ignored. All other requests are answered
    ///     with 404.
    /// - Returns: the listening server, which runs until it is released.
    /// - Throws: the same errors as ``start(tls:_:)``.
    public static func start(
        tls: TLS = .off,
        routes: [String: Response]
    ) async throws(StartError) -> HTTPTestServer {
        let routes = Dictionary(
            routes.map { (Route.withLeadingSlash($0.key), $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
        return try await start(tls: tls) { request in
            routes["\(request.method) \(request.path)"] ?? routes[request.path]
                ?? .text("no route for \(request.method) \(request.path)\n", status: .notFound)
        }
    }

    /// The requests received so far, in the order in which they were complete.
    ///
    /// A request is recorded before it is answered. The server keeps at least the last 4096
    /// requests and discards older ones. If the bodies together exceed 64 MiB, the oldest bodies
    /// are emptied.
    public var requests: [Request] { service.log.withLock { $0.requests } }

    func add(_ route: Route) {
        service.routes.withLock { $0.insert(route, at: 0) }
    }

    /// The number of connections accepted so far.
    public var connectionCount: Int { service.log.withLock { $0.connections } }

    /// Closes the port and all connections, and returns when they are closed; idempotent.
    ///
    /// You need not call it: a server also stops when its last reference is released.
    public func stop() async {
        service.stop()
        await accepting.value
    }

    deinit {
        service.stop()
    }
}

extension HTTPTestServer {
    /// The reason why a server could not start; the cause is the machine, not the test.
    public struct StartError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The operation that failed, and the error.
        public let reason: String

        /// A one-line description.
        public var description: String { "the test server did not start: \(reason)" }
    }
}
