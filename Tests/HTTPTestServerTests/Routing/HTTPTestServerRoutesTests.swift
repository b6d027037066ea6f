import HTTPClient
import HTTPTestServer
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPTestServerRoutesTests {
    private static let client = HTTPClient().with { $0.redirects.mode = .follow }

    @Test func `the newest matching route answers and receives its parameters`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("base") }
        server.route("/users/{id}") { .text("any \($0.parameters["id"] ?? "")") }
        server.route(.post, "/users/{id}/notes/{note}") { request in
            .text(
                request.parameters.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(
                    separator: " "
                )
            )
        }
        server.route(.get, "/files/*") { .text("below \($0.path)") }
        server.route(.get, "/users/7", .text("seven"))
        server.route("bare/{name}") { .text("bare \($0.parameters["name"] ?? "")") }
        func ask(_ path: String, _ method: HTTPMethod = .get) async throws -> String {
            try await Self.client.send(HTTPRequest("\(server.url)\(path)", method: method)).text
        }
        #expect(try await ask("/users/7?q") == "seven")
        #expect(try await ask("/users/7", .put) == "any 7")
        #expect(try await ask("/bare/x") == "bare x")
        #expect(try await ask("/users/a%20b") == "any a b")
        #expect(try await ask("/users/") == "base")
        #expect(try await ask("/users/7/notes/1") == "base")
        #expect(try await ask("/users/7/notes/1", .post) == "id=7 note=1")
        #expect(try await ask("/files/") == "below /files/")
        #expect(try await ask("/files/a/b") == "below /files/a/b")
        #expect(server.requests(to: "/users/7").count == 2)
        #expect(server.requests(to: "/users/7", .put).first?.parameters == ["id": "7"])
    }

    @Test(
        arguments: [
            ("/anything/a?x=1&y=a+b", 200, #""query": {"x": "1", "y": "a b"}"#),
            ("/get", 200, #""method": "GET""#), ("/post", 405, ""), ("/status/418", 418, ""),
            ("/status/x", 400, ""), ("/delay/0", 200, #""target": "/delay/0""#),
            ("/stream/2", 200, "{\"line\": 0}\n{\"line\": 1}\n"),
            ("/gzip", 200, #""target": "/gzip""#),
            ("/redirect/2", 200, #""target": "/anything""#),
            ("/redirect-to?url=%2Fstatus%2F204&status_code=307", 204, ""),
            ("/cookies/set?a=1&b=2", 200, #"{"a": "1", "b": "2"}"#), ("/bearer", 401, ""),
            ("/basic-auth/u/p", 401, ""), ("/nowhere", 404, "no route for /nowhere"),
            ("/fault/no", 404, "no such fault"),
        ] as [(String, Int, String)]
    )
    func `a server without a handler serves the httpbin routes`(
        _ path: String,
        _ status: Int,
        _ text: String
    ) async throws {
        let server = try await HTTPTestServer.start()
        let client = HTTPClient().with { $0.cookies = .automatic }
        let response = try await client.send(HTTPRequest("\(server.url)\(path)"))
        #expect(response.status.code == status)
        #expect(response.text.contains(text), "\(response.text)")
    }

    @Test func `routes need no leading slash, and old large bodies are discarded`() async throws {
        let server = try await HTTPTestServer.start(routes: [
            "users": .text("all"), "POST users": .text("one more"),
        ])
        let fresh = Self.client.with { $0.connectionReuse = .off }
        #expect(try await fresh.send(HTTPRequest(server.url + "/users")).text == "all")
        let bytes = [UInt8](repeating: 7, count: 33 << 20)
        for _ in 0..<2 {
            let request = HTTPRequest(server.url + "/users", method: .post, body: .bytes(bytes))
            #expect(try await fresh.send(request).text == "one more")
        }
        #expect(server.requests.map(\.body.count) == [0, 0, 33 << 20])
    }

    @Test func `the httpbin routes cover credentials, bytes and faults`() async throws {
        let server = try await HTTPTestServer.start()
        let client = Self.client
        func code(_ path: String, _ authentication: HTTPAuthentication? = nil) async -> Int? {
            var request = HTTPRequest("\(server.url)\(path)")
            request.authentication = authentication
            return try? await client.send(request).status.code
        }
        #expect(
            await code("/basic-auth/ada/s3cret%21", .basic(user: "ada", password: "s3cret!")) == 200
        )
        #expect(await code("/basic-auth/ada/s3cret", .basic(user: "ada", password: "no")) == 401)
        #expect(await code("/bearer", .bearer("x")) == 200)
        for fault in ["close", "reset", "truncated", "malformed"] {
            #expect(await code("/fault/\(fault)") == nil, "\(fault)")
        }
        #expect(try await client.send(HTTPRequest("\(server.url)/bytes/300")).body.count == 300)
    }
}
