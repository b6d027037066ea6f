import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests requests with `Expect: 100-continue` (RFC 9110 §10.1.1).
@Suite(.timeLimit(.minutes(10))) struct ExpectContinueTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    private static let go = "HTTP/1.1 100 Continue\r\n\r\n"

    enum Body: Sendable, CaseIterable {
        case small
        case large
        case streamed

        var text: String { self == .large ? String(repeating: "abcdefgh", count: 20_000) : "small" }

        var body: HTTPBody {
            let bytes = Array(text.utf8)
            return self == .streamed
                ? .stream(length: bytes.count) { WatchedPieces(bytes, 1) }
                : .bytes(bytes)
        }
    }

    private func put(
        _ url: String,
        _ body: Body,
        patience: Duration? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest(url, method: .put, body: body.body)
        request.headers[.expect] = "100-continue"
        request.timeouts = HTTPTimeouts()
        request.timeouts?.continueResponse = patience
        return request
    }

    @Test(arguments: Body.allCases)
    func `the body waits for 100 Continue`(body: Body) async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .pause(gate), .reply(Self.go), .expect(body.text), .reply(Self.hello),
            .expectHead, .reply(Self.hello),
        ])
        let client = HTTPClient()
        let request = put(origin.url, body)
        let call = Task { try await client.send(request) }
        await gate.arrival()
        #expect(origin.text().hasSuffix("\r\n\r\n"))
        gate.open()
        let response = try await call.value
        #expect(response.text == "hello")
        #expect(response.informational.map(\.status) == [.continue])
        #expect(try await client.send(HTTPRequest(origin.url)).metrics.isReused)
        #expect(origin.failures == [])
    }

    @Test(arguments: Body.allCases)
    func `the body is sent after the timeout for 100 Continue`(body: Body) async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .expect(body.text), .reply(Self.go + Self.hello), .expectHead,
            .reply(Self.hello),
        ])
        let client = HTTPClient()
        let request = put(origin.url, body, patience: .milliseconds(20))
        let response = try await client.send(request)
        #expect(response.text == "hello")
        #expect(try await client.send(HTTPRequest(origin.url)).metrics.isReused)
        #expect(origin.failures == [])
    }

    @Test(arguments: Body.allCases, [413, 401, 200])
    func `a final response in place of 100 prevents sending the body`(
        body: Body,
        status: Int
    ) async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 103 Hints\r\n\r\n"),
            .reply("HTTP/1.1 \(status) X\r\nContent-Length: 2\r\n\r\nno"),
        ])
        let client = HTTPClient()
        let response = try await client.send(put(origin.url, body))
        #expect(response.status.code == status && response.text == "no")
        #expect(response.metrics.attempts.first?.bodyBytesSent == 0)
        // The server may still wait for the body, so no other request may use this connection.
        #expect(await client.pool.snapshot().origins.isEmpty)
        origin.stop()
        #expect(origin.text().hasSuffix("\r\n\r\n"))
    }

    @Test func `waiting for 100 is limited by the total timeout and can be canceled`() async throws
    {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(gate)])
        var request = put(origin.url, .streamed)
        request.timeouts?.total = .milliseconds(40)
        let late = await failure { try await HTTPClient().send(request) }
        #expect(late?.kind == .timedOut(.total))
        // A separate gate, at which no connection has arrived yet.
        let held = Gate()
        defer { held.open() }
        let other = try ScriptedOrigin([.expectHead, .pause(held)])
        let patient = put(other.url, .small)
        let call = Task { await failure { try await HTTPClient().send(patient) } }
        await held.arrival()
        call.cancel()
        #expect(await call.value?.kind == .cancelled)
    }

    @Test func `a request without a body does not wait for 100`() async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        var request = HTTPRequest(origin.url)
        request.headers[.expect] = "100-continue"
        request.timeouts = HTTPTimeouts()
        request.timeouts?.continueResponse = nil
        #expect(try await HTTPClient().send(request).text == "hello")
    }

    @Test func `a peer that closes in place of 100 is an error`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .close])
        let error = await failure { try await HTTPClient().send(put(origin.url, .small)) }
        guard case .truncatedResponse = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a body held back at a proxy challenge is sent with the next attempt`() async throws
    {
        // No piece had been produced when the proxy demanded authentication.
        let proxy = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(DemandingProxy.challenge)],
            [.expectHead, .reply(Self.go), .expect("3\r\nabc\r\n0\r\n\r\n"), .reply(Self.hello)],
        ])
        let body = HTTPBody.stream(WatchedPieces(Array("abc".utf8), 1))
        var request = HTTPRequest("http://a.example/", method: .put, body: body)
        request.headers[.expect] = "100-continue"
        let response = try await DemandingProxy.client(through: proxy).send(request)
        #expect(response.text == "hello")
        #expect(proxy.failures == [])
    }
}
