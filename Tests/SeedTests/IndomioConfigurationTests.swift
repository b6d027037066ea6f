import HTTPClient
import HTTPTestServer
import Support
import Testing

@Suite("IndomioHTTP: HTTP Client, configuration", .timeLimit(.minutes(10)))
struct IndomioConfigurationTests {
    /// Starts a server that sets a persistent cookie.
    private func cookieServer() async throws -> HTTPTestServer {
        try await HTTPTestServer.start { request in
            .echo(request).header(.setCookie, "id=17; Path=/; Max-Age=3600")
        }
    }

    @Test func `Create a new client: only an automatic jar keeps cookies`() async throws {
        var keepingCookies = HTTPClient.Configuration.default
        keepingCookies.cookies = .automatic
        let configurations: [(HTTPClient.Configuration, String?)] = [
            (.default, nil), (.ephemeral, nil), (keepingCookies, "id=17"),
        ]
        for (configuration, cookie) in configurations {
            let server = try await cookieServer()
            let myWSClient = try HTTPClient(
                baseURL: server.url + "/v1",
                configuration: configuration
            )
            _ = try await HTTPRequest("a").send(in: myWSClient)
            let second = try await HTTPRequest("b").send(in: myWSClient).json()
            #expect(second["headers"]["Cookie"].string == cookie)
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, cookie])
            #expect(server.requests.map(\.target) == ["/v1/a", "/v1/b"])
        }
    }

    @Test func `Create a new client: a persistent client keeps cookies on disk`() async throws {
        let server = try await cookieServer()
        let directory = try TemporaryDirectory()
        do {
            let configuration = try HTTPClient.Configuration.persistent(directory: directory.path)
            let client = try HTTPClient(baseURL: server.url, configuration: configuration)
            _ = try await HTTPRequest("a").send(in: client)
            try client.cookies?.flush()
        }
        let configuration = try HTTPClient.Configuration.persistent(directory: directory.path)
        let client = try HTTPClient(baseURL: server.url, configuration: configuration)
        #expect(try await HTTPRequest("b").send(in: client).isSuccess)
        #expect(server.requests.map { $0.headers[.cookie] } == [nil, "id=17"])
    }

    @Test func `Response Validators: simultaneous rejections log in once`() async throws {
        let count = 20
        let server = try await HTTPTestServer.start { request in
            if request.path == "/login" { return .json(#"{"token": "new"}"#) }
            return request.headers["X-Session"] == "new" ? .text("in") : .status(.unauthorized)
        }
        let url = server.url
        let silentLogin = HTTPRefreshValidator { _, _, _ in
            HTTPRequest(.post, url + "/login")
        } onReceive: { response, request in
            request.headers["X-Session"] = try response.json()["token"].string
        }
        let client = try HTTPClient(baseURL: url) { $0.validators.append(silentLogin) }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await HTTPRequest("data").send(in: client).text
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "in", count: count))
        #expect(server.requests.filter { $0.path == "/login" }.count == 1)
    }
}
