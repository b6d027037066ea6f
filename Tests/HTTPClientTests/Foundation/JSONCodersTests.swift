#if Foundation
import FoundationEssentials
import HTTPClient
import HTTPTestServer
import Testing

private struct User: Codable, Sendable, Equatable {
    var firstName: String
}

/// The coders of a client count wherever none is given.
@Suite(.timeLimit(.minutes(2))) struct JSONCodersTests {
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

    @Test func `every way to read a value uses the client's decoder`() async throws {
        let server = try await server()
        let request = HTTPRequest(server.url + "/ada")
        let endpoint: HTTPEndpoint<User> = HTTPEndpoint(request)
        let response = try await client.send(request)
        let values = [
            try await client.fetch(User.self, from: request),
            try await request.fetch(User.self, in: client),
            try await request.fetch(.json(User.self), in: client),
            try await request.run(User.self, in: client).value,
            try await client.call(endpoint), try await endpoint.run(in: client).value,
            try response.decode(User.self), try response.requireSuccess().decode(),
            try HTTPResponseParser.json(User.self).parse(response),
        ]
        #expect(values == [User](repeating: Self.ada, count: values.count))
        let client = client
        let blocked = await onThread { Result { try request.runSync(User.self, in: client) } }
        #expect(try blocked.get() == Self.ada)
    }

    @Test func `bodies of refusals are read with it too`() async throws {
        let server = try await server()
        let request = HTTPRequest(server.url + "/refused")
        let parser = HTTPResponseParser.text.orError(User.self)
        let refused = await failure { try await request.fetch(parser, in: client) }
        #expect(refused?.failureBody() == Self.ada)
        #expect(try refused?.decode(User.self) == Self.ada)
        let streamed = await failure { try await client.stream(request).requireSuccess() }
        #expect(try streamed?.decode(User.self) == Self.ada)
    }

    @Test func `a decoder that is given goes before, and other clients have their own`()
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

    @Test func `a body is written as the client that is named writes`() async throws {
        let server = try await HTTPTestServer.start { .echo($0) }
        let request = HTTPRequest(server.url, method: .post)
        let sent = [
            request.json(Self.ada, in: client), request.body(.json(Self.ada, in: client)),
            request.json(Self.ada), request.json(Self.ada, in: HTTPClient()),
        ]
        for request in sent { _ = try await client.send(request) }
        let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
        let camel = #"{"firstName":"Ada"}"#
        #expect(bodies == [Self.snake, Self.snake, camel, camel])
        #expect(server.requests.allSatisfy { $0.headers.contentType?.subtype == "json" })
    }
}
#endif
