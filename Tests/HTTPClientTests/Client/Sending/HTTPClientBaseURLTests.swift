import HTTPClient
import Support
import Testing

#if Foundation
import FoundationEssentials
#endif

@Suite(.timeLimit(.minutes(10))) struct HTTPClientBaseURLTests {
    private let noContent = "HTTP/1.1 204 No Content\r\n\r\n"

    @Test func `a client with a base URL sends below it and can be configured in its initializer`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(noContent))
        let client = try HTTPClient(baseURL: origin.url + "/v 1") { $0.headers[.userAgent] = "a" }
        _ = try await client.send("users")
        #expect(origin.text().hasPrefix("GET /v%201/users HTTP/1.1\r\n"))
        #expect(origin.text().contains("\r\nUser-Agent: a\r\n"))
        let plain = try HTTPClient(baseURL: origin.url)
        #expect(try await plain.send("x").status == .noContent)
    }

    @Test func `a client can be configured in its initializer`() {
        let client = HTTPClient { $0.collectLimit = 7 }
        #expect(client.configuration.settings.collectLimit == 7)
    }

    @Test(arguments: [
        ("/users", HTTPError.InvalidRequestReason.relativeURL("/users")), ("", .relativeURL("")),
        ("api.example.com/v1", .missingScheme("api.example.com/v1")),
        ("//host/x", .missingScheme("//host/x")), ("ftp://host/", .unsupportedScheme("ftp")),
        ("localhost:8080", .missingScheme("localhost:8080")),
    ])
    func `a base URL that is not absolute is rejected at once`(
        base: String,
        reason: HTTPError.InvalidRequestReason
    ) {
        let error = #expect(throws: HTTPError.self) { try HTTPClient(baseURL: base) }
        #expect(error?.kind == .invalidRequest(reason))
        let same = #expect(throws: HTTPError.self) { try HTTPClient.Configuration(baseURL: base) }
        #expect(same?.kind == error?.kind)
    }

    @Test(arguments: ["http://", "http://[::1", "https://a:port/", "http:///x"])
    func `a base that is not a URL is rejected with the offset of the error`(base: String) {
        let error = #expect(throws: HTTPError.self) { try HTTPClient.Configuration(baseURL: base) }
        guard case .invalidRequest(.url(base, _)) = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    #if Foundation
    @Test func `a Foundation URL can be the base URL`() throws {
        let url = try #require(URL(string: "v1/", relativeTo: URL(string: "http://a/b/")))
        #expect(try HTTPClient.Configuration(baseURL: url).baseURL?.text == "http://a/b/v1/")
        let client = try HTTPClient(baseURL: url) { $0.maxConnections = 3 }
        #expect(client.configuration.baseURL?.text == "http://a/b/v1/")
        #expect(client.configuration.maxConnections == 3)
        let relative = try #require(URL(string: "v1"))
        #expect(throws: HTTPError.self) { try HTTPClient(baseURL: relative) }
    }
    #endif
}
