internal import SocketTransport

/// Answers real HTTP/1.1 requests on the loopback interface, for tests and demonstrations.
///
///     let server = try await HTTPTestServer.start { _ in .json(#"{"ok": true}"#) }
///     let response = try await client.send(HTTPRequest(server.url + "/x"))
///     #expect(server.requests.first?.target == "/x")
///
/// The port is chosen by the kernel, so any number of servers run side by side. Nothing needs to be
/// stopped: when the last reference is gone, the port and all connections are closed and the
/// server's thread ends. Keep a reference for as long as the server is needed.
///
/// What breaks HTTP/1.1 is answered with 400 (or 413, 431, 501, 505) and the connection is closed.
/// Every wait is bounded (handshake, head and writes 30 s, bodies 30 s between reads, idle
/// connections 60 s), so a test that forgets a connection leaves nothing behind. It serves tests:
/// there is no protection against a flood of connections, and the key of a certificate it issues
/// lies in memory.
///
/// ## Topics
/// ### Starting
/// - ``start(tls:)``
/// - ``start(tls:_:)``
/// - ``start(tls:routes:)``
/// - ``route(_:_:_:)-(_,_,Answer)``
/// ### Reaching it
/// - ``url``
/// - ``port``
/// - ``certificateAuthorityPEM``
/// ### Looking back
/// - ``requests``
/// - ``requests(to:_:)``
/// - ``stop()``
public final class HTTPTestServer: Sendable {
    /// Makes the response to a request; an error it throws becomes a 500 with the error as text.
    ///
    /// Runs on Swift's concurrent pool, never on the thread of the server's sockets, one call at a
    /// time for each connection. Its task is cancelled when the server stops.
    public typealias Handler = @concurrent @Sendable (Request) async throws -> Response

    /// Where the server is, without a path: `http://127.0.0.1:49152`, or `https://…` with TLS.
    public let url: String

    /// The port that the kernel chose.
    public let port: Int

    /// The certificate, as PEM, that a client has to trust; empty without TLS.
    ///
    /// The authority is made anew for each server, so trusting it trusts nothing else.
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
    ///   - tls: default none: plain http.
    ///   - handler: called once for each request, after its body has arrived.
    /// - Returns: the server, listening; it lives as long as it is referred to.
    /// - Throws: when the machine has no descriptor, thread or port left.
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

    /// Starts a server that gives fixed answers.
    ///
    /// - Parameters:
    ///   - tls: default none: plain http.
    ///   - routes: responses by path, such as `"/users"`, or by method and path, such as
    ///     `"POST /users"`, which goes first. The query plays no part. Any other request is
    ///     answered with 404.
    /// - Returns: the server, listening; it lives as long as it is referred to.
    /// - Throws: as ``start(tls:_:)``.
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
    /// A request is here before it is answered. The oldest are forgotten beyond 4096, and
    /// beyond 64 MiB of bodies together those of the oldest, which are empty then.
    public var requests: [Request] { service.log.withLock { $0.requests } }

    func add(_ route: Route) {
        service.routes.withLock { $0.insert(route, at: 0) }
    }

    /// Connections accepted so far.
    public var connectionCount: Int { service.log.withLock { $0.connections } }

    /// Closes the port and all connections, and returns when they are closed; idempotent.
    ///
    /// Never needed: a server that nobody refers to does this by itself.
    public func stop() async {
        service.stop()
        await accepting.value
    }

    deinit {
        service.stop()
    }
}
