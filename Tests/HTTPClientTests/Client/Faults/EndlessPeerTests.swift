import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing
import Wire

/// Tests that a peer which always has more to send holds up neither its own call nor another one.
///
/// A wait for a ready socket returns at once, so these calls never sleep. The client has to check the deadlines, and
/// to run other calls, after a limited number of bytes.
@Suite(.timeLimit(.minutes(10))) struct EndlessPeerTests {
    private static let hello = OriginScript.always(
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    )

    @Test func `other calls go on while an unread body is discarded`() async throws {
        // Tiny chunks take much longer to parse than to send.
        let chunks = Array(repeatElement(Array("1\r\nx\r\n".utf8), count: 10_000).joined())
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .replyForever(chunks),
        ])
        let other = try ScriptedOrigin(Self.hello)
        var configuration = HTTPClient.Configuration()
        configuration.unreadBodyPolicy = .init(bytes: .max, time: .seconds(3600))
        let client = HTTPClient(configuration)
        _ = try await client.stream(HTTPRequest(origin.url))
        for _ in 0..<3 {
            #expect(try await client.send(HTTPRequest(other.url)).text == "hello")
        }
        #expect(origin.failures == [])
    }

    @Test(arguments: [false, true], [HTTPDigest.Verification.off, .ifPresent])
    func `a body in several codings arrives whole`(
        collects: Bool,
        verification: HTTPDigest.Verification
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

    #if DEBUG
    /// What ends a call while its peer has sent more.
    enum End: CaseIterable, Sendable {
        case timeout
        case cancellation
    }

    @Sendable private func read(from client: HTTPClient, _ reading: Reading) async throws {
        guard reading != .collected else {
            _ = try await client.send("http://a/")
            return
        }
        for try await _ in try await client.stream("http://a/").body {}
    }

    enum Reading: CaseIterable, Sendable {
        case collected
        case streamed
        /// Each read by the caller returns bytes before its turn is over.
        case streamedWithOutput

        /// 135 KB of raw deflate data.
        var data: [UInt8] {
            switch self {
            case .collected, .streamed:
                return Array(repeatElement(EmptyDeflateBlocks.eight, count: 1500).joined())
            case .streamedWithOutput:
                // Stored blocks of 60 000 bytes.
                let block = [0, 0x60, 0xea, 0x9f, 0x15] + [UInt8](repeating: 7, count: 60_000)
                return Array((block + block + block).prefix(135_000))
            }
        }
    }

    @Test(arguments: Reading.allCases, End.allCases)
    func `a coded body ends its turn after 64 KiB`(reading: Reading, end: End) async {
        let data = reading.data
        let isOver = SharedLog<Bool>()
        let serve: SimulatedTransfer.Serve = { stream in
            try await stream.readHead()
            try await stream.write("HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n")
            try await stream.write(EmptyDeflateBlocks.literal(120))
            for _ in 0..<10 { await Task.yield() }
            // The socket takes all of it before the client runs.
            try await stream.write(data)
            // The task that cancels the call needs one pass of the loop more than the clock.
            if end == .cancellation { isOver.add(true) }
            await Task.yield()
            if end == .timeout { SimulatedTime.now = Deadline.now().advanced(by: .seconds(60)) }
            isOver.add(true)
            // This wait ends when the client closes the connection.
            try await stream.wait(for: .seconds(60))
        }
        let error = await SimulatedTransfer.run {
            $0.limits.codingOverheadBytes = .max
            $0.timeouts.total = .seconds(30)
        } serve: { stream in
            try await serve(stream)
        } _: { client in
            await withTaskGroup(of: HTTPError?.self) { group in
                group.addTask { await failure { try await read(from: client, reading) } }
                group.addTask {
                    while isOver.entries.isEmpty { await Task.yield() }
                    return nil
                }
                let first = await group.next() ?? nil
                if end == .cancellation { group.cancelAll() }
                let second = await group.next() ?? nil
                return first ?? second
            }
        }
        #expect(error??.kind == (end == .timeout ? .timedOut(.total) : .cancelled))
        #expect(error??.metrics.bytesReceived ?? 0 > 0)
        #expect(error??.metrics.bytesReceived ?? .max < 100_000)
    }
    #endif
}
