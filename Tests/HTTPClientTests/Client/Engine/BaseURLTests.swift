import ClientSupport
import HTTPClient
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct BaseURLTests {
    @Test(arguments: [
        // The path is appended with exactly one slash between the two parts.
        ("/v1", "users", "/v1/users"), ("/v1", "/users", "/v1/users"),
        ("/v1/", "users?x=1#f", "/v1/users?x=1"), ("/v1//", "users", "/v1/users"),
        ("", "users", "/users"), ("/", "/users", "/users"), ("/v1", "users/", "/v1/users/"),
        ("/v1", "a//b", "/v1/a//b"), ("//v1", "users", "//v1/users"), ("//v1", "", "//v1"),
        // Without a path the result is the base itself.
        ("", "", "/"), ("/v1", "", "/v1"), ("/v1/", "", "/v1/"), ("/v1", "#f", "/v1"),
        ("/v1", "/", "/v1"), ("/v1/", "/", "/v1/"),
        // The query of the base comes first, then that of the reference.
        ("/v1", "?q=1", "/v1?q=1"), ("/v1/", "?q=1", "/v1/?q=1"),
        ("/v1?key=k", "users", "/v1/users?key=k"),
        ("/v1?key=k", "users?x=1", "/v1/users?key=k&x=1"),
        ("/v1?key=k", "", "/v1?key=k"), ("/v1?", "users?x=1", "/v1/users?x=1"),
        ("/v1?key=k#f", "users?", "/v1/users?key=k"),
        // Dot segments are resolved, even above the base; encoded ones are ordinary segments.
        ("/v1/a", "../b", "/v1/b"), ("/v1/a", "../../../b", "/b"), ("/v1", "./users", "/v1/users"),
        ("/v1", "..", "/"), ("/v1/./a/..", "b", "/v1/b"), ("/v1", "%2e%2e/b", "/v1/%2e%2e/b"),
        ("/v1", ".hidden", "/v1/.hidden"), ("/v1", "a/.b", "/v1/a/.b"),
        // Paths that look like a scheme or a host.
        ("/v1", "./a:b", "/v1/a:b"), ("/v1", "/a:b", "/v1/a:b"), ("/v1", "/.//x", "/v1//x"),
    ])
    func `a relative reference is resolved below the base URL`(
        base: String,
        reference: String,
        target: String
    )
        async throws
    {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 204 No Content\r\n\r\n"))
        var configuration = HTTPClient.Configuration()
        configuration.baseURL = try URI(origin.url + base)
        _ = try await HTTPClient(configuration).send(HTTPRequest(reference))
        #expect(origin.text().hasPrefix("GET \(target) HTTP/1.1\r\n"))
    }

    @Test func `an absolute URL ignores the base URL`() async throws {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 204 No Content\r\n\r\n"))
        var configuration = HTTPClient.Configuration()
        configuration.baseURL = try URI("http://127.0.0.1:1/v1?key=k")
        let response = try await HTTPClient(configuration).send(HTTPRequest(origin.url + "/x"))
        #expect(response.status == .noContent)
        #expect(origin.text().hasPrefix("GET /x HTTP/1.1\r\n"))
    }

    @Test func `scheme, credentials, address and port come from the base URL`() throws {
        var configuration = HTTPClient.Configuration()
        configuration.headers = [:]
        configuration.decompression = .off
        configuration.baseURL = try URI("http://u:p@[::1]:81/v1")
        let command = try HTTPRequest("x").curlDescription(
            in: HTTPClient(configuration),
            secrets: .shown
        )
        #expect(command.contains(" 'http://u:p@[::1]:81/v1/x' "))
        #expect(command.contains("Authorization: Basic dTpw"))
    }

    @Test(
        arguments: [
            (nil, "users", .relativeURL("users")), (nil, "", .relativeURL("")),
            (nil, "/users", .relativeURL("/users")), (nil, "//host/x", .relativeURL("//host/x")),
            ("/v1", "users", .relativeURL("users")), ("//host/v1", "users", .relativeURL("users")),
            ("http://127.0.0.1:1", "//host/x", .missingScheme("//host/x")),
            ("ftp://127.0.0.1", "x", .unsupportedScheme("ftp")),
            (nil, "ftp://a/", .unsupportedScheme("ftp")),
            (nil, "localhost:80/x", .missingScheme("localhost:80/x")),
            (nil, "127.0.0.1:80", .url("127.0.0.1:80", .invalidURI(.invalidScheme, offset: 9))),
        ] as [(String?, String, HTTPError.InvalidRequestReason)]
    )
    func `a reference that gives no valid URL is rejected`(
        base: String?,
        url: String,
        reason: HTTPError.InvalidRequestReason
    )
        async throws
    {
        var configuration = HTTPClient.Configuration()
        configuration.baseURL = try base.map { try URI($0) }
        let error = await failure { try await HTTPClient(configuration).send(HTTPRequest(url)) }
        #expect(error?.kind == .invalidRequest(reason))
    }
}
