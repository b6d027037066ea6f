#if Foundation
import ClientSupport
import FoundationEssentials
import HTTPClient
import HTTPTestServer
import Testing

private struct User: Decodable, Sendable, Equatable {
    var name: String
}

/// Tests that every way to run a request treats text, bytes, data and optionals the same.
@Suite(.timeLimit(.minutes(10))) struct HTTPDecodableResponseValuesTests {
    private let client = HTTPClient()

    private func server() async throws -> HTTPTestServer {
        try await HTTPTestServer.start(routes: [
            "/text": .text("[1]"), "/ada": .json(#"{"name": "Ada"}"#), "/null": .json("null"),
            "/none": .status(.noContent), "/reset": .status(.resetContent),
            "/empty": .status(.ok), "/same": .status(.notModified),
        ])
    }

    private func each<Value: Decodable & HTTPDecodableResponse & Sendable & Equatable>(
        _ type: Value.Type,
        of request: HTTPRequest
    ) async throws -> [Value] {
        let endpoint = HTTPEndpoint<Value>(request)
        return [
            try await request.fetch(type, in: client),
            try await client.fetch(type, from: request),
            try await endpoint.fetch(in: client),
            try await HTTPEndpoint(.get, request.url, type).fetch(in: client),
            try await HTTPEndpoint(request, type).start(in: client).value,
            try await client.send(request).requireSuccess().decode(type),
            try await blocking { try client.blocking.fetch(type, from: request) },
        ]
    }

    private func blocking<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await onThread { Result { try work() } }.get()
    }

    @Test func `text, bytes and data are returned unchanged in generic code`() async throws {
        let server = try await server()
        let request = HTTPRequest(server.url + "/text")
        let bytes = Array("[1]".utf8)
        #expect(Set(try await each(String.self, of: request)) == ["[1]"])
        #expect(Set(try await each([UInt8].self, of: request)) == [bytes])
        #expect(Set(try await each(Data.self, of: request)) == [Data(bytes)])
        #expect(Set(try await each(String?.self, of: request)) == ["[1]"])
    }

    @Test func `text, bytes and data are returned unchanged for concrete types`() async throws {
        let server = try await server()
        let request = HTTPRequest(server.url + "/text")
        let bytes = Array("[1]".utf8)
        #expect(try await request.fetch(String.self, in: client) == "[1]")
        #expect(try await client.fetch(String.self, from: request) == "[1]")
        let inferred: String = try await client.fetch(from: request)
        #expect(inferred == "[1]")
        #expect(try await HTTPEndpoint<String>(request).fetch(in: client) == "[1]")
        #expect(try await HTTPEndpoint(request, String.self).start(in: client).value == "[1]")
        #expect(try await request.fetch([UInt8].self, in: client) == bytes)
        #expect(try await client.fetch([UInt8].self, from: request) == bytes)
        #expect(try await request.fetch(Data.self, in: client) == Data(bytes))
        #expect(try await client.fetch(Data.self, from: request) == Data(bytes))
        let response = try await client.send(request)
        #expect(try response.decode(String.self) == "[1]")
        #expect(try response.decode([UInt8].self) == bytes)
        #expect(try response.decode(Data.self) == Data(bytes))
        #expect(try response.decode([Int].self) == [1])
        // JSON must be requested explicitly.
        #expect(try await request.fetch(.json([UInt8].self), in: client) == [1])
        #expect(try response.decode([UInt8].self, decoder: JSONDecoder()) == [1])
    }

    @Test func `a request for text sends a text Accept`() async throws {
        let server = try await server()
        _ = try await HTTPRequest(server.url + "/text").fetch(String.self, in: client)
        #expect(server.requests.first?.headers[.accept]?.hasPrefix("text/plain") == true)
    }

    @Test(arguments: [("/ada", User(name: "Ada")), ("/null", nil), ("/none", nil), ("/reset", nil)])
    private func `an optional is nil for a response without content`(
        path: String,
        expected: User?
    ) async throws {
        let server = try await server()
        let request = HTTPRequest(server.url + path)
        #expect(try await request.fetch(User?.self, in: client) == expected)
        #expect(try await client.fetch(User?.self, from: request) == expected)
        #expect(try await HTTPEndpoint<User?>(request).fetch(in: client) == expected)
        #expect(try await HTTPEndpoint(request, User?.self).start(in: client).value == expected)
        #expect(try await client.send(request).requireSuccess().decode(User?.self) == expected)
        #expect(
            try await blocking { try client.blocking.fetch(User?.self, from: request) } == expected
        )
        if expected == nil, path != "/null" {
            #expect(try await request.fetch(String?.self, in: client) == nil)
            #expect(try await request.fetch(Data?.self, in: client) == nil)
            #expect(try await request.fetch(HTTPJSON?.self, in: client) == nil)
        }
    }

    @Test func `an empty body with another status is decoded, and other statuses are rejected`()
        async throws
    {
        let server = try await server()
        let empty = HTTPRequest(server.url + "/empty")
        let unread = await failure { try await empty.fetch(User?.self, in: client) }
        guard case .decodingFailed = unread?.kind else {
            Issue.record("\(String(describing: unread))")
            return
        }
        #expect(try await empty.fetch(String?.self, in: client) == "")
        let same = HTTPRequest(server.url + "/same")
        let refused = await failure { try await same.fetch(User?.self, in: client) }
        #expect(refused?.kind == .rejectedStatus(.notModified))
        let none = HTTPRequest(server.url + "/none")
        let strict = await failure { try await none.fetch(User.self, in: client) }
        guard case .decodingFailed = strict?.kind else {
            Issue.record("\(String(describing: strict))")
            return
        }
    }
}
#endif
