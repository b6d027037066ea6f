#if Foundation
import FoundationEssentials
import HTTPClient
import HTTPTestServer
import Testing

private struct MissingUserID: Error {}

/// A user with its own decoding of a response.
private struct ParsedUser: HTTPDecodableResponse, Sendable, Equatable {
    let userID: String
    let name: String
    let email: String

    static func decode(_ response: HTTPResponse) throws -> ParsedUser {
        let json = try response.json()
        guard let userID = json["userid"].string else { throw MissingUserID() }
        return ParsedUser(
            userID: userID,
            name: json["name"].string ?? "",
            email: json["email"].string ?? ""
        )
    }
}

/// A user decoded by `Codable`.
private struct User: Codable, Sendable, Equatable {
    let userID: String
    let name: String
    let email: String
}

private let ada = User(userID: "7", name: "Ada", email: "ada@example.com")

@Suite("IndomioHTTP: HTTP Request", .timeLimit(.minutes(10))) struct IndomioRequestTests {
    /// Starts a server that answers a login with a user, and echoes other requests.
    private func loginServer() async throws -> HTTPTestServer {
        try await HTTPTestServer.start { request in
            guard request.path.hasSuffix("/agents/login") else { return .echo(request) }
            let json = try HTTPJSON(parsing: request.body)
            guard json["pwd"] == "secret" else { return .text("no", status: .unauthorized) }
            return .json(
                #"{"userID": "7", "userid": "7", "name": "Ada", "email": "ada@example.com"}"#
            )
        }
    }

    @Test func `HTTP Request: one line runs a request`() async throws {
        let server = try await echoServer()
        let notes = EventRecorder<Data>()
        HTTPRequest(server.url + "/get").start().onResponse { response in
            notes.add(response.data)
        }
        let body = try #require(await notes.first(1).first)
        #expect(try HTTPJSON(parsing: Array(body))["method"] == "GET")
        #expect(server.requests.map(\.target) == ["/get"])
    }

    @Test func `Configure a Request: method and route are optional`() async throws {
        let server = try await echoServer()
        let client = try HTTPClient(baseURL: server.url + "/v1")
        let empty = HTTPRequest()
        let standard = HTTPRequest(.post, "users")
        #expect(empty.method == .get && empty.url == "")
        #expect(try await empty.send(in: client).json()["target"] == "/v1")
        #expect(try await standard.send(in: client).json()["target"] == "/v1/users")
        #expect(server.requests.map(\.method) == [.get, .post])
    }

    @Test(arguments: ["", "/v2", "/v2/"], ["new/joke", "/new/joke"])
    func `Configure a Request: the route is joined with the base URL`(
        base: String,
        route: String
    ) async throws {
        let server = try await echoServer()
        let client = try HTTPClient(baseURL: server.url + base)
        let request = HTTPRequest(.post, route)
        let response = try await request.start(in: client).value
        let expected = (base.isEmpty ? "" : "/v2") + "/new/joke"
        #expect(server.requests.map(\.target) == [expected])
        #expect(try response.json()["target"].string == expected)
        #expect(response.url.text == server.url + expected)
    }

    @Test func `Configure a Request: an absolute URL ignores the base URL`() async throws {
        let server = try await echoServer()
        let client = try HTTPClient(baseURL: "http://unreachable.invalid/v1")
        let request = HTTPRequest(.post, server.url + "/login/user")
        #expect(try await request.send(in: client).isSuccess)
        #expect(server.requests.map(\.target) == ["/login/user"])
    }

    @Test func `Configure a Request: a URI template is expanded`() async throws {
        let server = try await echoServer()
        let request = HTTPRequest(
            .get,
            template: server.url + "/{type}/{value}",
            variables: ["type": "mac", "value": 15]
        )
        #expect(try await request.start().value.json()["target"] == "/mac/15")
        #expect(server.requests.map(\.path) == ["/mac/15"])
    }

    @Test func `Decodable Request: a type decodes the response itself`() async throws {
        let server = try await loginServer()
        let client = try HTTPClient(baseURL: server.url)
        let login = HTTPRequest(.post, "agents/login").json(["user": "ada", "pwd": "secret"])
        let user = try await HTTPEndpoint(login, ParsedUser.self).start(in: client).value
        #expect(user == ParsedUser(userID: "7", name: "Ada", email: "ada@example.com"))
        // The error contains the decoder's error and the response.
        let error = await failure {
            try await HTTPRequest("other").fetch(ParsedUser.self, in: client)
        }
        #expect(error?.underlying is MissingUserID)
        #expect(error?.head?.status == .ok)
        #expect(server.requests.map(\.path) == ["/agents/login", "/other"])
    }

    @Test func `Decodable Request: the result of a Codable type`() async throws {
        let server = try await loginServer()
        let client = try HTTPClient(baseURL: server.url)
        let (user, password) = ("ada", "secret")
        let notes = EventRecorder<String>()
        for password in [password, "wrong"] {
            HTTPRequest().method(.post).route("agents/login")
                .json(["user": .string(user), "pwd": .string(password)])
                .returning(.json(User.self))
                .start(in: client)
                .onResult { result in
                    switch result {
                    case .success(let user): notes.add("Logged as \(user.email)")
                    case .failure(let error): notes.add("Failed with error: \(error.kind)")
                    }
                }
            await notes.first(password == "wrong" ? 2 : 1)
        }
        #expect(
            notes.all == [
                "Logged as ada@example.com",
                "Failed with error: \(HTTPError.Kind.rejectedStatus(.unauthorized))",
            ]
        )
        #expect(server.requests.map(\.text).first == #"{"user":"ada","pwd":"secret"}"#)
    }

    @Test func `Chainable Configuration`() async throws {
        let server = try await loginServer()
        let client = try HTTPClient(baseURL: server.url + "/service/v2")
        let (user, password) = ("ada", "secret")
        let request = HTTPRequest()
            .method(.post)
            .maxRetries(3)
            .timeout(.seconds(60))
            .with { $0.security = HTTPSecurity() }
            .route("/agents/login")
            .header(.acceptLanguage, "it")
            .json(["username": user, "pwd": password])
        let notes = EventRecorder<Result<User, HTTPError>>()
        request.returning(.json(User.self)).start(in: client).onResult { notes.add($0) }
        #expect(try await notes.first(1).first?.get() == ada)
        let seen = try #require(server.requests.first)
        #expect(seen.method == .post && seen.target == "/service/v2/agents/login")
        #expect(seen.headers[.contentType] == "application/json")
        #expect(seen.headers[.acceptLanguage] == "it")
        #expect(
            try JSONDecoder().decode([String: String].self, from: Data(seen.body)) == [
                "username": user, "pwd": password,
            ]
        )
    }

    @Test func `Chainable Configuration: a request limits its retries`() async throws {
        let server = try await serverAnswering([.close, .text("done")])
        let client = try HTTPClient(baseURL: server.url)
        let request = HTTPRequest(.post, "orders").idempotencyKey().maxRetries(3).json(["item": 1])
        #expect(try await request.send(in: client).text == "done")
        #expect(server.requests.map(\.text) == [#"{"item":1}"#, #"{"item":1}"#])
        #expect(Set(server.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        let once = try await serverAnswering([.close, .text("done")])
        let other = HTTPRequest(once.url).maxRetries(0)
        #expect(await failure { try await other.send() }?.blame == .peer)
        #expect(once.requests.count == 1)
    }

    /// A request that a retry could execute twice is not sent again.
    @Test(arguments: [nil, "order-17"])
    func `Chainable Configuration: a POST is retried only with a key`(key: String?) async throws {
        let server = try await serverAnswering([.close, .close, .text("done")])
        var patient = HTTPDefaultValidator()
        patient.strategy = .immediate
        let validators: [any HTTPResponseValidator] = [patient]
        let client = try HTTPClient(baseURL: server.url) { $0.validators = validators }
        var request = HTTPRequest(.post, "orders").maxRetries(3).json(["item": 1])
        request.headers["Idempotency-Key"] = key
        let result = await request.start(in: client).result
        if key == nil {
            #expect(throws: HTTPError.self) { try result.get() }
            #expect(server.requests.count == 1)
        } else {
            #expect(try result.get().text == "done")
            #expect(server.requests.map(\.text) == Array(repeating: #"{"item":1}"#, count: 3))
        }
    }

    // MARK: - Set Content

    @Test func `Set Headers: one at a time`() async throws {
        let server = try await echoServer()
        let request = HTTPRequest(server.url)
            .header(.acceptLanguage, "it-it")
            .header(.contentEncoding, "utf-8")
        let seen = try await request.send().json()["headers"]
        #expect(seen["Accept-Language"] == "it-it")
        #expect(server.requests.first?.headers[.contentEncoding] == "utf-8")
    }

    @Test func `Set Headers: in a closure`() async throws {
        let server = try await echoServer()
        let request = HTTPRequest(server.url).headers {
            $0[.acceptLanguage] = "it-it"
            $0[.userAgent] = "my-agent"
            $0[.contentEncoding] = "utf-8"
        }
        let seen = try await request.send().json()["headers"]
        #expect(seen["User-Agent"] == "my-agent")
        let headers = try #require(server.requests.first?.headers)
        #expect(headers.values(.userAgent) == ["my-agent"])
        #expect(headers[.acceptLanguage] == "it-it" && headers[.contentEncoding] == "utf-8")
    }

    @Test func `Set Headers: a custom name`() async throws {
        let server = try await echoServer()
        let first = HTTPRequest(server.url).header("X-MyHeader", "SomeValue")
        let second = HTTPRequest(server.url).headers { $0["X-MyHeader"] = "SomeValue" }
        for request in [first, second] {
            #expect(try await request.send().json()["headers"]["X-MyHeader"] == "SomeValue")
        }
        #expect(server.requests.map { $0.headers["x-myheader"] } == ["SomeValue", "SomeValue"])
    }

    @Test func `Set Headers: cookies of one request`() async throws {
        let server = try await echoServer()
        let cookie = try #require(Cookie("id", "17", domain: "example.com"))
        let response = try await HTTPRequest(server.url).cookies([cookie]).send()
        #expect(try response.json()["headers"]["Cookie"].string == "id=17")
        #expect(try await HTTPRequest(server.url).send().json()["headers"]["Cookie"].string == nil)
    }

    @Test func `Set Query Parameters`() async throws {
        let server = try await echoServer()
        let client = try HTTPClient(baseURL: server.url + "/service/v2")
        let date = Date(timeIntervalSince1970: 1_628_862_942)
        let request = HTTPRequest()
            .method(.post)
            .route("/search")
            .query(["type": "poi", "max": 5, "date": date, "disabled": false])
        let target = "/service/v2/search?type=poi&max=5&date=2021-08-13T13%3A55%3A42Z&disabled=0"
        #expect(try await request.send(in: client).json()["target"].string == target)
        #expect(server.requests.map(\.target) == [target])
        #expect(server.requests.map(\.method) == [.post])
    }

    @Test func `Set Query Parameters: the style of arrays and Booleans`() async throws {
        let server = try await echoServer()
        let client = try HTTPClient(baseURL: server.url)
        let parameters: HTTPParameters = ["tags": ["a", "b"], "open": true]
        let plain = HTTPRequest(.post, "/search").query(parameters)
        let styled = HTTPRequest(.post, "/search")
            .query(parameters, style: HTTPParameters.Style(array: .repeated, bool: .literals))
        _ = try await plain.send(in: client)
        #expect(try await styled.send(in: client).isSuccess)
        #expect(
            server.requests.map(\.query) == [
                "tags%5B%5D=a&tags%5B%5D=b&open=1", "tags=a&tags=b&open=true",
            ]
        )
    }
}
#endif
