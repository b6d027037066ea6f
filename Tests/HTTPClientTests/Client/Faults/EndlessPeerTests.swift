import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Synchronization
import Testing
import Wire

/// Tests that a peer which always has more to send holds up neither its own call nor another one.
///
/// A wait for a ready socket returns at once, so these calls never sleep. Each test hangs if the client stops
/// looking at the clock, or keeps its loop to one connection. The peer uses a Unix domain socket, which always has
/// more bytes: the window of TCP leaves gaps.
@Suite(.timeLimit(.minutes(2))) struct EndlessPeerTests {
    private static let hello = OriginScript.always(
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    )

    /// Coded bytes that take much longer to decode than to send, and have no output.
    private static let slow = Array(repeatElement(EmptyDeflateBlocks.eight, count: 700).joined())

    private let socket = "\0httpclient-endless-\(UInt64.random(in: 0 ... .max))"

    private func flood(after first: [UInt8]) throws -> ScriptedOrigin {
        try ScriptedOrigin(
            unix: socket,
            [
                .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n"),
                .reply(first), .replyForever(Self.slow),
            ]
        )
    }

    /// A client without limits, and the same one for requests to the socket.
    private var clients: (tcp: HTTPClient, unix: HTTPClient) {
        var configuration = HTTPClient.Configuration()
        configuration.limits.codingOverheadBytes = .max
        configuration.timeouts.total = nil
        configuration.unreadBodyPolicy = .init(bytes: .max, time: .seconds(3600))
        let client = HTTPClient(configuration)
        return (
            client,
            client.with { $0.connectOptions.unixSocket = .abstract(String(socket.dropFirst())) }
        )
    }

    @Test(arguments: [EmptyDeflateBlocks.literal(120) + EmptyDeflateBlocks.literal(121), []])
    func `the total timeout applies to coded bytes without output`(first: [UInt8]) async throws {
        let origin = try flood(after: first)
        let request = HTTPRequest("http://a/").timeouts { $0.total = .milliseconds(500) }
        let response = try await clients.unix.stream(request)
        let received = Mutex<[UInt8]>([])
        let error = await failure {
            for try await chunk in response.body { received.withLock { $0 += chunk } }
        }
        #expect(error?.kind == .timedOut(.total))
        #expect(received.withLock { $0 } == (first.isEmpty ? [] : [120, 121]))
        #expect(origin.failures == [])
    }

    @Test(arguments: [false, true])
    func `a call can be canceled, and others go on, while nothing is decoded`(
        collects: Bool
    ) async throws {
        let origin = try flood(after: EmptyDeflateBlocks.literal(120))
        let other = try ScriptedOrigin(Self.hello)
        let (client, flooded) = clients
        let call = Task {
            await failure {
                guard !collects else {
                    _ = try await flooded.send("http://a/")
                    return
                }
                for try await _ in try await flooded.stream("http://a/").body {}
            }
        }
        while origin.connectionCount == 0 { await moment() }
        for _ in 0..<3 {
            #expect(try await client.send(HTTPRequest(other.url)).text == "hello")
        }
        call.cancel()
        #expect(await call.value?.kind == .cancelled)
    }

    @Test func `other calls go on while an unread body is discarded`() async throws {
        // Tiny chunks take much longer to parse than to send.
        let chunks = Array(repeatElement(Array("1\r\nx\r\n".utf8), count: 10_000).joined())
        let origin = try ScriptedOrigin(
            unix: socket,
            [
                .expectHead, .reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .replyForever(chunks),
            ]
        )
        let other = try ScriptedOrigin(Self.hello)
        let (client, flooded) = clients
        _ = try await flooded.stream("http://a/")
        for _ in 0..<3 {
            #expect(try await client.send(HTTPRequest(other.url)).text == "hello")
        }
        #expect(origin.failures == [])
    }

    @Test(arguments: [false, true], [HTTPDigestVerification.off, .ifPresent])
    func `a body in several codings arrives whole`(
        collects: Bool,
        verification: HTTPDigestVerification
    ) async throws {
        let body = NestedCoding { Deflater.gzip($0) }
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply(
                "HTTP/1.1 200 OK\r\nContent-Encoding: \(NestedCoding.field)\r\n"
                    + "Content-Length: \(body.coded.count)\r\n\r\n"
            ),
            .reply(body.coded),
        ])
        var configuration = HTTPClient.Configuration()
        configuration.limits.expansionRatio = 100_000
        configuration.digestVerification = verification
        let client = HTTPClient(configuration)
        var received: [UInt8] = []
        if collects {
            received = try await client.send(HTTPRequest(origin.url)).body
        } else {
            for try await chunk in try await client.stream(HTTPRequest(origin.url)).body {
                received += chunk
            }
        }
        #expect(received == body.plain)
    }

    @Test(arguments: [false, true])
    func `the total timeout applies to responses before the final one`(secure: Bool) async throws {
        let heads = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 300_000)
        let raw = heads + "HTTP/1.1 204 No Content\r\n\r\n"
        let server = try await SecureServer()
        server.server.route("/") { _ in .raw(raw) }
        let origin = try ScriptedOrigin([.expectHead, .reply(raw)])
        let client = server.client { $0.limits.informationalCount = .max }
        let request = HTTPRequest(secure ? server.url : origin.url).timeouts {
            $0.total = .milliseconds(200)
        }
        let error = await failure { try await client.send(request) }
        #expect(error?.kind == .timedOut(.total))
    }
}
