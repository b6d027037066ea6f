#if Foundation
import ClientSupport
import HTTPClient
import HTTPClientTesting
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct StubEncodableTests {
    private struct User: Codable, Equatable {
        var name: String
    }

    @Test func `encodable values are matched and returned by stubs`() async throws {
        let stubs = HTTPStubs {
            HTTPStub(.json(User(name: "Ada")), answer: .json(User(name: "Grace")))
        }
        let client = HTTPClient().with { $0.stubs = stubs }
        var request = HTTPRequest("http://a.test/", method: .post, body: .json(["name": "Ada"]))
        let answer = try await client.send(request)
        #expect(try answer.decode(User.self) == User(name: "Grace"))
        request.body = .json(["name": "Alan"])
        let error = await failure { try await client.send(request) }
        guard case .unmatched? = error?.stubError?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
#endif
