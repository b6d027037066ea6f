#if Foundation
import FoundationEssentials
import HTTPClient
import HTTPTestServer
import Testing

private struct LoggedUser: Codable, Sendable, Equatable {
    var name: String
}

private struct UserCred: Codable, Sendable {
    var username: String
    var pwd: String
}

/// A user with its own decoding of a response.
private struct MyUser: HTTPDecodableResponse, Sendable, Equatable {
    struct InvalidObject: Error {}

    var name: String
    var age: Int

    static func decode(_ response: HTTPResponse) throws -> MyUser {
        let json = try response.json()
        guard json["isValid"].bool == true else { throw InvalidObject() }
        return MyUser(name: json["fullName"].string ?? "", age: json["age"].int ?? 0)
    }
}

/// A view model that shows a user.
@MainActor private final class Profile {
    private(set) var shown: Result<LoggedUser, HTTPError>?

    func update(_ user: Result<LoggedUser, HTTPError>) {
        shown = user
    }
}

@Suite("RealHTTP: The HTTP Client and its response", .timeLimit(.minutes(10)))
struct RealClientTests {
    private func loginServer() async throws -> HTTPTestServer {
        try await HTTPTestServer.start { request in
            guard request.path == "/api/v2/login" else { return .echo(request) }
            let isGood = try HTTPJSON(parsing: request.body)["pwd"] == "abc"
            return isGood ? .json(#"{"name": "Mark"}"#) : .text("no", status: .forbidden)
        }
    }

    private func login(_ password: String) -> HTTPRequest {
        let credentials = UserCred(username: "mark", pwd: password)
        return HTTPRequest {
            $0.path = "login"
            $0.method = .post
            $0.query.append(HTTPQueryItem("autosignout", "30"))
            $0.body = .json(credentials)
        }
    }

    // MARK: - The HTTP Client

    @Test func `Shared Client: a relative URL is rejected`() async throws {
        let server = try await echoServer()
        let request = HTTPRequest(method: .post, server.url + "/posts")
        #expect(try await request.send().json()["target"] == "/posts")
        #expect(server.requests.map(\.method) == [.post])
        // The shared client has no base URL, so a relative URL is invalid.
        let error = await failure { try await HTTPRequest("posts").send() }
        #expect(error?.kind == .invalidRequest(.relativeURL("posts")))
    }

    @Test func `Custom Client: base URL and headers apply to its requests`() async throws {
        let server = try await loginServer()
        let myAgent = "MyAgent/1"
        let b2cClient = try HTTPClient(baseURL: server.url + "/api/v2/") {
            $0.cookies = .automatic
            $0.headers = [.userAgent: myAgent, "X-API-Experimental": "true"]
        }
        let user = try await login("abc").send(in: b2cClient).decode(LoggedUser.self)
        #expect(user == LoggedUser(name: "Mark"))
        let seen = try #require(server.requests.first)
        #expect(seen.method == .post && seen.target == "/api/v2/login?autosignout=30")
        #expect(seen.headers[.userAgent] == myAgent && seen.headers["X-API-Experimental"] == "true")
        #expect(try HTTPJSON(parsing: seen.body)["username"] == "mark")
    }

    @Test(arguments: [true, false])
    func `Custom Client: cookies are kept or not`(areKept: Bool) async throws {
        let server = try await HTTPTestServer.start { request in
            .echo(request).header(.setCookie, "session=17; Path=/")
        }
        let client = try HTTPClient(baseURL: server.url) {
            $0.cookies = areKept ? .automatic : .disabled
        }
        _ = try await HTTPRequest("a").send(in: client)
        let second = try await HTTPRequest("b").send(in: client).json()
        let expected: String? = areKept ? "session=17" : nil
        #expect(second["headers"]["Cookie"].string == expected)
        #expect(server.requests.map { $0.headers[.cookie] } == [nil, expected])
    }

    @Test(arguments: [HTTPRequest.CacheMode.default, .reload, .noStore])
    func `Custom Client: its cache policy applies to its requests`(
        mode: HTTPRequest.CacheMode
    ) async throws {
        let server = try await serverAnswering([
            .text("1").header(.cacheControl, "max-age=60"),
            .text("2").header(.cacheControl, "max-age=60"),
        ])
        let client = try HTTPClient(baseURL: server.url) {
            $0.cache = .memory()
            $0.cacheMode = mode
        }
        let request = HTTPRequest("profile")
        #expect(try await request.send(in: client).text == "1")
        #expect(try await request.send(in: client).text == (mode == .default ? "1" : "2"))
        #expect(server.requests.count == (mode == .default ? 1 : 2))
        // The policy of a request overrides that of the client.
        let own = try await request.with { $0.cacheMode = .onlyIfCached }.send(in: client)
        #expect(own.status == (mode == .noStore ? .gatewayTimeout : .ok))
    }

    @Test func `Custom Client: its cache policy can ask the server each time`() async throws {
        let server = try await HTTPTestServer.start { request in
            let isKnown = request.headers[.ifNoneMatch] == #""a""#
            let response: HTTPTestServer.Response =
                isKnown ? .text("", status: .notModified) : .text("1")
            return response.header(.etag, #""a""#).header(.cacheControl, "max-age=60")
        }
        // reloadRevalidatingCacheData
        let client = try HTTPClient(baseURL: server.url) {
            $0.cache = .memory()
            $0.cacheMode = .noCache
        }
        for outcome in [HTTPResponse.CacheStatus.Outcome.miss, .revalidated] {
            let response = try await HTTPRequest("profile").send(in: client)
            #expect(response.status == .ok && response.text == "1")
            #expect(response.cacheStatus?.outcome == outcome)
        }
        #expect(server.requests.map { $0.headers[.ifNoneMatch] } == [nil, #""a""#])
        let controls = server.requests.map { $0.headers[.cacheControl] }
        #expect(controls == ["max-age=0", "max-age=0"])
    }

    @Test func `Custom Client: its cache policy can prefer stored data`() async throws {
        let server = try await serverAnswering([
            .text("1").header(.etag, #""1""#).header(.cacheControl, "max-age=0"),
            .text("2").header(.etag, #""2""#).header(.cacheControl, "max-age=0"),
        ])
        // returnCacheDataElseLoad
        let client = try HTTPClient(baseURL: server.url) {
            $0.cache = .memory()
            $0.cacheMode = .forceCache
        }
        let request = HTTPRequest("profile")
        #expect(try await request.send(in: client).text == "1")
        let stored = try await request.send(in: client)
        #expect(stored.text == "1" && stored.cacheStatus?.outcome == .staleHit)
        #expect(server.requests.count == 1)
        // The policy of a request overrides that of the client, so the stale response is validated.
        let own = try await request.with { $0.cacheMode = .default }.send(in: client)
        #expect(own.text == "2")
        #expect(server.requests.map { $0.headers[.ifNoneMatch] } == [nil, #""1""#])
        #expect(server.requests.allSatisfy { !$0.headers.contains(.cacheControl) })
    }

    @Test func `Execute a Request: result or error is delivered`() async throws {
        let server = try await loginServer()
        let client = try HTTPClient(baseURL: server.url + "/api/v2")
        let profile = Profile()
        for password in ["abc", "wrong"] {
            let request = login(password)
            let task = Task {
                do throws(HTTPError) {
                    let user = try await request.fetch(LoggedUser.self, in: client)
                    await profile.update(.success(user))
                } catch {
                    await profile.update(.failure(error))
                }
            }
            await task.value
            let shown = try #require(await profile.shown)
            if password == "abc" {
                #expect(try shown.get() == LoggedUser(name: "Mark"))
            } else {
                #expect(await failure { try shown.get() }?.kind == .rejectedStatus(.forbidden))
            }
        }
        #expect(server.requests.count == 2)
    }

    @Test func `Modify a Request: a head modifier removes fields`() async throws {
        let server = try await echoServer()
        let client = HTTPClient().with { $0.headers["X-API-Key"] = "abc" }
        var request = HTTPRequest(server.url).cacheControl(.noCache)
        request.headModifier = { head in
            head.headers.remove(.cacheControl)
            head.headers.remove("X-API-Key")
        }
        #expect(try await request.send(in: client).isSuccess)
        let headers = try #require(server.requests.first?.headers)
        #expect(!headers.contains(.cacheControl) && !headers.contains("X-API-Key"))
    }

    @Test(arguments: [true, false])
    func `Cancel a Request: by its task or its call`(byTask: Bool) async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let server = try await HTTPTestServer.start { _ in
            arrival.yield()
            return .stall
        }
        let request = HTTPRequest(server.url)
        let error: HTTPError?
        if byTask {
            let task = Task { try await request.send() }
            for await _ in arrivals { break }
            task.cancel()
            error = await failure { try await task.value }
        } else {
            let call = request.start()
            for await _ in arrivals { break }
            call.cancel()
            error = await failure { try await call.value }
        }
        #expect(error?.kind == .cancelled && error?.isCancellation == true)
        #expect(server.requests.count == 1)
    }

    // MARK: - The HTTP Response

    @Test func `The HTTP Response: status, fields, data and metrics`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .text("hello", status: 299).header("X-Left", "3").header(.via, "1.1 a")
                .header(.via, "1.1 b")
        }
        let response = try await HTTPRequest(server.url).send()
        #expect(response.data == Data("hello".utf8))
        #expect(response.status.code == 299 && response.isSuccess)
        #expect(response.headers["X-Left"] == "3")
        #expect(response.headers.values(.via) == ["1.1 a", "1.1 b"])
        #expect(response.metrics.attempts.count == 1)
        let total = try #require(response.metrics.total)
        let first = try #require(response.metrics.firstByte)
        #expect(total >= first && first > .zero)
        #expect(server.requests.count == 1)
    }

    @Test func `Decode using Codable & Custom Decoding`() async throws {
        let server = try await HTTPTestServer.start(routes: [
            "/good": .json(#"{"isValid": true, "fullName": "Mark", "age": 41}"#),
            "/bad": .json(#"{"isValid": false}"#), "/none": .status(.noContent),
            "/codable": .json(#"{"name": "Mark"}"#),
        ])
        let client = try HTTPClient(baseURL: server.url)
        let good: MyUser? = try await HTTPRequest("good").send(in: client).decode(MyUser.self)
        #expect(good == MyUser(name: "Mark", age: 41))
        let response = try await HTTPRequest("bad").send(in: client)
        let error = await failure { try response.decode(MyUser.self) }
        #expect(error?.underlying is MyUser.InvalidObject)
        // Where the sample's `decode` returns nil, an endpoint's closure returns an optional.
        let absent = HTTPEndpoint(HTTPRequest("bad")) { response -> MyUser? in
            guard try response.json()["isValid"].bool == true else { return nil }
            return try MyUser.decode(response)
        }
        #expect(try await client.fetch(absent) == nil)
        let none: LoggedUser? = try await HTTPRequest("none").send(in: client).decode()
        #expect(none == nil)
        let codable = try await HTTPRequest("codable").send(in: client).decode(LoggedUser.self)
        #expect(codable == LoggedUser(name: "Mark"))
        #expect(server.requests.map(\.path) == ["/good", "/bad", "/bad", "/none", "/codable"])
    }

    @Test(arguments: [(#"{"a": [1, 2.5, null]}"#, "a"), ("17", nil), (#""text""#, nil)])
    func `Decode Raw JSON using JSONSerialization`(text: String, name: String?) async throws {
        let server = try await HTTPTestServer.start { _ in .json(text) }
        let newClient = try HTTPClient(baseURL: server.url)
        let result = try await HTTPRequest("").send(in: newClient).json()
        #expect(result == (try HTTPJSON(parsing: text)))
        if let name {
            #expect(result[name].array?.count == 3)
            #expect(result[name][0].int == 1 && result[name][1].double == 2.5)
            #expect(result[name][2].isNull)
        }
        #expect(server.requests.count == 1)
    }
}
#endif
