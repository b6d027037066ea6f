import ClientSupport
import HTTPClient
import HTTPClientReports
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests that the next attempt does not wait for resources held by the last response.
@Suite(.timeLimit(.minutes(10))) struct ReadAheadTests {
    private let challenge = (FieldName.wwwAuthenticate, "Basic realm=\"r\"")

    @Test func `a streamed call refreshes its token through a queue it occupies`() async throws {
        let server = try await HTTPTestServer.start { request in
            if request.path == "/token" { return .text("new") }
            if request.headers[.authorization] == "Bearer new" { return .text("in") }
            return .text("no", status: .unauthorized)
        }
        let url = server.url
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        configuration.queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let alone = HTTPClient(configuration)
        let source = HTTPTokenSource("old") { _ in
            try await alone.send(HTTPRequest(url + "/token")).text
        }
        let client = alone.with { $0.authentication = HTTPAuthentication.bearer(source) }
        let response = try await client.stream(HTTPRequest(url))
        #expect(try await response.body.collect() == Array("in".utf8))
        #expect(server.connectionCount == 1)
    }

    @Test func `redirects and retries of a streamed call use one connection`() async throws {
        let count = Locked(0)
        let server = try await HTTPTestServer.start { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return switch (request.path, number) {
            case ("/old", _): .text("moved", status: .found).header(.location, "/new")
            case (_, 2): .text("busy", status: .serviceUnavailable)
            default: .text("in")
            }
        }
        var validator = HTTPDefaultValidator()
        validator.strategy = .immediate
        let client = HTTPClient().with { $0.validators = [validator] }
        let response = try await client.stream(HTTPRequest(server.url + "/old"))
        #expect(try await response.body.collect() == Array("in".utf8))
        #expect(response.metrics.attempts.map(\.bodyBytesReceived) == [5, 4, 5, 2])
        #expect(server.connectionCount == 1)
    }

    @Test(arguments: [0, 1, 65536, 65537, 300_000])
    func `a final 401 response is delivered completely`(_ length: Int) async throws {
        let page = (0..<length).map { UInt8(truncatingIfNeeded: $0 % 251) }
        let server = try await HTTPTestServer.start { [challenge] _ in
            .bytes(page, status: .unauthorized).header(challenge.0, challenge.1)
        }
        let log = HTTPEventLog()
        let client = HTTPClient().with {
            $0.authentication = .any(user: "ada", password: "wrong")
            $0.observers = [log]
        }
        let response = try await client.stream(HTTPRequest(server.url))
        #expect(response.status == .unauthorized)
        #expect(try await response.body.collect() == page)
        #expect(try await response.body.collect().isEmpty)
        #expect(response.metrics.attempts.count == 2)
    }

    @Test func `a truncated 401 response fails after its bytes`() async throws {
        let server = try await HTTPTestServer.start { [challenge] _ in
            .text("0123456789", status: .unauthorized).header(challenge.0, challenge.1)
                .truncated(to: 4)
        }
        let client = HTTPClient().with {
            $0.authentication = .any(user: "ada", password: "wrong")
        }
        let response = try await client.stream(HTTPRequest(server.url))
        var body = response.body.makeAsyncIterator()
        #expect(try await body.next() == Array("0123".utf8))
        let error = await failure { try await body.next() }
        #expect(error?.blame == .peer)
        #expect(try await body.next() == nil)
    }

    @Test func `an interceptor that asks again gets the place of its first response`() async throws
    {
        struct AskTwice: HTTPInterceptor {
            func intercept(
                _ request: HTTPRequest,
                _ context: HTTPContext,
                next: HTTPNext
            ) async throws -> HTTPInterceptorResult {
                let first = try await next(request)
                let second = try await next(request)
                guard case .response = first else { return first }
                return second
            }
        }
        let server = try await HTTPTestServer.start { _ in .text("in") }
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        configuration.queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        configuration.interceptors = [AskTwice()]
        let response = try await HTTPClient(configuration).stream(HTTPRequest(server.url))
        #expect(try await response.body.collect() == Array("in".utf8))
        #expect(server.connectionCount == 1)
    }

    @Test func `a redirect gives up the connection of a body that is too long to read`()
        async throws
    {
        let page = [UInt8](repeating: 7, count: 20 << 20)
        let server = try await HTTPTestServer.start { request in
            request.path == "/new"
                ? .text("in") : .bytes(page, status: .found).header(.location, "/new")
        }
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        configuration.timeouts.queue = .seconds(10)
        let response = try await HTTPClient(configuration).stream(HTTPRequest(server.url + "/old"))
        #expect(try await response.body.collect() == Array("in".utf8))
        #expect(server.connectionCount == 2)
    }

    @Test func `an unfinished response body does not delay the next attempt`() async throws {
        let isAsked = Locked(false)
        let server = try await HTTPTestServer.start { [challenge] request in
            if request.path == "/new" { return .text("in") }
            var response = HTTPTestServer.Response.stream { body in
                try await body.write("so far")
                while !isAsked.withLock({ $0 }) { await moment() }
                try await body.write(", so good")
            }
            response.status = request.path == "/old" ? .found : .unauthorized
            response.headers.append(.location, "/new")
            response.headers.append(challenge.0, challenge.1)
            return response
        }
        var configuration = HTTPClient.Configuration()
        configuration.unreadBodyPolicy.time = .milliseconds(50)
        configuration.authentication = .any(user: "ada", password: "wrong")
        let client = HTTPClient(configuration)
        let moved = try await client.stream(HTTPRequest(server.url + "/old"))
        #expect(try await moved.body.collect() == Array("in".utf8))
        let refused = try await client.stream(HTTPRequest(server.url + "/private"))
        #expect(refused.status == .unauthorized)
        isAsked.withLock { $0 = true }
        #expect(try await refused.body.collect() == Array("so far, so good".utf8))
    }
}
