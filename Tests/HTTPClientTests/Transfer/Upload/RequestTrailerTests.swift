import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing
import Wire

#if Foundation
import FoundationEssentials
#endif

/// Tests trailer sections after the bodies of requests (RFC 9110 §6.5, RFC 9112 §7.1.2).
@Suite(.timeLimit(.minutes(10))) struct RequestTrailerTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    /// Counts bytes or calls.
    private final class Counter: Sendable {
        private let count = Locked(0)
        var value: Int { count.withLock { $0 } }

        @discardableResult func add(_ number: Int) -> Int {
            count.withLock { count in
                count += number
                return count
            }
        }
    }

    private struct Pair: Encodable, Sendable {
        let a: Int
    }

    private func put(_ url: String, _ body: HTTPBody) -> HTTPRequest {
        HTTPRequest(url, method: .put, body: body)
    }

    @Test func `a trailer is announced, and its value is computed after the content`() async throws
    {
        let origin = try ScriptedOrigin([
            .expectHead, .expect("3\r\none\r\n0\r\nX-Sum: 3\r\nX-Last: 1\r\n\r\n"),
            .reply(Self.hello), .expectHead, .reply(Self.hello),
        ])
        var configuration = HTTPClient.Configuration()
        configuration.headers = [:]
        configuration.decompression = .off
        let client = HTTPClient(configuration)
        let sum = Counter()
        let body = HTTPBody.stream {
            AsyncStream<[UInt8]> { continuation in
                sum.add(3)
                continuation.yield(Array("one".utf8))
                continuation.finish()
            }
        }.trailers(["X-Sum", "X-Last", "X-None"]) { ["X-Sum": "\(sum.value)", "X-Last": "1"] }
        #expect(body.length == nil && body.isReplayable)
        _ = try await client.send(put(origin.url, body))
        // The connection is in a defined state after the trailers.
        #expect(try await client.send(HTTPRequest(origin.url)).metrics.isReused)
        #expect(origin.failures == [])
        let head =
            "PUT / HTTP/1.1\r\nHost: \(origin.authority)\r\n"
            + "Content-Type: application/octet-stream\r\nTrailer: X-Sum, X-Last, X-None\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n"
        #expect(origin.text().hasPrefix(head))
    }

    enum Way: Sendable, CaseIterable {
        case send
        case stream
        case blocking
        case onTheLoop
    }

    enum Kind: Sendable, CaseIterable {
        case empty
        case bytes
        case large
        case file
        case known
        case unknown
        case multipart
        case deferred
    }

    @Test(.serialized, arguments: Way.allCases, Kind.allCases)
    func `every kind of body is sent in chunks with its trailers`(way: Way, kind: Kind) async throws
    {
        let server = try await HTTPTestServer.start { request in .text("\(request.body.count)") }
        let directory = try TemporaryDirectory()
        var content = Array("content".utf8)
        let body: HTTPBody
        switch kind {
        case .empty:
            content = []
            body = .empty
        case .bytes: body = .bytes(content)
        case .large:
            content = [UInt8](repeating: 7, count: 300_000)
            body = .bytes(content)
        case .file: body = .file(try directory.write(content, as: "a"))
        case .known: body = .stream(WatchedPieces(content, 1), length: content.count)
        case .unknown: body = .stream(WatchedPieces(content, 1))
        case .multipart:
            body = .multipart { $0.add(string: "content", name: "a") }
            content = body.bytes
        case .deferred:
            content = Array(#"{"a":1}"#.utf8)
            #if Foundation
            body = .json(Pair(a: 1))
            #else
            body = .json(text: #"{"a":1}"#)
            #endif
        }
        let request = put(
            server.url,
            body.trailers(["Old"]) { ["Old": "1"] }.trailers(["X-Sum"]) { ["X-Sum": "9"] }
        )
        let client = HTTPClient()
        switch way {
        case .send: _ = try await client.send(request)
        case .stream: _ = try await client.stream(request).body.collect()
        case .blocking:
            _ = try await onThread { Result { try client.blocking.send(request).status } }.get()
        case .onTheLoop:
            let task = Task(executorPreference: client.executor) {
                try await client.send(request).status
            }
            _ = try await task.value
        }
        let received = try #require(server.requests.last)
        #expect(received.body == content)
        #expect(received.trailers == ["X-Sum": "9"])
        #expect(received.headers[.transferEncoding] == "chunked")
        #expect(received.headers[.contentLength] == nil)
        #expect(received.headers.values(.trailer) == ["X-Sum"])
        #expect(received.headers[.contentType] == body.contentType?.rawValue)
    }

    @Test func `each time that the body is sent, the trailers are computed again`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/old" ? .redirect(to: "/new", status: .temporaryRedirect) : .text("ok")
        }
        let calls = Counter()
        let body = HTTPBody.bytes([1, 2]).trailers(["X-Call"]) { ["X-Call": "\(calls.add(1))"] }
        #expect(try await HTTPClient().send(put(server.url + "/old", body)).text == "ok")
        #expect(server.requests.map { $0.trailers["X-Call"] } == ["1", "2"])
    }

    @Test func `the request's own Trailer field is kept`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("ok") }
        let body = HTTPBody.bytes([1]).trailers(["X-A"]) { ["X-A": "1"] }
        _ = try await HTTPClient().send(put(server.url, body).header(.trailer, "x-a"))
        #expect(server.requests.last?.headers.values(.trailer) == ["x-a"])
        #expect(server.requests.last?.trailers == ["X-A": "1"])
    }

    @Test func `a body without trailers is unchanged by a closure that returns none`() async throws
    {
        let server = try await HTTPTestServer.start { _ in .text("ok") }
        _ = try await HTTPClient().send(put(server.url, .bytes([1]).trailers([]) { [:] }))
        #expect(server.requests.last?.body == [1])
        #expect(server.requests.last?.headers.contains(.trailer) == false)
    }

    // MARK: - Errors

    @Test(
        arguments: TrailerRules.forbidden.map(\.rawName) + ["", "a b", "a\r\nb", "content-LENGTH"]
    )
    func `a name that must not be a trailer is rejected before connecting`(
        name: String
    ) async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let body = HTTPBody.bytes([1]).trailers(["X-Sum", FieldName(name)]) { [:] }
        let error = await failure { try await HTTPClient().send(put(origin.url, body)) }
        #expect(error?.kind == .invalidRequest(.trailerField(name)))
        #expect(error?.phase == .preparing && error?.blame == .caller)
        #expect(origin.connectionCount == 0)
    }

    private struct HashError: Error, Equatable {}

    struct Failing: Sendable {
        let values: @concurrent @Sendable () async throws -> HTTPHeaders
        let reason: HTTPError.BodyReason

        init(
            _ reason: HTTPError.BodyReason,
            _ values: @escaping @concurrent @Sendable () async throws -> HTTPHeaders
        ) {
            self.values = values
            self.reason = reason
        }
    }

    private static let failing = [
        Failing(.unannouncedTrailer("X-Other")) { ["X-Sum": "1", "X-Other": "2"] },
        Failing(.unannouncedTrailer("Content-Length")) { ["Content-Length": "2"] },
        Failing(.invalidTrailer(.invalidFieldValue(index: 1))) {
            ["X-Sum": "1", "X-Last": "a\r\nb"]
        },
        Failing(.thrown(description: "HashError()")) { throw HashError() },
    ]

    @Test(arguments: failing)
    func `trailers that cannot be sent leave the request incomplete`(failing: Failing) async throws
    {
        let origin = try ScriptedOrigin([.expectHead])
        let client = HTTPClient()
        let body = HTTPBody.stream(WatchedPieces([97], 1))
            .trailers(["X-Sum", "X-Last"], failing.values)
        let error = await failure { try await client.send(put(origin.url, body)) }
        #expect(error?.kind == .bodyFailed(failing.reason))
        #expect(error?.phase == .sendingBody && error?.blame == .caller)
        if case .thrown = failing.reason { #expect(error?.underlying is HashError) }
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
        #expect(!origin.text().contains("\r\n0\r\n"))
    }

    @Test func `content with an announced length must have it, with trailers too`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("ok") }
        let client = HTTPClient()
        for (length, reason) in [
            (3, HTTPError.BodyReason.tooShort(expected: 3, sent: 2)), (1, .tooLong(expected: 1)),
        ] {
            let body = HTTPBody.stream(WatchedPieces([1, 2], 1), length: length)
                .trailers(["X-Sum"]) { ["X-Sum": "1"] }
            let error = await failure { try await client.send(put(server.url, body)) }
            #expect(error?.kind == .bodyFailed(reason))
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a stream that failed to encode keeps its own error`() async throws {
        let form = MultipartForm(boundary: "a\r\nb")
        let body = HTTPBody.multipart(form).trailers(["X-Sum"]) { [:] }
        let error = await failure { try await HTTPClient().send(put("http://127.0.0.1:1/", body)) }
        #expect(error?.kind == .invalidRequest(.multipart(.invalidBoundary("a\r\nb"))))
    }
}
