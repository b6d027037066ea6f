import HTTPClient
import Support
import Testing

/// Tests that a part of a request with CR, LF or NUL is encoded, or that nothing is sent.
@Suite(.timeLimit(.minutes(10))) struct LineBreakTests {
    /// A part of a request that can contain a given text.
    struct Part: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let send: @Sendable (HTTPClient, String, String) async throws -> Void

        /// Creates a part that is sent as an ordinary request.
        ///
        /// - Parameters:
        ///   - name: The name of the part.
        ///   - request: A closure that returns a request for the origin's URL and the text.
        init(_ name: String, _ request: @escaping @Sendable (String, String) -> HTTPRequest) {
            self.init(calling: name) { client, url, text in
                _ = try await client.send(request(url, text))
            }
        }

        init(
            calling name: String,
            _ send: @escaping @Sendable (HTTPClient, String, String) async throws -> Void
        ) {
            testDescription = name
            self.send = send
        }
    }

    private static func form(
        _ url: String,
        _ build: (inout MultipartForm) -> Void
    ) -> HTTPRequest {
        var form = MultipartForm(boundary: "b")
        build(&form)
        return HTTPRequest(url, method: .post, body: .multipart(form))
    }

    private static let parts: [Part] = [
        Part("URL text") { HTTPRequest("\($0)/\($1)") },
        Part("path") { url, text in
            var request = HTTPRequest(url)
            request.path = "/" + text
            return request
        },
        Part("query value") { HTTPRequest($0).query("q", $1) },
        Part("query name") { HTTPRequest($0).query($1, "v") },
        Part("encoded query") { HTTPRequest($0).query([HTTPQueryItem(encoded: $1)]) },
        Part("raw target") { url, text in HTTPRequest(url).with { $0.rawTarget = "/" + text } },
        Part("method") { HTTPRequest($0, method: HTTPMethod("GET" + $1)) },
        Part("field name") { HTTPRequest($0, headers: [FieldName($1): "v"]) },
        Part("Host") { HTTPRequest($0).header(.host, $1) },
        Part("cookie") { HTTPRequest($0).header(.cookie, "a=\($1)") },
        Part("content type") { url, text in
            let type = HTTPContentType(rawValue: "text/\(text)")
            return HTTPRequest(url, method: .post, body: .bytes([1], contentType: type))
        },
        Part("user agent") { HTTPRequest($0).userAgent($1) },
        Part("bearer") { HTTPRequest($0).authorization(.bearer($1)) },
        Part("basic") { HTTPRequest($0).authorization(.basic(user: "u", password: $1)) },
        Part("head modifier, field") { url, text in
            HTTPRequest(url).headModifier { $0.headers["X-A"] = text }
        },
        Part("head modifier, target") { url, text in
            HTTPRequest(url).headModifier { $0.target = .origin("/" + text) }
        },
        Part("form value") { HTTPRequest($0, method: .post, body: .form(["a": $1])) },
        Part("multipart name") { url, text in form(url) { $0.add(string: "x", name: text) } },
        Part("multipart file name") { url, text in
            form(url) { $0.add(bytes: [1], name: "a", fileName: text) }
        },
        Part("multipart content type") { url, text in
            form(url) {
                $0.add(string: "x", name: "a", contentType: HTTPContentType(rawValue: text))
            }
        },
        Part("multipart field") { url, text in
            form(url) { $0.add(bytes: [1], headers: ["Content-Disposition": text]) }
        },
        Part(calling: "upgrade") { client, url, text in
            _ = try await client.upgrade(HTTPRequest(url), to: text)
        },
        Part(calling: "tunnel target") { client, url, text in
            let proxy = HTTPProxy.Setting.url(url)
            _ = try await client.tunnel(to: text, port: 1, through: proxy)
        },
    ]

    @Test(
        arguments: parts,
        ["a\r\nInjected: 1", "a\nInjected: 1", "a\rInjected: 1", "a\0Injected"]
    )
    func `a line break in any part of a request is encoded or rejected`(
        part: Part,
        text: String
    ) async throws {
        let reply = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let origin = try ScriptedOrigin(.always(reply))
        do {
            try await part.send(HTTPClient(), origin.url, text)
            // The checks below need received bytes.
            #expect(!origin.received().isEmpty)
        } catch let error as HTTPError {
            if case .proxyFailed = error.kind {
                // The proxy of this test opens no tunnel.
            } else {
                #expect(error.blame == .caller, "\(error)")
                #expect(origin.received().isEmpty)
            }
        }
        let received = origin.received()
        #expect(!received.contains(0))
        let lines = received.split { $0 == 0x0A || $0 == 0x0D }
        #expect(!lines.contains { $0.starts(with: "Injected".utf8) })
    }
}
