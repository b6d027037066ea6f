import ClientSupport
import HTTPClient
import HTTPTestServer
import Testing

/// A type with its own format and Accept value.
private struct Measure: HTTPDecodableResponse {
    static let accept: String? = "text/x-measure"
    var text: String

    static func decode(_ response: HTTPResponse) throws -> Measure {
        Measure(text: try response.string())
    }
}

@Suite(.timeLimit(.minutes(10))) struct HTTPJSONResponseTests {
    private static let text = #"{"z":1,"a":{"b":[18446744073709551615,-0.5]},"z":2}"#

    private let client = HTTPClient()

    private func server() async throws -> HTTPTestServer {
        try await HTTPTestServer.start(routes: [
            "/good": .json(Self.text), "/text": .text(Self.text), "/broken": .json(#"{"a":[1,}"#),
            "/none": .status(.noContent), "/problem": .json(#"{"why":"full"}"#, status: .conflict),
        ])
    }

    @Test func `every way to request JSON gives the same value and sends Accept`() async throws {
        let server = try await server()
        let request = HTTPRequest(server.url + "/good")
        let wanted = try HTTPJSON(parsing: Self.text)
        #expect(try await request.fetch(HTTPJSON.self, in: client) == wanted)
        #expect(try await request.fetch(.json(HTTPJSON.self), in: client) == wanted)
        #expect(try await client.fetch(HTTPJSON.self, from: request) == wanted)
        #expect(try await client.fetch(request.returning(.json(HTTPJSON.self))) == wanted)
        let endpoint: HTTPEndpoint<HTTPJSON> = HTTPEndpoint(request)
        #expect(try await client.fetch(endpoint) == wanted)
        let short: HTTPEndpoint<HTTPJSON> = HTTPEndpoint(request, .json())
        #expect(try await client.fetch(short) == wanted)
        let blocking = await onThread { try? client.blocking.fetch(HTTPJSON.self, from: request) }
        #expect(blocking == wanted)
        let accepted = server.requests.map { $0.headers[.accept] }
        #expect(accepted.count == 7)
        #expect(accepted.allSatisfy { $0?.hasPrefix("application/json") == true })
    }

    @Test func `a response is parsed as JSON regardless of its Content-Type`() async throws {
        let server = try await server()
        let response = try await client.send(HTTPRequest(server.url + "/text"))
        #expect(try response.json()["a"]["b"][0].uint == .max)
        #expect(try response.decode(HTTPJSON.self) == response.json())
        #expect(throws: HTTPError.self) { try response.json(maxDepth: 1) }
    }

    @Test func `invalid JSON is reported with offset, path and start of the body`() async throws {
        let server = try await server()
        let request = HTTPRequest(server.url + "/broken")
        for error in [
            await failure { try await request.fetch(HTTPJSON.self, in: client) },
            await failure { try await client.send(request).json() },
        ] {
            guard case .decodingFailed(let reason) = error?.kind else {
                Issue.record("got \(String(describing: error))")
                continue
            }
            #expect(reason.contains("byte 8") && reason.contains("$.a[1]"))
            #expect(reason.contains(#"in "{"a":[1,}""#))
            let cause = error?.underlying as? HTTPJSON.ParsingError
            #expect(cause?.reason == .unexpectedByte(UInt8(ascii: "}")))
            #expect(error?.phase == .decoding)
        }
    }

    @Test func `an empty body is not JSON, and an error response is parsed as JSON`() async throws {
        let server = try await server()
        let none = await failure {
            try await HTTPRequest(server.url + "/none").fetch(HTTPJSON.self, in: client)
        }
        #expect((none?.underlying as? HTTPJSON.ParsingError)?.reason == .unexpectedEnd)
        let parser = HTTPResponseParser.json(HTTPJSON.self).optional()
        let request = HTTPRequest(server.url + "/none")
        #expect(try await request.fetch(parser, in: client) == nil)
        let rejection = await failure {
            try await HTTPRequest(server.url + "/problem").fetch(
                HTTPResponseParser.text.orError(decodable: HTTPJSON.self),
                in: client
            )
        }
        #expect(rejection?.failureBody(as: HTTPJSON.self)?["why"] == "full")
        #expect(try rejection?.json()["why"] == "full")
    }

    @Test func `a custom type sets its own Accept`() async throws {
        let server = try await server()
        let request = HTTPRequest(server.url + "/text")
        #expect(try await request.fetch(Measure.self, in: client).text == Self.text)
        #expect(try await client.fetch(Measure.self, from: request).text == Self.text)
        #expect(try await request.header(.accept, "a/b").fetch(Measure.self, in: client).text != "")
        let accepted = server.requests.map { $0.headers.values(.accept) }
        #expect(accepted == [["text/x-measure"], ["text/x-measure"], ["a/b"]])
    }
}
