import HTTPClient
import HTTPTestServer
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPTypesTests {
    @Test func `header fields are converted in both directions without loss`() throws {
        var headers: HTTPHeaders = [:]
        headers.append("X-Second", "b")
        headers.append("x-second", "a")
        headers.append("Accept", "*/*")
        headers.append("X-SECOND", "")
        headers.append("Latin", bytes: [0x63, 0x61, 0x66, 0xe9])
        headers.append("UTF-8", "cafés, 東京")
        headers.append("Tab", "a\tb  c")
        let theirs = try HTTPFields(headers)
        #expect(theirs.map(\.name.rawName) == headers.map(\.name))
        #expect(theirs[.accept] == "*/*" && theirs[values: .init("x-second")!] == ["b", "a", ""])
        let back = HTTPHeaders(theirs)
        #expect(back.map(\.name) == headers.map(\.name))
        #expect(back.map(\.valueBytes) == headers.map(\.valueBytes))
        // HTTPFields gives text only as UTF-8, but keeps the bytes.
        #expect(theirs[.init("Latin")!] == "caf\u{fffd}" && back["Latin"] == "café")
    }

    @Test(arguments: [
        ("no token", "a", HTTPError.Kind.invalidRequest(.refused(.invalidFieldName(index: 1)))),
        ("X", "a\nb", .invalidRequest(.refused(.invalidFieldValue(index: 1)))),
        ("X", "a\rb", .invalidRequest(.refused(.invalidFieldValue(index: 1)))),
        ("X", "a\0b", .invalidRequest(.refused(.invalidFieldValue(index: 1)))),
    ])
    func `a field that HTTPTypes cannot represent is rejected`(
        name: String,
        value: String,
        kind: HTTPError.Kind
    ) {
        let headers = HTTPHeaders([("A", "b"), (FieldName(name), value)])
        let error = #expect(throws: HTTPError.self) { try HTTPFields(headers) }
        #expect(error?.kind == kind)
    }

    @Test(
        arguments: [
            // URL of HTTPRequest; scheme, authority and path of HTTPTypes; URL after the conversion back.
            ("https://a.example/x?y=1", "https", "a.example", "/x?y=1", "https://a.example/x?y=1"),
            ("http://A.example:8080", "http", "a.example:8080", "/", "http://a.example:8080/"),
            ("http://u:p@[::1]/x#there", "http", "[::1]", "/x", "http://[::1]/x"),
            ("users/1", nil, nil, "/users/1", "/users/1"),
        ] as [(String, String?, String?, String, String)]
    )
    func `a URL is converted in both directions`(
        ours: String,
        scheme: String?,
        authority: String?,
        path: String,
        back: String
    ) throws {
        let request = HTTPClient.Request(ours, method: .patch, headers: ["X-One": "1"])
        let theirs = try HTTPTypes.HTTPRequest(request)
        #expect(theirs.method == .patch && theirs.scheme == scheme)
        #expect(theirs.authority == authority && theirs.path == path)
        #expect(theirs.headerFields[.init("x-one")!] == "1")
        let again = HTTPClient.Request(theirs)
        #expect(again.url == back && again.method == .patch && again.headers["X-One"] == "1")
    }

    @Test(arguments: [
        ("http", "good.example#", "/a"), ("http", "good.example/x", "/a"),
        ("http", "good.example?x", "/a"),
        ("http", "ada@good.example", "/a"), ("http", "ada:s3cret@good.example", "/a"),
        ("http", "good.example:80@evil.example", "/a"), ("http", "[::1]@evil.example", "/a"),
        ("http", "good.example:80/evil", "/a"), ("http", "good.example:x", "/a"),
        ("http", "good.example:80:81", "/a"), ("http", "a b", "/a"), ("http", "", "/a"),
        ("http://evil.example/?", "good.example", "/a"), ("http:", "good.example", "/a"),
        ("", "good.example", "/a"), ("http", "good.example\r\nX: y", "/a"),
    ])
    func `a scheme or authority with other parts is rejected`(
        scheme: String,
        authority: String,
        path: String
    ) async {
        let theirs = HTTPTypes.HTTPRequest(
            method: .get,
            scheme: scheme,
            authority: authority,
            path: path
        )
        let request = HTTPClient.Request(theirs)
        #expect(request.uri == nil)
        let error = await #expect(throws: HTTPError.self) {
            _ = try await HTTPClient().send(theirs)
        }
        guard case .invalidRequest(.url) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        // Setting another part does not make the URL valid either.
        var other = request
        other.path = "/b"
        #expect(other.uri == nil)
    }

    @Test(
        arguments: [
            ("a.example", "/x#y?z#w", "http://a.example/x%23y?z%23w"),
            ("a.example", "//b.example/x", "http://a.example//b.example/x"),
            ("a.example", "x@b.example", "http://a.example/x@b.example"),
            ("a.example:", "/", "http://a.example:/"), ("[::1]:8080", "?", "http://[::1]:8080?"),
            (nil, "//b.example/x", "/.//b.example/x"),
            (nil, "http://b.example/x", "./http://b.example/x"),
            (nil, "*", "/"),
        ] as [(String?, String, String)]
    )
    func `a converted path stays a path`(authority: String?, path: String, url: String) {
        let theirs = HTTPTypes.HTTPRequest(
            method: .get,
            scheme: "http",
            authority: authority,
            path: path
        )
        #expect(HTTPClient.Request(theirs).url == url)
        #expect(theirs.httpRequest.url == url)
    }

    @Test func `a raw target is converted, such as an asterisk`() throws {
        var request = HTTPClient.Request("http://a.example/x", method: .options)
        request.rawTarget = "*"
        let theirs = try HTTPTypes.HTTPRequest(request)
        #expect(theirs.path == "*")
        let back = HTTPClient.Request(theirs)
        #expect(back.rawTarget == "*" && back.url == "http://a.example/")
    }

    @Test func `an invalid method, URL or status is rejected`() {
        let method = #expect(throws: HTTPError.self) {
            try HTTPTypes.HTTPRequest(HTTPClient.Request("http://a/", method: "NO TOKEN"))
        }
        #expect(method?.kind == .invalidRequest(.refused(.invalidMethod)))
        let url = #expect(throws: HTTPError.self) {
            try HTTPTypes.HTTPRequest(HTTPClient.Request("http://a:b:c/"))
        }
        #expect(url?.blame == .caller)
        #expect(HTTPTypes.HTTPResponse.Status(HTTPStatus(1000)) == nil)
        #expect(throws: HTTPError.self) {
            try HTTPTypes.HTTPResponse(ResponseHead(status: 1000))
        }
    }

    @Test func `a request of HTTPTypes is sent, and its response is converted`() async throws {
        let server = try await HTTPTestServer.start { request in
            .raw(
                "HTTP/1.1 418 I'm a teapot\r\nX-Sent: \(request.text)\r\nContent-Length: 0\r\n\r\n"
            )
        }
        let request = HTTPTypes.HTTPRequest(
            method: .put,
            scheme: "http",
            authority: "127.0.0.1:\(server.port)",
            path: "/pot?kind=tea",
            headerFields: [.accept: "text/plain"]
        )
        let response = try await HTTPClient().send(
            HTTPClient.Request(request, body: .bytes([0x78]))
        )
        let seen = try #require(server.requests.first)
        #expect(seen.method == .put && seen.target == "/pot?kind=tea")
        #expect(seen.headers["accept"] == "text/plain")
        let theirs = try HTTPTypes.HTTPResponse(response.head)
        #expect(theirs.status.code == 418 && theirs.status.reasonPhrase == "I'm a teapot")
        #expect(theirs.headerFields[.init("x-sent")!] == "x")
        #expect(ResponseHead(theirs).reason == "I'm a teapot")
        let made = try HTTPClient.Response(
            theirs,
            body: [1],
            for: HTTPClient.Request("http://a/")
        )
        #expect(made.status == 418 && made.body == [1] && made.headers["X-Sent"] == "x")
    }
}
