import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests behavior that deliberately differs from the libraries whose samples are in the other files.
///
/// The article "Porting from other clients" gives the reasons.
@Suite(.timeLimit(.minutes(10))) struct DeliberateDifferenceTests {
    @Test func `a 404 is returned as a response, and a lost connection is thrown`() async throws {
        let server = try await serverAnswering([.text("no", status: .notFound), .close])
        let request = HTTPRequest(server.url)
        #expect(try await request.send().status == .notFound)
        let lost = await failure { try await request.with { $0.connection = .fresh }.send() }
        #expect(lost?.blame == .peer)
        #expect(server.requests.count == 2)
    }

    /// This holds even for a redirect that keeps the rest of the request.
    @Test func `credentials are not sent to another origin after a redirect`() async throws {
        let target = try await echoServer()
        let server = try await HTTPTestServer.start { _ in .redirect(to: target.url + "/there") }
        let request = HTTPRequest(.post, server.url)
            .data(Array("content".utf8))
            .header(.authorization, "Bearer secret")
            .header(.cookie, "session=17")
            .header("X-Kept", "1")
            .with { $0.redirectMode = .followKeepingRequest }
        let response = try await request.send()
        #expect(response.redirects.map(\.status) == [.found])
        let seen = try #require(target.requests.first)
        #expect(seen.method == .post && seen.text == "content" && seen.headers["X-Kept"] == "1")
        #expect(!seen.headers.contains(.authorization) && !seen.headers.contains(.cookie))
        #expect(server.requests.first?.headers[.authorization] == "Bearer secret")
    }

    @Test func `a form is sent with its exact length, and its names are escaped`() async throws {
        let server = try await echoServer()
        let directory = try TemporaryDirectory()
        let path = try directory.write("file", as: "a")
        let empty = HTTPRequest(.post, server.url).body(.multipart(boundary: "seam") { _ in })
        #expect(try await empty.send().isSuccess)
        let form = HTTPRequest(.post, server.url).multipart(boundary: "seam") {
            $0.add(string: "1", name: "a\"b")
            $0.add(file: path, name: "file")
        }
        #expect(try await form.send().isSuccess)
        #expect(server.requests.first?.text.hasSuffix("--seam--\r\n") == true)
        #expect(server.requests.last?.text.contains(#"name="a%22b""#) == true)
        for seen in server.requests {
            #expect(seen.headers.contentLength == seen.body.count)
        }
    }

    @Test func `a form with a missing file or an unnamed part is rejected`() async throws {
        let server = try await echoServer()
        let directory = try TemporaryDirectory()
        let missing = HTTPRequest(.post, server.url).multipart {
            $0.add(string: "1", name: "a")
            $0.add(file: directory.path + "/none", name: "file")
        }
        let path = try directory.write("file", as: "a")
        let nameless = HTTPRequest(.post, server.url).multipart { $0.add(file: path, headers: [:]) }
        for request in [missing, nameless] {
            #expect(await failure { try await request.send() }?.blame == .caller)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a blocking call inside a task is rejected`() async throws {
        let server = try await echoServer()
        func run() throws(HTTPError) { _ = try HTTPRequest(server.url).runSync() }
        let error = await failure { try run() }
        #expect(error?.kind == .invalidRequest(.blockingInsideTask))
        #expect(server.requests.isEmpty)
    }

    @Test func `a parser rejects a status that it does not expect`() async throws {
        let server = try await serverAnswering([.text("")])
        let request = HTTPRequest(server.url)
        try await request.fetch(.void())
        let errors = [
            await failure { try await request.fetch(.void(expecting: [.created])) },
            await failure { try await request.fetch(.passthrough(expecting: [.created])) },
        ]
        #expect(errors.map { $0?.kind } == [.rejectedStatus(.ok), .rejectedStatus(.ok)])
        #expect(server.requests.count == 3)
    }

    @Test func `the next validator gets a response that replaced the first`() async throws {
        let server = try await serverAnswering([.text("first")])
        let other = HTTPClosureValidator { outcome, request, _ in
            let body = Array("other".utf8)
            return .replace(try HTTPResponse(status: .created, body: body, for: request))
        }
        let notes = EventRecorder<String>()
        let next = HTTPClosureValidator { outcome, _, _ in
            notes.add(try outcome.get().text)
            return .accept
        }
        let request = HTTPRequest(server.url).validator(other).validator(next)
        let response = try await request.send()
        #expect(response.status == .created && response.text == "other")
        #expect(notes.all == ["other"])
        #expect(server.requests.count == 1)
    }

    @Test func `observers are notified of redirects and retries`() async throws {
        struct StepRecorder: HTTPObserver {
            let notes: EventRecorder<String>

            func observe(_ step: HTTPStep, _ context: HTTPContext) {
                switch step {
                case .redirected(let redirect): notes.add("redirect \(redirect.status.code)")
                case .retrying(let number, _): notes.add("retry \(number)")
                case .ended: notes.add("ended")
                default: break
                }
            }
        }
        let server = try await serverAnswering([
            .redirect(to: "/b"), .status(.serviceUnavailable), .text("done"),
        ])
        let notes = EventRecorder<String>()
        var validator = HTTPDefaultValidator()
        validator.strategy = .immediate
        let validators = [validator]
        let client = HTTPClient().with {
            $0.observers = [StepRecorder(notes: notes)]
            $0.validators = validators
        }
        #expect(try await HTTPRequest(server.url).send(in: client).text == "done")
        #expect(notes.all == ["redirect 302", "retry 1", "ended"])
        #expect(server.requests.count == 3)
    }

    @Test func `a curl command is quoted, and its secrets are redacted`() {
        let request = HTTPRequest(.post, "https://example.com/it's?token=t0p")
            .authorization(.bearer("secret"))
            .header("X-Note", "it's `date`")
        let command = request.curlDescription
        #expect(command.contains(#"it'\''s `date`"#))
        #expect(!command.contains("secret") && !command.contains("t0p"))
        #expect(request.curlDescription(secrets: .shown).contains("Bearer secret"))
    }

    @Test func `a space is encoded as %20 in a query and as a plus in a form`() async throws {
        let server = try await echoServer()
        let query = HTTPRequest(server.url).query(["q": "a b+c"])
        let form = HTTPRequest(.post, server.url).form(["q": "a b+c"])
        #expect(try await query.send().isSuccess)
        #expect(try await form.send().isSuccess)
        #expect(server.requests.first?.query == "q=a%20b%2Bc")
        #expect(server.requests.last?.text == "q=a+b%2Bc")
    }
}
