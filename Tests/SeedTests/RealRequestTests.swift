#if Foundation
import FoundationEssentials
import HTTPClient
import HTTPTestServer
import Support
import Testing

private struct Todo: Codable, Sendable, Equatable {
    var title: String
    var userId: Int
}

private struct UserCredentials: Codable, Sendable, Equatable {
    var username: String
    var pwd: String
}

@Suite("RealHTTP: Build & Execute a Request", .timeLimit(.minutes(10))) struct RealRequestTests {
    @Test func `Build & Execute a Request: one line decodes a value`() async throws {
        let server = try await HTTPTestServer.start(routes: [
            "/todos/1": .json(#"{"title": "foo", "userId": 1, "completed": false}"#)
        ])
        let todo = try await HTTPRequest(server.url + "/todos/1").fetch(Todo.self)
        #expect(todo == Todo(title: "foo", userId: 1))
        #expect(server.requests.map(\.method) == [.get])
    }

    // MARK: - Initialize a Request

    @Test func `Standard: method, URL and body`() async throws {
        let server = try await echoServer()
        let request = HTTPRequest(
            method: .post,
            server.url + "/posts",
            body: .json(["title": "foo", "body": "bar", "userId": 1])
        )
        let response = try await request.send()
        #expect(try response.json()["target"] == "/posts")
        let seen = try #require(server.requests.first)
        #expect(seen.method == .post)
        #expect(seen.text == #"{"title":"foo","body":"bar","userId":1}"#)
        #expect(seen.headers[.contentType] == "application/json")
    }

    @Test func `URI Template: variables are expanded`() async throws {
        let server = try await echoServer()
        let request = HTTPRequest(
            template: server.url + "/posts/{postId}",
            variables: ["postId": 1]
        )
        #expect(try await request.send().json()["target"] == "/posts/1")
        #expect(server.requests.map(\.target) == ["/posts/1"])
    }

    @Test func `Builder Pattern: a closure sets the parts`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/login" ? .redirect(to: "/elsewhere") : .echo(request)
        }
        let (username, password) = ("mark", "abc")
        let request = HTTPRequest {
            // Target.
            $0.url = server.url + "/login"
            $0.method = .get
            $0.timeout = .seconds(100)
            // Options.
            $0.redirectMode = .refuse
            $0.maxRetries = 4
            // Content.
            $0.query.append(HTTPQueryItem("full", "1"))
            $0.query.append(HTTPQueryItem("autosignout", "30"))
            $0.body = .json(["username": username, "pwd": password])
        }
        let response = try await request.send()
        #expect(response.status == .found)
        #expect(response.location?.path == "/elsewhere")
        #expect(server.requests.map(\.target) == ["/login?full=1&autosignout=30"])
        let json = try HTTPJSON(parsing: try #require(server.requests.first?.body))
        #expect(json["username"] == "mark" && json["pwd"] == "abc")
        var following = request
        following.redirectMode = .follow
        #expect(try await following.send().json()["target"] == "/elsewhere")
        #expect(server.requests.count == 3)
    }

    // MARK: - Query and headers

    @Test func `Setup Query Parameters`() async throws {
        let server = try await echoServer()
        let request = HTTPRequest {
            $0.url = server.url + "/login"
            $0.add(parameters: ["username": "Michael Bublé", "pwd": "abc", "autosignout": true])
            $0.query.append(HTTPQueryItem("full", "1"))
            $0.query.append(HTTPQueryItem("emoji", "😃"))
            $0.query.append(contentsOf: [HTTPQueryItem("a", "1"), HTTPQueryItem("a", "2")])
        }
        let target =
            "/login?username=Michael%20Bubl%C3%A9&pwd=abc&autosignout=1&full=1&emoji=%F0%9F%98%83"
            + "&a=1&a=2"
        #expect(try await request.send().json()["target"].string == target)
        #expect(server.requests.map(\.target) == [target])
    }

    @Test func `Setup Query Parameters: dictionaries and URLQueryItems`() async throws {
        let server = try await echoServer()
        let texts: [String: String] = ["b": "2", "a": "1"]
        let values: [String: Any] = ["page": 2, "tags": ["x", "y"], "open": true]
        _ = try await HTTPRequest(server.url).query(texts).send()
        _ = try await HTTPRequest(server.url).query(values).send()
        let items = [URLQueryItem(name: "q", value: "a b"), URLQueryItem(name: "flag", value: nil)]
        let same = items.map { HTTPQueryItem($0.name, $0.value) }
        #expect(try await HTTPRequest(server.url).query(same).send().isSuccess)
        #expect(
            server.requests.map(\.query) == [
                "a=1&b=2", "open=1&page=2&tags%5B%5D=x&tags%5B%5D=y", "q=a%20b&flag",
            ]
        )
    }

    @Test func `Setup Headers`() async throws {
        let server = try await echoServer()
        let client = HTTPClient().with {
            $0.headers["X-API-Key"] = "of the client"
            $0.headers["X-Only"] = "client"
        }
        var request = HTTPRequest(server.url)
        request.headers = HTTPHeaders([
            ("X-API-Key", "abc"),
            (.userAgent, "MyCoolApp"),
            (.cacheControl, CacheControl.Directive.noTransform.description),
        ])
        #expect(try await request.send(in: client).json()["headers"]["X-API-Key"] == "abc")
        let headers = try #require(server.requests.first?.headers)
        #expect(headers.values("X-API-Key") == ["abc"])
        #expect(headers.values(.userAgent) == ["MyCoolApp"])
        #expect(headers[.cacheControl] == "no-transform" && headers["X-Only"] == "client")
    }

    // MARK: - Setup Request Body

    @Test func `URL Query Parameters: a form body`() async throws {
        let server = try await echoServer()
        var request = HTTPRequest(.post, server.url)
        request.body = .form(["username": "Michael Bublé", "pwd": "abc"])
        #expect(try await request.send().isSuccess)
        let seen = try #require(server.requests.first)
        #expect(seen.text == "username=Michael+Bubl%C3%A9&pwd=abc")
        #expect(seen.headers[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test func `Raw Data & Stream`() async throws {
        let server = try await HTTPTestServer.start { request in
            .text(request.headers[.contentType] ?? "none")
        }
        let directory = try TemporaryDirectory()
        let someData = Data([0x1F, 0x8B, 0x08])
        let localFileURL = URL(filePath: try directory.write("PK", as: "local.bin"))
        let bodies: [(HTTPBody, String, [UInt8])] = [
            (.bytes(someData, contentType: .gzip), "application/gzip", Array(someData)),
            (.bytes(someData, contentType: .otf), "font/otf", Array(someData)),
            (.file(localFileURL, contentType: .zip), "application/zip", Array("PK".utf8)),
        ]
        for (body, type, bytes) in bodies {
            var request = HTTPRequest(.post, server.url)
            request.body = body
            #expect(try await request.send().text == type)
            #expect(server.requests.last?.body == bytes)
            #expect(server.requests.last?.headers.contentLength == bytes.count)
        }
    }

    @Test func `Plain Strings`() async throws {
        let server = try await echoServer()
        var request = HTTPRequest(.post, server.url)
        request.body = .string("😃😃😃", contentType: .html)
        #expect(try await request.send().json()["body"] == "😃😃😃")
        #expect(server.requests.first?.headers.contentType?.essence == "text/html")
        request.body = .string("plain")
        _ = try await request.send()
        #expect(server.requests.last?.headers.contentType?.essence == "text/plain")
        #expect(server.requests.last?.headers.contentType?.charset == "utf-8")
    }

    @Test func `JSON Data`() async throws {
        let server = try await echoServer()
        let credentials = UserCredentials(username: "Michael Bublé", pwd: "abc")
        var request = HTTPRequest(.post, server.url)
        request.body = .json(credentials)
        #expect(try await request.send().isSuccess)
        let seen = try #require(server.requests.first)
        #expect(
            try JSONDecoder().decode(UserCredentials.self, from: Data(seen.body)) == credentials
        )
        #expect(seen.headers[.contentType] == "application/json")
        let sorted = JSONEncoder()
        sorted.outputFormatting = .sortedKeys
        request.body = .json(credentials, encoder: sorted)
        #expect(try await request.send().isSuccess)
        #expect(server.requests.last?.text == #"{"pwd":"abc","username":"Michael Bublé"}"#)
    }

    @Test func `Multipart-Form-Data`() async throws {
        let server = try await echoServer()
        let directory = try TemporaryDirectory()
        let credentialsFileURL = URL(filePath: try directory.write("name=pwd", as: "login.txt"))
        let localFileURL = URL(filePath: try directory.write("<b/>", as: "local.xml"))
        var request = HTTPRequest(method: .post, server.url)
        request.body = .multipart(boundary: "seam") { form in
            form.add(string: "320x240", name: "size")
            form.add(string: "Michael Bublé", name: "author")
            form.add(file: credentialsFileURL, name: "credentials")
            form.add(file: localFileURL, headers: [.contentDisposition: "form-data; name=x"])
        }
        #expect(try await request.send().isSuccess)
        let seen = try #require(server.requests.first)
        let expected = [
            "--seam", #"Content-Disposition: form-data; name="size""#, "", "320x240",
            "--seam", #"Content-Disposition: form-data; name="author""#, "", "Michael Bublé",
            "--seam",
            #"Content-Disposition: form-data; name="credentials"; filename="login.txt""#,
            "Content-Type: text/plain", "", "name=pwd",
            "--seam", "Content-Disposition: form-data; name=x", "", "<b/>",
            "--seam--", "",
        ]
        #expect(seen.text == expected.joined(separator: "\r\n"))
        #expect(seen.headers.contentType?.boundary == "seam")
        #expect(seen.headers.contentLength == seen.body.count)
    }
}
#endif
