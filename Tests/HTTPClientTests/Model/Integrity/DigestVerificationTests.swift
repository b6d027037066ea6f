import ClientSupport
import HTTPClient
import Support
import Testing
import Wire

@Suite(.timeLimit(.minutes(10))) struct DigestVerificationTests {
    /// A response, a request for it, and the expected error.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var method = HTTPMethod.get
        var status = "200 OK"
        var fields: [String] = []
        /// The content as sent.
        var content = hello
        /// The content as delivered.
        var delivered = hello
        /// The trailer lines; nil for a body with Content-Length.
        var trailers: [String]?
        var verification = HTTPDigest.Verification.ifPresent
        var expected: HTTPDigest?
        var error: HTTPError.Kind?
        /// The error of a streamed body, if another one comes before it.
        var streamedError: HTTPError.Kind?

        var testDescription: String { name }

        var response: [UInt8] {
            var head = "HTTP/1.1 \(status)\r\n"
            for field in fields { head += field + "\r\n" }
            guard let trailers else {
                let isEmpty = method == .head || status.hasPrefix("204")
                if !status.hasPrefix("204") { head += "Content-Length: \(content.count)\r\n" }
                return Array("\(head)\r\n".utf8) + (isEmpty ? [] : content)
            }
            head += "Transfer-Encoding: chunked\r\n\r\n"
            var bytes = Array(head.utf8)
            for byte in content { bytes += Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8) }
            bytes += Array("0\r\n".utf8)
            for trailer in trailers { bytes += Array("\(trailer)\r\n".utf8) }
            return bytes + Array("\r\n".utf8)
        }
    }

    private static let hello = Array("hello, hello, hello!".utf8)
    private static let coded = Deflater.gzip(hello) ?? []
    /// The bytes of ``coded`` with another checksum (RFC 1952 §2.3.1).
    private static let damaged = Array(
        coded.dropLast(8) + [~coded[coded.count - 8]] + coded.suffix(7)
    )
    private static let range = "Content-Range: bytes 0-19/100"

    private static func digest(_ bytes: [UInt8]) -> HTTPDigest {
        // swift-format-ignore: NeverUseForceTry
        try! .sha256(of: bytes)
    }

    private static func long(_ bytes: [UInt8]) -> HTTPDigest {
        // swift-format-ignore: NeverUseForceTry
        try! .sha512(of: bytes)
    }

    private static func field(
        _ digests: HTTPDigest...,
        in name: String = "Content-Digest"
    ) -> String {
        "\(name): \(DigestFields.value(of: digests))"
    }

    private static let (right, wrong) = (digest(hello), digest(Array("other".utf8)))
    private static let (rightLong, wrongLong) = (long(hello), long(Array("other".utf8)))
    private static let mismatch = HTTPError.Kind.digestMismatch(expected: wrong, received: right)

    static let rows: [Row] = [
        Row(name: "no digest"),
        Row(name: "a matching digest", fields: [field(right)]),
        Row(
            name: "matching digests, a parameter and an unknown algorithm",
            fields: [
                field(right, rightLong) + ";a=1, md5=:AAAA:"
            ]
        ),
        Row(name: "another digest", fields: [field(wrong)], error: mismatch),
        Row(name: "another digest, ignored", fields: [field(wrong)], verification: .off),
        Row(
            name: "one of two digests is another",
            fields: [field(right, wrongLong)],
            error: .digestMismatch(expected: wrongLong, received: rightLong)
        ),
        Row(
            name: "none, but required",
            verification: .required,
            error: .digestMissing(unsupported: [])
        ),
        Row(name: "none, but requested", verification: .requested),
        Row(
            name: "only an unknown algorithm, but required",
            fields: ["Content-Digest: md5=:AAAA:"],
            verification: .required,
            error: .digestMissing(unsupported: ["md5"])
        ),
        Row(name: "a required digest", fields: [field(right)], verification: .required),
        Row(
            name: "a malformed field",
            fields: ["Content-Digest: sha-256=abc"],
            error: .malformedDigest(field: "Content-Digest", value: "sha-256=abc")
        ),
        Row(name: "a malformed field, ignored", fields: ["Content-Digest: ?"], verification: .off),
        Row(name: "a matching representation", fields: [field(right, in: "Repr-Digest")]),
        Row(
            name: "another representation",
            fields: [field(wrong, in: "Repr-Digest")],
            error: mismatch
        ),
        Row(
            name: "the representation of a part",
            status: "206 Partial Content",
            fields: [field(wrong, in: "Repr-Digest"), range]
        ),
        Row(
            name: "only the representation of a part, but required",
            status: "206 Partial Content",
            fields: [field(wrong, in: "Repr-Digest"), range],
            verification: .required,
            error: .digestMissing(unsupported: [])
        ),
        Row(
            name: "a part with another digest",
            status: "206 Partial Content",
            fields: [field(wrong), range],
            error: mismatch
        ),
        Row(
            name: "another representation in a response to POST",
            method: .post,
            fields: [field(wrong, in: "Repr-Digest")]
        ),
        Row(
            name: "the digest of coded content",
            fields: ["Content-Encoding: gzip", field(digest(coded))],
            content: coded
        ),
        Row(
            name: "the digest of decoded content",
            fields: ["Content-Encoding: gzip", field(right)],
            content: coded,
            error: .digestMismatch(expected: right, received: digest(coded))
        ),
        Row(name: "a matching trailer", trailers: [field(right)], verification: .required),
        Row(
            name: "another trailer",
            trailers: [field(wrongLong)],
            error: .digestMismatch(expected: wrongLong, received: rightLong)
        ),
        Row(
            name: "another trailer of coded content",
            fields: ["Content-Encoding: gzip"],
            content: coded,
            trailers: [field(wrong, in: "Repr-Digest")],
            error: .digestMismatch(expected: wrong, received: digest(coded))
        ),
        Row(
            name: "a malformed trailer",
            trailers: ["Content-Digest: sha-256"],
            error: .malformedDigest(field: "Content-Digest", value: "sha-256")
        ),
        Row(
            name: "no trailer, but required",
            trailers: [],
            verification: .required,
            error: .digestMissing(unsupported: [])
        ),
        Row(
            name: "a matching head and no trailer",
            fields: [field(right)],
            trailers: ["A: b"],
            verification: .required
        ),
        Row(
            name: "the digest of no content",
            fields: [field(digest([]))],
            content: [],
            delivered: [],
            verification: .required
        ),
        Row(
            name: "another digest of no content",
            fields: [field(right)],
            content: [],
            delivered: [],
            error: .digestMismatch(expected: right, received: digest([]))
        ),
        Row(
            name: "a response to HEAD",
            method: .head,
            fields: [field(wrong)],
            delivered: [],
            verification: .required,
            expected: wrong
        ),
        Row(
            name: "a 204",
            status: "204 No Content",
            fields: [field(wrong)],
            delivered: [],
            verification: .required,
            expected: wrong
        ),
        Row(
            name: "an error page with another digest",
            status: "404 Not Found",
            fields: [field(wrong)],
            error: mismatch
        ),
        Row(
            name: "an error page without a digest",
            status: "404 Not Found",
            verification: .required,
            expected: wrong
        ),
        Row(name: "the caller's digest", verification: .off, expected: right),
        Row(
            name: "another one than the caller's",
            verification: .off,
            expected: wrongLong,
            error: .digestMismatch(expected: wrongLong, received: rightLong)
        ),
        Row(
            name: "the caller's digest of decoded content",
            fields: ["Content-Encoding: gzip"],
            content: coded,
            verification: .off,
            expected: right
        ),
        Row(
            name: "another one than the caller's, decoded",
            fields: ["Content-Encoding: gzip"],
            content: coded,
            verification: .off,
            expected: wrong,
            error: mismatch
        ),
        Row(
            name: "the caller's digest does not replace the required one",
            verification: .required,
            expected: right,
            error: .digestMissing(unsupported: [])
        ),
        Row(
            name: "the caller's digest and a part",
            status: "206 Partial Content",
            fields: [range],
            verification: .off,
            expected: wrong
        ),
        Row(
            name: "truncated coding with a matching digest",
            fields: ["Content-Encoding: gzip", field(digest(Array(coded.dropLast())))],
            content: Array(coded.dropLast()),
            error: .codingFailed(.truncatedCoding(.gzip))
        ),
        Row(
            name: "damaged coding with the digest of the intact one",
            fields: ["Content-Encoding: gzip", field(digest(coded))],
            content: damaged,
            error: .digestMismatch(expected: digest(coded), received: digest(damaged)),
            streamedError: .codingFailed(.corruptCoding(.gzip))
        ),
        Row(
            name: "damaged coding with a matching digest",
            fields: ["Content-Encoding: gzip", field(digest(damaged))],
            content: damaged,
            error: .codingFailed(.corruptCoding(.gzip))
        ),
        Row(
            name: "an unknown coding",
            fields: ["Content-Encoding: nonsense", field(right)],
            error: .codingFailed(.unknownContentCoding)
        ),
    ]

    private func client() -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.retries = HTTPRetryOptions(maxRetries: 0)
        return HTTPClient(configuration)
    }

    private func request(_ row: Row, _ origin: ScriptedOrigin) -> HTTPRequest {
        var request = HTTPRequest(origin.url, method: row.method)
        request.digestVerification = row.verification
        request.expectedDigest = row.expected
        if row.status.hasPrefix("206") { request.headers[.range] = "bytes=0-19" }
        return request
    }

    private func origin(_ row: Row) throws -> ScriptedOrigin {
        try ScriptedOrigin([.expectHead, .replyByteByByte(row.response)])
    }

    @Test(arguments: rows) func `a collected body is verified`(row: Row) async throws {
        let origin = try origin(row)
        try check(row, await Self.result { try await client().send(request(row, origin)) })
    }

    @Test(arguments: rows) func `the body of a blocking call is verified`(row: Row) async throws {
        let origin = try origin(row)
        let (client, request) = (client(), request(row, origin))
        let result = await onThread {
            Result { () throws(HTTPError) in try client.blocking.send(request) }
        }
        try check(row, result)
    }

    @Test(arguments: rows) func `the body of a dedicated connection is verified`(
        row: Row
    ) async throws {
        let origin = try origin(row)
        let client = client()
        let connection = try await client.pool.acquire(for: origin.url)
        try check(row, await Self.result { try await connection.send(request(row, origin)) })
        let other = try self.origin(row)
        let second = try await client.pool.acquire(for: other.url)
        let response = try await second.stream(request(row, other))
        try await check(row, response)
    }

    @Test(arguments: rows) func `a streamed body is verified at its end`(row: Row) async throws {
        let origin = try origin(row)
        try await check(row, try await client().stream(request(row, origin)))
        let other = try ScriptedOrigin([.expectHead, .reply(row.response)])
        try await check(row, try await client().stream(request(row, other)))
    }

    private static func result(
        _ send: () async throws -> HTTPResponse
    ) async -> Result<HTTPResponse, HTTPError> {
        do {
            return .success(try await send())
        } catch let error as HTTPError {
            return .failure(error)
        } catch {
            Issue.record("not an HTTPError: \(error)")
            return .failure(HTTPError(CancellationError()))
        }
    }

    private func check(_ row: Row, _ result: Result<HTTPResponse, HTTPError>) throws {
        switch result {
        case .success(let response):
            #expect(row.error == nil)
            #expect(response.body == row.delivered)
        case .failure(let error):
            #expect(error.kind == row.error)
            #expect(error.head != nil)
            guard case .codingFailed(.unknownContentCoding) = error.kind else {
                #expect(error.partialBody == row.delivered)
                return
            }
        }
    }

    private func check(_ row: Row, _ response: HTTPStreamedResponse) async throws {
        var body: [UInt8] = []
        var iterator = response.body.makeAsyncIterator()
        do throws(HTTPError) {
            while let chunk = try await iterator.next() { body += chunk }
            #expect(row.error == nil)
        } catch {
            #expect(error.kind == row.streamedError ?? row.error)
            #expect(error.head != nil)
            // The error is thrown once.
            #expect(try await iterator.next() == nil)
            if error.kind == .codingFailed(.unknownContentCoding) { return }
        }
        #expect(body == row.delivered)
    }

    @Test func `Want fields are sent only if digests are requested`() async throws {
        let reply = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let origin = try ScriptedOrigin(.always(reply))
        let client = client()
        _ = try await client.send(HTTPRequest(origin.url).verifyingDigests())
        _ = try await client.send(
            HTTPRequest(origin.url).expectingDigest(Self.digest([]))
        )
        #expect(!origin.text().contains("Want-"))
        _ = try await client.send(HTTPRequest(origin.url).verifyingDigests(.requested))
        #expect(
            origin.text().hasSuffix(
                "Want-Content-Digest: sha-256=10, sha-512=5\r\n"
                    + "Want-Repr-Digest: sha-256=10, sha-512=5\r\n\r\n"
            )
        )
        var own = HTTPRequest(origin.url).verifyingDigests(.requested)
        own.headers["want-content-digest"] = "sha-512=3"
        _ = try await client.send(own)
        #expect(
            origin.text().hasSuffix(
                "want-content-digest: sha-512=3\r\n"
                    + "Want-Repr-Digest: sha-256=10, sha-512=5\r\n\r\n"
            )
        )
    }

    @Test func `a client verifies all responses unless a request says otherwise`() async throws {
        let row = Row(name: "", fields: [Self.field(Self.wrong)])
        let origin = try ScriptedOrigin(.always(String(decoding: row.response, as: UTF8.self)))
        let client = client().with { $0.digestVerification = .ifPresent }
        let error = await failure { try await client.send(HTTPRequest(origin.url)) }
        #expect(error?.kind == Self.mismatch)
        #expect(error?.blame == .peer)
        let plain = HTTPRequest(origin.url).verifyingDigests(.off)
        #expect(try await client.send(plain).body == Self.hello)
        // The connection carries further requests after a mismatch.
        #expect(origin.connectionCount == 1)
    }

    @Test func `the response after a redirect is verified, and the redirect too`() async throws {
        let redirect = "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"
        let row = Row(name: "", fields: [Self.field(Self.wrong)])
        let origin = try ScriptedOrigin([
            .expectHead, .reply(redirect), .expectHead, .reply(row.response),
        ])
        let request = HTTPRequest(origin.url).verifyingDigests(.required)
        let error = await failure { try await client().send(request) }
        #expect(error?.kind == Self.mismatch)
    }

    @Test func `a truncated body is reported as truncated`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\(Self.field(Self.wrong))\r\n\r\n"
        let bytes = Array(head.utf8) + Self.hello
        let truncated = HTTPError.Kind.truncatedResponse(.bodyTruncated(received: 20, expected: 30))
        let collected = try ScriptedOrigin([.expectHead, .reply(bytes), .close])
        let request = HTTPRequest(collected.url).verifyingDigests()
        #expect(await failure { try await client().send(request) }?.kind == truncated)
        let streamed = try ScriptedOrigin([.expectHead, .reply(bytes), .close])
        let response = try await client().stream(HTTPRequest(streamed.url).verifyingDigests())
        var body: [UInt8] = []
        let error = await failure {
            for try await chunk in response.body { body += chunk }
        }
        #expect(error?.kind == truncated)
        #expect(body == Self.hello)
        var rest = response.body.makeAsyncIterator()
        #expect(try await rest.next() == nil)
    }

    @Test func `a verified stream keeps its expected length, and a decoded one has none`()
        async throws
    {
        let plain = Row(name: "", fields: [Self.field(Self.right)])
        let origin = try ScriptedOrigin([.expectHead, .reply(plain.response)])
        let response = try await client().stream(HTTPRequest(origin.url).verifyingDigests())
        #expect(response.expectedContentLength == Self.hello.count)
        let coded = Row(
            name: "",
            fields: ["Content-Encoding: gzip"],
            content: Self.coded
        )
        let other = try ScriptedOrigin([.expectHead, .reply(coded.response)])
        let decoded = try await client().stream(HTTPRequest(other.url).verifyingDigests())
        #expect(decoded.expectedContentLength == nil)
    }

    @Test func `decoded bodies keep their limits while they are verified`() async throws {
        let zeros = [UInt8](repeating: 0, count: 2_000_000)
        let row = Row(
            name: "",
            fields: ["Content-Encoding: gzip"],
            content: Deflater.gzip(zeros) ?? []
        )
        for limit in [1000, 100_000] {
            let origin = try ScriptedOrigin([.expectHead, .reply(row.response)])
            let client = client().with { $0.collectLimit = limit }
            let request = HTTPRequest(origin.url).verifyingDigests()
            let error = await failure { try await client.send(request) }
            #expect(error?.kind == .bodyTooLarge(limit: limit))
            if limit > row.content.count { #expect(error?.partialBody.count == limit) }
        }
        let bomb = try ScriptedOrigin([.expectHead, .reply(row.response)])
        let request = HTTPRequest(bomb.url).verifyingDigests()
        let error = await failure { try await client().send(request) }
        #expect(error?.kind == .limitExceeded(.limitExceeded(.expansionRatio(100))))
    }

    @Test func `a download is verified before it replaces its target`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("old", as: "file")
        let row = Row(name: "", fields: [Self.field(Self.wrong)])
        let origin = try ScriptedOrigin([.expectHead, .reply(row.response)])
        let request = HTTPRequest(origin.url).verifyingDigests()
        let error = await failure { try await client().download(request, to: path) }
        #expect(error?.kind == Self.mismatch)
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
    }
}
