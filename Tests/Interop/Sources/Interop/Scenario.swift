internal import HTTPClient

/// The requests sent to a server and the checks of its responses. One scenario with one server is a cell.
enum Scenario: String, CaseIterable, Codable, Sendable {
    case wholeFile = "static"
    case head
    case range
    case conditional
    case download
    case cgi
    case fixedEcho = "echo-fixed"
    case chunkedEcho = "echo-chunked"
    case fileEcho = "echo-file"
    case expect
    case stream
    case dropped
    case noContent = "no-content"
    case redirect
    case refusal
    case earlyRefusal = "refusal-expect"
    case missing
    case keepAlive = "keep-alive"
    case closing
    case parallel
    case blocking
    case tls
}

/// The reason why a cell failed.
struct MismatchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws a ``MismatchError`` unless the condition holds.
func check(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
    guard condition else { throw MismatchError(problem()) }
}

/// One scenario with one server, with its own client.
struct ScenarioRun: Sendable {
    let server: Server
    let client: HTTPClient
    /// The contents of `file.bin` and of `small.txt`.
    let file: [UInt8]
    let small: [UInt8]
    let plan: Plan

    init(_ server: Server, plan: Plan, file: [UInt8], small: [UInt8]) {
        self.server = server
        self.plan = plan
        self.file = file
        self.small = small
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .file(plan.certificate)
        configuration.timeouts.total = .seconds(20)
        // Some servers never send 100, and each upload waits this long for it.
        configuration.timeouts.continueResponse = .milliseconds(server.continues ? 10_000 : 200)
        client = HTTPClient(configuration)
    }

    /// Runs a scenario, then checks that no connection is in use.
    func run(_ scenario: Scenario) async throws {
        switch scenario {
        case .wholeFile: try await wholeFile()
        case .head: try await head()
        case .range: try await range()
        case .conditional: try await conditional()
        case .download: try await download()
        case .cgi: try await cgi()
        case .fixedEcho: try await fixedEcho()
        case .chunkedEcho: try await chunkedEcho()
        case .fileEcho: try await fileEcho()
        case .expect: try await expect()
        case .stream: try await stream()
        case .dropped: try await dropped()
        case .noContent: try await noContent()
        case .redirect: try await redirect()
        case .refusal: try await refusal()
        case .earlyRefusal: try await earlyRefusal()
        case .missing: try await missing()
        case .keepAlive: try await keepAlive()
        case .closing: try await closing()
        case .parallel: try await parallel()
        case .blocking: try await blocking()
        case .tls: try await tls()
        }
        if scenario != .dropped {
            let busy = await client.pool.snapshot().busy
            try check(busy == 0, "\(busy) connections are still in use")
        }
    }

    /// Sends a GET for `small.txt`, which must succeed after any other request.
    @discardableResult
    func getSmall() async throws -> HTTPResponse {
        let response = try await client.send(HTTPRequest(server.url("small")))
        try expectBody(response, small)
        return response
    }

    /// Checks status and body.
    func expectBody(_ response: HTTPResponse, status: Int = 200, _ body: [UInt8]) throws {
        try check(
            response.status.code == status,
            "status \(response.status.code) instead of \(status)"
        )
        try check(response.body == body, Self.difference(response.body, body))
    }

    static func difference(_ found: [UInt8], _ wanted: [UInt8]) -> String {
        let place = zip(found, wanted).enumerated().first { $1.0 != $1.1 }?.offset
        return "\(found.count) bytes of body instead of \(wanted.count), different at "
            + "\(place ?? min(found.count, wanted.count)): "
            + String(decoding: found.prefix(200), as: UTF8.self)
    }
}
