import ClientSupport
import Dispatch
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests streamed responses that a thread without a task reads.
@Suite(.timeLimit(.minutes(10))) struct BlockingStreamTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    private let half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"

    /// The outcome of a read.
    private enum Read: Equatable {
        case chunk(String)
        case end
        case failure(HTTPError.Kind)

        init(_ response: HTTPStreamedResponse) {
            do throws(HTTPError) {
                let chunk = try response.blocking.next()
                self = chunk.map { .chunk(String(decoding: $0, as: UTF8.self)) } ?? .end
            } catch {
                self = .failure(error.kind)
            }
        }
    }

    /// Opens a response on a thread and returns what `body` makes of it.
    private func stream<Value: Sendable>(
        _ url: String,
        in client: HTTPClient = HTTPClient(),
        _ body: @escaping @Sendable (HTTPStreamedResponse) throws -> Value
    ) async throws -> Value {
        try await onThread { Result { try body(try client.blocking.stream(url)) } }.get()
    }

    @Test func `chunks are returned as they arrive, and the connection is reused after the end`()
        async throws
    {
        let gate = Gate()
        let trailers = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        let origin = try ScriptedOrigin([
            .expectHead, .reply(trailers), .pause(gate), .reply("5\r\nworld\r\n0\r\nA: b\r\n\r\n"),
            .expectHead, .reply(hello),
        ])
        let client = HTTPClient()
        let (reads, status, before, after) = try await stream(origin.url, in: client) { response in
            let before = response.trailers
            let first = Read(response)
            gate.open()
            let rest = (0..<3).map { _ in Read(response) }
            return ([first] + rest, response.status, before, response.trailers)
        }
        #expect(reads == [.chunk("hello"), .chunk("world"), .end, .end])
        #expect(status == .ok)
        #expect(before == nil && after?["A"] == "b")
        #expect(try await client.send(origin.url).text == "hello")
        #expect(origin.connectionCount == 1)
        #expect(origin.failures == [])
    }

    @Test func `an error in the body is thrown once, after the bytes before it`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(half), .close])
        let reads = try await stream(origin.url) { response in
            (0..<3).map { _ in Read(response) }
        }
        let truncated = HTTPError.Kind.truncatedResponse(.bodyTruncated(received: 5, expected: 10))
        #expect(reads == [.chunk("hello"), .failure(truncated), .end])
    }

    @Test func `a failed request is thrown before there is a response`() async throws {
        let port = try UnreachablePorts.refusing()
        let error = await failure {
            try await stream("http://127.0.0.1:\(port)/") { $0.status }
        }
        guard case .connectFailed? = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test func `a response that is dropped early gives its connection back, or closes it`()
        async throws
    {
        let short = try ScriptedOrigin(.always(hello))
        // The second request waits for the connection of the first.
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        let client = HTTPClient(configuration)
        _ = try await stream(short.url, in: client) { $0.status }
        #expect(try await client.send(short.url).text == "hello")
        #expect(short.connectionCount == 1)
        let endless = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"),
            .replyForever([UInt8](repeating: 1, count: 65_536)),
        ])
        let first = try await stream(endless.url, in: client) { try $0.blocking.next() }
        #expect(first?.isEmpty == false)
        while DescriptorCount.connected(toPort: endless.port) > 0 { await moment() }
    }

    @Test(arguments: [false, true])
    func `canceling a response ends its reads and closes the connection`(
        isReading: Bool
    ) async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.expectHead, .reply(half), .pause(gate)])
        let client = HTTPClient()
        let url = origin.url
        let (opened, open) = AsyncStream<HTTPStreamedResponse>.makeStream()
        let closed = DispatchSemaphore(value: 0)
        async let reads = onThread { () -> [Read] in
            guard let response = try? client.blocking.stream(url) else { return [] }
            let first = Read(response)
            open.yield(response)
            open.finish()
            if !isReading { closed.wait() }
            return [first, Read(response), Read(response)]
        }
        for await response in opened { response.cancel() }
        if !isReading {
            // Without a read in progress, the loop closes the connection at once.
            while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
            closed.signal()
        }
        #expect(await reads == [.chunk("hello"), .failure(.cancelled), .end])
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
        #expect(await client.pool.snapshot().origins.isEmpty)
    }

    @Test func `canceling a response after its end has no effect`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let rest = try await stream(origin.url, in: client) { response in
            let text = try response.blocking.collect()
            response.cancel()
            return (text, Read(response))
        }
        #expect(rest.0 == Array("hello".utf8))
        #expect(rest.1 == .end)
        #expect(try await client.send(origin.url).text == "hello")
        #expect(origin.connectionCount == 1)
    }

    @Test func `the client reads no further than the caller`() async throws {
        let size = 64 << 20
        let written = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
            .repeat(64, [.reply([UInt8](repeating: 1, count: 1 << 20))]), .pause(written),
        ])
        let received = try await stream(origin.url) { response in
            var received: [Int] = []
            while let chunk = try response.blocking.next() { received.append(chunk.count) }
            return received
        }
        written.open()
        #expect(received.reduce(0, +) == size)
        #expect(received.allSatisfy { 1...(512 << 10) ~= $0 })
    }

    @Test func `a rejected status, a limit and a file behave as in a task`() async throws {
        let page = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"
        let missing = try ScriptedOrigin(.always(page))
        let rejected = await failure {
            try await stream(missing.url) { try $0.blocking.requireSuccess().status }
        }
        #expect(rejected?.kind == .rejectedStatus(.notFound))
        #expect(rejected?.partialBody == Array("no".utf8))
        let origin = try ScriptedOrigin(.always(hello))
        let large = await failure {
            try await stream(origin.url) { try $0.blocking.collect(upTo: 4) }
        }
        #expect(large?.kind == .bodyTooLarge(limit: 4))
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let file = try await stream(origin.url) { try $0.blocking.write(to: path) }
        #expect(file.size == 5)
        #expect(TestFileSystem.contents(of: path) == Array("hello".utf8))
    }

    @Test func `reading inside a task is rejected, and the body stays unread`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let response = try await HTTPClient().stream(origin.url)
        let error = await failure { try response.blocking.next() }
        #expect(error?.kind == .invalidRequest(.blockingInsideTask))
        #expect(error?.request == "GET \(origin.url)/")
        #expect(try await response.body.collect() == Array("hello".utf8))
    }

    @Test func `a body that an interceptor made is read as any other`() async throws {
        let client = HTTPClient().with { $0.interceptors.append(Answer()) }
        let reads = try await stream("http://a.example/", in: client) { response in
            response.cancel()
            return (0..<2).map { _ in Read(response) }
        }
        #expect(reads == [.chunk("made"), .end])
    }

    /// An interceptor that answers every request itself.
    private struct Answer: HTTPInterceptor {
        func intercept(
            _ request: HTTPRequest,
            _ context: HTTPContext,
            next: HTTPNext
        ) async throws -> HTTPInterceptorResult {
            .response(try HTTPResponse(body: Array("made".utf8), for: request))
        }
    }
}
