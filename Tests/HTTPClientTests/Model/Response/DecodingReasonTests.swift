import ClientSupport
import HTTPClient
import HTTPTestServer
import Testing

/// An error that is not a `DecodingError`.
private struct TestError: Error {}

/// A type that throws a `DecodingError` itself, as another library's decoder would.
private struct CustomResponse: HTTPDecodableResponse {
    private enum Key: String, CodingKey {
        case user, name
    }

    static func decode(_ response: HTTPResponse) throws -> CustomResponse {
        let context = DecodingError.Context(codingPath: [Key.user], debugDescription: "missing")
        throw DecodingError.keyNotFound(Key.name, context)
    }
}

@Suite(.timeLimit(.minutes(10))) struct DecodingReasonTests {
    private let client = HTTPClient()

    private func response(_ body: [UInt8]) async throws -> HTTPResponse {
        let server = try await HTTPTestServer.start { _ in .bytes(body) }
        return try await client.send(HTTPRequest(server.url))
    }

    private func reason(_ error: HTTPError?) -> String? {
        guard case .decodingFailed(let reason) = error?.kind else { return nil }
        return reason
    }

    #if Foundation
    struct List: Decodable, Sendable {
        struct User: Decodable, Sendable {
            var name: String
        }

        var users: [User]
    }

    /// A body, the coding path in the error's message, and the start of the body in it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: [UInt8]
        let path: String
        let start: String

        init(_ name: String, _ body: String, _ path: String, start: String? = nil) {
            self.init(name, Array(body.utf8), path, start: start ?? body)
        }

        init(_ name: String, _ body: [UInt8], _ path: String, start: String) {
            testDescription = name
            self.body = body
            self.path = path
            self.start = start
        }
    }

    /// 79 bytes, followed by a character of two bytes.
    private static let long = #"{"users":[{"name":7}],"a":""# + String(repeating: "a", count: 52)

    @Test(arguments: [
        Row("a missing key", "{}", "$"),
        Row("a missing key, nested", #"{"users":[{"name":"a"},{}]}"#, "$.users[1]"),
        Row("a wrong type", #"{"users":[{"name":"a"},{"name":7}]}"#, "$.users[1].name"),
        Row("null", #"{"users":[{"name":null}]}"#, "$.users[0].name"),
        Row("no JSON", #"{"users":[}"#, "$"),
        Row("several lines", "{\r\n}", "$", start: "{  }"),
        Row("no UTF-8", [0xFF, 0x7B, 0xC3], "$", start: "\u{FFFD}{\u{FFFD}"),
        Row("a long body", long + "üü\"}", "$.users[0].name", start: long + "…"),
    ])
    func `undecodable JSON is reported with path and start of the body`(row: Row) async throws {
        let response = try await response(row.body)
        let error = await failure { try response.decode(List.self) }
        let received = try #require(reason(error))
        #expect(received.hasSuffix(" at \(row.path), in \"\(row.start)\""))
        #expect(!received.hasPrefix(" at "))
        #expect(error?.underlying is DecodingError)
        #expect(error?.partialBody == row.body)
    }

    @Test func `a missing key and a missing body are reported in words`() async throws {
        let nested = try await response(Array(#"{"users":[{}]}"#.utf8))
        #expect(
            reason(await failure { try nested.decode(List.self) })
                == #"the key "name" is missing at $.users[0], in "{"users":[{}]}""#
        )
        let empty = try await response([])
        let error = await failure { try empty.decode(List.self) }
        #expect(reason(error) == "the response has no body")
        let broken = try await response(Array("{".utf8))
        let text = reason(await failure { try broken.decode(List.self) })
        #expect(text?.contains(". at") == false)
    }
    #endif

    @Test func `errors of custom decoding are reported with the start, and with the path if known`()
        async throws
    {
        let response = try await response(Array("<p>".utf8))
        let foreign = await failure { try response.decode(CustomResponse.self) }
        #expect(reason(foreign) == #"the key "name" is missing at $.user, in "<p>""#)
        #expect(foreign?.underlying is DecodingError)
        let own = HTTPResponseParser<Int> { _ in throw TestError() }
        #expect(reason(await failure { try own.parse(response) }) == #"TestError(), in "<p>""#)
        let mapped = HTTPResponseParser.bytes.map { _ -> Int in throw TestError() }
        let error = await failure { try mapped.parse(response) }
        #expect(reason(error) == #"TestError(), in "<p>""#)
        #expect(error?.underlying is TestError)
        let decoded = await failure {
            try HTTPResponseParser.decodable(CustomResponse.self).parse(response)
        }
        #expect(reason(decoded) == #"the key "name" is missing at $.user, in "<p>""#)
    }
}
