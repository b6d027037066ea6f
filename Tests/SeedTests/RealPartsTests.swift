#if Foundation
import FoundationEssentials
import HTTPClient
import HTTPClientTesting
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite("RealHTTP: Headers, query, retries and bodies", .timeLimit(.minutes(10)))
struct RealPartsTests {
    // MARK: - Headers

    @Test func `Headers: sections are sorted, added and read as dictionaries`() {
        let headers = HTTPHeaders(["B": "2", "A": "1"]) + ["b": "3", "C": "4"]
        #expect(headers.dictionary == ["A": "1", "b": "3", "C": "4"])
        #expect((["C": "4"] + headers).sortedByName.map(\.name) == ["A", "b", "C"])
    }

    @Test func `Headers: a section is Codable with order and repeats`() throws {
        let headers: HTTPHeaders = ["Via": "1.1 a", "Accept": "é", "via": "1.1 b"]
        let data = try JSONEncoder().encode(headers)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"[["Via","1.1 a"],["Accept","é"],["via","1.1 b"]]"#
        )
        #expect(try JSONDecoder().decode(HTTPHeaders.self, from: data) == headers)
    }

    @Test(
        arguments: [
            #"[["A B","1"]]"#, #"[["","1"]]"#, #"[["A","1\n"]]"#, #"[["A"]]"#, #"[["A","1","2"]]"#,
            #"[["A",1]]"#, #"{"A":"1"}"#,
        ]
    )
    func `Headers: names and values are checked when they are decoded`(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(HTTPHeaders.self, from: Data(text.utf8))
        }
    }

    @Test func `Headers: languages, charsets, codings, key and disposition`() async throws {
        let server = try await HTTPTestServer.start { .echo($0) }
        var request = HTTPRequest(.post, server.url, body: .string("x"))
        request.headers.acceptLanguage = ["de_CH.UTF-8", "en"]
        request.headers.acceptCharset = ["utf-8"]
        request.headers.acceptEncoding = ["gzip", "identity"]
        request.headers.apiKey = "7f3a"
        request.headers.contentDisposition = ContentDisposition("inline", fileName: "a.txt")
        #expect(!request.headers.description.contains("7f3a"))
        #expect(try await request.send().isSuccess)
        let seen = try #require(server.requests.first).headers
        #expect(seen[.acceptLanguage] == "de-CH, en;q=0.9" && seen[.acceptCharset] == "utf-8")
        #expect(seen.values(.acceptEncoding) == ["gzip, identity;q=0.9"])
        #expect(seen["X-API-Key"] == "7f3a")
        #expect(seen[.contentDisposition] == "inline; filename=a.txt")
    }

    // MARK: - Query of a client

    @Test func `Client: queryParams are appended to every request`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/v1/old" ? .redirect(to: "/new?a=1") : .echo(request)
        }
        let client = try HTTPClient(baseURL: server.url + "/v1?base=1") {
            $0.query = [HTTPQueryItem("api-version", "2"), HTTPQueryItem("base", "no")]
        }
        let requests: [HTTPRequest] = ["users", "users?q=1&api%2Dversion=3", "old"]
        for request in requests { #expect(try await client.send(request).isSuccess) }
        #expect(try await client.stream("streamed").status == .ok)
        #expect(try await client.start(HTTPRequest("started")).value.isSuccess)
        let directory = try TemporaryDirectory()
        _ = try await client.download("file", to: directory.path + "/file")
        _ = try await client.withConnection(to: "x") { try await $0.send("own") }
        #expect(
            server.requests.map(\.target) == [
                "/v1/users?base=1&api-version=2", "/v1/users?base=1&q=1&api%2Dversion=3",
                "/v1/old?base=1&api-version=2", "/new?a=1", "/v1/streamed?base=1&api-version=2",
                "/v1/started?base=1&api-version=2", "/v1/file?base=1&api-version=2",
                "/v1/own?base=1&api-version=2",
            ]
        )
        #expect(try HTTPRequest("a").curlDescription(in: client).contains("api-version=2"))
    }

    // MARK: - Retries

    @Test func `Default validator: a status has its own wait`() async throws {
        let count = Locked(0)
        let server = try await HTTPTestServer.start { _ in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            return number == 1 ? .text("later", status: .tooManyRequests) : .text("now")
        }
        var validator = HTTPDefaultValidator()
        validator.strategy = .delayed(.seconds(600))
        let client = HTTPClient().with {
            $0.validators = [validator]
            $0.retries.statusDelays = [429: .milliseconds(1)]
        }
        #expect(try await client.send(server.url).text == "now")
        #expect(server.requests.count == 2)
    }

    // MARK: - Templates, fingerprints and bodies

    @Test func `URI Template: it is Codable`() throws {
        let template = try URITemplate("/posts/{id}{?page}")
        let data = try JSONEncoder().encode([template])
        #expect(String(decoding: data, as: UTF8.self) == #"["\/posts\/{id}{?page}"]"#)
        #expect(try JSONDecoder().decode([URITemplate].self, from: data) == [template])
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([URITemplate].self, from: Data(#"["{a"]"#.utf8))
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("another error")
            return
        }
        #expect(
            context.underlyingError as? URITemplate.TemplateError == .unclosedExpression(offset: 0)
        )
        #expect(URITemplate(rawValue: "{a") == nil && template.rawValue == template.text)
    }

    @Test func `Request: a fingerprint recognizes the same request`() async throws {
        let request = HTTPRequest(.post, "https://a.test/users", body: .json(["name": "Ada"]))
        let again = HTTPRequest(.post, "https://a.test/users", body: .json(["name": "Ada"]))
            .authorization(.bearer("token"))
        let digest = try await request.fingerprint
        #expect(digest.hex.count == 64)
        #expect(try await again.fingerprint == digest)
        #expect(try await again.body(.json(["name": "Eva"])).fingerprint != digest)
    }

    @Test func `Body: the content is read back`() throws {
        #expect(HTTPBody.json(["a": 1]).json == ["a": 1])
        #expect(HTTPBody.string("a").text == "a")
        #expect(HTTPBody.form(["a": "b c"]).formItems == ["a": "b c"])
        #expect(HTTPBody.file("/tmp/a").filePath == "/tmp/a")
        let form = try #require(HTTPBody.multipart { $0.add(string: "1", name: "a") }.multipartForm)
        #expect(form.parts.map(\.name) == ["a"] && form.parts[0].body.text == "1")
    }

    @Test func `Response: urlRequests are the original and the current request`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/old" ? .redirect(to: "/new") : .text("new")
        }
        let request = HTTPRequest(server.url + "/old?a=1", headers: ["X-Token": "7f3a"])
        let response = try await HTTPClient().send(request)
        #expect(response.originalRequest.target.description == "/old?a=1")
        #expect(response.request.target.description == "/new")
        #expect(response.request.headers["X-Token"] == "7f3a")
        #expect(response.curlDescription.contains("X-Token: ***"))
    }

    @Test func `Method: QUERY has content and is retried`() async throws {
        let count = Locked(0)
        let server = try await HTTPTestServer.start { request in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            return number == 1 ? .reset : .echo(request)
        }
        let client = HTTPClient().with { $0.retries = .standard }
        let request = HTTPRequest(.query, server.url, body: .json(["q": "tea"]))
        #expect(try await client.send(request).isSuccess)
        #expect(server.requests.map(\.text) == [#"{"q":"tea"}"#, #"{"q":"tea"}"#])
        #expect(try await client.send(HTTPRequest(.query, server.url)).isSuccess)
        #expect(server.requests.last?.headers[.contentLength] == "0")
        #expect(try await client.send(HTTPRequest("PROPFIND", server.url)).isSuccess)
        #expect(server.requests.last?.headers.contains(.contentLength) == false)
    }

    // MARK: - Stubs

    @Test func `Stubber: one stub is removed, and the others still answer`() async throws {
        let login = HTTPStub(.post("https://a.test/login"), answer: .status(.forbidden))
        let users = HTTPStub("/users", answer: .text("all"))
        let stubs = HTTPStubs {
            login
            users
        }
        stubs.add(HTTPStub(.post("https://a.test/login"), answer: .text("welcome")))
        let client = try HTTPClient(baseURL: "https://a.test") { $0.stubs = stubs }
        let request = HTTPRequest(.post, "login")
        #expect(try await client.send(request).status == .forbidden)
        #expect(stubs.remove(login))
        #expect(!stubs.remove(login))
        #expect(try await client.send(request).text == "welcome")
        #expect(try await client.send("users").text == "all")
        #expect(stubs.remove(users))
        // No request leaves the process: without its stub it fails.
        let error = await failure { try await client.send("users") }
        guard case .unmatched = error?.stubError?.reason else {
            Issue.record("got \(String(describing: error))")
            return
        }
        try stubs.verify("/login", times: 2)
        try stubs.verify("/users", times: 2)
        stubs.removeAll()
        #expect(await failure { try await client.send(request) }?.stubError != nil)
    }
}
#endif
