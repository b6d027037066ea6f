import ClientSupport
import HTTPClient
import HTTPClientTesting
import Testing

/// A matcher, a request, and the reason that they do not match; nil if they match.
struct MatcherRow: Sendable, CustomTestStringConvertible {
    let matcher: HTTPStub.Matcher
    let request: HTTPRequest
    let reason: String?

    init(_ matcher: HTTPStub.Matcher, _ request: HTTPRequest, _ reason: String? = nil) {
        self.matcher = matcher
        self.request = request
        self.reason = reason
    }

    var testDescription: String { "\(matcher) / \(request.method) \(request.url)" }
}

private func post(_ url: String, _ body: HTTPBody = .empty) -> HTTPRequest {
    HTTPRequest(url, method: .post, body: body)
}

/// A request whose body is produced while it is sent.
private func streamed() -> HTTPRequest {
    let pieces = AsyncStream<[UInt8]> { continuation in
        continuation.yield([UInt8(ascii: "y")])
        continuation.finish()
    }
    return post("http://a/", .stream(pieces))
}

private let unseen = "the body is produced while it is sent, so matchers cannot read it"
private let host = "a"

private let rows: [MatcherRow] = [
    MatcherRow(.method(.get, .head), "http://a/"),
    MatcherRow(.post, "http://a/", "the method is GET and not POST"),
    MatcherRow("http://a.example/x?b=2&a=1", "http://A.example:80/x?a=1&b=2#part"),
    MatcherRow("http://a/x", "http://a/x?q", #"the query is "q" and not """#),
    MatcherRow(.url("http://a/x", query: .ignored), "http://a/x?q"),
    MatcherRow("http://a/", "http://a"),
    MatcherRow("http://a/x", "https://a/x", "the server is https://a and not http://a"),
    MatcherRow("/x?a=1", "https://anywhere/x?a=1"),
    MatcherRow("/x", "http://a/y", "the path is /y and not /x"),
    MatcherRow(.url(prefix: "http://a/v1"), "http://a/v1/users?q"),
    MatcherRow(.url(prefix: "http://a/v1/"), "http://a/v1"),
    MatcherRow(.url(prefix: "http://a/v1"), "http://a/v10", "the path is /v10 and not below /v1/"),
    MatcherRow(.url(prefix: "http://a"), "http://a/any"),
    MatcherRow(.template("/users/{id}{?page}"), "http://a/users/7?page=2"),
    MatcherRow(.template("http://a/users/{id}"), "http://a/users/7"),
    MatcherRow(
        .template("http://b/{id}"),
        "http://a/7",
        "the template http://b/{id} does not expand to http://a/7"
    ),
    MatcherRow(.url(matching: /users\/\d+$/), "http://a/users/12"),
    MatcherRow(.url(matching: /x/), "http://a/y", "the URL does not match the expression"),
    MatcherRow(.host("A.example"), "https://a.example:8443/"),
    MatcherRow(.host("[0:0::1]"), "https://[::1]:8443/"),
    MatcherRow(.query("page", "2"), "http://a/?page=1&page=2"),
    MatcherRow(.query("page"), "http://a/", "the query has no page"),
    MatcherRow(.query("p", "1"), "http://a/?p=2", "p in the query is not 1"),
    MatcherRow(.header(.userAgent, "HTTPClient"), "http://a/"),
    MatcherRow(.header("X-None"), "http://a/", "there is no X-None"),
    MatcherRow(.header(.accept, "text/*"), "http://a/", #"Accept is not "text/*""#),
    MatcherRow(.header(.userAgent, matching: /Client/), "http://a/"),
    MatcherRow(
        .json(["a": 1, "b": [nil]]),
        post("http://a/", .json(text: #"{"b":[null],"a":1.0}"#))
    ),
    MatcherRow(.json(["a": 1]), post("http://a/", .json(["a": 2])), #"the JSON is not {"a":1}"#),
    MatcherRow(.json(#"{"b": 1, "a": [2]}"#), post("http://a/", .json(["a": [2], "b": 1]))),
    MatcherRow(
        .json(#"{"a": 1, "a": 2}"#),
        post("http://a/", .json(text: #"{"a": 1, "a": 2}"#))
    ),
    MatcherRow(
        .not(.json(#"{"a": 2, "a": 2}"#)),
        post("http://a/", .json(text: #"{"a": 1, "a": 2}"#))
    ),
    MatcherRow(
        .not(.json(#"{"a": 1, "a": 2}"#)),
        post("http://a/", .json(text: #"{"a": 2, "a": 2}"#))
    ),
    MatcherRow(.not(.body("x")), streamed(), unseen),
    MatcherRow(.not(.all(.body("x"), .json([1]))), streamed(), unseen),
    MatcherRow(.not(.any(.get, .body("x"))), streamed(), unseen),
    MatcherRow(.not(.all(.get, .body("x"))), streamed()),
    MatcherRow("http://\(host)/x", "http://a/x"),
    MatcherRow(.body("abc"), post("http://a/", .string("abc"))),
    MatcherRow(.body("abc"), post("http://a/"), "the body has 0 bytes and is different"),
    MatcherRow(.body(matching: /b+/), post("http://a/", .string("abbc"))),
    MatcherRow(.when("short") { $0.url.text.utf8.count < 12 }, "http://a/"),
    MatcherRow(.when("short") { _ in false }, "http://a/", "it is not short"),
    MatcherRow(.any(.post, "/x"), "http://a/x"), MatcherRow(.all(), "http://a/x"),
    MatcherRow(.any(), "http://a/x", "the list of matchers is empty"),
    MatcherRow(.not(.get), "http://a/", "it is GET"), MatcherRow(.not(.get), post("http://a/")),
    MatcherRow(.get("/a"), post("http://a/a"), "the method is POST and not GET"),
]

@Suite(.timeLimit(.minutes(10))) struct HTTPStubTests {
    private static let client = HTTPClient()

    @Test(arguments: rows) func `a matcher accepts or gives its reason`(
        _ row: MatcherRow
    ) async throws {
        let client = Self.client.with {
            $0.stubs = HTTPStubs { HTTPStub(row.matcher, answer: .text("yes")) }
        }
        guard let reason = row.reason else {
            #expect(try await client.send(row.request).text == "yes")
            return
        }
        let error = await failure { try await client.send(row.request) }
        let nearest = HTTPStubFailureReason.Nearest(stub: row.matcher.description, reason: reason)
        #expect(error?.stubError?.reason == .unmatched(nearest: nearest))
    }

    @Test func `the best matching stub is named in the error`() async throws {
        let client = Self.client.with {
            $0.stubs = HTTPStubs {
                HTTPStub(.get("http://b/y"), answer: .close)
                HTTPStub(.post("http://a/x"), answer: .close)
                HTTPStub(.any(.host("c"), .host("d")), answer: .close)
            }
        }
        let error = await failure { try await client.send("http://a/x") }
        let text = try #require(error?.description)
        #expect(
            text.contains(#"the nearest is "POST http://a/x", but the method is GET and not POST"#)
        )
        #expect(text.hasSuffix("[GET http://a/x]"))
        #expect(error?.phase == .preparing)
        let none = await failure {
            try await Self.client.with { $0.stubs = HTTPStubs() }.send("http://a/x")
        }
        #expect(none?.stubError?.reason == .unmatched(nearest: nil))
    }

    @Test(
        arguments: [
            .url("http://a b:x/"), .url("ftp://a/"), .template("/{"), .not(.url("http://[")),
        ] as [HTTPStub.Matcher]
    )
    func `a matcher with an invalid URL fails every call`(_ matcher: HTTPStub.Matcher) async {
        let stubs = HTTPStubs {
            HTTPStub(answer: .text("first"))
            HTTPStub(matcher, answer: .close)
        }
        let client = Self.client.with { $0.stubs = stubs }
        let error = await failure { try await client.send("http://a/") }
        guard case .invalidStub(matcher.description, _)? = error?.stubError?.reason else {
            Issue.record("\(error.debugDescription)")
            return
        }
    }

    @Test(
        arguments: [
            (.fail, ["1", "2", nil, nil]), (.repeatLast, ["1", "2", "2", "2"]),
            (.startOver, ["1", "2", "1", "2"]),
        ] as [(HTTPStub.SequenceEnd, [String?])]
    )
    func `a stub's sequence of responses ends as configured`(
        _ end: HTTPStub.SequenceEnd,
        _ texts: [String?]
    ) async throws {
        let stubs = HTTPStubs {
            HTTPStub("/", answers: [.text("1"), .text("2")], atEnd: end)
        }
        let client = Self.client.with { $0.stubs = stubs }
        for text in texts {
            guard let text else {
                let error = await failure { try await client.send("http://a/") }
                let reason = HTTPStubFailureReason.sequenceEnded(stub: "/", responses: 2)
                #expect(error?.stubError?.reason == reason)
                continue
            }
            #expect(try await client.send("http://a/").text == text)
        }
    }

    @Test(
        arguments: [
            (
                .error(.resolveFailed(host: "a", reason: "b")),
                .resolveFailed(host: "a", reason: "b")
            ),
            (.error(.timedOut(.connect)).delayed(by: .milliseconds(1)), .timedOut(.connect)),
            (.close, .truncatedResponse(.closedBeforeResponse)),
            (.reset, .connectionLost(reason: "Connection reset by peer")),
            (
                .raw("HTTP/1.1 200 OK\r\nContent-Length: no\r\n\r\n"),
                .malformedResponse(.malformedContentLength)
            ),
            (.raw("HTTP/1.1 20"), .truncatedResponse(.headTruncated)),
            (
                .text("Hello").truncated(to: 2),
                .truncatedResponse(.bodyTruncated(received: 2, expected: 5))
            ),
            (
                .text("Hello").truncated(to: 2, by: .reset),
                .connectionLost(reason: "Connection reset by peer")
            ),
            (.text("Hello").truncated(after: 3), .truncatedResponse(.headTruncated)),
            (
                .chunks(["one", "two"]).truncated(to: 4),
                .truncatedResponse(.bodyTruncated(received: 1, expected: nil))
            ),
            (.stall, .timedOut(.responseHead)),
            (.text("x").truncated(to: 0, by: .stall), .timedOut(.body)),
            (.text("late").delayed(by: .seconds(600)), .timedOut(.responseHead)),
        ] as [(HTTPStub.Response, HTTPError.Kind)]
    )
    func `a failing stub gives the error of the network`(
        _ response: HTTPStub.Response,
        _ kind: HTTPError.Kind
    ) async {
        let client = Self.client.with {
            $0.timeouts.responseHead = .milliseconds(400)
            $0.timeouts.readIdle = .milliseconds(400)
            $0.stubs = HTTPStubs { HTTPStub(answer: response) }
        }
        let error = await failure { try await client.send("http://a/") }
        #expect(error?.kind == kind)
        let blocking = await onThread {
            () -> HTTPError? in
            do throws(HTTPError) {
                _ = try client.blocking.send("http://a/")
                return nil
            } catch {
                return error
            }
        }
        #expect(blocking?.kind == kind)
    }

    @Test func `an unreadable stub file gives an error`() async {
        let client = Self.client.with {
            $0.stubs = HTTPStubs { HTTPStub(answer: .file("/nowhere/at-all")) }
        }
        let error = await failure { try await client.send("http://a/") }
        let reason = "No such file or directory"
        #expect(error?.kind == .fileFailed(path: "/nowhere/at-all", .open, reason: reason))
    }

    @Test func `a stored error counts as unsent, and a closure's error as sent`()
        async
    {
        let lost = HTTPError.Kind.connectionLost(reason: "x")
        let client = Self.client.with {
            $0.stubs = HTTPStubs {
                HTTPStub("/stored", answer: .error(lost))
                HTTPStub("/made") { _ in .error(lost) }
            }
        }
        let stored = await failure { try await client.send(post("http://a/stored")) }
        #expect(stored?.kind == lost)
        #expect(stored?.isRetrySafe == true)
        let made = await failure { try await client.send(post("http://a/made")) }
        #expect(made?.kind == lost)
        #expect(made?.isRetrySafe == false)
    }
}
