import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests the trailer sections of responses (RFC 9110 §6.5, RFC 9112 §7.1.2).
@Suite(.timeLimit(.minutes(10))) struct ResponseTrailerTests {
    private static let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"

    enum Way: Sendable, CaseIterable {
        case send
        case stream
        case blocking
        case blockingStream
        case started
        case startedStream
        case download
        case startedDownload
        case write
        case onTheLoop
        case dedicated
        case dedicatedStream

        /// Runs the request and returns the trailers after the body.
        func trailers(_ request: HTTPRequest, in client: HTTPClient) async throws -> HTTPHeaders? {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/file"
            switch self {
            case .send: return try await client.send(request).trailers
            case .stream: return try await Self.read(client.stream(request))
            case .blocking:
                return try await onThread {
                    Result { try client.blocking.send(request).trailers }
                }.get()
            case .blockingStream:
                return try await onThread {
                    Result {
                        let response = try client.blocking.stream(request)
                        while try response.blocking.next() != nil {}
                        return response.trailers
                    }
                }.get()
            case .started: return try await client.start(request).value.trailers
            case .startedStream: return try await Self.read(client.startStream(request).value)
            case .download: return try await client.download(request, to: path).trailers
            case .startedDownload:
                let call = client.startDownload(request, to: path)
                var trailers: HTTPHeaders?
                for await event in call.events {
                    if case .response(let response) = event { trailers = response.trailers }
                }
                let file = try await call.value
                return trailers == file.trailers ? trailers : nil
            case .write: return try await client.stream(request).write(to: path).trailers
            case .onTheLoop:
                return try await Task(executorPreference: client.executor) {
                    try await client.send(request).trailers
                }.value
            case .dedicated:
                return try await client.withConnection(to: request) { connection in
                    try await connection.send(request).trailers
                }
            case .dedicatedStream:
                return try await client.withConnection(to: request) { connection in
                    try await Self.read(connection.stream(request))
                }
            }
        }

        private static func read(_ response: HTTPStreamedResponse) async throws -> HTTPHeaders? {
            guard response.trailers == nil else { return nil }
            _ = try await response.body.collect()
            return response.trailers
        }
    }

    @Test(arguments: Way.allCases)
    func `trailers are available after the body, on every path`(way: Way) async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .replyByteByByte(Self.chunked + "X-Sum: 5\r\nx-sum: 6\r\n\r\n"),
        ])
        let trailers = try await way.trailers(HTTPRequest(origin.url), in: HTTPClient())
        #expect(trailers?.values("X-Sum") == ["5", "6"])
        #expect(trailers?.count == 2)
    }

    @Test(arguments: Way.allCases)
    func `trailers beyond their limits fail the call, on every path`(way: Way) async throws {
        let many = (0..<65).map { "X-\($0): 1\r\n" }.joined()
        let long = "X: " + String(repeating: "a", count: 17 << 10) + "\r\n"
        for (fields, limit) in [
            (many, ExceededLimit.trailerCount(64)), (long, .trailerBytes(16 << 10)),
        ] {
            let origin = try ScriptedOrigin([.expectHead, .reply(Self.chunked + fields + "\r\n")])
            let error = await failure {
                try await way.trailers(HTTPRequest(origin.url), in: HTTPClient())
            }
            #expect(error?.kind == .limitExceeded(.limitExceeded(limit)))
        }
    }

    @Test func `a response that asked for no trailers has them too, and TE asks for them`()
        async throws
    {
        let reply = Self.chunked + "X-Sum: 5\r\n\r\n"
        let origin = try ScriptedOrigin([
            .expectHeadWhere { !$0.contains("TE:") }, .reply(reply),
            .expectHead(lines: "TE: trailers", "Connection: TE"), .reply(reply),
        ])
        let client = HTTPClient()
        let request = HTTPRequest(origin.url)
        #expect(try await client.send(request).trailers["X-Sum"] == "5")
        // The connection is kept: TE is not an option that closes it.
        let asking = try await client.send(request.acceptTrailers())
        #expect(asking.trailers["X-Sum"] == "5" && asking.metrics.isReused)
        let derived = client.with { $0.connectionReuse = .off }
        let other = try ScriptedOrigin([
            .expectHead(lines: "TE: trailers", "Connection: TE", "Connection: close"),
            .reply(reply),
        ])
        _ = try await derived.send(HTTPRequest(other.url).acceptTrailers())
        #expect(origin.failures + other.failures == [])
    }

    @Test func `a body cut before its trailers end is an error`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.chunked + "X-Sum: 5\r\n"), .close,
        ])
        let response = try await HTTPClient().stream(HTTPRequest(origin.url))
        let error = await failure { try await response.body.collect() }
        guard case .truncatedResponse = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.trailers == nil)
    }
}
