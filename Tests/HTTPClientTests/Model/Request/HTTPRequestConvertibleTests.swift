import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

#if Foundation
import FoundationEssentials
#endif

extension [UInt8] {
    fileprivate var utf8Text: String { String(decoding: self, as: UTF8.self) }
}

/// Tests that every function that takes a request also takes text and URLs in variables.
@Suite(.timeLimit(.minutes(10))) struct HTTPRequestConvertibleTests {
    /// A user-defined type that converts to a request.
    private enum ConnectionKey: HTTPRequestConvertible {
        case delete(String)

        var httpRequest: HTTPRequest {
            switch self {
            case .delete(let url): HTTPRequest(.delete, url)
            }
        }
    }

    /// Returns the result of each function as text.
    private static func answers(
        _ target: some HTTPRequestConvertible,
        _ client: HTTPClient
    ) async throws -> [String: String] {
        let directory = try TemporaryDirectory()
        var answers = [
            "send": try await client.send(target).text,
            "fetch": try await client.fetch(String.self, from: target),
            "result": try await client.start(target).result.get().text,
            "start": try await client.start(target).value.text,
            "connection": try await client.withConnection(to: target) {
                try await $0.send(target).text
            },
            "lease": try await client.pool.acquire(for: target).stream(target).body.collect()
                .utf8Text,
            "stream": try await client.stream(target).body.collect().utf8Text,
            "upload": try await client.startStream(target).onProgress { _ in }.value.body.collect()
                .utf8Text,
        ]
        try await client.pool.prewarm(1, for: target)
        if case .declined(let response) = try await client.upgrade(target, to: "echo") {
            answers["upgrade"] = try await response.body.collect().utf8Text
        }
        _ = try await client.download(target, to: directory.path + "/download")
        _ = try await client.startDownload(target, to: directory.path + "/startDownload").value
        let blocking = await onThread {
            Result {
                _ = try client.blocking.download(target, to: directory.path + "/blockingDownload")
                return try client.blocking.send(target).text
            }
        }
        answers["blocking send"] = try blocking.get()
        for name in ["download", "startDownload", "blockingDownload"] {
            answers[name] = TestFileSystem.contents(of: "\(directory.path)/\(name)").map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return answers
    }

    @Test func `every sending method accepts text, a URI and a request`() async throws {
        let server = try await HTTPTestServer.start { .text("\($0.method) \($0.path)") }
        let client = HTTPClient()
        let text = server.url + "/a"
        let all = [
            try await Self.answers(text, client),
            try await Self.answers(text.dropLast(0), client),
            try await Self.answers(try URI(text), client),
            try await Self.answers(HTTPRequest(text), client),
        ]
        for answers in all {
            #expect(answers.count == 13)
            #expect(answers.filter { $0.value != "GET /a" } == [:])
        }
        let route = try await Self.answers(ConnectionKey.delete(text), client)
        #expect(route.count == 13)
        #expect(route.filter { $0.value != "DELETE /a" } == [:])
    }

    @Test func `variables, literals and requests are sent without type annotations`()
        async throws
    {
        let server = try await HTTPTestServer.start { .text($0.path) }
        let client = try HTTPClient(baseURL: server.url)
        let text = "text"
        let uri = try URI("uri")
        let request = HTTPRequest("request")
        #expect(try await client.send(text).text == "/text")
        #expect(try await client.send(text.dropFirst(2)).text == "/xt")
        #expect(try await client.send(uri).text == "/uri")
        #expect(try await client.send(request).text == "/request")
        #expect(try await client.send("literal").text == "/literal")
        #expect(try await client.send("literal/\(text)").text == "/literal/text")
        #expect(try await client.send(.init(.get, "member")).text == "/member")
        #expect(try await client.send("a" + text).text == "/atext")
        #expect(try await client.fetch(String.self, from: "literal/\(text)") == "/literal/text")
        #expect(try await client.fetch(from: "literal") == "/literal")
        #expect(try await client.start("literal").value.text == "/literal")
    }

    @Test func `text that is not a URL fails when it is sent`() async {
        let client = HTTPClient()
        let text = "http://a b/"
        for verb: @Sendable (String) async throws -> Void in [
            { _ = try await client.send($0) },
            { _ = try await client.fetch(String.self, from: $0) },
            { _ = try await client.start($0).value },
            { _ = try await client.send(HTTPRequest(.put, $0, body: .string("b"))) },
            { _ = try await client.pool.acquire(for: $0) },
        ] {
            let error = await failure { try await verb(text) }
            #expect(
                error?.kind == .invalidRequest(.url(text, .invalidURI(.forbiddenByte, offset: 8)))
            )
            #expect(error?.blame == .caller && error?.phase == .preparing)
        }
    }

    @Test func `headers and body can follow method and URL in the initializer`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("") }
        let client = HTTPClient()
        let text = server.url + "/a"
        for request in [
            HTTPRequest(.put, text, headers: ["X-A": "b"], body: .string("c")),
            HTTPRequest(.put, try URI(text), headers: ["X-A": "b"], body: .string("c")),
            HTTPRequest(text, method: .put, headers: ["X-A": "b"], body: .string("c")),
        ] {
            _ = try await client.send(request)
            let received = try #require(server.requests.last)
            #expect(received.method == .put && received.path == "/a")
            #expect(received.headers["X-A"] == "b" && received.body == Array("c".utf8))
        }
        #expect(server.requests.count == 3)
        let get = HTTPRequest(.get, text, headers: ["X-A": "b"])
        #expect(get.method == .get && get.headers["X-A"] == "b" && get.body.length == 0)
    }

    #if Foundation
    private struct User: Decodable {
        var name: String
    }

    @Test func `every sending method accepts a Foundation URL`() async throws {
        let server = try await HTTPTestServer.start { .text("\($0.method) \($0.path)") }
        let url = try #require(URL(string: server.url + "/a"))
        let client = HTTPClient()
        #expect(try await client.send(url).text == "GET /a")
        let answers = try await Self.answers(url, client)
        #expect(answers.count == 13)
        #expect(answers.filter { $0.value != "GET /a" } == [:])
        let put = HTTPRequest(.put, url, headers: ["X-A": "b"], body: .string("c"))
        #expect(try await client.send(put).text == "PUT /a")
        #expect(server.requests.last?.headers["X-A"] == "b")
    }

    @Test func `JSON is decoded from URLs in variables`() async throws {
        let server = try await HTTPTestServer.start { _ in .json(#"{"name": "Ada"}"#) }
        let client = HTTPClient()
        let url = try #require(URL(string: server.url))
        #expect(try await client.fetch(User.self, from: url).name == "Ada")
        #expect(try await client.fetch(User.self, from: server.url).name == "Ada")
        #expect(
            try await client.fetch(User.self, from: server.url, decoder: JSONDecoder()).name
                == "Ada"
        )
        let ada: User = try await client.fetch(from: server.url)
        #expect(ada.name == "Ada")
    }
    #endif
}
