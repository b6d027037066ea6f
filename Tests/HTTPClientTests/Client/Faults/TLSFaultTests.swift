import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests faults of TLS connections in each step of the handshake and after it.
///
/// Every test ends with a successful request and an empty pool.
@Suite(.timeLimit(.minutes(10))) struct TLSFaultTests {
    /// The action of a relay after it has forwarded a given number of the server's handshake bytes.
    enum End: CaseIterable {
        case reset, close, garbage, alert, stall
    }

    /// A TLS server behind a relay that disturbs only the first connection.
    private struct Bench {
        let secure: SecureServer
        let relay: ScriptedOrigin
        let client: HTTPClient

        init(
            version: HTTPSecurity.Version = .tls13,
            script: @escaping @Sendable (Int) -> OriginScript
        ) async throws {
            let secure = try await SecureServer()
            let port = secure.server.port
            self.secure = secure
            relay = try ScriptedOrigin { $0 == 0 ? script(port) : [.relay(toPort: port)] }
            client = secure.client { $0.security.maximumVersion = version }
        }

        var request: HTTPRequest { HTTPRequest("https://127.0.0.1:\(relay.port)/") }

        /// The same request with a short handshake timeout.
        var hastyRequest: HTTPRequest {
            var request = request
            request.timeouts = HTTPTimeouts()
            request.timeouts?.tlsHandshake = .milliseconds(60)
            return request
        }

        func expectUnharmed(at location: SourceLocation = #_sourceLocation) async {
            await ClientTests.expectUnharmed(
                client,
                next: request,
                ports: relay.port,
                at: location
            )
        }
    }

    // MARK: - Handshake

    /// The relay forwards no bytes, part of a record header, part of the ServerHello, or part of the
    /// certificate.
    @Test(arguments: End.allCases, [0, 3, 60, 400])
    func `a fault in the handshake gives its error, and the next request works`(
        end: End,
        bytes: Int
    ) async throws {
        let gate = Gate()
        defer { gate.open() }
        let bench = try await Bench { port in
            var steps: [OriginStep] = [.relayAnswer(toPort: port, bytes: bytes)]
            switch end {
            case .reset: steps += [.reset]
            case .close: steps += [.close]
            case .garbage: steps += [.reply([UInt8](repeating: 0xee, count: 20_000))]
            // A fatal handshake_failure (RFC 8446 §6); within a record it is garbage.
            case .alert: steps += [.reply([21, 3, 3, 0, 2, 2, 40] + Self.garbage)]
            case .stall: steps += [.pause(gate)]
            }
            return OriginScript(steps)
        }
        let request = end == .stall ? bench.hastyRequest : bench.request
        let error = await failure { try await bench.client.send(request) }
        let kind = try #require(error?.kind)
        switch (end, kind) {
        case (.reset, .connectionLost), (.reset, .tlsFailed(.closed)): break
        // The reset can arrive before the client has seen that the connection is open.
        case (.reset, .connectFailed) where bytes == 0: break
        case (.close, .tlsFailed(.closed)), (.close, .connectionLost): break
        case (.garbage, .tlsFailed(.notTLS)) where bytes == 0: break
        case (.garbage, .tlsFailed(.peerProtocol)): break
        case (.alert, .tlsFailed(.alert(40, _))) where bytes == 0: break
        case (.alert, .tlsFailed(.peerProtocol)) where bytes > 0: break
        case (.stall, .timedOut(.tlsHandshake)): break
        default: Issue.record("\(end) after \(bytes): \(kind)")
        }
        let isEarly = if case .connectFailed = kind { true } else { false }
        #expect(error?.phase == (isEarly ? .connect : .tlsHandshake))
        #expect(bench.secure.server.requests.isEmpty)
        await bench.expectUnharmed()
    }

    private static let garbage = [UInt8](repeating: 0xdd, count: 20_000)

    @Test func `plain HTTP on a TLS port gives notTLS`() async throws {
        let bench = try await Bench { _ in
            [.reply("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .close]
        }
        let error = await failure { try await bench.client.send(bench.request) }
        #expect(error?.tlsReason == .notTLS)
        await bench.expectUnharmed()
    }

    @Test func `a silent TLS server times out in the handshake`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let bench = try await Bench { _ in
            [.pause(gate)]
        }
        let request = bench.hastyRequest
        let error = await failure { try await bench.client.send(request) }
        #expect(error?.kind == .timedOut(.tlsHandshake))
        await bench.expectUnharmed()
    }

    /// The client sends its hello, then the end of the handshake, then the request.
    ///
    /// The server detects the corrupted byte and answers with a fatal alert.
    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13], [1, 2])
    func `a TLS alert for the end of the handshake or for the request gives an error`(
        version: HTTPSecurity.Version,
        piece: Int
    ) async throws {
        // With TLS 1.3 the request can share a piece with the end of the handshake.
        if version == .tls13, piece == 2 { return }
        let bench = try await Bench(version: version) { port in
            [.relayCorrupted(toPort: port, piece: piece)]
        }
        let error = await failure { try await bench.client.send(bench.request) }
        switch error?.kind {
        case .tlsFailed(.alert): break
        // The server closed before the client read its alert, so sending failed first.
        case .connectionLost where version == .tls13: break
        default: Issue.record("\(String(describing: error))")
        }
        #expect(bench.secure.server.requests.isEmpty)
        await bench.expectUnharmed()
    }

    // MARK: - After the handshake

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: HTTPTestServer.Response
        let isExpected: @Sendable (HTTPError.Kind) -> Bool

        init(
            _ name: String,
            _ response: HTTPTestServer.Response,
            _ isExpected: @escaping @Sendable (HTTPError.Kind) -> Bool
        ) {
            testDescription = name
            self.response = response
            self.isExpected = isExpected
        }
    }

    static let endless = Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it?".utf8)
    static let half = Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".utf8)
    static let rows: [Row] = [
        Row(
            "truncation without close-notify, in a close-delimited body",
            .closedAbruptly(endless)
        ) {
            if case .truncatedResponse = $0 { true } else { false }
        },
        Row("truncation without close-notify, before the Content-Length", .closedAbruptly(half)) {
            if case .truncatedResponse = $0 { true } else { false }
        },
        Row("truncation with close-notify, before the Content-Length", .raw(half)) {
            if case .truncatedResponse = $0 { true } else { false }
        },
        Row("truncation without close-notify, before the response", .closedAbruptly([])) {
            if case .truncatedResponse = $0 { true } else { false }
        },
        Row("close before the response", .close) {
            if case .truncatedResponse = $0 { true } else { false }
        },
        Row("reset before the response", .reset) {
            if case .connectionLost = $0 { true } else { false }
        },
        Row(
            "plain text below TLS",
            .closedAbruptly([], plaintext: Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        ) {
            if case .tlsFailed(.peerProtocol) = $0 { true } else { false }
        },
        Row("a plain alert below TLS", .closedAbruptly([], plaintext: [21, 3, 3, 0, 2, 2, 80])) {
            if case .tlsFailed = $0 { true } else { false }
        },
        Row("half a record, then the end", .closedAbruptly(half, plaintext: [23, 3, 3, 1, 0, 7])) {
            if case .truncatedResponse = $0 { true } else { false }
        },
    ]

    @Test(arguments: rows, [HTTPSecurity.Version.tls12, .tls13])
    func `a fault after the handshake gives its error, and the next request works`(
        row: Row,
        version: HTTPSecurity.Version
    ) async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { request in
            request.path == "/fault" ? row.response : .text("hello")
        }
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(server.certificateAuthorityPEM)
        configuration.security.maximumVersion = version
        configuration.timeouts.tlsHandshake = .seconds(60)
        let client = HTTPClient(configuration)
        let error = await failure { try await client.send(HTTPRequest(server.url + "/fault")) }
        let kind = try #require(error?.kind)
        #expect(row.isExpected(kind), "\(kind)")
        // The same on a reused connection.
        #expect(try await client.send(HTTPRequest(server.url)).text == "hello")
        let again = await failure {
            try await client.send(HTTPRequest(server.url + "/fault", method: .post))
        }
        let kindOfPost = try #require(again?.kind)
        #expect(row.isExpected(kindOfPost), "\(kindOfPost)")
        await expectUnharmed(client, next: HTTPRequest(server.url), ports: server.port)
        await server.stop()
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `a closed or reset idle TLS connection does not affect the next request`(
        version: HTTPSecurity.Version
    ) async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { request in
            switch request.path {
            // Both responses allow the client to keep the connection, which then ends abruptly.
            case "/severed":
                .closedAbruptly(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8))
            case "/corrupted":
                .closedAbruptly(
                    Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8),
                    plaintext: [1, 2, 3, 4, 5, 6, 7, 8]
                )
            default: .text("hello")
            }
        }
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(server.certificateAuthorityPEM)
        configuration.security.maximumVersion = version
        configuration.timeouts.tlsHandshake = .seconds(60)
        let client = HTTPClient(configuration)
        for path in ["/severed", "/corrupted"] {
            #expect(try await client.send(HTTPRequest(server.url + path)).text == "hello")
            while await client.pool.snapshot().idle > 0 { await moment() }
            let post = HTTPRequest(server.url, method: .post, body: .string("once"))
            #expect(try await client.send(post).metrics.replays == 0)
        }
        await expectUnharmed(client, next: HTTPRequest(server.url), ports: server.port)
        await server.stop()
    }
}
