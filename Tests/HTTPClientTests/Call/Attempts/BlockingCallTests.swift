import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

private actor CountingInterceptor: HTTPInterceptor {
    var count = 0

    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult {
        count += 1
        return try await next(request)
    }
}

/// An interceptor that sends in an unstructured task, as one that shares responses does.
private struct UnstructuredInterceptor: HTTPInterceptor {
    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult {
        try await Task { try await next(request) }.value
    }
}

/// Tests that a blocking call runs on its own loop, even if interceptors leave it.
@Suite(.timeLimit(.minutes(10))) struct BlockingCallTests {
    @Test func `an interceptor can leave the loop of a blocking call`() async throws {
        let server = try await HTTPTestServer.start { .text($0.path) }
        let url = server.url
        let counting = CountingInterceptor()
        for list in [
            [counting], [UnstructuredInterceptor()],
            [UnstructuredInterceptor(), counting, UnstructuredInterceptor()],
        ]
            as [[any HTTPInterceptor]]
        {
            let client = HTTPClient().with { $0.interceptors = list }
            for number in 0..<3 {
                let text = await onThread {
                    try? client.blocking.send(HTTPRequest(url + "/\(number)")).text
                }
                #expect(text == "/\(number)")
            }
        }
        #expect(await counting.count == 6)
    }
}
