import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests the statuses that ask for the request again: 417 (RFC 9110 §10.1.1), 421 (§15.5.20) and 425 (RFC 8470 §5.2).
@Suite(.timeLimit(.minutes(10))) struct StatusRepetitionTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    private static func refusal(_ status: Int) -> String {
        "HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\r\nno"
    }

    /// How a request is sent.
    enum Way: CaseIterable {
        case first
        case driver
        case stream
        case blocking
        case started
        case download
    }

    private struct PassThroughInterceptor: HTTPInterceptor {
        func intercept(
            _ request: HTTPRequest,
            _ context: HTTPContext,
            next: HTTPNext
        ) async throws -> HTTPInterceptorResult { try await next(request) }
    }

    private func send(
        _ request: HTTPRequest,
        _ client: HTTPClient = HTTPClient(),
        by way: Way = .first
    ) async throws -> (text: String, status: HTTPStatus, metrics: HTTPMetrics) {
        let response: HTTPResponse
        switch way {
        case .first: response = try await client.send(request)
        case .driver:
            let client = client.with { $0.interceptors = [PassThroughInterceptor()] }
            response = try await client.send(request)
        case .stream:
            let streamed = try await client.stream(request)
            let bytes = try await streamed.body.collect()
            return (String(decoding: bytes, as: UTF8.self), streamed.status, streamed.metrics)
        case .blocking:
            response = try await onThread { Result { try client.blocking.send(request) } }.get()
        case .started:
            let call = client.start(request)
            var heads: [HTTPStatus] = []
            for await event in call.events {
                if case .head(let head) = event { heads.append(head.status) }
            }
            response = try await call.value
            #expect(heads == [response.status])
        case .download:
            let directory = try TemporaryDirectory()
            do throws(HTTPError) {
                let file = try await client.download(request, to: directory.path + "/file")
                let bytes = TestFileSystem.contents(of: file.path) ?? []
                return (String(decoding: bytes, as: UTF8.self), file.head.status, file.metrics)
            } catch {
                guard case .rejectedStatus(let status) = error.kind else { throw error }
                return (String(decoding: error.partialBody, as: UTF8.self), status, error.metrics)
            }
        }
        return (response.text, response.status, response.metrics)
    }

    private func put(_ url: String, _ body: HTTPBody) -> HTTPRequest {
        var request = HTTPRequest(url, method: .put, body: body)
        request.headers[.expect] = "100-continue"
        request.timeouts = HTTPTimeouts()
        request.timeouts?.continueResponse = nil
        return request
    }

    @Test(arguments: Way.allCases)
    func `a request whose expectation failed is sent again without it`(way: Way) async throws {
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead(lines: "Expect: 100-continue"), .reply(Self.refusal(417))],
            [
                .expectHeadWhere { !$0.lowercased().contains("expect:") }, .expect("small"),
                .reply(Self.hello),
            ],
        ])
        // Nothing of the body was sent, so even one that can be sent only once is available.
        let pieces = AsyncStream<[UInt8]> {
            $0.yield(Array("small".utf8))
            $0.finish()
        }
        let bodies: [HTTPBody] = [
            .bytes(Array("small".utf8)), .stream(pieces, length: 5),
        ]
        let index = way == .first || way == .blocking ? 0 : 1
        let answer = try await send(put(origin.url, bodies[index]), by: way)
        #expect(
            answer.text == "hello"
                && answer.metrics.attempts.map(\.reason) == [.first, .expectationFailed]
        )
        #expect(answer.metrics.attempts.first?.bodyBytesSent == 0)
        #expect(origin.failures == [])
    }

    @Test func `an expectation from the client's header fields is removed too`() async throws {
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead(lines: "Expect: 100-Continue"), .reply(Self.refusal(417))],
            [
                .expectHeadWhere { !$0.lowercased().contains("expect:") }, .expect("small"),
                .reply(Self.hello),
            ],
        ])
        let client = HTTPClient().with { $0.headers[.expect] = "100-Continue" }
        let request = HTTPRequest(origin.url, method: .post, body: .bytes(Array("small".utf8)))
        #expect(try await send(request, client).text == "hello")
        #expect(origin.failures == [])
    }

    @Test(arguments: Way.allCases)
    func `a misdirected request is sent again on a new connection`(way: Way) async throws {
        // The connection that answered stays open, and would send another reply.
        let origin = try ScriptedOrigin(perConnection: [
            [.forever([.expectHead, .expect("small"), .reply(Self.refusal(421))])],
            [.expectHead, .expect("small"), .reply(Self.hello)],
        ])
        let request = HTTPRequest(origin.url, method: .post, body: .bytes(Array("small".utf8)))
        let answer = try await send(request, by: way)
        #expect(
            answer.text == "hello"
                && answer.metrics.attempts.map(\.reason) == [.first, .misdirected]
        )
        #expect(Set(answer.metrics.attempts.map(\.connectionID)).count == 2)
        #expect(origin.failures == [])
    }

    @Test(arguments: Way.allCases)
    func `a request that was too early is sent again`(way: Way) async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .expect("small"), .reply(Self.refusal(425)), .expectHead,
            .expect("small"), .reply(Self.hello),
        ])
        let request = HTTPRequest(origin.url, method: .post, body: .bytes(Array("small".utf8)))
        let answer = try await send(request, by: way)
        #expect(
            answer.text == "hello" && answer.metrics.attempts.map(\.reason) == [.first, .tooEarly]
        )
        #expect(origin.failures == [])
    }

    @Test(arguments: [417, 421, 425], Way.allCases)
    func `a request is sent again only once for a status`(status: Int, way: Way) async throws {
        let origin = try ScriptedOrigin(.always(Self.refusal(status)))
        var request = HTTPRequest(origin.url)
        request.headers[.expect] = "100-continue"
        let answer = try await send(request, by: way)
        #expect(answer.text == "no" && answer.status.code == status)
        #expect(answer.metrics.attempts.count == 2)
    }

    @Test(arguments: Way.allCases)
    func `a request is not sent again after 417 if it expected nothing`(way: Way) async throws {
        let origin = try ScriptedOrigin(.always(Self.refusal(417)))
        let answer = try await send(HTTPRequest(origin.url), by: way)
        #expect(answer.text == "no" && answer.status == .expectationFailed)
        #expect(answer.metrics.attempts.count == 1)
    }

    @Test(arguments: [421, 425], Way.allCases)
    func `a body that was sent and cannot be sent again ends the call with the response`(
        status: Int,
        way: Way
    ) async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .expect("small"), .reply(Self.refusal(status)),
        ])
        let pieces = AsyncStream<[UInt8]> {
            $0.yield(Array("small".utf8))
            $0.finish()
        }
        let body = HTTPBody.stream(pieces, length: 5)
        let request = HTTPRequest(origin.url, method: .post, body: body)
        let answer = try await send(request, by: way)
        #expect(answer.text == "no" && answer.status.code == status)
        #expect(answer.metrics.attempts.count == 1)
    }

    /// An observer that stops the server when a response has arrived.
    private struct StoppingObserver: HTTPObserver {
        let origin: ScriptedOrigin

        func observe(_ step: HTTPStep, _ context: HTTPContext) {
            if case .received = step { origin.stop() }
        }
    }

    @Test(arguments: [421, 425], Way.allCases)
    func `the response is the result if the second request finds no connection`(
        status: Int,
        way: Way
    ) async throws {
        let refusal = "HTTP/1.1 \(status) No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
        let origin = try ScriptedOrigin([.expectHead, .reply(refusal)])
        let client = HTTPClient().with { $0.observers = [StoppingObserver(origin: origin)] }
        let answer = try await send(HTTPRequest(origin.url), client, by: way)
        #expect(answer.text == "no" && answer.status.code == status)
        // A streamed response has the metrics of its own attempt and of those before it.
        let isStreamed = way == .stream || way == .download
        #expect(answer.metrics.attempts.count == (isStreamed ? 1 : 2))
        #expect(origin.failures == [])
    }

    @Test func `a slow body does not keep the only connection from the second request`()
        async throws
    {
        let slow = "HTTP/1.1 421 No\r\nContent-Length: 100\r\n\r\nno"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(slow), .expect("never")], [.expectHead, .reply(Self.hello)],
        ])
        var configuration = HTTPClientConfiguration()
        configuration.maxConnectionsPerOrigin = 1
        configuration.unreadBodyPolicy.time = .milliseconds(1)
        configuration.timeouts.queue = .seconds(20)
        let client = HTTPClient(configuration)
        let answer = try await send(HTTPRequest(origin.url), client, by: .stream)
        #expect(answer.text == "hello" && answer.status == .ok)
    }

    @Test func `each status is answered once, also after a redirect`() async throws {
        let go = "HTTP/1.1 100 Continue\r\n\r\n"
        let moved = "HTTP/1.1 307 There\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(Self.refusal(417))],
            [
                .expectHead, .expect("small"), .reply(Self.refusal(425)), .expectHead,
                .expect("small"), .reply(moved), .expectHead, .reply(go), .expect("small"),
                .reply(Self.refusal(421)),
            ],
            [.expectHead, .reply(go), .expect("small"), .reply(Self.refusal(425))],
        ])
        let request = put(origin.url, .bytes(Array("small".utf8)))
        let answer = try await send(request)
        #expect(answer.status == .tooEarly && answer.metrics.attempts.count == 5)
        #expect(origin.failures == [])
    }
}
