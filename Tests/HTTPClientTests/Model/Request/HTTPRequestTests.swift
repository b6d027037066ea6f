import ClientSupport
import HTTPClient
import Testing

@Suite struct HTTPRequestTests {
    @Test func `a request can be created in many ways`() throws {
        struct Broken: Error {}
        #expect(HTTPRequest().url.isEmpty && HTTPRequest().method == .get)
        #expect(HTTPRequest(.delete).method == .delete)
        let three = [
            HTTPRequest(.post, "http://a/b"), HTTPRequest(method: .post, "http://a/b"),
            HTTPRequest("http://a/b", method: .post),
            HTTPRequest(try URI("http://a/b"), method: .post),
            HTTPRequest {
                $0.url = "http://a/b"
                $0.method = .post
            },
        ]
        #expect(three.allSatisfy { $0.url == "http://a/b" && $0.method == .post })
        let literal: HTTPRequest = "http://a/c"
        #expect(literal.uri?.path == "/c")
        #expect(throws: Broken.self) {
            try HTTPRequest { request in
                request.method = .put
                throw Broken()
            }
        }
    }

    @Test func `a request takes at most 96 bytes, without its rare settings`() {
        // 88 bytes: method, header, body, URL, two small settings, and one reference to all rare settings.
        #expect(MemoryLayout<HTTPRequest>.size <= 96, "\(MemoryLayout<HTTPRequest>.size)")
    }

    @Test func `copies are independent, including rare settings`() {
        var first = HTTPRequest("http://a/")
        first.timeout = .seconds(1)
        first.tags["x"] = "1"
        var second = first
        second.timeout = .seconds(2)
        second.tags["x"] = nil
        second.rawTarget = "*"
        second.timeouts = HTTPTimeouts(total: .seconds(3))
        #expect(first.timeout == .seconds(1) && first.tags["x"] == "1" && first.rawTarget == nil)
        #expect(second.timeout == .seconds(2) && second.tags.isEmpty && first.timeouts == nil)
        #expect(second.timeouts?.total == .seconds(3))
    }

    @Test func `tags are plain or typed`() {
        enum Trace: HTTPTags.TagKey { typealias Value = Int }
        enum Span: HTTPTags.TagKey { typealias Value = [String] }
        let request = HTTPRequest("http://a/").tag("screen", "login").tag(Trace.self, 17)
        #expect(request.tags["screen"] == "login" && request.tags[Trace.self] == 17)
        #expect(request.tags[Span.self] == nil && !request.tags.isEmpty)
        #expect(request.tags.strings == ["screen": "login"])
        let literal: HTTPTags = ["a": "b"]
        #expect(literal["a"] == "b")
    }

    // MARK: - Parts of the URL

    @Test func `the parts of a URL can be set in any order`() {
        let scheme = { (request: inout HTTPRequest) in request.scheme = "http" }
        let host = { (request: inout HTTPRequest) in request.host = "example.com" }
        let port = { (request: inout HTTPRequest) in request.port = 8080 }
        let path = { (request: inout HTTPRequest) in request.path = "a b/c" }
        let query = { (request: inout HTTPRequest) in
            request.query.append(HTTPQueryItem("q", "1"))
        }
        let orders = [
            [scheme, host, port, path, query], [query, path, port, host, scheme],
            [port, scheme, query, host, path], [path, host, scheme, query, port],
            [host, query, port, scheme, path],
        ]
        for order in orders {
            var request = HTTPRequest()
            for step in order { step(&request) }
            #expect(request.url == "http://example.com:8080/a%20b/c?q=1")
            #expect(request.uri != nil)
        }
    }

    /// A URL, a change, and the URL after it.
    struct Change: Sendable {
        let url: String
        let change: @Sendable (inout HTTPRequest) -> Void
        let expected: String

        init(
            _ url: String,
            _ change: @escaping @Sendable (inout HTTPRequest) -> Void,
            _ expected: String = ""
        ) {
            self.url = url
            self.change = change
            self.expected = expected
        }
    }

    private static let changes: [Change] = [
        Change("http://a:1/p?q#f", { $0.host = "b" }, "http://b:1/p?q#f"),
        Change("http://a:1/p?q#f", { $0.host = "::1" }, "http://[::1]:1/p?q#f"),
        Change("http://a:1/p?q#f", { $0.port = nil }, "http://a/p?q#f"),
        Change("http://u:p@a:1/p?q#f", { $0.host = nil }, "http:/p?q#f"),
        Change("http://a:1/p?q#f", { $0.scheme = "HTTPS" }, "HTTPS://a:1/p?q#f"),
        Change("http://a:1/p?q#f", { $0.scheme = nil }, "//a:1/p?q#f"),
        Change("http://a/p?q#f", { $0.path = "x?y#z%20%" }, "http://a/x%3Fy%23z%20%25?q#f"),
        Change("http://a/p?q#f", { $0.path = "" }, "http://a?q#f"),
        Change("http://a/p?q#f", { $0.query = [] }, "http://a/p#f"),
        Change(
            "http://a/p",
            { $0.query = [HTTPQueryItem("x"), HTTPQueryItem("y", "z")] },
            "http://a/p?x&y=z"
        ),
        Change("/p", { $0.host = "b" }, "https://b/p"), Change("", { $0.path = "//x" }, "/.//x"),
        Change("", { $0.path = "a:b" }, "./a:b"), Change("ht tp:x", { $0.url = "/ok" }, "/ok"),
        Change(
            "http://a/p",
            { $0.query.append(contentsOf: [HTTPQueryItem("x", "ü")]) },
            "http://a/p?x=%C3%BC"
        ),
        Change("http://a/p?", { $0.query.append(HTTPQueryItem("a", nil)) }, "http://a/p?a"),
    ]

    @Test(arguments: changes)
    func `setting one part of a URL keeps the others`(row: Change) {
        var request = HTTPRequest(row.url)
        row.change(&request)
        #expect(request.url == row.expected)
    }

    @Test func `the parts of a URL are readable`() {
        let request = HTTPRequest("HTTP://u@[::1]:80/a%20b?x=1#f")
        #expect(request.scheme == "http" && request.host == "::1" && request.port == 80)
        #expect(request.path == "/a%20b" && request.query == [HTTPQueryItem("x", "1")])
        let broken = HTTPRequest("http://u@[::zz]:80/a?x#f")
        #expect(broken.uri == nil && broken.url == "http://u@[::zz]:80/a?x#f")
        #expect(broken.host == "::zz" && broken.port == 80 && broken.path == "/a")
    }

    private static let mistakes: [Change] = [
        Change("http://a/", { $0.host = "b/c" }), Change("http://a/", { $0.host = "b@c" }),
        Change("http://a/", { $0.host = "b:1" }), Change("http://a/", { $0.host = "b?c" }),
        Change("http://a/", { $0.host = "b c" }), Change("http://a/", { $0.host = "" }),
        Change("http://a/", { $0.scheme = "ht/tp" }), Change("http://a/", { $0.scheme = "" }),
        Change("http://a/", { $0.scheme = "1" }), Change("http://a/", { $0.path = "a\r\nb" }),
        Change("http://a/", { $0.host = "a\r\nb" }), Change("http://a/", { $0.host = "\u{fffd}" }),
        Change("http://a/", { $0.query = [HTTPQueryItem(encoded: "a\nb")] }),
    ]

    @Test(arguments: mistakes)
    func `a URL part that would change other parts is rejected when sent`(
        row: Change
    ) async {
        var request = HTTPRequest(row.url)
        row.change(&request)
        let error = await failure { try await HTTPClient().send(request) }
        guard case .invalidRequest(.url) = error?.kind else {
            Issue.record("\(request.url): \(error?.kind as Any)")
            return
        }
        // Setting another part does not remove the error.
        request.port = 81
        #expect(request.uri == nil)
    }

    // MARK: - Templates

    @Test func `a template is expanded to the URL`() throws {
        let request = HTTPRequest(
            template: "http://a/{type}/{value}",
            variables: ["type": "mac", "value": 15]
        )
        #expect(request.url == "http://a/mac/15" && request.method == .get)
        let name = "Ada L."
        let post = HTTPRequest(.post, template: "users{/name}", variables: ["name": name])
        #expect(post.url == "users/Ada%20L." && post.method == .post)
        let template = try URITemplate("http://a{/x*}")
        #expect(
            HTTPRequest(template: template, variables: ["x": ["b", "c"]]).url == "http://a/b/c"
        )
    }

    @Test func `an invalid template is rejected when the request is sent`() async throws {
        let request = HTTPRequest(template: "http://a/{b", variables: [:])
        let error = await failure { try await HTTPClient().send(request) }
        let reason = URITemplate.TemplateError.unclosedExpression(offset: 9)
        #expect(error?.kind == .invalidRequest(.template("http://a/{b", reason)))
        let template = try URITemplate("http://a/{b:1}")
        let other = HTTPRequest(template: template, variables: ["b": ["c"]])
        let second = await failure { try await HTTPClient().send(other) }
        let misfit = URITemplate.TemplateError.prefixOfComposite(variable: "b")
        #expect(second?.kind == .invalidRequest(.template("http://a/{b:1}", misfit)))
    }
}
