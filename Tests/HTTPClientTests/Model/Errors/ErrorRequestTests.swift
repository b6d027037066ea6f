import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests that every error names its request without credentials.
@Suite(.timeLimit(.minutes(10))) struct ErrorRequestTests {
    private struct TestError: Error {}

    @Test(arguments: [
        (HTTPRequest(.put, "x/y"), "PUT x/y"),
        (HTTPRequest(.get, "ftp://u:geheim@a/"), "GET ftp://a/"),
        (HTTPRequest(.get, "http://u:geheim@a b/c"), "GET http://a b/c"),
        (HTTPRequest(.get, "//u:geheim@a/"), "GET //a/"),
        (HTTPRequest(.get, "localhost:8080/x"), "GET localhost:8080/x"),
        (
            HTTPRequest(.post, "http://u:geheim@a/?q").header(.contentLength, "1"),
            "POST http://a/?q"
        ),
        (HTTPRequest(.get, "http://a/").query("q", Double.nan), "GET http://a/"),
        (HTTPRequest(.put, "http://a/").file("/none/at/all"), "PUT http://a/"),
        (HTTPRequest(.get, "http://a/").headModifier { _ in throw TestError() }, "GET http://a/"),
    ])
    func `an invalid request is named in its error without credentials`(
        request: HTTPRequest,
        name: String
    ) async {
        for error in [
            await failure { try await HTTPClient().send(request) },
            await failure { try await HTTPClient().stream(request) },
            await failure { try await HTTPClient().download(request, to: "/none/file") },
        ] {
            #expect(error?.request == name)
            #expect(error?.description.contains("geheim") == false)
        }
    }

    @Test func `rejected and undecodable responses name their request`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/text": .text("x")])
        let client = HTTPClient()
        let request = HTTPRequest(.post, server.url + "/none")
        let rejected = await failure { try await client.send(request).requireSuccess() }
        #expect(rejected?.request == "POST \(server.url)/none")
        let parsed = await failure { try await request.fetch(.text, in: client) }
        #expect(parsed?.request == "POST \(server.url)/none")
        let text = HTTPRequest(.get, server.url + "/text")
        let decoded = await failure { try await text.fetch(HTTPJSON.self, in: client) }
        #expect(decoded?.request == "GET \(server.url)/text")
        let blocked = await failure { try Result { try client.blocking.send(text) }.get() }
        #expect(blocked?.kind == .invalidRequest(.blockingInsideTask))
        #expect(blocked?.request == "GET \(server.url)/text")
    }

    @Test func `a download whose file cannot be created names its request`() async {
        let request = HTTPRequest("http://u:geheim@127.0.0.1:1/a")
        let error = await failure { try await HTTPClient().download(request, to: "/none/file") }
        guard case .fileFailed = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.request == "GET http://127.0.0.1:1/a")
    }
}
