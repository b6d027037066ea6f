import HTTPClient
import HTTPTestServer
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct PresetTests {
    private let temporaryDirectory: TemporaryDirectory

    init() throws {
        temporaryDirectory = try TemporaryDirectory()
    }

    /// Starts a server that sets a persistent cookie and a session cookie, and answers with its cookies.
    private func cookieServer() async throws -> HTTPTestServer {
        try await HTTPTestServer.start { request in
            var response = HTTPTestServer.Response.text(request.headers["Cookie"] ?? "none")
            response.headers.append("Set-Cookie", "lasting=1; Max-Age=1000")
            response.headers.append("Set-Cookie", "session=2")
            return response
        }
    }

    @Test func `default clients and the shared client keep no cookies`() async throws {
        let server = try await cookieServer()
        for client in [HTTPClient(.default), HTTPClient(), .shared] {
            for _ in 0..<2 {
                #expect(try await client.send(HTTPRequest(server.url)).text == "none")
            }
            #expect(client.cookies == nil)
        }
    }

    @Test func `an automatic jar keeps cookies in memory for one client`() async throws {
        let server = try await cookieServer()
        var configuration = HTTPClient.Configuration()
        configuration.settings.cookies = .automatic
        let client = HTTPClient(configuration)
        #expect(try await client.send(HTTPRequest(server.url)).text == "none")
        #expect(try await client.send(HTTPRequest(server.url)).text == "lasting=1; session=2")
        #expect(try await HTTPClient(configuration).send(HTTPRequest(server.url)).text == "none")
    }

    @Test func `an ephemeral client keeps no cookies`() async throws {
        let server = try await cookieServer()
        let client = try HTTPClient(baseURL: server.url, configuration: .ephemeral)
        for _ in 0..<2 { #expect(try await client.send("/").text == "none") }
        #expect(client.cookies == nil)
        let secure = try await HTTPTestServer.start(tls: .selfIssued) { _ in .text("") }
        let trusting = HTTPClient(.ephemeral).with {
            $0.security.trust = .pem(secure.certificateAuthorityPEM)
            $0.connectionReuse = .off
        }
        for _ in 0..<2 {
            let response = try await trusting.send(HTTPRequest(secure.url))
            #expect(response.metrics.tls?.isResumed == false)
        }
    }

    @Test func `a persistent client loads its cookies again`() async throws {
        let server = try await cookieServer()
        let directory = "\(temporaryDirectory.path)/client"
        let first = HTTPClient(try .persistent(directory: directory))
        #expect(try await first.send(HTTPRequest(server.url)).text == "none")
        try first.cookies?.flush()
        let second = HTTPClient(try .persistent(directory: directory))
        #expect(try await second.send(HTTPRequest(server.url)).text == "lasting=1")
    }

    @Test func `an unusable directory or a damaged file of a persistent client is an error`() throws
    {
        let file = try temporaryDirectory.write("x", as: "file")
        let path = "\(temporaryDirectory.path)/none/deeper"
        for directory in [path, file] {
            let error = try #require(throws: HTTPError.self) {
                try HTTPClient.Configuration.persistent(directory: directory)
            }
            guard case .fileFailed(directory, .create, _) = error.kind else {
                Issue.record("\(error)")
                continue
            }
        }
        _ = try temporaryDirectory.write("{\"cookies\": 1}", as: "cookies.json")
        let error = try #require(throws: HTTPError.self) {
            try HTTPClient.Configuration.persistent(directory: temporaryDirectory.path)
        }
        guard case .fileFailed("\(temporaryDirectory.path)/cookies.json", .read, _) = error.kind
        else {
            Issue.record("\(error)")
            return
        }
        #expect(error.underlying is CookieJar.FileError)
    }
}
