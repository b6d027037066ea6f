#if Foundation
import ClientSupport
import FoundationEssentials
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests shorthand spellings of requests and calls.
@Suite(.timeLimit(.minutes(10))) struct SpellingTests {
    private let client = HTTPClient()

    @Test(arguments: ["7", "a b", "é", "100%", "a/b?c#d", "%20", ""])
    func `interpolated text is parsed like the whole text`(value: String) {
        let request: HTTPRequest = "https://a/users/\(value)"
        #expect(request.url == HTTPRequest(String("https://a/users/" + value)).url)
        #expect(request.method == .get)
        let encoded: HTTPRequest = "users/\("a b")/\(7)"
        #expect(encoded.url == "users/a%20b/7")
    }

    @Test func `a request from interpolated text can be sent`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/users/7": .text("Ada")])
        let id = 7
        #expect(try await client.send("\(server.url)/users/\(id)").text == "Ada")
        let text = try await client.fetch(String.self, from: "\(server.url)/users/\(id)")
        #expect(text == "Ada")
        let result = await HTTPRequest("\(server.url)/users/\(id)").start(in: client).result
        #expect(try result.get().text == "Ada")
        let running = HTTPRequest("\(server.url)/users/\(id)").returning(.text).start(in: client)
        #expect(try await running.value == "Ada")
    }

    @Test func `an endpoint is created from method and path, or from a closure`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.method == .post ? .text("made", status: .created) : .status(.notFound)
        }
        let api = try HTTPClient(baseURL: server.url)
        let made = HTTPEndpoint(.post, "/users", .text)
        #expect(made.request.method == .post)
        #expect(try await api.fetch(made) == "made")
        let decoded = HTTPEndpoint<HTTPJSON>(.put, "/users")
        #expect(decoded.request.method == .put && decoded.request.url == "/users")
        let status = HTTPEndpoint(.init(.post, "/users")) { response in response.status.code }
        #expect(try await api.fetch(status) == 201)
        let missing = HTTPEndpoint("/users") { $0.status.code }
        #expect(await api.start(missing).result.failure?.kind == .rejectedStatus(.notFound))
        let all = HTTPEndpoint("/users", expecting: .any) { $0.status.code }
        #expect(try await api.fetch(all) == 404)
    }

    @Test func `dictionaries are sorted by name, and literals keep their order`() throws {
        let texts = ["b": "2 x", "a": "1", "c": ""]
        let numbers = ["b": 2, "a": 1]
        let request = HTTPRequest("http://a/")
        #expect(request.query(texts).url == "http://a/?a=1&b=2%20x&c=")
        #expect(request.query(numbers).url == "http://a/?a=1&b=2")
        #expect(request.query(["b": "2", "a": "1", "b": "3"]).url == "http://a/?b=2&a=1&b=3")
        let bytes = request.form(HTTPParameters(texts)).body.bytes
        #expect(String(decoding: bytes, as: UTF8.self) == "a=1&b=2+x&c=")
        #expect(
            String(decoding: request.form(["b": "2", "a": "1"]).body.bytes, as: UTF8.self)
                == "b=2&a=1"
        )
    }

    @Test func `Foundation values are encoded as query and body`() {
        let items = [URLQueryItem(name: "q", value: "a&b"), URLQueryItem(name: "x", value: nil)]
        let request = HTTPRequest("http://a/?z=1")
            .query(items.map { HTTPQueryItem($0.name, $0.value) })
        #expect(request.url == "http://a/?z=1&q=a%26b&x")
        let elements: [Any] = [1, "a", ["k": true]]
        let body = HTTPRequest("http://a/").body(.json(any: elements)).body
        #expect(String(decoding: body.bytes, as: UTF8.self) == #"[1,"a",{"k":true}]"#)
    }

    @Test func `progress is a sequence that ends with the call`() async throws {
        let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        let origin = try ScriptedOrigin(.always(hello))
        let call = HTTPRequest(origin.url, method: .post, body: .string("abc")).start(in: client)
        var last: [HTTPProgress.Direction: HTTPProgress] = [:]
        for await progress in call.progress { last[progress.direction] = progress }
        #expect(call.state == .finished)
        #expect(last[.upload]?.isFinal == true)
        #expect(last[.download]?.isFinal == true)
        #expect(last[.download]?.percentage == 100)
        // A late observer receives the newest value of each direction.
        var late = 0
        for await progress in call.progress where progress.isFinal { late += 1 }
        #expect(late == 2)
    }

    @Test func `priorities are ordered`() {
        let rising: [HTTPPriority] = [.veryLow, .low, .normal, .high, .veryHigh]
        #expect(rising == rising.sorted() && Set(rising).count == 5)
    }

    @Test func `the body in an error is decoded with errors of the same type`() async throws {
        let server = try await HTTPTestServer.start(routes: [
            "/": .text(#"{"why": 7}"#, status: .conflict), "/page": .text("no", status: .conflict),
        ])
        struct Problem: Decodable { var why: String }
        do throws(HTTPError) {
            _ = try await client.fetch(String.self, from: "\(server.url)")
            Issue.record("a conflict was accepted")
        } catch {
            #expect(try error.json()["why"] == 7)
            let unread = #expect(throws: HTTPError.self) { try error.decode(Problem.self) }
            let names = unread?.description.contains("$.why")
            #expect(names == true)
            #expect(unread?.underlying is DecodingError)
            #expect(unread?.head?.status == .conflict)
        }
        do throws(HTTPError) {
            _ = try await client.fetch(String.self, from: "\(server.url)/page")
            Issue.record("a conflict was accepted")
        } catch {
            let unread = #expect(throws: HTTPError.self) { try error.json() }
            #expect(unread?.underlying is HTTPJSON.ParsingError)
            #expect(unread?.partialBody == Array("no".utf8))
        }
    }
}

extension Result where Failure == HTTPError {
    fileprivate var failure: HTTPError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
#endif
