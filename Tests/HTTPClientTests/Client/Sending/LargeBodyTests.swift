import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests bodies of many elements, which are read on the loop and on other threads without a wait.
@Suite(.timeLimit(.minutes(10))) struct LargeBodyTests {
    private static let size = 8 << 20
    private static let content = (0..<size).map {
        UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ $0 >> 16)
    }

    private static func head(_ length: Int) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
    }

    /// Runs `body` in a task that prefers the client's loop, or in one that does not.
    private func run<Value: Sendable>(
        onLoop: Bool,
        _ client: HTTPClient,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let executor: (any TaskExecutor)? = onLoop ? client.executor : nil
        return try await Task(executorPreference: executor, operation: body).value
    }

    @Test(arguments: [false, true])
    func `every byte arrives once and in order, and the connection is reused`(
        onLoop: Bool
    ) async throws {
        let origin = try ScriptedOrigin([
            .repeat(2, [.expectHead, .reply(Self.head(Self.size)), .reply(Self.content)])
        ])
        let client = HTTPClient()
        for _ in 0..<2 {
            let isEqual = try await run(onLoop: onLoop, client) {
                var count = 0
                for try await chunk in try await client.stream(origin.url).body {
                    // Much faster than `starts(with:)`, which calls a closure for each byte.
                    let end = min(count + chunk.count, Self.size)
                    guard chunk == Array(Self.content[count..<end]) else { return false }
                    count = end
                }
                return count == Self.size
            }
            #expect(isEqual)
        }
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: [false, true])
    func `all bytes before the end of a truncated body are delivered before the error`(
        onLoop: Bool
    ) async throws {
        let length = Self.size * 2
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.head(length)), .reply(Self.content), .close,
        ])
        let client = HTTPClient()
        let (received, error) = try await run(onLoop: onLoop, client) {
            var received: [UInt8] = []
            let response = try await client.stream(origin.url)
            let error = await failure {
                for try await chunk in response.body { received += chunk }
            }
            return (received, error)
        }
        #expect(received == Self.content)
        let expected = HTTPError.Kind.truncatedResponse(
            .bodyTruncated(received: Self.size, expected: length)
        )
        #expect(error?.kind == expected)
        #expect(error?.metrics.bodyBytesDecoded == Self.size)
    }

    @Test(arguments: [false, true])
    func `the client closes a connection that the server closes after its body`(
        onLoop: Bool
    ) async throws {
        let mayClose = Gate()
        // The loop's thread sometimes reads a whole body alone, so one body would not be enough.
        let origin = try ScriptedOrigin([
            .repeat(10, [.expectHead, .reply(Self.head(Self.size)), .reply(Self.content)]),
            .pause(mayClose), .close,
        ])
        var configuration = HTTPClient.Configuration()
        // Otherwise the timeout would close the connection, too.
        configuration.idleTimeout = .seconds(3600)
        let client = HTTPClient(configuration)
        for _ in 0..<10 {
            let count = try await run(onLoop: onLoop, client) {
                try await client.stream(origin.url).body.collect().count
            }
            #expect(count == Self.size)
        }
        #expect(DescriptorCount.connected(toPort: origin.port) > 0)
        mayClose.open()
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
        // The release of the client would close the connection, too.
        withExtendedLifetime(client) {}
    }

    @Test(arguments: [false, true])
    func `the last element of a body has ended it`(onLoop: Bool) async throws {
        let size = 1_500_000
        let origin = try ScriptedOrigin(
            .always(Self.head(size) + String(repeating: "a", count: size))
        )
        let client = HTTPClient()
        for _ in 0..<10 {
            let hasEnded = try await run(onLoop: onLoop, client) {
                let response = try await client.stream(origin.url)
                var body = response.body.makeAsyncIterator()
                var received = 0
                while received < size, let chunk = try await body.next() { received += chunk.count }
                return response.trailers != nil
            }
            #expect(hasEnded)
        }
        #expect(origin.connectionCount == 1)
    }

    private func expectLost(_ error: HTTPError?, at location: SourceLocation = #_sourceLocation) {
        guard case .connectionLost = error?.kind else {
            Issue.record("got \(String(describing: error))", sourceLocation: location)
            return
        }
    }

    @Test func `a reset ends every way of reading with an error`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.head(1 << 40)), .reply(Self.content), .reset,
        ])
        let client = HTTPClient()
        let directory = try TemporaryDirectory()
        // Which read finds the reset depends on the time, so each way is tried several times.
        for _ in 0..<10 {
            for onLoop in [false, true] {
                let error = try await run(onLoop: onLoop, client) {
                    let response = try await client.stream(origin.url)
                    return await failure { for try await _ in response.body {} }
                }
                expectLost(error)
            }
            let response = try await client.stream(origin.url)
            let error = await failure { try await response.write(to: directory.path + "/a") }
            expectLost(error)
        }
    }

    @Test(arguments: [false, true])
    func `cancellation ends the reading of bytes that always arrive`(onLoop: Bool) async throws {
        let block = [UInt8](repeating: 1, count: 1 << 20)
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.head(1 << 50)), .replyForever(block),
        ])
        let client = HTTPClient()
        let error = try await run(onLoop: onLoop, client) {
            let response = try await client.stream(origin.url)
            return await failure {
                var received = 0
                for try await chunk in response.body {
                    received += chunk.count
                    // SAFETY: the task does not leave the closure.
                    if received > 64 << 20 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                    if received > 65 << 20 { return }
                }
            }
        }
        #expect(error?.kind == .cancelled)
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
    }
}
