import HTTPClient
import Support
import Testing

@Suite(.timeLimit(.minutes(2))) struct BlockingTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test func `a blocking call uses the thread it is made on and keeps its connection`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let url = origin.url
        let texts = await onThread {
            (0..<3).map { _ in try? HTTPRequest(url).runSync(in: client).text }
        }
        #expect(texts == ["hello", "hello", "hello"])
        #expect(origin.connectionCount == 1)
    }

    @Test func `blocking calls at the same time do not wait for each other`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let url = origin.url
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 {
                group.addTask { await onThread { try? client.sendBlocking(HTTPRequest(url)).text } }
            }
            for await text in group { #expect(text == "hello") }
        }
    }

    @Test func `a blocking call fails with the same errors`() async throws {
        let port = try DeadPorts.refusing()
        let kind = await onThread { () -> HTTPError.Kind? in
            do throws(HTTPError) {
                _ = try HTTPClient().sendBlocking(HTTPRequest("http://127.0.0.1:\(port)/"))
                return nil
            } catch {
                return error.kind
            }
        }
        guard case .connectFailed = kind else {
            Issue.record("got \(String(describing: kind))")
            return
        }
    }

    @Test func `a blocking call inside a task is refused`() async {
        let error = await failure {
            try blocking(HTTPRequest("http://127.0.0.1:1/"))
        }
        #expect(error?.kind == .invalidRequest(.blockingInsideTask))
    }

    private func blocking(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        try HTTPClient().sendBlocking(request)
    }

    @Test func `an idle connection of a blocking caller is too old after its time`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        var configuration = HTTPClient.Configuration()
        configuration.idleTimeout = .nanoseconds(1)
        let client = HTTPClient(configuration)
        let url = origin.url
        let texts = await onThread {
            (0..<2).map { _ in try? client.sendBlocking(HTTPRequest(url)).text }
        }
        #expect(texts == ["hello", "hello"])
        #expect(origin.connectionCount == 2)
    }
}
