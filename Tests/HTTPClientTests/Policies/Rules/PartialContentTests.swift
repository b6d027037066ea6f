import ClientSupport
import HTTPClient
import Support
import Testing
import Wire

@Suite(.timeLimit(.minutes(10))) struct PartialContentTests {
    /// A 206 response, the Range fields of its request, and the expected result.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let asked: [String]
        let fields: HTTPHeaders
        var range: ContentRange?
        var mismatch: HTTPError.RangeError?

        init(
            _ name: String,
            _ asked: String?,
            _ fields: HTTPHeaders,
            _ range: String? = nil,
            _ mismatch: HTTPError.RangeError? = nil
        ) {
            testDescription = name
            self.asked = asked.map { [$0] } ?? []
            self.fields = fields
            self.range = range.flatMap { ContentRange($0) }
            self.mismatch = mismatch
        }
    }

    private static func other(_ asked: String, _ answered: String) -> HTTPError.RangeError? {
        guard let asked = RangeHeader(asked), let answered = ContentRange(answered) else {
            return nil
        }
        return .unexpectedRange(requested: asked, answered: answered)
    }

    private static func row(_ name: String, _ asked: String, good answered: String) -> Row {
        Row(name, asked, [.contentRange: answered], answered)
    }

    private static func row(_ name: String, _ asked: String, other answered: String) -> Row {
        Row(name, asked, [.contentRange: answered], nil, other(asked, answered))
    }

    private static let multipart = "multipart/byteranges; boundary=x"

    private static let rows: [Row] = [
        Row("not requested", nil, [.contentRange: "bytes 0-4/9"], nil, .notRequested),
        Row("nothing at all", nil, [:], nil, .notRequested),
        Row("no Content-Range", "bytes=0-4", [:], nil, .missingContentRange),
        Row("malformed", "bytes=0-4", [.contentRange: "bytes 4-0/9"], nil, .missingContentRange),
        Row("unsatisfied", "bytes=0-4", [.contentRange: "bytes */9"], nil, .missingContentRange),
        Row("another unit", "bytes=0-4", [.contentRange: "lines 0-4/9"], nil, .missingContentRange),
        Row(
            "twice",
            "bytes=0-4",
            [.contentRange: "bytes 0-4/9", "content-range": "bytes 0-4/9"],
            nil,
            .missingContentRange
        ),
        Row(
            "parts for one range",
            "bytes=0-4",
            [.contentType: multipart],
            nil,
            .missingContentRange
        ),
        Row("parts for several ranges", "bytes=0-4,6-7", [.contentType: multipart]),
        Row(
            "other parts",
            "bytes=0-4,6-7",
            [.contentType: "multipart/mixed"],
            nil,
            .missingContentRange
        ),
        row("as requested", "bytes=0-4", good: "bytes 0-4/9"),
        row("of unknown total", "bytes=0-4", good: "bytes 0-4/*"),
        row("shortened at the end", "bytes=5-100", good: "bytes 5-8/9"),
        row("fewer at the end", "bytes=0-4", good: "bytes 0-3/9"),
        row("fewer at the start", "bytes=0-4", good: "bytes 1-4/9"),
        row("too early", "bytes=2-4", other: "bytes 1-4/9"),
        row("too far", "bytes=2-4", other: "bytes 2-5/9"),
        row("elsewhere", "bytes=0-1", other: "bytes 5-6/9"),
        row("to the end", "bytes=5-", good: "bytes 5-8/9"),
        row("not to the end", "bytes=5-", good: "bytes 5-7/9"),
        row("before the start", "bytes=5-", other: "bytes 0-8/9"),
        row("the last ones", "bytes=-3", good: "bytes 6-8/9"),
        row("more than the last ones", "bytes=-3", other: "bytes 5-8/9"),
        row("the last of unknown total", "bytes=-3", good: "bytes 6-8/*"),
        row("more than the last of unknown total", "bytes=-3", other: "bytes 5-8/*"),
        row("all as the last", "bytes=-30", good: "bytes 0-8/9"),
        row("one of several", "bytes=0-1,7-8", good: "bytes 7-8/9"),
        row("several joined", "bytes=0-1,3-4", good: "bytes 0-4/9"),
        row("outside of several", "bytes=2-3,5-6", other: "bytes 0-6/9"),
        Row("another unit requested", "lines=1-2", [.contentRange: "bytes 0-4/9"], "bytes 0-4/9"),
        Row(
            "its length",
            "bytes=0-4",
            [.contentRange: "bytes 0-4/9", .contentLength: "5"],
            "bytes 0-4/9"
        ),
        Row(
            "longer",
            "bytes=0-4",
            [.contentRange: "bytes 0-4/9", .contentLength: "6"],
            nil,
            .lengthMismatch(.part(0...4, of: 9), received: 6)
        ),
        Row(
            "shorter",
            "bytes=0-4",
            [.contentRange: "bytes 0-4/9", .contentLength: "4"],
            nil,
            .lengthMismatch(.part(0...4, of: 9), received: 4)
        ),
    ]

    @Test(arguments: rows) func `Content-Range is compared with the requested range`(row: Row) {
        var asked = HTTPHeaders()
        for value in row.asked { asked.append(.range, value) }
        let found = Result { () throws(HTTPError.RangeError) in
            try PartialContent.range(in: row.fields, to: asked)
        }
        switch found {
        case .success(let range):
            #expect(range == row.range)
            #expect(row.mismatch == nil)
        case .failure(let mismatch): #expect(mismatch == row.mismatch)
        }
    }

    // MARK: - All ways to make a call

    /// The ways to make a call that end with a response.
    enum Verb: CaseIterable, Sendable {
        case send, stream, blocking, download, fetch
    }

    private func outcome(
        _ verb: Verb,
        _ request: HTTPRequest,
        _ client: HTTPClient
    ) async -> Result<[UInt8], HTTPError> {
        do throws(HTTPError) {
            switch verb {
            case .send: return .success(try await client.send(request).body)
            case .stream: return .success(try await client.stream(request).body.collect())
            case .fetch: return .success(try await request.send(in: client).body)
            case .blocking:
                return await onThread {
                    Result { () throws(HTTPError) in try client.blocking.send(request).body }
                }
            case .download:
                guard let directory = try? TemporaryDirectory() else { return .success([]) }
                let path = directory.path + "/file"
                _ = try await client.download(request, to: path)
                return .success(TestFileSystem.contents(of: path) ?? [])
            }
        } catch {
            return .failure(error)
        }
    }

    private static let answers: [(asked: String?, reply: String, mismatch: HTTPError.RangeError?)] =
        [
            ("bytes=0-4", "Content-Range: bytes 0-4/9\r\nContent-Length: 5\r\n\r\nhello", nil),
            ("bytes=0-4", "Content-Range: bytes 0-4/9\r\n\r\nhello", nil),
            (
                "bytes=0-4",
                "Content-Range: bytes 0-4/9\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                nil
            ),
            (
                "bytes=0-1,3-4",
                "Content-Type: multipart/byteranges; boundary=x\r\nContent-Length: 5\r\n\r\nhello",
                nil
            ),
            (
                "bytes=5-9", "Content-Range: bytes 0-4/9\r\nContent-Length: 5\r\n\r\nhello",
                other("bytes=5-9", "bytes 0-4/9")
            ),
            ("bytes=0-4", "Content-Length: 5\r\n\r\nhello", .missingContentRange),
            (
                "bytes=0-3", "Content-Range: bytes 0-3/9\r\nContent-Length: 5\r\n\r\nhello",
                .lengthMismatch(.part(0...3, of: 9), received: 5)
            ),
            (
                "bytes=0-3", "Content-Range: bytes 0-3/9\r\n\r\nhello",
                .lengthMismatch(.part(0...3, of: 9), received: 5)
            ),
            (
                "bytes=0-3",
                "Content-Range: bytes 0-3/9\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                .lengthMismatch(.part(0...3, of: 9), received: 5)
            ),
            (
                "bytes=0-5",
                "Content-Range: bytes 0-5/9\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                .lengthMismatch(.part(0...5, of: 9), received: 5)
            ),
        ]

    @Test(arguments: Verb.allCases, answers)
    func `every sending method rejects a range other than the requested one`(
        verb: Verb,
        row: (asked: String?, reply: String, mismatch: HTTPError.RangeError?)
    ) async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 206 Partial Content\r\n" + row.reply), .close,
        ])
        var request = HTTPRequest(origin.url)
        if let asked = row.asked { request.headers[.range] = asked }
        let result = await outcome(verb, request, HTTPClient())
        guard let mismatch = row.mismatch else {
            #expect(try result.get() == Array("hello".utf8))
            return
        }
        guard case .failure(let error) = result else {
            Issue.record("got \(result)")
            return
        }
        #expect(error.kind == .rangeMismatch(mismatch))
        #expect(error.head?.status == .partialContent)
    }

    @Test(arguments: [
        "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", "\r\nhello",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\nZZ",
    ])
    func `bytes beyond the range are not delivered`(reply: String) async throws {
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/9\r\n" + reply),
            .close,
        ])
        let request = HTTPRequest(origin.url, headers: [.range: "bytes=0-3"])
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.partialBody == Array("hell".utf8))
    }

    @Test(arguments: Verb.allCases)
    func `an unrequested range is rejected`(verb: Verb) async throws {
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/9\r\n"
                    + "Content-Length: 5\r\n\r\nhello"
            ),
            .close,
        ])
        let result = await outcome(verb, HTTPRequest(origin.url), HTTPClient())
        guard case .failure(let error) = result else {
            Issue.record("got \(result)")
            return
        }
        // A download has its own error for this.
        #expect(
            error.kind
                == (verb == .download
                    ? .resumeFailed(.unexpectedPartialContent) : .rangeMismatch(.notRequested))
        )
    }

    @Test(arguments: ["4", "4, 4", "6, 6"])
    func `the length of a range is compared on a reused connection`(
        length: String
    ) async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"), .expectHead,
            .reply(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/9\r\n"
                    + "Content-Length: \(length)\r\n\r\nsecond"
            ),
        ])
        let client = HTTPClient()
        #expect(try await client.send(HTTPRequest(origin.url)).text == "first")
        let request = HTTPRequest(origin.url, headers: [.range: "bytes=0-4"])
        let error = await failure { try await client.send(request) }
        guard case .rangeMismatch(.lengthMismatch) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test(arguments: Verb.allCases)
    func `a range without a length that ends early is truncated`(verb: Verb) async throws {
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-5/9\r\n\r\nhello"),
            .close,
        ])
        let request = HTTPRequest(origin.url, headers: [.range: "bytes=0-5"])
        let error = await failure { try await outcome(verb, request, HTTPClient()).get() }
        #expect(error?.kind == .truncatedResponse(.bodyTruncated(received: 5, expected: 6)))
    }

    @Test func `a HEAD response is accepted without a body to compare`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/9\r\n"
                    + "Content-Length: 5\r\n\r\n"
            ),
        ])
        let request = HTTPRequest(origin.url, method: .head, headers: [.range: "bytes=0-4"])
        #expect(try await HTTPClient().send(request).status == .partialContent)
    }

    @Test func `a range body without end fails at its length`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/9\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n"
            ),
            .replyForever(Array("5\r\nhello\r\n".utf8)),
        ])
        let request = HTTPRequest(origin.url, headers: [.range: "bytes=0-4"])
        let response = try await HTTPClient().stream(request)
        let error = await failure { for try await _ in response.body {} }
        guard case .rangeMismatch(.lengthMismatch) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    // MARK: - Redirects

    @Test(arguments: [true, false])
    func `a conditional range is not sent to another origin after a redirect`(
        isConditional: Bool
    ) async throws {
        let away = try ScriptedOrigin([
            .expectHeadWhere { head in
                let fields = head.lowercased()
                return !fields.contains("if-range:")
                    && fields.contains("\r\nrange:") != isConditional
            },
            .reply("HTTP/1.1 204 No Content\r\n\r\n"),
        ])
        let home = try ScriptedOrigin([
            .expectHead(lines: "Range: bytes=5-"),
            .reply("HTTP/1.1 302 Found\r\nLocation: /here\r\nContent-Length: 0\r\n\r\n"),
            .expectHead(lines: "Range: bytes=5-"),
            .reply("HTTP/1.1 302 Found\r\nLocation: \(away.url)/\r\nContent-Length: 0\r\n\r\n"),
        ])
        var request = HTTPRequest(home.url, headers: [.range: "bytes=5-"])
        if isConditional { request.headers[.ifRange] = "\"v1\"" }
        #expect(try await HTTPClient().send(request).status == .noContent)
        #expect(home.failures == [] && away.failures == [])
    }
}
