import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

private struct Refusal: Error, Equatable {}

/// A server's check for the token that its last login returned.
private final class TokenServer: Sendable {
    private let logins = Locked(0)

    var loginCount: Int { logins.withLock { $0 } }

    func answer(_ request: HTTPTestServer.Request) -> HTTPTestServer.Response {
        let count = logins.withLock { logins in
            if request.path == "/login" { logins += 1 }
            return logins
        }
        if request.path == "/login" { return .text("token \(count)") }
        let token = request.headers["X-Token"]
        return token == "token \(count)" ? .text("in") : .status(.unauthorized)
    }
}

@Suite(.timeLimit(.minutes(10))) struct RefreshValidatorTests {
    private func loginValidator(_ server: HTTPTestServer) -> HTTPRefreshValidator<HTTPResponse> {
        let login = HTTPRequest(server.url + "/login", method: .post)
        return HTTPRefreshValidator { _, _, _ in
            login
        } onReceive: { response, request in
            request.headers["X-Token"] = response.text
        }
    }

    @Test(arguments: [1, 2, 100])
    func `simultaneous rejected calls log in once, and all succeed`(count: Int) async throws {
        let tokenServer = TokenServer()
        let allArrived = Rendezvous(of: count)
        let server = try await HTTPTestServer.start { request in
            // No request is rejected before all have arrived.
            if request.headers["X-Token"] == nil, request.path != "/login" {
                await allArrived.join()
            }
            return tokenServer.answer(request)
        }
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = count
        configuration.validators = [loginValidator(server)]
        let client = HTTPClient(configuration)
        let texts = try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    // A rejected request can be sent again, whatever its method.
                    let method: HTTPMethod = number.isMultiple(of: 2) ? .get : .post
                    return try await client.send(
                        HTTPRequest(server.url + "/\(number)", method: method)
                    ).text
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "in", count: count))
        #expect(tokenServer.loginCount == 1)
        #expect(server.requests.count == 2 * count + 1)
    }

    @Test func `each new rejection logs in again`() async throws {
        let tokenServer = TokenServer()
        let server = try await HTTPTestServer.start { tokenServer.answer($0) }
        let client = HTTPClient().with { $0.validators = [loginValidator(server)] }
        for count in 1...3 {
            #expect(try await client.send(HTTPRequest(server.url + "/a")).text == "in")
            #expect(tokenServer.loginCount == count)
        }
    }

    @Test func `a failed login fails all waiting calls, once`() async throws {
        let allArrived = Rendezvous(of: 10)
        let server = try await HTTPTestServer.start { request in
            if request.path != "/login" { await allArrived.join() }
            return .status(request.path == "/login" ? .forbidden : .unauthorized)
        }
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 10
        configuration.validators = [loginValidator(server)]
        let client = HTTPClient(configuration)
        let errors = await withTaskGroup { group in
            for _ in 0..<10 {
                group.addTask {
                    await failure { try await client.send(HTTPRequest(server.url + "/a")) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.allSatisfy { $0?.kind == .rejectedStatus(.forbidden) })
        #expect(server.requests.count { $0.path == "/login" } == 1)
    }

    @Test func `a call rejected again after a refresh returns the rejection`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/login" ? .text("t") : .status(.unauthorized)
        }
        let client = HTTPClient().with { $0.validators = [loginValidator(server)] }
        let response = try await client.send(HTTPRequest(server.url + "/a"))
        #expect(response.status == .unauthorized && response.metrics.attempts.count == 3)
        #expect(server.requests.count { $0.path == "/login" } == 2)
        let strict = client.with {
            $0.validators.append(HTTPDefaultValidator(accepting: .successful))
        }
        let error = await failure { try await strict.send(HTTPRequest(server.url + "/a")) }
        #expect(error?.kind == .rejectedStatus(.unauthorized))
    }

    @Test func `the limit counts logins until it is reset`() async throws {
        let tokenServer = TokenServer()
        let server = try await HTTPTestServer.start { tokenServer.answer($0) }
        let login = HTTPRequest(server.url + "/login")
        let validator = HTTPRefreshValidator(limit: 2) { _, _, _ in
            login
        } onReceive: { response, request in
            request.headers["X-Token"] = response.text
        }
        let client = HTTPClient().with { $0.validators = [validator] }
        var statuses: [HTTPStatus] = []
        for _ in 0..<3 {
            statuses.append(try await client.send(HTTPRequest(server.url + "/a")).status)
        }
        #expect(statuses == [.ok, .ok, .unauthorized])
        validator.reset()
        #expect(try await client.send(HTTPRequest(server.url + "/a")).status == .ok)
    }

    // MARK: - Tasks

    @Test func `calls made by a refresh task are not validated by its validator`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.headers["X-Token"] == "t" ? .text("in") : .status(.forbidden)
        }
        let clients = Locked<HTTPClient?>(nil)
        let own = Locked<HTTPStatus?>(nil)
        let url = server.url
        let validator = HTTPRefreshValidator(on: [.forbidden]) { _, _, _ in
            let client = try #require(clients.withLock { $0 })
            let status = try await client.send(HTTPRequest(url + "/own")).status
            own.withLock { $0 = status }
            return "t"
        } apply: { token, request in
            request.headers["X-Token"] = token
        }
        let client = HTTPClient().with { $0.validators = [validator] }
        clients.withLock { $0 = client }
        defer { clients.withLock { $0 = nil } }
        #expect(try await client.send(HTTPRequest(url + "/a")).text == "in")
        #expect(own.withLock { $0 } == .forbidden)
        #expect(server.requests.map(\.path) == ["/a", "/own", "/a"])
    }

    @Test func `a call rejected after another call has refreshed uses that result`() async throws {
        let (arrived, mayAnswer) = (Rendezvous(of: 2), Rendezvous(of: 2))
        let server = try await HTTPTestServer.start { request in
            if request.headers["X-Token"] == "t1" { return .text("in") }
            if request.path == "/slow" {
                await arrived.join()
                await mayAnswer.join()
            }
            return .status(.unauthorized)
        }
        let runs = Locked(0)
        let validator = HTTPRefreshValidator(limit: 1) { _, _, _ in
            runs.withLock { runs in
                runs += 1
                return "t\(runs)"
            }
        } apply: { token, request in
            request.headers["X-Token"] = token
        }
        let client = HTTPClient().with { $0.validators = [validator] }
        let url = server.url
        let slow = Task { try await client.send(HTTPRequest(url + "/slow")) }
        await arrived.join()
        #expect(try await client.send(HTTPRequest(url + "/fast")).text == "in")
        await mayAnswer.join()
        #expect(try await slow.value.text == "in")
        #expect(runs.withLock { $0 } == 1)
    }

    @Test func `an error thrown by a refresh task is the error of the call`() async throws {
        let server = try await HTTPTestServer.start { _ in .status(.unauthorized) }
        let validator = HTTPRefreshValidator { _, _, _ in throw Refusal() }
        let client = HTTPClient().with { $0.validators = [validator] }
        let error = await failure { try await client.send(HTTPRequest(server.url)) }
        #expect(error?.underlying is Refusal)
    }

    @Test func `failures start the refresh task if enabled`() async throws {
        let port = try UnreachablePorts.refusing()
        let server = try await HTTPTestServer.start { _ in .text("moved") }
        let elsewhere = server.url
        let validator = HTTPRefreshValidator(on: [], includesFailures: true) { _, _, _ in
        } apply: { _, request in
            request.url = elsewhere
        }
        let client = HTTPClient().with { $0.validators = [validator] }
        let request = HTTPRequest("http://127.0.0.1:\(port)/")
        #expect(try await client.send(request).text == "moved")
    }

    @Test func `a canceled call leaves the refresh task running for others`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.headers["X-Token"] == nil ? .status(.unauthorized) : .text("in")
        }
        let began = Rendezvous(of: 2)
        let mayEnd = Rendezvous(of: 2)
        let validator = HTTPRefreshValidator { _, _, _ in
            await began.join()
            await mayEnd.join()
            return "t"
        } apply: { token, request in
            request.headers["X-Token"] = token
        }
        let client = HTTPClient().with { $0.validators = [validator] }
        let url = server.url
        let cancelledCall = Task { await failure { try await client.send(HTTPRequest(url)) } }
        await began.join()
        cancelledCall.cancel()
        #expect(await cancelledCall.value?.kind == .cancelled)
        let waitingCall = Task { try await client.send(HTTPRequest(url)).text }
        await mayEnd.join()
        #expect(try await waitingCall.value == "in")
    }

    // MARK: - Total timeout

    @Test func `the total timeout ends an interceptor around the call`() async throws {
        struct SlowInterceptor: HTTPInterceptor {
            func intercept(
                _ request: HTTPRequest,
                _ context: HTTPContext,
                next: HTTPNext
            ) async throws -> HTTPInterceptorResult {
                let response = try await next(request)
                try await Task.sleep(for: .seconds(3600))
                return response
            }
        }
        let server = try await HTTPTestServer.start { _ in .text("") }
        let client = HTTPClient().with {
            $0.interceptors = [SlowInterceptor()]
            $0.timeouts.total = .milliseconds(50)
        }
        let error = await failure { try await client.send(HTTPRequest(server.url)) }
        #expect(error?.kind == .timedOut(.total))
        let other = HTTPClient().with {
            $0.validators = [
                HTTPClosureValidator { _, _, _ in
                    try await Task.sleep(for: .seconds(3600))
                    return .accept
                }
            ]
            $0.timeouts.total = .milliseconds(50)
        }
        let late = await failure { try await other.send(HTTPRequest(server.url)) }
        #expect(late?.kind == .timedOut(.total))
    }

    @Test func `a request with a retry limit gets the default validator`() async throws {
        let server = try await HTTPTestServer.start { _ in .status(.serviceUnavailable) }
        let client = HTTPClient()
        let once = try await client.send(HTTPRequest(server.url).maxRetries(1))
        #expect(once.status == .serviceUnavailable && once.metrics.attempts.count == 2)
        let none = try await client.send(HTTPRequest(server.url).maxRetries(0))
        #expect(none.metrics.attempts.count == 1)
        let judged = client.with { $0.validators = [HTTPClosureValidator { _, _, _ in .accept }] }
        let accepted = try await judged.send(HTTPRequest(server.url).maxRetries(1))
        #expect(accepted.metrics.attempts.count == 1)
    }

    @Test func `an idempotency key makes any method retryable`() async throws {
        let server = try await HTTPTestServer.start { _ in .status(.serviceUnavailable) }
        let client = HTTPClient()
        let request = HTTPRequest(server.url, method: .post).maxRetries(1)
        #expect(try await client.send(request).metrics.attempts.count == 1)
        let keyed = request.idempotencyKey()
        #expect(try await client.send(keyed).metrics.attempts.count == 2)
        let keys = server.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys[0] == nil && keys[1] != nil && keys[1] == keys[2])
        let key = try #require(keys[1])
        #expect(key.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
        #expect(key.allSatisfy { $0 == "-" || $0.isHexDigit && !$0.isUppercase })
        #expect(key.dropFirst(14).first == "4" && "89ab".contains(key.dropFirst(19).first ?? " "))
        #expect(request.idempotencyKey().headers["Idempotency-Key"] != key)
        #expect(request.idempotencyKey("k").headers["Idempotency-Key"] == "k")
    }
}
