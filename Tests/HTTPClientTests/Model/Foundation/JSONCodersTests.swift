#if Foundation
import ClientSupport
import FoundationEssentials
import HTTPClient
import HTTPClientReports
import HTTPTestServer
import SocketTransport
import Support
import Testing

private struct User: Codable, Sendable, Equatable {
    var firstName: String
}

/// Tests that the client's JSON coders are used wherever a call passes none.
@Suite(.timeLimit(.minutes(10))) struct JSONCodersTests {
    private static let snake = #"{"first_name":"Ada"}"#
    private static let ada = User(firstName: "Ada")

    private let client: HTTPClient = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        var configuration = HTTPClient.Configuration()
        configuration.jsonDecoder = decoder
        configuration.jsonEncoder = encoder
        return HTTPClient(configuration)
    }()

    private func server() async throws -> HTTPTestServer {
        try await HTTPTestServer.start(routes: [
            "/ada": .json(Self.snake), "/refused": .json(Self.snake, status: .conflict),
        ])
    }

    @Test func `every way to decode a value uses the client's decoder`() async throws {
        let server = try await server()
        let request = HTTPRequest(server.url + "/ada")
        let endpoint: HTTPEndpoint<User> = HTTPEndpoint(request)
        let response = try await client.send(request)
        let values = [
            try await client.fetch(User.self, from: request),
            try await request.fetch(User.self, in: client),
            try await request.fetch(.json(User.self), in: client),
            try await request.returning(.json(User.self)).start(in: client).value,
            try await client.fetch(endpoint), try await endpoint.start(in: client).value,
            try response.decode(User.self), try response.requireSuccess().decode(),
            try HTTPResponseParser.json(User.self).parse(response),
        ]
        #expect(values == [User](repeating: Self.ada, count: values.count))
        let client = client
        let blocked = await onThread {
            Result { try client.blocking.fetch(User.self, from: request) }
        }
        #expect(try blocked.get() == Self.ada)
    }

    @Test func `error response bodies are decoded with the client's decoder`() async throws {
        let server = try await server()
        let request = HTTPRequest(server.url + "/refused")
        let parser = HTTPResponseParser.text.orError(User.self)
        let refused = await failure { try await request.fetch(parser, in: client) }
        #expect(refused?.failureBody() == Self.ada)
        #expect(try refused?.decode(User.self) == Self.ada)
        let streamed = await failure { try await client.stream(request).requireSuccess() }
        #expect(try streamed?.decode(User.self) == Self.ada)
    }

    @Test func `a decoder passed to a call takes precedence, and other clients use their own`()
        async throws
    {
        let server = try await server()
        let request = HTTPRequest(server.url + "/ada")
        let given = await failure {
            try await client.fetch(User.self, from: request, decoder: JSONDecoder())
        }
        let plain = HTTPClient()
        let other = await failure { try await plain.fetch(User.self, from: request) }
        for error in [given, other] {
            guard case .decodingFailed = error?.kind else {
                Issue.record("got \(String(describing: error))")
                continue
            }
        }
        let derived = plain.with { $0.jsonDecoder = client.configuration.jsonDecoder }
        #expect(try await derived.fetch(User.self, from: request) == Self.ada)
        #expect(derived.configuration.jsonEncoder == nil)
        let without = client.with { $0.jsonDecoder = nil }
        #expect(without.configuration.jsonEncoder != nil)
        #expect(await failure { try await without.fetch(User.self, from: request) } != nil)
    }

    @Test func `the sending client encodes the body`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/old"
                ? .redirect(to: "/new", status: .temporaryRedirect) : .echo(request)
        }
        let reading = Reading()
        let watched = client.with {
            $0.interceptors = [reading]
        }
        let request = HTTPRequest(server.url + "/old", method: .post).json(Self.ada)
        _ = try await client.send(request)
        for try await _ in try await client.stream(request).body {}
        _ = try await request.start(in: client).value
        _ = try await watched.send(request)
        _ = try await client.send(request.retries(.standard))
        let blocked = client
        _ = try await onThread { Result { try blocked.blocking.send(request) } }.get()
        #expect(server.requests.count == 12)
        #expect(server.requests.allSatisfy { $0.body == Array(Self.snake.utf8) })
        #expect(
            server.requests.allSatisfy { $0.headers[.contentLength] == "\(Self.snake.utf8.count)" }
        )
        #expect(server.requests.allSatisfy { $0.headers.contentType?.subtype == "json" })
        #expect(reading.seen.withLock { $0 } == [Self.snake, Self.snake])
        #expect(try request.curlDescription(in: client).contains("first_name"))
        _ = try await HTTPClient().send(request)
        _ = try await client.send(request.body(.json(Self.ada, encoder: JSONEncoder())))
        let camel = Array(#"{"firstName":"Ada"}"#.utf8)
        #expect(server.requests[12...].allSatisfy { $0.body == camel })
        #expect(
            request.body.bytes == camel && request.body.length == 19 && request.body.isReplayable
        )
    }

    @Test func `observers see a body as it is sent`() async throws {
        let server = try await HTTPTestServer.start { .echo($0) }
        let recorder = HTTPArchiveRecorder()
        let watched = client.with { $0.observers = [recorder] }
        _ = try await watched.send(HTTPRequest(server.url, method: .post).json(Self.ada))
        for scope in [HTTPInterceptorScope.call, .attempt] {
            let replacing = watched.with { $0.interceptors = [BodyReplacer(scope: scope)] }
            _ = try await replacing.send(HTTPRequest(server.url, method: .post))
        }
        let archive = try HTTPJSON(parsing: recorder.encoded())
        let entries = try #require(archive["log"]["entries"].array)
        let texts = entries.map { $0["request"]["postData"]["text"].string }
        #expect(texts == [Self.snake, Self.snake, Self.snake])
    }

    @Test func `a value is encoded once for all requests of a call`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/old"
                ? .redirect(to: "/new", status: .temporaryRedirect) : .echo(request)
        }
        let counted = Counted()
        let request = HTTPRequest(server.url + "/old", method: .post).json(counted)
        _ = try await client.send(request)
        _ = try await client.send(request)
        #expect(counted.count.withLock { $0 } == 1 && server.requests.count == 4)
    }

    @Test func `a value that cannot be encoded makes sending throw`() async {
        let request = HTTPRequest("http://a.example/", method: .post).json([
            "a": Double.nan as Double?
        ])
        let value = HTTPRequest("http://a.example/", method: .post).json(Unencodable())
        for request in [request, value] {
            for client in [client, client.with { $0.retries = .standard }] {
                let error = await failure { try await client.send(request) }
                guard case .invalidRequest(.body) = error?.kind else {
                    Issue.record("got \(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test func `members of an encoded dictionary are sorted by name`() {
        let names = ["zeta": "1", "mu": "2", "alpha": "3", "beta": "4"]
        let text = #"{"alpha":"3","beta":"4","mu":"2","zeta":"1"}"#
        #expect(HTTPBody.json(names).bytes == Array(text.utf8))
    }
}

private final class Reading: HTTPInterceptor {
    let seen = Locked<[String]>([])

    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult {
        seen.withLock { $0.append(String(decoding: request.body.bytes, as: UTF8.self)) }
        return try await next(request)
    }
}

/// An interceptor that replaces the body.
private struct BodyReplacer: HTTPInterceptor {
    let scope: HTTPInterceptorScope

    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult {
        try await next(request.json(User(firstName: "Ada")))
    }
}

private final class Counted: Encodable, Sendable {
    let count = Locked(0)

    func encode(to encoder: any Encoder) throws {
        count.withLock { $0 += 1 }
        var container = encoder.singleValueContainer()
        try container.encode("once")
    }
}

private struct Unencodable: Encodable {
    func encode(to encoder: any Encoder) throws { throw CancellationError() }
}
#endif
