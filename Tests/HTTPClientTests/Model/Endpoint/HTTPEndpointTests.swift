#if Foundation
import ClientSupport
import HTTPClient
import HTTPTestServer
import Testing

private struct User: Decodable, Sendable, Equatable {
    var name: String
}

private struct Problem: Decodable, Sendable, Equatable {
    var title: String
}

private struct OldProblem: Decodable, Sendable, Equatable {
    var message: String
}

/// A type that is decoded from a header field, although it is also `Decodable`.
private struct Quota: HTTPDecodableResponse, Decodable, Sendable, Equatable {
    struct Missing: Error {}

    var left: Int

    static func decode(_ response: HTTPResponse) throws -> Quota {
        guard let text = response.headers["X-Left"], let left = Int(text) else { throw Missing() }
        return Quota(left: left)
    }
}

private struct PlainNote: HTTPDecodableResponse, Sendable {
    var text: String

    static func decode(_ response: HTTPResponse) throws -> PlainNote {
        PlainNote(text: try response.string())
    }
}

@Suite(.timeLimit(.minutes(10))) struct HTTPEndpointTests {
    private let client = HTTPClient()

    private func server() async throws -> HTTPTestServer {
        try await HTTPTestServer.start(routes: [
            "/ada": .json(#"{"name": "Ada"}"#), "/none": .status(.noContent),
            "/broken": .json(#"{"name": 7}"#),
            "/problem": .json(#"{"title": "full"}"#, status: .conflict),
            "/old": .json(#"{"message": "full"}"#, status: .conflict),
            "/page": .text("<h1>no</h1>", status: .badGateway),
            "/quota": .status(.ok, headers: ["X-Left": "3"]), "/text": .text("hello"),
        ])
    }

    @Test func `an endpoint sends the Accept of its parser and returns the parsed value`()
        async throws
    {
        let server = try await server()
        let endpoint = HTTPEndpoint(HTTPRequest(server.url + "/ada"), .json(User.self))
        #expect(try await client.fetch(endpoint) == User(name: "Ada"))
        #expect(try await endpoint.fetch(in: client) == User(name: "Ada"))
        #expect(try await endpoint.start(in: client).result.get() == User(name: "Ada"))
        let short: HTTPEndpoint<User> = HTTPEndpoint(HTTPRequest(server.url + "/ada"))
        #expect(try await short.map(\.name).fetch(in: client) == "Ada")
        let accepted = server.requests.map { $0.headers[.accept] }
        #expect(accepted.count == 4)
        #expect(accepted.allSatisfy { $0?.hasPrefix("application/json") == true })
    }

    @Test func `a request's own Accept takes precedence over the parser's`() async throws {
        let server = try await server()
        let request = HTTPRequest(server.url + "/ada", headers: [.accept: "application/vnd.a"])
        _ = try await client.fetch(HTTPEndpoint(request, .json(User.self)))
        _ = try await request.fetch(User.self, in: client)
        #expect(
            server.requests.map { $0.headers.values(.accept) } == [
                ["application/vnd.a"], ["application/vnd.a"],
            ]
        )
    }

    @Test func `a parser without Accept leaves the client's default`() async throws {
        let server = try await server()
        _ = try await HTTPRequest(server.url + "/ada").fetch(.bytes, in: client)
        #expect(server.requests.first?.headers[.accept] == "*/*")
    }

    @Test func `each kind of parser returns its value`() async throws {
        let server = try await server()
        let text = HTTPRequest(server.url + "/text")
        #expect(try await text.fetch(.text, in: client) == "hello")
        #expect(try await text.fetch(.bytes, in: client) == Array("hello".utf8))
        #expect(try await text.fetch(.headers, in: client)[.contentLength] == "5")
        try await text.fetch(.void(), in: client)
        try await text.fetch(.void(expecting: [.ok]), in: client)
        let page = HTTPRequest(server.url + "/page")
        #expect(try await page.fetch(.passthrough, in: client).status == .badGateway)
        let quota = HTTPRequest(server.url + "/quota")
        #expect(try await quota.fetch(.decodable(Quota.self), in: client) == Quota(left: 3))
        #expect(try await quota.fetch(Quota.self, in: client) == Quota(left: 3))
        #expect(try await HTTPEndpoint<Quota>(quota).fetch(in: client) == Quota(left: 3))
        #expect(try await HTTPEndpoint<PlainNote>(text).fetch(in: client).text == "hello")
        #expect(try await text.fetch(PlainNote.self, in: client).text == "hello")
        #expect(try await text.returning(.text).map(\.count).fetch(in: client) == 5)
    }

    @Test func `each kind of parser can expect other statuses`() async throws {
        let server = try await server()
        let page = HTTPRequest(server.url + "/page")
        let expected: HTTPStatusSet = [.badGateway]
        #expect(try await page.fetch(.text(expecting: expected), in: client) == "<h1>no</h1>")
        #expect(try await page.fetch(.bytes(expecting: expected), in: client).count == 11)
        let headers = try await page.fetch(.headers(expecting: expected), in: client)
        #expect(headers.contentLength == 11)
        let whole = try await page.fetch(.passthrough(expecting: expected), in: client)
        #expect(whole.status == .badGateway)
        // A status that is not listed is rejected, even a successful one.
        let text = HTTPRequest(server.url + "/text")
        let errors = [
            await failure { try await text.fetch(.text(expecting: expected), in: client) },
            await failure { try await text.fetch(.bytes(expecting: expected), in: client) },
            await failure { try await text.fetch(.headers(expecting: expected), in: client) },
            await failure { try await text.fetch(.passthrough(expecting: expected), in: client) },
        ]
        #expect(errors.allSatisfy { $0?.kind == .rejectedStatus(.ok) })
    }

    @Test func `listed empty statuses give nil, and others are parsed or rejected`() async throws {
        let server = try await server()
        let parser = HTTPResponseParser.json(User.self).optional()
        #expect(try await HTTPRequest(server.url + "/none").fetch(parser, in: client) == nil)
        let ada = HTTPRequest(server.url + "/ada")
        #expect(try await ada.fetch(parser, in: client) == User(name: "Ada"))
        let missing = HTTPRequest(server.url + "/missing")
        let refused = await failure { try await missing.fetch(parser, in: client) }
        #expect(refused?.kind == .rejectedStatus(.notFound))
        let lenient = HTTPResponseParser.json(User.self).optional(emptyStatuses: [.notFound])
        #expect(try await missing.fetch(lenient, in: client) == nil)
    }

    @Test func `a rejected response is parsed as the first matching error type`() async throws {
        let server = try await server()
        let parser = HTTPResponseParser.json(User.self).orError(Problem.self, OldProblem.self)
        let rejection = await failure {
            try await HTTPRequest(server.url + "/problem").fetch(parser, in: client)
        }
        #expect(rejection?.kind == .rejectedStatus(.conflict))
        #expect(rejection?.failureBody(as: Problem.self) == Problem(title: "full"))
        #expect(rejection?.failureBody(as: OldProblem.self) == nil)
        let old = await failure {
            try await HTTPRequest(server.url + "/old").fetch(parser.map(\.name), in: client)
        }
        #expect(old?.failureBody() == OldProblem(message: "full"))
        let decoded: OldProblem? = try old?.decode()
        #expect(decoded == OldProblem(message: "full"))
        let page = await failure {
            try await HTTPRequest(server.url + "/page").fetch(parser, in: client)
        }
        #expect(page?.kind == .rejectedStatus(.badGateway))
        #expect(page?.failureBody(as: Problem.self) == nil)
        #expect(page?.head?.status == .badGateway)
        #expect(page?.partialBody == Array("<h1>no</h1>".utf8))
        let custom = await failure {
            try await HTTPRequest(server.url + "/page").fetch(
                parser.orError(decodable: Quota.self, PlainNote.self),
                in: client
            )
        }
        #expect(custom?.failureBody(as: PlainNote.self)?.text == "<h1>no</h1>")
    }

    @Test func `an error thrown by a parser is reported with its cause`() async throws {
        let server = try await server()
        let ada = HTTPRequest(server.url + "/ada")
        let missing = await failure { try await ada.fetch(Quota.self, in: client) }
        guard case .decodingFailed = missing?.kind else {
            Issue.record("got \(String(describing: missing))")
            return
        }
        #expect(missing?.underlying is Quota.Missing)
        #expect(missing?.phase == .decoding)
        let broken = await failure {
            try await HTTPRequest(server.url + "/broken").fetch(User.self, in: client)
        }
        #expect(broken?.underlying is DecodingError)
        let cancelled = await failure {
            try await ada.fetch(
                HTTPResponseParser<Int> { _ in throw CancellationError() },
                in: client
            )
        }
        #expect(cancelled?.isCancellation == true)
        let own = await failure {
            try await ada.fetch(
                HTTPResponseParser { response in
                    try HTTPResponseParser.json(User.self, expecting: [404]).parse(response)
                },
                in: client
            )
        }
        #expect(own?.kind == .rejectedStatus(.ok))
    }

    @Test func `results are returned as values in place of thrown errors`() async throws {
        let server = try await server()
        let missing = HTTPRequest(server.url + "/missing")
        #expect(try await client.start(missing).result.get().status == .notFound)
        let result = await client.start(missing.returning(.text)).result
        guard case .failure(let error) = result else {
            Issue.record("got \(result)")
            return
        }
        #expect(error.kind == .rejectedStatus(.notFound))
    }

    @Test func `blocking calls return parsed values`() async throws {
        let server = try await server()
        let client = client
        let url = server.url
        let user = await onThread { try? client.blocking.fetch(User.self, from: url + "/ada") }
        #expect(user == User(name: "Ada"))
        let quota = await onThread {
            try? client.blocking.fetch(Quota.self, from: url + "/quota")
        }
        #expect(quota == Quota(left: 3))
        let text = await onThread {
            try? client.blocking.fetch(HTTPRequest(url + "/text").returning(.text))
        }
        #expect(text == "hello")
    }
}
#endif
