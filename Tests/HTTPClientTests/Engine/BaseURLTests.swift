import HTTPClient
import Support
import Testing

@Suite(.timeLimit(.minutes(2))) struct BaseURLTests {
    @Test(arguments: [
        ("/v1", "users", "/v1/users"), ("/v1", "/users", "/v1/users"),
        ("/v1/", "users?x=1#f", "/v1/users?x=1"), ("", "users", "/users"), ("", "", "/"),
        ("/v1", "", "/v1"), ("/v1", "?q=1", "/v1?q=1"), ("/v1/a", "../b", "/v1/b"),
    ])
    func `a reference goes below the base`(
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

    @Test func `an absolute URL passes the base by`() async throws {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 204 No Content\r\n\r\n"))
        var configuration = HTTPClient.Configuration()
        configuration.baseURL = try URI("http://127.0.0.1:1/v1")
        let response = try await HTTPClient(configuration).send(HTTPRequest(origin.url + "/x"))
        #expect(response.status == .noContent)
        #expect(origin.text().hasPrefix("GET /x HTTP/1.1\r\n"))
    }
}
