import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests the `.standard` retries, whose limits do not count the first attempt.
@Suite(.timeLimit(.minutes(10))) struct StandardRetriesTests {
    /// Returns a client whose delays take no real time.
    private func client(
        _ retries: HTTPRetryOptions,
        _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        let time = ManualClock(nanoseconds: Deadline.now().nanoseconds)
        let clock = PolicyClock {
            time.now
        } secondsSince1970: {
            0
        } pause: {
            time.advance(by: $0)
        }
        var configuration = HTTPClient.Configuration()
        configuration.retries = retries
        configuration.retries.budget = nil
        change(&configuration)
        return HTTPClient(configuration, clock: clock, seed: 1)
    }

    /// Returns the number of requests that a server receives if it always answers with one status.
    private func attempts(
        _ client: HTTPClient,
        with status: HTTPStatus = .serviceUnavailable,
        _ change: (inout HTTPRequest) -> Void = { _ in }
    ) async throws -> Int {
        let server = try await HTTPTestServer.start { _ in .status(status) }
        var request = HTTPRequest(server.url)
        change(&request)
        #expect(try await client.send(request).status == status)
        return server.requests.count
    }

    @Test(
        arguments: [
            (408, 3), (429, 3), (500, 3), (502, 3), (503, 3), (504, 3), (400, 1), (401, 1),
            (403, 1),
            (404, 1), (409, 1), (410, 1), (413, 1), (501, 1), (505, 1), (507, 1), (511, 1),
            (599, 1),
        ] as [(HTTPStatus, Int)]
    )
    func `the statuses of temporary failures are retried if the request is idempotent`(
        status: HTTPStatus,
        expected: Int
    ) async throws {
        let client = client(.standard)
        #expect(try await attempts(client, with: status) == expected)
        #expect(try await attempts(client, with: status) { $0.method = .put } == expected)
        #expect(try await attempts(client, with: status) { $0.method = .post } == 1)
        #expect(try await attempts(client, with: status) { $0.method = .patch } == 1)
        let withKey = try await attempts(client, with: status) {
            $0.method = .post
            $0.headers["Idempotency-Key"] = "1"
        }
        #expect(withKey == expected)
    }

    @Test func `limits count retries without the first attempt`() async throws {
        #expect(try await attempts(client(HTTPRetryOptions())) == 1)
        #expect(try await attempts(client(.never)) == 1)
        #expect(try await attempts(client(.standard)) == 3)
        #expect(try await attempts(client(.standard(maxRetries: 5))) == 6)
        #expect(try await attempts(client(.standard(maxRetries: 0))) == 1)
        #expect(try await attempts(client(HTTPRetryOptions(maxRetries: 5))) == 6)
        #expect(try await attempts(client(HTTPRetryOptions()) { $0.retries.maxRetries = 5 }) == 6)
        #expect(try await attempts(client(.standard) { $0.retries.maxRetries = 0 }) == 1)
        #expect(try await attempts(client(HTTPRetryOptions())) { $0.maxRetries = 5 } == 6)
        #expect(try await attempts(client(HTTPRetryOptions())) { $0.retries = .standard } == 3)
        #expect(try await attempts(client(.standard)) { $0.retries = .never } == 1)
        #expect(try await attempts(client(.standard)) { $0.maxRetries = 1 } == 2)
    }

    @Test func `standard retries work with other validators, and a limit alone does not`()
        async throws
    {
        let accepting = HTTPClosureValidator { _, _, _ in .accept }
        #expect(try await attempts(client(.standard) { $0.validators = [accepting] }) == 3)
        #expect(
            try await attempts(
                client(HTTPRetryOptions(maxRetries: 2)) { $0.validators = [accepting] }
            ) == 1
        )
        var other = HTTPDefaultValidator()
        other.retriedStatuses = [.badGateway]
        #expect(try await attempts(client(.standard) { $0.validators = [other] }) == 1)
    }

    @Test func `a truncated body is retried if the method is idempotent`() async throws {
        for method in [HTTPMethod.get, .put, .delete, .post, .patch] {
            let count = Locked(0)
            let server = try await HTTPTestServer.start { _ in
                let number = count.withLock {
                    $0 += 1
                    return $0
                }
                return number < 3 ? .text("hello, world").truncated(to: 4) : .text("whole")
            }
            let client = client(.standard)
            let request = HTTPRequest(server.url, method: method)
            if method.isIdempotent {
                let response = try await client.send(request)
                #expect(response.text == "whole" && server.requests.count == 3)
                #expect(response.metrics.attempts.count == 3)
            } else {
                let error = await failure { try await client.send(request) }
                #expect(error?.isRetrySafe == false && server.requests.count == 1)
            }
        }
    }

    @Test func `a connection closed before the response is retried`() async throws {
        let count = Locked(0)
        let server = try await HTTPTestServer.start { _ in
            count.withLock {
                $0 += 1
                return $0
            } < 2 ? .reset : .text("whole")
        }
        #expect(try await client(.standard).send(HTTPRequest(server.url)).text == "whole")
        #expect(server.requests.count == 2)
    }
}
