import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// A redirect, and the method and body expected in the next request.
struct RedirectRow: Sendable, CustomTestStringConvertible {
    let status: Int
    let method: HTTPMethod
    var keeps = false
    /// Whether the client's redirect options keep POST for this status.
    var keepsPost = false
    let next: HTTPMethod
    let hasBody: Bool

    init(
        _ status: Int,
        _ method: HTTPMethod,
        _ next: HTTPMethod,
        body: Bool,
        keeps: Bool = false,
        keepsPost: Bool = false
    ) {
        self.status = status
        self.method = method
        self.next = next
        hasBody = body
        self.keeps = keeps
        self.keepsPost = keepsPost
    }

    var testDescription: String { "\(status) \(method) keeps=\(keeps) \(keepsPost)" }
}

private let rows: [RedirectRow] =
    [301, 302].flatMap { status -> [RedirectRow] in
        [
            RedirectRow(status, .get, .get, body: false),
            RedirectRow(status, .head, .head, body: false),
            RedirectRow(status, .post, .get, body: false),
            RedirectRow(status, .put, .put, body: true),
            RedirectRow(status, .delete, .delete, body: false),
            RedirectRow(status, .patch, .patch, body: true),
            RedirectRow(status, .post, .post, body: true, keeps: true),
            RedirectRow(status, .post, .post, body: true, keepsPost: true),
            RedirectRow(status, .get, .get, body: false, keepsPost: true),
        ]
    }
    + [300, 307, 308].flatMap { status -> [RedirectRow] in
        [
            RedirectRow(status, .get, .get, body: false),
            RedirectRow(status, .post, .post, body: true),
            RedirectRow(status, .put, .put, body: true),
            RedirectRow(status, .head, .head, body: false),
        ]
    } + seeOther

private let seeOther: [RedirectRow] = [
    RedirectRow(303, .get, .get, body: false), RedirectRow(303, .head, .head, body: false),
    RedirectRow(303, .post, .get, body: false), RedirectRow(303, .put, .get, body: false),
    RedirectRow(303, .delete, .get, body: false),
    RedirectRow(303, .put, .put, body: true, keeps: true),
    RedirectRow(303, .post, .post, body: true, keepsPost: true),
    RedirectRow(303, .put, .get, body: false, keepsPost: true),
]

/// Values of Location with the next target, or with the reason.
private let locations: [(location: String, reason: HTTPError.RedirectReason?, target: String)] = [
    ("b", nil, "/dir/b"), ("../b", nil, "/b"), ("?q=1", nil, "/dir/a?q=1"),
    ("//localhost:PORT/x", nil, "/x"), ("/with space/\u{e9}", nil, "/with%20space/%C3%A9"),
    ("http://user:secret@127.0.0.1:PORT/y", nil, "/y"),
    ("file:///etc/passwd", .unsupportedScheme("file"), ""),
    ("javascript:alert(1)", .unsupportedScheme("javascript"), ""),
    ("ftp://127.0.0.1/", .unsupportedScheme("ftp"), ""),
    ("http://[::1", .invalidLocation("http://[::1"), ""),
    ("http://127.0.0.1:99999/", .invalidLocation("http://127.0.0.1:99999/"), ""),
]

