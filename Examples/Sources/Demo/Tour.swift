import HTTPClient
import HTTPTestServer

/// The shared state of the steps, and the steps about one request each.
///
/// The steps about time, threads and connections are in `Tour+Connections`.
struct Tour: Sendable {
    typealias Log = @Sendable (String) -> Void

    let servers: DemoServers
    let client = HTTPClient()

    init(_ servers: DemoServers) {
        self.servers = servers
    }

    /// Throws when a condition of the step is false.
    func require(_ condition: Bool, _ what: String) throws(Report.Failure) {
        guard condition else { throw Report.Failure("not so: \(what)") }
    }

    private struct User: Decodable {
        var name: String
        var languages: [String]
    }

    @Sendable func json(_ log: @escaping Log) async throws {
        let request = HTTPRequest(servers.plain.url + "/user")
        let user = try await client.fetch(User.self, from: request)
        log("GET /user → \(user)")
        try require(user.name == "Ada" && user.languages.count == 2, "the user is Ada")
    }

    private struct Echo: Decodable {
        var method: String
        var headers: [String: String]
        var body: String
        var connection: Int
    }

    private struct Order: Encodable {
        var item: String
        var count: Int
    }

    @Sendable func post(_ log: @escaping Log) async throws {
        let request = HTTPRequest(
            servers.plain.url + "/orders",
            method: .post,
            body: .json(Order(item: "tea", count: 2))
        )
        let echo = try await client.fetch(Echo.self, from: request)
        log("POST /orders → the server saw \(echo.method) \(echo.body)")
        try require(echo.method == "POST", "the method arrived")
        let sent = String(decoding: request.body.bytes, as: UTF8.self)
        try require(echo.body == sent, "the body arrived")
        try require(echo.headers["Content-Type"] == "application/json", "its type arrived")
    }

    @Sendable func gzip(_ log: @escaping Log) async throws {
        let response = try await client.send(HTTPRequest(servers.plain.url + "/gzip"))
        let coding = response.headers[.contentEncoding] ?? "none"
        log(
            "GET /gzip → Content-Encoding: \(coding), \(response.metrics.bodyBytesReceived) bytes"
                + " received, \(response.body.count) delivered"
        )
        try require(coding == "gzip", "the body was coded")
        try require(response.text == DemoServers.story, "the text is whole")
    }

    @Sendable func stream(_ log: @escaping Log) async throws {
        let response = try await client.stream(HTTPRequest(servers.plain.url + "/stream"))
        log("GET /stream → \(response.status), Transfer-Encoding: chunked")
        let start = ContinuousClock.now
        var chunks: [String] = []
        for try await chunk in response.body {
            chunks.append(String(decoding: chunk, as: UTF8.self))
            log("\((ContinuousClock.now - start).formattedMilliseconds)  \"\(chunks.last ?? "")\"")
        }
        try require(chunks.joined() == DemoServers.verses.joined(), "the text is whole")
        try require(chunks.count > 1, "it was read while it came")
    }

    @Sendable func trusted(_ log: @escaping Log) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(servers.secure.certificateAuthorityPEM)
        let client = HTTPClient(configuration)
        let response = try await client.send(HTTPRequest(servers.secure.url + "/user"))
        let handshake = response.metrics.secured?.formattedMilliseconds ?? "?"
        log("GET \(servers.secure.url)/user → \(response.status), secured after \(handshake)")
        try require(response.status == .ok, "the request was answered")
        try require(response.metrics.secured != nil, "it went over TLS")
    }

    @Sendable func untrusted(_ log: @escaping Log) async throws {
        let before = servers.secure.requests.count
        do {
            _ = try await client.send(HTTPRequest(servers.secure.url + "/user"))
        } catch {
            guard case .tlsFailed(.certificate) = error.kind else { throw error }
            log("HTTPError, blame: \(error.blame), phase: \(error.phase)")
            log("\(error)")
            try require(servers.secure.requests.count == before, "not one byte was asked")
            return
        }
        throw Report.Failure("a certificate of an unknown authority was accepted")
    }
}
