import HTTPClient
import HTTPTestServer
import OpenCombine
import Testing

private struct User: Decodable, Sendable, Equatable {
    var name: String
}

@Suite("IndomioHTTP: HTTP Request, Response Handling", .timeLimit(.minutes(10)))
struct SeedPublisherTests {
    private let client = HTTPClient()

    private func server() async throws -> HTTPTestServer {
        try await HTTPTestServer.start(routes: [
            "/ada": .json(#"{"name": "Ada"}"#), "/text": .text("hello"),
        ])
    }

    @Test(arguments: ["/ada", "/none"])
    func `Response Handling: the decoded object or the error is published`(
        path: String
    ) async throws {
        let server = try await server()
        let request = HTTPRequest(server.url + path).returning(.json(User.self))
        let (results, result) = AsyncStream<Result<User, HTTPError>>.makeStream()
        let subscription = request.publisher(in: client).sink { completion in
            if case .failure(let error) = completion { result.yield(.failure(error)) }
            result.finish()
        } receiveValue: { user in
            result.yield(.success(user))
        }
        var found: [Result<User, HTTPError>] = []
        for await result in results { found.append(result) }
        subscription.cancel()
        #expect(found.count == 1)
        switch try #require(found.first) {
        case .success(let user): #expect(user == User(name: "Ada") && path == "/ada")
        case .failure(let error):
            #expect(error.kind == .rejectedStatus(.notFound) && path == "/none")
        }
        #expect(server.requests.map(\.path) == [path])
    }

    @Test func `Response Handling: the response is published`() async throws {
        let server = try await server()
        let (texts, text) = AsyncStream<String>.makeStream()
        let subscription = HTTPRequest(server.url + "/text").publisher(in: client)
            .sink { _ in
                text.finish()
            } receiveValue: { response in
                text.yield(response.text)
            }
        var found: [String] = []
        for await text in texts { found.append(text) }
        subscription.cancel()
        #expect(found == ["hello"])
        #expect(server.requests.map(\.path) == ["/text"])
    }

    @Test func `Upload Large Data: object and progress are published`() async throws {
        let server = try await HTTPTestServer.start { request in
            .json(#"{"name": "\#(request.body.count) bytes"}"#)
        }
        let data = [UInt8](repeating: 7, count: 3 << 20)
        let request = HTTPRequest(server.url, method: .post, body: .bytes(data))
        let (users, user) = AsyncStream<User>.makeStream()
        let subscription = request.returning(.json(User.self)).publisher(in: client)
            .sink { _ in
                user.finish()
            } receiveValue: { value in
                user.yield(value)
            }
        var found: [User] = []
        for await user in users { found.append(user) }
        subscription.cancel()
        #expect(found == [User(name: "\(data.count) bytes")])

        let (counts, count) = AsyncStream<Int>.makeStream()
        let progressSubscription = request.eventPublisher(in: client).progress
            .sink { _ in
                count.finish()
            } receiveValue: { progress in
                if progress.direction == .upload { count.yield(progress.completed) }
            }
        var last = 0
        for await count in counts { last = count }
        progressSubscription.cancel()
        #expect(last == data.count)
        #expect(server.requests.map(\.body.count) == [data.count, data.count])
    }

    @Test func `Response Handling: the progress is published`() async throws {
        let server = try await server()
        let (percentages, percentage) = AsyncStream<Double>.makeStream()
        let subscription = HTTPRequest(server.url + "/text").eventPublisher(in: client).progress
            .sink { _ in
                percentage.finish()
            } receiveValue: { progress in
                percentage.yield(progress.percentage ?? 0)
            }
        var found: [Double] = []
        for await percentage in percentages { found.append(percentage) }
        subscription.cancel()
        #expect(found.last == 100)
        #expect(server.requests.map(\.path) == ["/text"])
    }
}