/// Tests each kind of redirect as the server sees it (RFC 9110 §15.4).
@Suite(.timeLimit(.minutes(10))) struct RedirectTableTests {
    @Test(arguments: rows)
    func `RFC 9110 §15.4: the status determines method and content of the next request`(
        _ row: RedirectRow
    ) async throws {
        let server = try await HTTPTestServer.start { request in
            guard request.path == "/from" else { return .text("there") }
            return .redirect(to: "/to#part", status: HTTPStatus(row.status))
        }
        var request = HTTPRequest(server.url + "/from#old", method: row.method)
        if row.hasBody || row.method == .post { request.body = .string("content") }
        if row.keeps { request.redirectMode = .followKeepingRequest }
        let client = HTTPClient().with {
            if row.keepsPost {
                $0.redirects.keepsPost = HTTPStatusSet([HTTPStatus(row.status)])
            }
        }
        let response = try await client.send(request)
        let last = try #require(server.requests.last)
        #expect(server.requests.count == 2)
        #expect(last.path == "/to" && last.method == row.next)
        #expect(String(decoding: last.body, as: UTF8.self) == (row.hasBody ? "content" : ""))
        #expect(last.headers.contains(.contentType) == row.hasBody)
        #expect(response.redirects.map(\.status.code) == [row.status])
        #expect(response.redirects.first?.url.path == "/from")
        #expect(response.url.path == "/to" && response.url.fragment == "part")
        #expect(response.metrics.attempts.map(\.reason) == [.first, .redirect])
    }

    @Test func `a fragment is kept until a location has its own`() async throws {
        let server = try await HTTPTestServer.start { request in
            switch request.path {
            case "/a": .redirect(to: "/b")
            case "/b": .redirect(to: "/c#new")
            case "/c": .redirect(to: "/d")
            default: .text("")
            }
        }
        let short = HTTPClient().with { $0.redirects.maxRedirects = 1 }
        let response = try await HTTPClient().send(HTTPRequest(server.url + "/a#old"))
        #expect(response.redirects.map(\.location.fragment) == ["old", "new", "new"])
        #expect(response.url.fragment == "new")
        _ = await failure { try await short.send(HTTPRequest(server.url + "/a#old")) }
        #expect(server.requests.allSatisfy { !$0.target.contains("#") })
    }

    /// The relation of a redirect's target to its source.
    enum TargetRelation: CaseIterable, Sendable {
        case near
        case port
        case host
        case upgrade
        case downgrade
    }

    @Test(arguments: [301, 302, 303, 307, 308] as [Int], TargetRelation.allCases)
    func `credentials are sent only to their own origin after a redirect`(
        _ status: Int,
        _ relation: TargetRelation
    ) async throws {
        let target = Locked("")
        let answer: HTTPTestServer.Handler = { request in
            guard request.path == "/from" else { return .text("there") }
            return .redirect(to: target.withLock { $0 } + "/to", status: HTTPStatus(status))
        }
        let plain = try await HTTPTestServer.start(answer)
        let other = try await HTTPTestServer.start(answer)
        let secure = try await HTTPTestServer.start(tls: .selfIssued, answer)
        let start = relation == .downgrade ? secure : plain
        let end =
            switch relation {
            case .near, .host: start
            case .port: other
            case .upgrade: secure
            case .downgrade: plain
            }
        target.withLock { target in
            target = relation == .host ? "http://localhost:\(plain.port)" : end.url
        }
        let client = HTTPClient().with {
            $0.security.trust = .pem(secure.certificateAuthorityPEM)
        }
        var request = HTTPRequest(.post, start.url + "/from")
        request.body = .string("content")
        request.headers[.authorization] = "Bearer own"
        request.headers[.cookie] = "own=1"
        request.headers[.referer] = "\(start.url)/before"
        request.headers["X-Other"] = "kept"
        _ = try await client.send(request)
        let asked = client.with {
            $0.authentication = HTTPAuthentication.basic(user: "ada", password: "secret")
        }
        _ = try await asked.send(HTTPRequest(start.url + "/from"))
        let steps = end.requests.filter { $0.path == "/to" }
        #expect(steps.count == 2 && steps.first?.headers["X-Other"] == "kept")
        let isNear = relation == .near
        #expect(steps.first?.headers[.authorization] == (isNear ? "Bearer own" : nil))
        #expect(steps.first?.headers[.cookie] == (isNear ? "own=1" : nil))
        #expect(steps.first?.headers.contains(.referer) == (relation != .downgrade))
        #expect(steps.last?.headers.contains(.authorization) == isNear)
        #expect(steps.first?.method == (status < 307 ? .get : .post))
        #expect(steps.first?.body.isEmpty == (status < 307))
    }

    @Test(arguments: [304, 305, 306, 399, 200, 404] as [Int])
    func `other statuses are not redirects`(
        _ status: Int
    ) async throws {
        let server = try await HTTPTestServer.start { _ in
            .redirect(to: "/to", status: HTTPStatus(status))
        }
        let response = try await HTTPClient().send(HTTPRequest(server.url))
        #expect(response.status.code == status && response.redirects.isEmpty)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["", " ", "\t"]) func `an empty location is not followed`(
        _ location: String
    ) async throws {
        let server = try await HTTPTestServer.start { _ in .redirect(to: location) }
        let response = try await HTTPClient().send(HTTPRequest(server.url))
        #expect(response.status == .found && response.redirects.isEmpty)
        #expect(server.requests.count == 1)
    }

    @Test func `the redirect statuses are configurable`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/to"
                ? .text("there") : .redirect(to: "/to", status: HTTPStatus(305))
        }
        var redirects = HTTPRedirectOptions()
        redirects.statuses = HTTPStatusSet(200...305)
        let client = HTTPClient().with { [redirects] in $0.redirects = redirects }
        #expect(try await client.send(HTTPRequest(server.url)).text == "there")
    }

    @Test func `different locations are an error`() async throws {
        let head = "HTTP/1.1 302 A\r\nLocation: /a\r\nlocation: /b\r\nContent-Length: 0\r\n\r\n"
        let origin = try ScriptedOrigin([.expectHead, .reply(head)])
        let error = await failure { try await HTTPClient().send(HTTPRequest(origin.url)) }
        #expect(error?.kind == .redirectFailed(.differentLocations(["/a", "/b"])))
        #expect(error?.blame == .peer)
    }

    @Test func `location bytes that are not UTF-8 are kept`() async throws {
        let location = Array("/caf".utf8) + [0xE9] + Array("?\u{e9}=".utf8) + [0xE8]
        let head = Array("HTTP/1.1 302 A\r\nContent-Length: 0\r\nLocation: ".utf8)
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head + location + Array("\r\n\r\n".utf8)),
            .expectHeadWhere { $0.hasPrefix("GET /caf%E9?%C3%A9=%E8 HTTP/1.1\r\n") },
            .reply("HTTP/1.1 200 A\r\nContent-Length: 2\r\n\r\nok"),
        ])
        #expect(try await HTTPClient().send(HTTPRequest(origin.url)).text == "ok")
        #expect(origin.failures == [])
        let host = Array("http://caf".utf8) + [0xE9] + Array("/".utf8)
        let stray = try ScriptedOrigin([
            .expectHead, .reply(head + host + Array("\r\n\r\n".utf8)),
        ])
        let error = await failure { try await HTTPClient().send(HTTPRequest(stray.url)) }
        #expect(error?.kind == .redirectFailed(.invalidLocation("http://caf\u{e9}/")))
    }

    @Test(arguments: locations) func `a location is resolved or rejected`(
        _ row: (location: String, reason: HTTPError.RedirectReason?, target: String)
    ) async throws {
        let (location, reason, target) = row
        let server = try await HTTPTestServer.start { request in
            guard request.path == "/dir/a", request.target.utf8.count == 6 else { return .text("") }
            let port = request.headers[.host]?.split(separator: ":").last.map { String($0) } ?? ""
            let parts = location.split(separator: "PORT", omittingEmptySubsequences: false)
            return .redirect(to: parts.joined(separator: port))
        }
        let client = HTTPClient()
        let request = HTTPRequest(server.url + "/dir/a")
        if let reason {
            let error = await failure { try await client.send(request) }
            #expect(error?.kind == .redirectFailed(reason))
            #expect(error?.head?.status == .found && error?.blame == .peer)
        } else {
            _ = try await client.send(request)
            #expect(server.requests.last?.target == target)
            #expect(server.requests.last?.headers.contains(.authorization) == false)
        }
    }
}
