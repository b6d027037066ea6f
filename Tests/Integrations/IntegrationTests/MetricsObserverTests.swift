import HTTPClient
import HTTPTestServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct MetricsObserverTests {
    private let metrics = RecordedMetrics()

    private var client: HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.observers = [HTTPMetricsObserver(factory: metrics)]
        return HTTPClient(configuration)
    }

    /// Returns the dimensions of every measurement of a request.
    private func common(_ method: String, _ server: HTTPTestServer) -> [String: String] {
        [
            "http.request.method": method, "server.address": "127.0.0.1",
            "server.port": "\(server.port)", "url.scheme": "http",
        ]
    }

    private func responseDimensions(
        _ method: String,
        _ server: HTTPTestServer,
        _ status: String
    ) -> [String: String] {
        common(method, server).merging([
            "http.response.status_code": status, "network.protocol.version": "1.1",
        ]) { $1 }
    }

    @Test func `a request has a duration and sizes`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/": .text("hello")])
        let request = HTTPRequest(server.url, method: .post, body: .bytes(Array("seven l".utf8)))
        _ = try await client.send(request)
        #expect(
            metrics.all.map(\.label) == [
                "http.client.request.duration", "http.client.request.body.size",
                "http.client.response.body.size",
            ]
        )
        for measurement in metrics.all {
            #expect(measurement.dimensions == responseDimensions("POST", server, "200"))
        }
        #expect(metrics.all[0].value > 0)
        #expect(metrics.all[1].value == 7 && metrics.all[2].value == 5)
    }

    @Test func `each redirect is measured, and a status above 399 is a failure`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/old": .redirect(to: "/none")])
        _ = try await client.send(HTTPRequest(server.url + "/old"))
        let missing = responseDimensions("GET", server, "404").merging(["error.type": "404"]) { $1 }
        #expect(
            metrics.named("http.client.request.duration").map(\.dimensions)
                == [responseDimensions("GET", server, "302"), missing]
        )
    }

    @Test func `an unknown method is measured as _OTHER`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/": .text("hello")])
        _ = try await client.send(HTTPRequest(server.url, method: "BREW"))
        #expect(metrics.all[0].dimensions == responseDimensions("_OTHER", server, "200"))
    }

    @Test func `a streamed response is measured up to its head`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/": .text("hello")])
        let response = try await client.stream(HTTPRequest(server.url))
        #expect(metrics.named("http.client.request.duration").count == 1)
        #expect(metrics.named("http.client.response.body.size").isEmpty)
        _ = response.status
    }

    @Test func `a failure is measured by its kind`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/": .text("hello")])
        let client = client
        await server.stop()
        await #expect(throws: HTTPError.self) { try await client.send(HTTPRequest(server.url)) }
        let refused = common("GET", server).merging(["error.type": "connectFailed"]) { $1 }
        #expect(metrics.named("http.client.request.duration").map(\.dimensions) == [refused])
        // A request that was not sent has no duration.
        await #expect(throws: HTTPError.self) { try await client.send("ftp://127.0.0.1/") }
        #expect(metrics.named("http.client.request.duration").count == 1)
    }

    @Test func `a replayed request is measured twice`() async throws {
        let count = Mutex(0)
        let server = try await HTTPTestServer.start { _ in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            return number == 2 ? .close : .text("hello")
        }
        let client = client
        _ = try await client.send(HTTPRequest(server.url))
        let response = try await client.send(HTTPRequest(server.url))
        #expect(response.metrics.replays == 1)
        let types = metrics.named("http.client.request.duration").map {
            $0.dimensions["error.type"] ?? $0.dimensions["http.response.status_code"]
        }
        #expect(types == ["200", "200", "truncatedResponse"])
    }
}
