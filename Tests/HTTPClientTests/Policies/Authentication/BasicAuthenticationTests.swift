import ClientSupport
import HTTPClient
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct BasicAuthenticationTests {
    @Test(arguments: [
        ("Aladdin:open%20sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("test:123%C2%A3", "Basic dGVzdDoxMjPCow=="),
        ("a", "Basic YQ=="), ("ab", "Basic YWI="), ("abc", "Basic YWJj"),
        ("u%3A:p%40", "Basic dTo6cEA="),
    ])
    func `RFC 7617 §2: userinfo is converted to Basic credentials`(userinfo: String, value: String)
    {
        #expect(BasicAuthentication.credentials(userinfo: userinfo) == value)
    }

    @Test func `a URL's userinfo is sent as credentials and never shown`() async throws {
        let reply = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        let origin = try ScriptedOrigin(.always(reply))
        let url = "http://user:secret@\(origin.authority)/x"
        let response = try await HTTPClient().send(HTTPRequest(url))
        #expect(origin.text().contains("Authorization: Basic dXNlcjpzZWNyZXQ=\r\n"))
        #expect(!origin.text().contains("secret"))
        let error = await failure { try response.requireSuccess() }
        #expect(error?.description.contains("secret") == false)
        #expect(error?.request == "GET \(origin.url)/x")
    }

    @Test func `a request's Authorization takes precedence over the URL's userinfo`() async throws {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 204 No Content\r\n\r\n"))
        let url = "http://user:secret@\(origin.authority)/x"
        let request = HTTPRequest(url, headers: [.authorization: "Bearer token"])
        _ = try await HTTPClient().send(request)
        #expect(origin.text().contains("Authorization: Bearer token\r\n"))
        #expect(!origin.text().contains("Basic"))
    }
}
