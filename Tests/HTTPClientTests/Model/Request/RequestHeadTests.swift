import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests the sent head with raw targets and head modifiers.
@Suite(.timeLimit(.minutes(10))) struct RequestHeadTests {
    private struct Broken: Error {}

    private func head(
        _ request: (String) -> HTTPRequest,
        _ configuration: HTTPClient.Configuration = HTTPClient.Configuration()
    ) async throws -> String {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 204 No Content\r\n\r\n"))
        _ = try await HTTPClient(configuration).send(request(origin.url))
        return origin.text()
    }

    @Test(arguments: [
        (HTTPMethod.get, "/a/../b//%zz?x[]={y}"), (.options, "*"), (.get, "/"),
        (.get, "http://elsewhere/x"), ("PURGE", "/x"),
    ])
    func `a raw target is sent unchanged`(method: HTTPMethod, target: String) async throws {
        let text = try await head {
            HTTPRequest(method, "\($0)/url?q").with { $0.rawTarget = target }
        }
        #expect(text.hasPrefix("\(method) \(target) HTTP/1.1\r\n"))
        #expect(text.contains("\r\nHost: 127.0.0.1:"))
    }

    @Test(arguments: [
        ("/a b", 2), ("/a\r\nX: y", 2), ("/a#b", 2), ("", 0), ("a/b", 0), ("/ü", 1), ("/\0", 1),
    ])
    func `an invalid raw target is rejected`(
        target: String,
        offset: Int
    )
        async throws
    {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 204 No Content\r\n\r\n"))
        let request = HTTPRequest(origin.url).with { $0.rawTarget = target }
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.kind == .invalidRequest(.refused(.invalidTarget(offset: offset))))
        #expect(origin.text().isEmpty)
    }

    @Test func `other requests on the connection keep their own targets`() async throws {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 204 No Content\r\n\r\n"))
        let client = HTTPClient()
        let request = HTTPRequest(origin.url + "/plain")
        _ = try await client.send(request)
        _ = try await client.send(
            request.with { $0.rawTarget = "/raw" }.headModifier { $0.headers["X-A"] = "1" }
        )
        _ = try await client.send(request)
        let lines = origin.text().split(separator: "\r\n").filter { $0.hasPrefix("GET ") }
        #expect(lines == ["GET /plain HTTP/1.1", "GET /raw HTTP/1.1", "GET /plain HTTP/1.1"])
        #expect(origin.text().components(of: "X-A") == 1)
    }

    @Test func `a head modifier runs last`() async throws {
        let text = try await head {
            HTTPRequest($0 + "/a", headers: ["X-A": "1"])
                .headModifier { head in
                    #expect(head.headers[.userAgent] == "HTTPClient" && head.headers["X-A"] == "1")
                    head.headers.remove(.userAgent)
                    head.headers["X-B"] = "2"
                }
                .headModifier { head in
                    #expect(head.headers["X-B"] == "2")
                    head.method = "BREW"
                    head.target = .origin("/pot")
                    head.headers[.host] = "other.example"
                }
        }
        #expect(text.hasPrefix("BREW /pot HTTP/1.1\r\nHost: other.example\r\n"))
        #expect(text.contains("X-B: 2\r\n") && !text.contains("User-Agent"))
    }

    /// An invalid change of a head, and the reason in its error.
    struct Break: Sendable {
        let modify: @Sendable (inout RequestHead) throws -> Void
        let reason: HTTPError.InvalidRequestReason

        init(
            _ modify: @escaping @Sendable (inout RequestHead) throws -> Void,
            _ reason: HTTPError.InvalidRequestReason
        ) {
            self.modify = modify
            self.reason = reason
        }
    }

    private static let breaks: [Break] = [
        Break({ $0.headers[.contentLength] = "5" }, .framingField("Content-Length")),
        Break({ $0.headers.remove(.contentLength) }, .framingField("Content-Length")),
        Break({ $0.headers.append(.contentLength, "3") }, .framingField("Content-Length")),
        Break({ $0.headers[.transferEncoding] = "chunked" }, .framingField("Transfer-Encoding")),
        Break({ $0.headers.remove(.host) }, .refused(.missingHost)),
        Break({ $0.headers.append(.host, "b") }, .refused(.repeatedHost)),
        Break({ $0.method = "A B" }, .refused(.invalidMethod)),
        Break({ $0.target = .origin("/\r\n") }, .refused(.invalidTarget(offset: 1))),
        Break({ $0.method = .connect }, .refused(.invalidTarget(offset: 0))),
        Break({ _ in throw Broken() }, .headModifier(reason: "Broken()")),
    ]

    @Test(arguments: breaks)
    func `an invalid change by a head modifier is rejected`(row: Break) async throws {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 204 No Content\r\n\r\n"))
        let request = HTTPRequest(origin.url, method: .post, body: .string("abc")).headModifier(
            row.modify
        )
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.kind == .invalidRequest(row.reason))
        #expect(error?.blame == .caller && origin.text().isEmpty)
    }

    @Test func `an HTTPError thrown by a head modifier is rethrown unchanged`() async {
        let own = await failure { try await HTTPClient().send("relative") }
        let request = HTTPRequest("http://127.0.0.1:1/").headModifier { _ in
            if let own { throw own }
        }
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.kind == .invalidRequest(.relativeURL("relative")))
    }

    @Test(arguments: [nil, "http://origin.example/x"], [nil, "/y"])
    func `the target does not decide between tunnel and forwarding`(
        raw: String?,
        modified: String?
    )
        async throws
    {
        let tunnel = try ScriptedOrigin(.always("HTTP/1.1 403 No\r\n\r\n"))
        var request = HTTPRequest("https://origin.example/").with { $0.proxy = .url(tunnel.url) }
        request.rawTarget = raw
        if let modified { request = request.headModifier { $0.target = .origin(modified) } }
        let sent = request
        _ = await failure { try await HTTPClient().send(sent) }
        #expect(tunnel.text().hasPrefix("CONNECT origin.example:443 HTTP/1.1\r\n"))

        let proxy = try ScriptedOrigin(.always("HTTP/1.1 204 No Content\r\n\r\n"))
        let plain = sent.with { $0.proxy = .url(proxy.url) }.url("http://origin.example/z")
        _ = try await HTTPClient().send(plain)
        let target = modified ?? raw ?? "http://origin.example/z"
        #expect(proxy.text().hasPrefix("GET \(target) HTTP/1.1\r\n"))
    }

    @Test(arguments: [
        (HTTPMethod.get, "/a/../b", "GET http://origin.example/a/../b HTTP/1.1"),
        (.options, "*", "OPTIONS http://origin.example HTTP/1.1"),
        (.get, "http://b/c", "GET http://b/c HTTP/1.1"),
    ])
    func `a forwarding proxy gets the origin of a raw target`(
        method: HTTPMethod,
        target: String,
        line: String
    ) async throws {
        let proxy = try ScriptedOrigin(.always("HTTP/1.1 204 No Content\r\n\r\n"))
        let request = HTTPRequest(method, "http://origin.example/url").with {
            $0.rawTarget = target
        }
        .with { $0.proxy = .url(proxy.url) }
        _ = try await HTTPClient().send(request)
        #expect(proxy.text().hasPrefix(line + "\r\n"))
    }
}

extension String {
    /// Returns the number of occurrences of a text.
    fileprivate func components(of text: String) -> Int {
        ranges(of: text).count
    }
}
