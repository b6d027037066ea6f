import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing
import Wire

@Suite(.timeLimit(.minutes(10))) struct RequestCompressionTests {
    /// What a server received.
    private struct Upload: Equatable {
        var coding: String?
        var length: String?
        var isChunked: Bool
        var type: String?
        var body: [UInt8]

        init(_ request: HTTPTestServer.Request) throws {
            coding = request.headers[.contentEncoding]
            length = request.headers[.contentLength]
            isChunked = request.headers[.transferEncoding] == "chunked"
            type = request.headers[.contentType]
            body = try RequestCompressionTests.decoded(request.body, request.headers)
        }
    }

    private static let words = Array(String(repeating: "hello, hello! ", count: 100_000).utf8)
    /// Bytes that gzip cannot shorten.
    private static let noise: [UInt8] = {
        var state: UInt64 = 1
        return (0..<50_000).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }()

    private static func decoded(_ bytes: [UInt8], _ headers: HTTPHeaders) throws -> [UInt8] {
        guard var decoder = try ContentDecoder(headers, limits: limits) else { return bytes }
        var output: [UInt8] = []
        let consumed = try decoder.decode(bytes.span, into: &output, outputLimit: .max)
        #expect(consumed == bytes.count)
        try decoder.finish()
        return output
    }

    private static let limits: WireLimits = {
        var limits = WireLimits.default
        limits.expansionRatio = 100_000
        return limits
    }()

    private final class Uploads: Sendable {
        private let requests = Locked<[HTTPTestServer.Request]>([])

        func add(_ request: HTTPTestServer.Request) { requests.withLock { $0.append(request) } }

        func all() throws -> [Upload] { try requests.withLock { $0 }.map { try Upload($0) } }
    }

    private func server(
        _ uploads: Uploads,
        _ answer: @escaping @Sendable (HTTPTestServer.Request) -> HTTPTestServer.Response = { _ in
            .status(.noContent)
        }
    ) async throws -> HTTPTestServer {
        try await HTTPTestServer.start { request in
            uploads.add(request)
            return answer(request)
        }
    }

    private func post(_ url: String, _ body: HTTPBody) -> HTTPRequest {
        HTTPRequest(url, method: .post, body: body).compressed()
    }

    @Test func `a body in memory is sent in gzip with its length`() async throws {
        let uploads = Uploads()
        let server = try await server(uploads)
        for body in [
            HTTPBody.bytes(Self.words), .string(String(decoding: Self.words, as: UTF8.self)),
        ] {
            _ = try await HTTPClient().send(post(server.url, body))
        }
        for upload in try uploads.all() {
            #expect(upload.coding == "gzip")
            #expect(!upload.isChunked)
            #expect(Int(upload.length ?? "") ?? .max < Self.words.count / 100)
            #expect(upload.body == Self.words)
        }
        #expect(
            try uploads.all().map(\.type) == [
                "application/octet-stream", "text/plain; charset=utf-8",
            ]
        )
    }

    @Test(arguments: [
        ("a short body", HTTPBody.bytes(Array(words.prefix(1023)))), ("no body", .empty),
        ("bytes that become no shorter", .bytes(noise)),
        (
            "a short stream",
            .stream(length: 3) {
                AsyncStream<[UInt8]> {
                    $0.yield([1, 2, 3])
                    $0.finish()
                }
            }
        ),
    ])
    func `a body that compression does not help is sent as it is`(
        name: String,
        body: HTTPBody
    ) async throws {
        let uploads = Uploads()
        let server = try await server(uploads)
        _ = try await HTTPClient().send(post(server.url, body))
        let upload = try #require(try uploads.all().first)
        #expect(upload.coding == nil)
        #expect(!upload.isChunked)
    }

    @Test func `the shortest body that is compressed has 1024 bytes`() async throws {
        let uploads = Uploads()
        let server = try await server(uploads)
        _ = try await HTTPClient().send(post(server.url, .bytes(Array(Self.words.prefix(1024)))))
        #expect(try uploads.all().first?.coding == "gzip")
    }

    @Test(arguments: [FieldName.contentEncoding, "Content-Digest", "Repr-Digest"])
    func `a field of the caller prevents compression`(name: FieldName) async throws {
        let uploads = Uploads()
        let server = try await server(uploads)
        var request = post(server.url, .bytes(Self.words))
        request.headers[name] = "identity"
        _ = try await HTTPClient().send(request)
        let client = HTTPClient().with { $0.headers[name] = "identity" }
        _ = try await client.send(post(server.url, .bytes(Self.words)))
        for upload in try uploads.all() {
            #expect(upload.length == "\(Self.words.count)")
            #expect(upload.body == Self.words)
        }
    }

    @Test func `files, streams and forms are compressed while they are sent`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Self.words, as: "words.txt")
        let uploads = Uploads()
        let server = try await server(uploads)
        let noise = Self.noise
        let bodies: [HTTPBody] = [
            .file(path),
            .stream(
                AsyncStream<[UInt8]> { pieces in
                    for start in stride(from: 0, to: noise.count, by: 100) {
                        pieces.yield(Array(noise[start..<start + 100]))
                    }
                    pieces.finish()
                }
            ),
            .stream(length: noise.count) {
                AsyncStream<[UInt8]> {
                    $0.yield(noise)
                    $0.finish()
                }
            },
        ]
        for body in bodies { _ = try await HTTPClient().send(post(server.url, body)) }
        let all = try uploads.all()
        #expect(all.map(\.body) == [Self.words, noise, noise])
        #expect(all.allSatisfy { $0.coding == "gzip" && $0.isChunked && $0.length == nil })
        #expect(all.first?.type == "text/plain")
    }

    @Test func `retries and redirects send the same compressed body again`() async throws {
        let uploads = Uploads()
        let server = try await server(uploads) { request in
            switch request.path {
            case "/a": .redirect(to: "/b", status: .temporaryRedirect)
            case "/b": .redirect(to: "/c", status: .permanentRedirect)
            case "/c": .redirect(to: "/d", status: .seeOther)
            default: .status(.noContent)
            }
        }
        let words = Self.words
        let directory = try TemporaryDirectory()
        let path = try directory.write(words, as: "words.txt")
        for body in [HTTPBody.bytes(words), .file(path)] {
            let response = try await HTTPClient().send(post(server.url + "/a", body))
            #expect(response.redirects.count == 3)
        }
        let all = try uploads.all()
        for index in [0, 1, 2, 4, 5, 6] {
            #expect(all[index].coding == "gzip")
            #expect(all[index].body == words)
        }
        for index in [3, 7] {
            #expect(all[index].coding == nil)
            #expect(all[index].body == [])
        }
    }

    @Test(arguments: [
        (FieldName("X-Sum"), "gzip"), ("Content-Digest", nil), ("Repr-Digest", nil),
    ])
    func `trailers follow a compressed body, and a digest in them prevents compression`(
        name: FieldName,
        coding: String?
    ) async throws {
        let received = Locked<[HTTPTestServer.Request]>([])
        let server = try await HTTPTestServer.start { request in
            received.withLock { $0.append(request) }
            return .status(.noContent)
        }
        let body = HTTPBody.bytes(Self.words).trailers([name]) {
            var fields = HTTPHeaders()
            fields.append(name, "1")
            return fields
        }
        _ = try await HTTPClient().send(post(server.url, body))
        let request = try #require(received.withLock { $0 }.first)
        #expect(request.headers[.contentEncoding] == coding)
        #expect(request.trailers[name] == "1")
        #expect(try Self.decoded(request.body, request.headers) == Self.words)
    }

    @Test func `a body that can be sent once is not sent twice`() async throws {
        let uploads = Uploads()
        let server = try await server(uploads) { _ in
            .redirect(to: "/b", status: .temporaryRedirect)
        }
        let body = HTTPBody.stream(
            AsyncStream<[UInt8]> {
                $0.yield(Self.noise)
                $0.finish()
            }
        )
        let error = await failure { try await HTTPClient().send(post(server.url, body)) }
        #expect(error?.kind == .bodyFailed(.notReplayable(.redirect)))
        let again = await failure { try await HTTPClient().send(post(server.url, body)) }
        #expect(again?.kind == .invalidRequest(.bodyAlreadyConsumed))
    }

    @Test func `errors of the body are those of an uncompressed one`() async throws {
        struct Broken: Error {}
        let uploads = Uploads()
        let server = try await server(uploads)
        let missing = await failure {
            try await HTTPClient().send(post(server.url, .file("/nowhere/at/all")))
        }
        guard case .invalidRequest(.bodyFile("/nowhere/at/all", _)) = missing?.kind else {
            Issue.record("\(String(describing: missing))")
            return
        }
        let failing = HTTPBody.stream { () -> AsyncThrowingStream<[UInt8], any Error> in
            AsyncThrowingStream { $0.finish(throwing: Broken()) }
        }
        let thrown = await failure { try await HTTPClient().send(post(server.url, failing)) }
        #expect(thrown?.kind == .bodyFailed(.thrown(description: "Broken()")))
        #expect(thrown?.underlying is Broken)
        let short = HTTPBody.stream(length: 5000) {
            AsyncStream<[UInt8]> {
                $0.yield([1])
                $0.finish()
            }
        }
        let cut = await failure { try await HTTPClient().send(post(server.url, short)) }
        #expect(cut?.kind == .bodyFailed(.tooShort(expected: 5000, sent: 1)))
    }

    @Test func `bodies of dedicated connections and blocking calls are compressed`() async throws {
        let uploads = Uploads()
        let server = try await server(uploads)
        let client = HTTPClient()
        let request = post(server.url, .bytes(Self.words))
        let connection = try await client.pool.acquire(for: server.url)
        _ = try await connection.send(request)
        connection.release()
        _ = await onThread { Result { try client.blocking.send(request) } }
        let all = try uploads.all()
        #expect(all.map(\.coding) == ["gzip", "gzip"])
        #expect(all.map(\.body) == [Self.words, Self.words])
    }
}
