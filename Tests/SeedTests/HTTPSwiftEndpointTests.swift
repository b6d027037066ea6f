#if Foundation
import HTTPClient
import HTTPTestServer
import Testing

private struct Item: Decodable, Sendable, Equatable {
    var number: Int
}

private struct OneTypeOfErrorBody: Decodable, Equatable {
    let message: String
}

private struct AnotherTypeOfErrorBody: Decodable, Equatable {
    let code: Int
}

private struct Feature {
    struct Response: Sendable, Equatable {
        let text: String
    }

    static func featureEndpoint(text: String, at url: String) -> HTTPEndpoint<Response> {
        struct Request: Encodable {
            let text: String
        }
        struct ActualResponse: Decodable {
            let number: Int
        }
        let request = HTTPRequest(.post, url + "/feature/endpoint").json(Request(text: text))
        return HTTPEndpoint(request.accept(.json)) { response in
            let actualResponse = try response.decode(ActualResponse.self)
            return Response(text: String(actualResponse.number))
        }
    }
}

@Suite("HTTPSwift: Request and Endpoints", .timeLimit(.minutes(10)))
struct HTTPSwiftEndpointTests {
    private let httpClient = HTTPClient()

    private func server() async throws -> HTTPTestServer {
        try await HTTPTestServer.start(routes: [
            "/item": .json(#"{"number": 7}"#), "/empty": .status(.noContent),
            "/one": .json(#"{"message": "full"}"#, status: .conflict),
            "/another": .json(#"{"code": 17}"#, status: .conflict),
            "/neither": .text("no", status: .notFound), "/late": .status(.serviceUnavailable),
            "/feature/endpoint": .json(#"{"number": 42}"#),
        ])
    }

    @Test func `Request: the body is decoded to a result`() async throws {
        let server = try await server()
        let result: Result<Item, HTTPError> = await httpClient.start(
            HTTPEndpoint(.get, server.url + "/item", .json())
        ).result
        #expect(try result.get() == Item(number: 7))
        let seen = try #require(server.requests.first)
        #expect(seen.method == .get)
        #expect(seen.headers[.accept]?.hasPrefix("application/json") == true)
    }

    @Test(arguments: [("/item", 7), ("/empty", nil)])
    func `Request: a status for an empty response gives nil`(
        path: String,
        number: Int?
    ) async throws {
        let server = try await server()
        let parser = HTTPResponseParser.json(Item.self).optional(emptyStatuses: [.noContent])
        let result: Result<Item?, HTTPError> = await httpClient.start(
            HTTPEndpoint(.get, server.url + path, parser)
        ).result
        #expect(try result.get()?.number == number)
        #expect(server.requests.map(\.path) == [path])
    }

    @Test(arguments: [
        ("/item", "success"), ("/one", "one full"), ("/another", "another 17"),
        ("/neither", "neither"), ("/late", "server"),
    ])
    func `Request: an error body is decoded as one of several types`(
        path: String,
        expected: String
    ) async throws {
        let server = try await server()
        let result = await httpClient.start(
            HTTPEndpoint(.get, server.url + path, .json(Item.self))
        ).result
        let found: String
        switch result {
        case .success: found = "success"
        case .failure(let error) where error.head?.status.kind == .clientError:
            if let errorBody = try? error.decode(OneTypeOfErrorBody.self) {
                found = "one \(errorBody.message)"
            } else if let errorBody = try? error.decode() as AnotherTypeOfErrorBody {
                found = "another \(errorBody.code)"
            } else {
                found = "neither"
            }
        case .failure: found = "server"
        }
        #expect(found == expected)
        #expect(server.requests.map(\.path) == [path])
    }

    @Test func `Encapsulate requests in Endpoints: a closure converts the response`() async throws {
        let server = try await server()
        let endpoint = Feature.featureEndpoint(text: "Hello World", at: server.url)
        #expect(try await httpClient.fetch(endpoint) == Feature.Response(text: "42"))
        let result = await httpClient.start(endpoint).result
        #expect(try result.get() == Feature.Response(text: "42"))
        let seen = try #require(server.requests.first)
        #expect(seen.method == .post && seen.text == #"{"text":"Hello World"}"#)
        #expect(seen.headers[.contentType] == "application/json")
        #expect(seen.headers[.accept] == "application/json")
        #expect(server.requests.count == 2)
    }
}
#endif
