import ClientSupport
import Dispatch
import HTTPClient
import Support
import Testing

/// Tests that a request whose timeout has already expired sends nothing.
@Suite(.timeLimit(.minutes(10))) struct ExpiredTimeoutTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    /// A timeout that has expired when the call begins, and the phase that its error names.
    struct ExpiredTimeout: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let phase: HTTPPhase
        let change: @Sendable (inout HTTPTimeouts) -> Void

        init(
            _ name: String,
            _ phase: HTTPPhase,
            _ change: @escaping @Sendable (inout HTTPTimeouts) -> Void
        ) {
            testDescription = name
            self.phase = phase
            self.change = change
        }
    }

    private static let expired: [ExpiredTimeout] = [
        ExpiredTimeout("total of zero", .total) { $0.total = .zero },
        ExpiredTimeout("negative total", .total) { $0.total = .seconds(-1) },
        ExpiredTimeout("total of one nanosecond", .total) { $0.total = .nanoseconds(1) },
        ExpiredTimeout("requestHead of zero", .sending) { $0.requestHead = .zero },
        ExpiredTimeout("requestBody of zero", .sendingBody) { $0.requestBody = .zero },
        ExpiredTimeout("negative responseHead", .responseHead) { $0.responseHead = .seconds(-1) },
        ExpiredTimeout("writeIdle of zero", .sending) { $0.writeIdle = .zero },
        ExpiredTimeout("readIdle of zero", .body) { $0.readIdle = .zero },
        ExpiredTimeout("negative readIdle", .body) { $0.readIdle = .seconds(-1) },
    ]

    /// A way to send a request.
    struct SendingMethod: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let send: @Sendable (HTTPClient, HTTPRequest) async throws -> Void

        init(
            _ name: String,
            _ send: @escaping @Sendable (HTTPClient, HTTPRequest) async throws -> Void
        ) {
            testDescription = name
            self.send = send
        }
    }

    private static let sendingMethods: [SendingMethod] = [
        SendingMethod("send") { _ = try await $0.send($1) },
        SendingMethod("send on the loop") { client, request in
            try await Task(executorPreference: client.executor) {
                _ = try await client.send(request)
            }
            .value
        },
        SendingMethod("send by a client with policies") { client, request in
            _ = try await client.with { $0.interceptors = [PassThroughInterceptor()] }.send(request)
        },
        SendingMethod("send through a queue") { client, request in
            _ = try await client.with { $0.queue = HTTPClientQueue(maxSimultaneousRequests: 1) }
                .send(request)
        },
        SendingMethod("blocking send") { client, request in
            let result = await onThread {
                Result { () throws(HTTPError) in
                    let warm = String(request.url.dropLast("late".utf8.count)) + "warm"
                    _ = try client.blocking.send(HTTPRequest(warm))
                    return try client.blocking.send(request)
                }
            }
            _ = try result.get()
        },
        SendingMethod("stream") { _ = try await $0.stream($1).body.collect() },
        SendingMethod("fetch of an endpoint") { _ = try await $0.fetch(HTTPEndpoint($1, .text)) },
        SendingMethod("start") { _ = try await $0.start($1).value },
        SendingMethod("download") { client, request in
            let directory = try TemporaryDirectory()
            _ = try await client.download(request, to: directory.path + "/file")
        },
        SendingMethod("upgrade") { _ = try await $0.upgrade($1, to: "echo") },
        SendingMethod("connection") { client, request in
            _ = try await client.withConnection(to: HTTPRequest(request.url)) {
                try await $0.send(request)
            }
        },
    ]

    @Test(arguments: sendingMethods, expired)
    func `an expired request sends nothing on an idle connection`(
        sendingMethod: SendingMethod,
        expired: ExpiredTimeout
    ) async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        var configuration = HTTPClient.Configuration()
        // On a busy machine a case may wait for the others longer than the default idle timeout.
        configuration.idleTimeout = .seconds(3600)
        let client = HTTPClient(configuration)
        let warm = HTTPRequest(origin.url + "/warm")
        _ = try await client.send(warm)
        let late = HTTPRequest(
            origin.url + "/late",
            method: .post,
            body: .bytes(Array("late".utf8))
        )
        .timeouts(expired.change)
        let error = await failure { try await sendingMethod.send(client, late) }
        #expect(error?.kind == .timedOut(expired.phase))
        // This request uses the same connection, so the origin has received all that was sent before it.
        let last = try await client.send(warm)
        #expect(last.metrics.connectionID == 1)
        for connection in 0..<origin.connectionCount {
            #expect(!origin.text(on: connection).contains("/late"))
        }
    }

    @Test(arguments: expired) func `an expired request sends nothing on a new connection`(
        expired: ExpiredTimeout
    ) async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let late = HTTPRequest(origin.url, method: .post, body: .bytes(Array("late".utf8)))
            .timeouts(expired.change)
        let error = await failure { try await HTTPClient().send(late) }
        #expect(error?.kind == .timedOut(expired.phase))
        #expect(origin.connectionCount == 0)
    }

    private static let establishing: [ExpiredTimeout] = [
        ExpiredTimeout("establish of zero", .establish) { $0.establish = .zero },
        ExpiredTimeout("connect of zero", .connect) { $0.connect = .zero },
        ExpiredTimeout("negative total", .total) { $0.total = .seconds(-1) },
    ]

    @Test(arguments: establishing)
    func `an expired request opens no connection, over TCP or Unix sockets`(
        expired: ExpiredTimeout
    ) async throws {
        let name = "\0expired-\(UInt64.random(in: 0 ... .max))"
        let unix = try ScriptedOrigin(unix: name, .always(Self.hello))
        let tcp = try ScriptedOrigin(.always(Self.hello))
        let client = HTTPClient().with { expired.change(&$0.timeouts) }
        let overUnix = client.with {
            $0.connectOptions.unixSocket = .abstract(String(name.dropFirst()))
        }
        let proxied = client.with {
            $0.proxy = .proxy(HTTPProxy(scheme: .http, host: "127.0.0.1", port: tcp.port))
        }
        let socks = client.with {
            $0.proxy = .proxy(HTTPProxy(scheme: .socks5, host: "127.0.0.1", port: tcp.port))
        }
        let failures = [
            await failure { try await client.send(HTTPRequest(tcp.url)) },
            await failure { try await client.send(HTTPRequest("https://127.0.0.1:\(tcp.port)/")) },
            await failure { try await overUnix.send("http://unix.example/") },
            await failure { try await proxied.send("http://origin.example/") },
            await failure { try await proxied.send("https://origin.example/") },
            await failure { try await proxied.tunnel(to: "origin.example", port: 22) },
            await failure { try await socks.send("http://127.0.0.1/") },
            await failure { try await client.withConnection(to: HTTPRequest(tcp.url)) { _ in } },
        ]
        #expect(failures.map { $0?.kind } == failures.map { _ in .timedOut(expired.phase) })
        #expect(tcp.connectionCount == 0 && unix.connectionCount == 0)
    }

    @Test func `an expired establish timeout does not affect an open connection`() async throws {
        let origin = try ScriptedOrigin(.always(Self.hello))
        let client = HTTPClient()
        _ = try await client.send(HTTPRequest(origin.url))
        let request = HTTPRequest(origin.url).timeouts { $0.establish = .zero }
        #expect(try await client.send(request).text == "hello")
    }

    @Test func `a timeout between two requests of a call prevents the second one`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply("HTTP/1.1 302 Found\r\nLocation: /late\r\nContent-Length: 0\r\n\r\n"),
            .expectHead, .reply(Self.hello),
        ])
        let client = HTTPClient().with {
            $0.interceptors = [Delay()]
            $0.timeouts.total = .milliseconds(200)
        }
        let error = await failure { try await client.send(HTTPRequest(origin.url)) }
        #expect(error?.kind == .timedOut(.total))
        #expect(!origin.text().contains("/late"))
    }

    @Test func `a timeout while waiting for a connection prevents sending`() async throws {
        let answer = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .pause(answer), .reply(Self.hello), .expectHead, .reply(Self.hello),
        ])
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        let client = HTTPClient(configuration)
        let isLate = DispatchSemaphore(value: 0)
        // Blocks the loop from the end of this call until the other call has timed out.
        let first = Task(executorPreference: client.executor) {
            _ = try await client.send(HTTPRequest(origin.url))
            wait(for: isLate)
        }
        await answer.arrival()
        let late = HTTPRequest(origin.url + "/late").timeouts { $0.total = .milliseconds(500) }
        let second = Task { await failure { try await client.send(late) } }
        var end = ContinuousClock.now + .milliseconds(500)
        while await client.pool.snapshot().waiting == 0, ContinuousClock.now < end {
            await Task.yield()
        }
        answer.open()
        end = ContinuousClock.now + .milliseconds(500)
        while ContinuousClock.now < end { await moment() }
        isLate.signal()
        try await first.value
        #expect(await second.value?.kind == .timedOut(.total))
        let last = try await client.send(HTTPRequest(origin.url + "/last"))
        #expect(last.metrics.connectionID == 1)
        #expect(!origin.text().contains("/late"))
    }

    /// An interceptor that changes nothing.
    private struct PassThroughInterceptor: HTTPInterceptor {
        func intercept(
            _ request: HTTPRequest,
            _ context: HTTPContext,
            next: HTTPNext
        ) async throws -> HTTPInterceptorResult {
            try await next(request)
        }
    }

    /// Waits until the call times out, before the request that a redirect leads to.
    private struct Delay: HTTPInterceptor {
        func intercept(
            _ request: HTTPRequest,
            _ context: HTTPContext,
            next: HTTPNext
        ) async throws -> HTTPInterceptorResult {
            if request.url.hasSuffix("/late") {
                while !Task.isCancelled { await Task.yield() }
            }
            return try await next(request)
        }
    }
}

/// Blocks the thread; an async function cannot call `wait` itself.
private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
