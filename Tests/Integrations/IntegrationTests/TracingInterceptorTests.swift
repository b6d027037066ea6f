import HTTPClient
import HTTPTestServer
import InMemoryTracing
import Synchronization
import Testing
import Tracing

@Suite(.timeLimit(.minutes(10))) struct TracingInterceptorTests {
    private let tracer = TraceContextTracer()

    private var client: HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.interceptors = [HTTPTracingInterceptor(tracer: tracer)]
        return HTTPClient(configuration)
    }

    private func attributes(_ span: FinishedInMemorySpan) -> [String: SpanAttribute] {
        var found: [String: SpanAttribute] = [:]
        func record(_ name: String, _ value: SpanAttribute) { found[name] = value }
        // `attributes` is not a sequence.
        span.attributes.forEach(record)
        return found
    }

    @Test func `a request has a span with the attributes of the conventions`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/users": .text("hello")])
        let authority = server.url.dropFirst("http://".count)
        _ = try await client.send(HTTPRequest("http://ada:pw@\(authority)/users?token=abc&x=1"))
        let span = try #require(tracer.spans.first)
        #expect(tracer.spans.count == 1 && span.operationName == "GET" && span.kind == .client)
        #expect(
            attributes(span) == [
                "http.request.method": "GET",
                "url.full": "http://***@\(authority)/users?token=***&x=1".spanText,
                "server.address": "127.0.0.1", "server.port": .int64(Int64(server.port)),
                "network.peer.address": "127.0.0.1",
                "network.peer.port": .int64(Int64(server.port)),
                "http.response.status_code": 200, "network.protocol.version": "1.1",
            ]
        )
        #expect(span.status == nil)
    }

    @Test func `each request of a redirect carries its own span`() async throws {
        let server = try await HTTPTestServer.start(routes: [
            "/old": .redirect(to: "/new"), "/new": .text("hello"),
        ])
        let outer = tracer.startSpan("outer")
        try await ServiceContext.$current.withValue(outer.context) {
            var request = HTTPRequest(server.url + "/old")
            request.headers["traceparent"] = "from another caller"
            _ = try await client.send(request)
        }
        let spans = tracer.spans
        #expect(spans.count == 2)
        #expect(spans.allSatisfy { $0.parentSpanID == outer.spanID && $0.traceID == outer.traceID })
        #expect(
            server.requests.map { $0.headers.values("traceparent") }
                == spans.map { [TraceContextTracer.field($0.context) ?? ""] }
        )
        #expect(server.requests.allSatisfy { $0.headers["tracestate"] == "vendor=1" })
        #expect(server.requests.allSatisfy { $0.headers["baggage"] == nil })
        #expect(attributes(spans[0])["http.request.resend_count"] == nil)
        #expect(attributes(spans[1])["http.request.resend_count"] == 1)
        #expect(attributes(spans[1])["url.full"] == "\(server.url)/new".spanText)
    }

    @Test func `a failure sets the status of its span`() async throws {
        let server = try await HTTPTestServer.start(routes: [:])
        let client = client
        _ = try await client.send(HTTPRequest(server.url, method: "BREW"))
        await server.stop()
        await #expect(throws: HTTPError.self) { try await client.send(HTTPRequest(server.url)) }
        let spans = tracer.spans
        #expect(spans[0].operationName == "HTTP")
        #expect(attributes(spans[0])["http.request.method"] == "_OTHER")
        #expect(attributes(spans[0])["http.request.method_original"] == "BREW")
        #expect(attributes(spans[0])["error.type"] == "404")
        #expect(spans[0].status == SpanStatus(code: .error))
        #expect(attributes(spans[1])["error.type"] == "connectFailed")
        #expect(attributes(spans[1])["http.response.status_code"] == nil)
        #expect(spans[1].status?.code == .error && spans[1].status?.message != nil)
    }

    @Test func `each retry has its own span, which encloses inner interceptors`() async throws {
        struct InnerInterceptor: HTTPStagedInterceptor {
            let seen: SpanRecord

            func prepare(_ request: inout HTTPRequest, _ context: HTTPContext) async throws {
                let span = ServiceContext.current?.inMemorySpanContext?.spanID ?? "none"
                seen.spans.withLock { $0.append(span) }
            }

            func process(
                _ response: inout HTTPResponse,
                _ context: HTTPContext
            ) async throws -> HTTPRetryOptions.Decision {
                context.retryCount == 0 ? .retry : .proceed
            }
        }
        final class SpanRecord: Sendable { let spans = Mutex<[String]>([]) }
        let server = try await HTTPTestServer.start(routes: ["/": .text("", status: .badGateway)])
        let seen = SpanRecord()
        let client = client.with { $0.interceptors.append(InnerInterceptor(seen: seen)) }
        _ = try await client.send(HTTPRequest(server.url))
        #expect(tracer.spans.map(\.spanID) == seen.spans.withLock { $0 })
        #expect(
            tracer.spans.map { attributes($0)["http.request.resend_count"] } == [nil, 1]
        )
        #expect(tracer.spans.allSatisfy { attributes($0)["error.type"] == "502" })
    }

    @Test func `without a tracer a request has no span and succeeds`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/": .text("hello")])
        let client = HTTPClient().with { $0.interceptors = [HTTPTracingInterceptor()] }
        #expect(try await client.send(HTTPRequest(server.url)).text == "hello")
        #expect(server.requests[0].headers["traceparent"] == nil)
    }
}

extension String {
    fileprivate var spanText: SpanAttribute { .string(self) }
}
