import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests that proxy headers reserved for the client are rejected.
@Suite(.timeLimit(.minutes(10))) struct ProxyHeadersTests {
    @Test(
        arguments: [
            "Content-Length", "transfer-encoding", "HOST", "Connection", "Upgrade", "te", "Trailer",
        ],
        ["http://origin.example/", "https://origin.example/"]
    )
    func `a proxy header that frames or routes a request is rejected`(
        name: String,
        url: String
    ) async throws {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 204 No Content\r\n\r\n"))
        var proxy = HTTPProxy(scheme: .http, host: "127.0.0.1", port: origin.port)
        proxy.headers = HTTPHeaders([(FieldName(name), "1")])
        let client = HTTPClient().with { $0.proxy = .proxy(proxy) }
        let requests = [
            HTTPRequest(url), HTTPRequest(url, method: .post, body: .bytes([1, 2, 3])),
        ]
        for request in requests {
            let error = await failure { try await client.send(request) }
            guard case .invalidRequest(.framingField(let field)) = error?.kind else {
                Issue.record("got \(String(describing: error))")
                return
            }
            #expect(field.lowercased() == name.lowercased())
        }
        let error = await failure { try await client.tunnel(to: "a.example", port: 22) }
        guard case .invalidRequest(.framingField) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(origin.connectionCount == 0)
    }
}
