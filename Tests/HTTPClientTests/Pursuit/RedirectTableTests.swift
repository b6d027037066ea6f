import HTTPClient
import HTTPTestServer
import Support
import Testing

/// One redirect and what must be sent behind it.
struct RedirectRow: Sendable, CustomTestStringConvertible {
    let status: UInt16
    let method: HTTPMethod
    var keeps = false
    let next: HTTPMethod
    let hasBody: Bool

    init(
        _ status: UInt16,
        _ method: HTTPMethod,
        _ next: HTTPMethod,
        body: Bool,
        keeps: Bool = false
    ) {
        self.status = status
        self.method = method
        self.next = next
        hasBody = body
        self.keeps = keeps
    }

    var testDescription: String { "\(status) \(method) keeps=\(keeps)" }
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
]

/// What Location says, and where it leads or what is wrong with it.
private let locations: [(location: String, problem: HTTPRedirectProblem?, target: String)] = [
    ("b", nil, "/dir/b"), ("../b", nil, "/b"), ("?q=1", nil, "/dir/a?q=1"),
    ("//localhost:PORT/x", nil, "/x"), ("/with space/\u{e9}", nil, "/with%20space/%C3%A9"),
    ("http://user:secret@127.0.0.1:PORT/y", nil, "/y"),
    ("file:///etc/passwd", .unsupportedScheme("file"), ""),
    ("javascript:alert(1)", .unsupportedScheme("javascript"), ""),
    ("ftp://127.0.0.1/", .unsupportedScheme("ftp"), ""),
    ("http://[::1", .invalidLocation("http://[::1"), ""),
    ("http://127.0.0.1:99999/", .invalidLocation("http://127.0.0.1:99999/"), ""),
]

/// Method, status and origin of each step, as a server sees them (RFC 9110 §15.4).
@Suite(.timeLimit(.minutes(2))) struct RedirectTableTests {
    @Test(arguments: rows) func `method and content of the next request`(
        _ row: RedirectRow
    ) async throws {
        let server = try await HTTPTestServer.start { request in
            guard request.path == "/from" else { return .text("there") }
            return .redirect(to: "/to#part", status: HTTPStatus(row.status))
        }
        var request = HTTPRequest(server.url + "/from#old", method: row.method)
        if row.hasBody || row.method == .post { request.body = .string("content") }
        if row.keeps { request.redirectMode = .followKeepingRequest }
        let response = try await HTTPClient().send(request)
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

    @Test(arguments: [304, 305, 306, 399, 200, 404] as [UInt16])
    func `other statuses lead nowhere`(
        _ status: UInt16
    ) async throws {
        let server = try await HTTPTestServer.start { _ in
            .redirect(to: "/to", status: HTTPStatus(status))
        }
        let response = try await HTTPClient().send(HTTPRequest(server.url))
        #expect(response.status.code == status && response.redirects.isEmpty)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["", " ", "\t"]) func `an empty location leads nowhere`(
        _ location: String
    ) async throws {
        let server = try await HTTPTestServer.start { _ in .redirect(to: location) }
        let response = try await HTTPClient().send(HTTPRequest(server.url))
        #expect(response.status == .found && response.redirects.isEmpty)
        #expect(server.requests.count == 1)
    }

    @Test func `which statuses lead elsewhere is for the user to say`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/to"
                ? .text("there") : .redirect(to: "/to", status: HTTPStatus(305))
        }
        var redirects = HTTPRedirects()
        redirects.statuses = HTTPStatusSet(200...305)
        let client = HTTPClient().with { [redirects] in $0.redirects = redirects }
        #expect(try await client.send(HTTPRequest(server.url)).text == "there")
    }

    @Test func `locations that differ are no place`() async throws {
        let head = "HTTP/1.1 302 A\r\nLocation: /a\r\nlocation: /b\r\nContent-Length: 0\r\n\r\n"
        let origin = try ScriptedOrigin([.expectHead, .reply(head)])
        let error = await failure { try await HTTPClient().send(HTTPRequest(origin.url)) }
        #expect(error?.kind == .redirectFailed(.differentLocations(["/a", "/b"])))
        #expect(error?.blame == .peer)
    }

    @Test func `octets that are no UTF-8 stay what they are`() async throws {
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

    @Test(arguments: locations) func `where a location leads`(
        _ row: (location: String, problem: HTTPRedirectProblem?, target: String)
    ) async throws {
        let (location, problem, target) = row
        let server = try await HTTPTestServer.start { request in
            guard request.path == "/dir/a", request.target.utf8.count == 6 else { return .text("") }
            let port = request.headers[.host]?.split(separator: ":").last.map { String($0) } ?? ""
            let parts = location.split(separator: "PORT", omittingEmptySubsequences: false)
            return .redirect(to: parts.joined(separator: port))
        }
        let client = HTTPClient()
        let request = HTTPRequest(server.url + "/dir/a")
        if let problem {
            let error = await failure { try await client.send(request) }
            #expect(error?.kind == .redirectFailed(problem))
            #expect(error?.head?.status == .found && error?.blame == .peer)
        } else {
            _ = try await client.send(request)
            #expect(server.requests.last?.target == target)
            #expect(server.requests.last?.headers.contains(.authorization) == false)
        }
    }
}
