import HTTPClient
import Support
import Testing

/// Tests calls of tasks that were canceled before the calls began.
@Suite struct EarlyCancellationTests {
    @Test(arguments: [false, true], [false, true])
    func `a call of a canceled task leaves idle connections alone`(
        isStreamed: Bool,
        isOnLoop: Bool
    ) async throws {
        let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        let origin = try ScriptedOrigin(.always(hello))
        var configuration = HTTPClient.Configuration()
        // In parallel with other tests, this one may take longer than the default.
        configuration.idleTimeout = .seconds(3600)
        let client = HTTPClient(configuration)
        _ = try await client.send(HTTPRequest(origin.url))
        let task = Task(executorPreference: isOnLoop ? client.executor : nil) { () -> HTTPError? in
            while !Task.isCancelled { await Task.yield() }
            do throws(HTTPError) {
                if isStreamed {
                    _ = try await client.stream(HTTPRequest(origin.url))
                } else {
                    _ = try await client.send(HTTPRequest(origin.url))
                }
                return nil
            } catch {
                return error
            }
        }
        task.cancel()
        let error = await task.value
        #expect(error?.kind == .cancelled)
        #expect(error?.metrics.attempts.last?.bytesSent == 0)
        let last = try await client.send(HTTPRequest(origin.url))
        #expect(last.metrics.connectionID == 1)
        #expect(origin.connectionCount == 1)
    }
}
