import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// The example of the documentation.
private struct GreetingDialer: HTTPDialer {
    func dial(_ request: HTTPDialRequest) -> HTTPDialRequest.Outcome {
        guard request.url.host == "greeting.test" else { return .network }
        return .stream { stream in
            _ = try await stream.read()
            try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        }
    }
}

/// A dialer whose closure decides.
private struct ClosureDialer: HTTPDialer {
    let decide: @Sendable (HTTPDialRequest) throws -> HTTPDialRequest.Outcome

    init(_ decide: @escaping @Sendable (HTTPDialRequest) throws -> HTTPDialRequest.Outcome) {
        self.decide = decide
    }

    /// Returns a dialer that uses a stream for all requests.
    static func stream(
        simulatesTLS: Bool = false,
        _ serve: @escaping HTTPDialRequest.Outcome.Serve
    ) -> ClosureDialer {
        ClosureDialer { _ in .stream(simulatesTLS: simulatesTLS, serve) }
    }

    func dial(_ request: HTTPDialRequest) throws -> HTTPDialRequest.Outcome { try decide(request) }
}

private struct TestError: Error, CustomStringConvertible {
    let description = "trouble"
}

/// Reads on the executor of an actor.
private actor Reader {
    /// Reads until it has received `count` bytes of the value 9.
    func read(_ count: Int, from stream: HTTPDialRequest.PeerStream) async throws {
        var rest = count
        while rest > 0 { rest -= try await stream.read().count { $0 == 9 } }
    }
}

private let greeting = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite(.timeLimit(.minutes(10))) struct HTTPDialerTests {
    private func client(_ dialer: ClosureDialer) -> HTTPClient {
        HTTPClient().with { $0.dialer = dialer }
    }

    // MARK: - Deciding

    @Test func `a dialer answers the requests that it chooses, and the network the others`()
        async throws
    {
        let server = try await HTTPTestServer.start { _ in .text("real") }
        let client = HTTPClient().with { $0.dialer = GreetingDialer() }
        let response = try await client.send("http://greeting.test/")
        #expect(response.text == "hello")
        #expect(response.metrics.bytesReceived == greeting.utf8.count)
        #expect(await client.pool.snapshot().origins.isEmpty)
        #expect(try await client.send(HTTPRequest(server.url)).text == "real")
        #expect(server.requests.count == 1)
    }

    @Test func `a dialer sees the request as it is sent, without the proxy's fields`() async throws
    {
        let seen = Locked<[HTTPDialRequest]>([])
        let received = Locked("")
        let dialer = ClosureDialer { request in
            seen.withLock { $0.append(request) }
            return .stream { stream in
                let bytes = try await stream.read()
                received.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
                try await stream.write(greeting)
            }
        }
        let client = client(dialer).with { $0.proxy = .url("http://ada:secret@127.0.0.1:1") }
        let request = HTTPRequest("http://user:pw@a.test/x?y", method: .put, body: .string("body"))
        _ = try await client.send(request)
        let dialed = try #require(seen.withLock { $0.first })
        #expect(dialed.purpose == .exchange)
        #expect(dialed.method == .put)
        #expect(dialed.url.text == "http://a.test/x?y")
        #expect(dialed.body == Array("body".utf8))
        #expect(!dialed.isBodyStreamed)
        #expect(dialed.headers[.authorization] == "Basic dXNlcjpwdw==")
        #expect(!dialed.headers.contains(.proxyAuthorization))
        let lines = dialed.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        #expect(received.withLock { $0 } == "PUT /x?y HTTP/1.1\r\n\(lines)\r\nbody")
    }

    @Test func `an error thrown by dial fails the call before anything is sent`() async {
        let thrown = client(ClosureDialer { _ in throw TestError() })
        let error = await failure { try await thrown.send("http://a/") }
        #expect(error?.kind == .dialerFailed(reason: "trouble"))
        #expect(error?.underlying is TestError)
        #expect(error?.phase == .preparing)
        #expect(error?.blame == .caller)
        #expect(error?.isRetrySafe == true)
        #expect(error?.request == "GET http://a/")
        let chosen = client(
            ClosureDialer { _ in throw HTTPDialRequest.DialError(.bodyTooLarge(limit: 7)) }
        )
        #expect(
            await failure { try await chosen.send("http://a/") }?.kind == .bodyTooLarge(limit: 7)
        )
    }

    @Test func `upgrades, tunnels and pooled connections cannot use a stream`() async {
        let purposes = Locked<[HTTPDialRequest.Purpose]>([])
        let dialer = ClosureDialer { request in
            purposes.withLock { $0.append(request.purpose) }
            return .stream { _ in }
        }
        let client = client(dialer).with { $0.proxy = .url("http://127.0.0.1:1") }
        let errors = [
            await failure { try await client.upgrade("http://a/", to: "websocket") },
            await failure { try await client.tunnel(to: "a", port: 80) },
            await failure { try await client.pool.acquire(for: "http://a/") },
            await failure { try await client.pool.prewarm(1, for: "http://a/") },
        ]
        for error in errors {
            guard case .dialerFailed? = error?.kind else {
                Issue.record("\(error.debugDescription)")
                continue
            }
            #expect(error?.phase == .preparing)
        }
        let expected: [HTTPDialRequest.Purpose] = [
            .upgrade, .tunnel, .pooledConnection, .pooledConnection,
        ]
        #expect(purposes.withLock { $0 } == expected)
    }

    // MARK: - TLS

    @Test func `https over a stream performs the handshake and verifies the certificate`()
        async throws
    {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { _ in .text("secret") }
        let port = server.port
        let proxy = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"), .relay(toPort: port),
        ])
        let dialer = ClosureDialer.stream { stream in
            let far = try await HTTPClient().tunnel(
                to: "127.0.0.1",
                port: port,
                through: .url("http://127.0.0.1:\(proxy.port)")
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await bytes in far { try await stream.write(bytes) }
                }
                while case let bytes = try await stream.read(), !bytes.isEmpty {
                    try await far.write(bytes)
                }
                group.cancelAll()
            }
        }
        let client = client(dialer).with {
            $0.security.trust = .pem(server.certificateAuthorityPEM)
        }
        let response = try await client.send(HTTPRequest(server.url))
        #expect(response.text == "secret")
        #expect(response.metrics.tls?.isVerified == true)
        #expect(response.metrics.tls?.isSimulated == false)
    }

    @Test func `https over a stream without TLS fails unless the dialer permits it`() async throws {
        let serve: HTTPDialRequest.Outcome.Serve = { stream in
            _ = try await stream.read()
            try await stream.write(greeting)
        }
        let strict = client(ClosureDialer.stream(serve))
        let error = await failure { try await strict.send("https://a.test/") }
        guard case .tlsFailed? = error?.kind else {
            Issue.record("\(error.debugDescription)")
            return
        }
        let client = client(ClosureDialer.stream(simulatesTLS: true, serve))
        let response = try await client.send("https://a.test/")
        #expect(response.text == "hello")
        let tls = try #require(response.metrics.tls)
        #expect(tls.isSimulated)
        #expect(!tls.isVerified)
        #expect(tls.version == nil && tls.cipher.isEmpty && tls.certificates.isEmpty)
        #expect(try await client.send("http://a.test/").metrics.tls == nil)
    }

    // MARK: - Failures

    @Test func `an error before the first read is an error of connecting`() async {
        let thrown = client(ClosureDialer.stream { _ in throw TestError() })
        let post = HTTPRequest("http://a/", method: .post, body: .string("x"))
        let error = await failure { try await thrown.send(post) }
        #expect(error?.kind == .dialerFailed(reason: "trouble"))
        #expect(error?.phase == .connect)
        #expect(error?.isRetrySafe == true)
        let dialer = ClosureDialer.stream { stream in
            try await stream.wait(for: .milliseconds(1))
            throw HTTPDialRequest.DialError(
                .resolveFailed(host: "a", reason: "b"),
                underlying: TestError()
            )
        }
        let chosen = await failure { try await client(dialer).send(post) }
        #expect(chosen?.kind == .resolveFailed(host: "a", reason: "b"))
        #expect(chosen?.phase == .resolve)
        #expect(chosen?.underlying is TestError)
        #expect(chosen?.isRetrySafe == true)
    }

    @Test func `an error after the request was read fails the call in its phase`() async {
        let dialer = ClosureDialer.stream { stream in
            _ = try await stream.read()
            throw TestError()
        }
        let post = HTTPRequest("http://a/", method: .post, body: .string("x"))
        let error = await failure { try await client(dialer).send(post) }
        #expect(error?.kind == .dialerFailed(reason: "trouble"))
        #expect(error?.phase == .responseHead)
        #expect(error?.isRetrySafe == false)
    }

    @Test func `a peer that stops without a response closes the connection`() async {
        let silent = client(ClosureDialer.stream { stream in _ = try await stream.read() })
        let error = await failure { try await silent.send("http://a/") }
        #expect(error?.kind == .truncatedResponse(.closedBeforeResponse))
        let resetting = client(
            ClosureDialer.stream { stream in
                _ = try await stream.read()
                try await stream.write("HTTP/1.1 200 OK\r\n")
                await stream.reset()
            }
        )
        let reset = await failure { try await resetting.send("http://a/") }
        #expect(reset?.kind == .connectionLost(reason: "Connection reset by peer"))
    }

    @Test(arguments: [true, false])
    func `a timeout stops a peer that never reads`(isConnectTimeout: Bool) async {
        let (stops, stopped) = AsyncStream<Bool>.makeStream()
        let dialer = ClosureDialer.stream { stream in
            try? await Task.sleep(for: .seconds(600))
            stopped.yield(Task.isCancelled)
        }
        let client = client(dialer).with {
            if isConnectTimeout {
                $0.timeouts.connect = .milliseconds(20)
            } else {
                $0.timeouts.establish = .milliseconds(20)
            }
        }
        let error = await failure { try await client.send("http://a/") }
        #expect(error?.kind == .timedOut(isConnectTimeout ? .connect : .establish))
        for await wasCancelled in stops {
            #expect(wasCancelled)
            break
        }
    }

    @Test func `canceling a call ends the reads of its peer`() async {
        let (reads, read) = AsyncStream<HTTPError.Kind?>.makeStream()
        let (beginnings, beginning) = AsyncStream<Void>.makeStream()
        let dialer = ClosureDialer.stream { stream in
            _ = try await stream.read()
            beginning.yield()
            do throws(HTTPError) {
                _ = try await stream.read()
                read.yield(nil)
            } catch {
                read.yield(error.kind)
            }
        }
        let client = client(dialer)
        let call = Task { await failure { try await client.send("http://a/") } }
        for await _ in beginnings { break }
        call.cancel()
        #expect(await call.value?.kind == .cancelled)
        for await kind in reads {
            #expect(kind == .cancelled)
            break
        }
    }

    // MARK: - Streams

    @Test func `a peer reads and writes at the same time, from any executor`() async throws {
        let count = 3 << 20
        let dialer = ClosureDialer.stream { stream in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { @concurrent in
                    try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
                    try await stream.write([UInt8](repeating: 7, count: count))
                }
                group.addTask { try await Reader().read(count, from: stream) }
                try await group.waitForAll()
            }
        }
        let body = HTTPBody.bytes([UInt8](repeating: 9, count: count))
        let request = HTTPRequest("http://a/", method: .post, body: body)
        #expect(try await client(dialer).send(request).body.count == count)
    }

    @Test func `a second reader is rejected`() async throws {
        let dialer = ClosureDialer.stream { stream in
            _ = try await stream.read()
            async let first = stream.read()
            var kind: HTTPError.Kind?
            while kind == nil {
                do throws(HTTPError) {
                    try await stream.wait(for: .zero)
                    await Task.yield()
                } catch {
                    kind = error.kind
                }
            }
            let text = kind == .invalidRequest(.overlappingRead) ? "right" : "wrong"
            try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\(text)")
            _ = try await first
        }
        #expect(try await client(dialer).send("http://a/").text == "right")
    }

    @Test func `a blocking call uses the stream and waits until its peer has stopped`() async {
        let ends = Locked(0)
        let dialer = ClosureDialer.stream { stream in
            defer { ends.withLock { $0 += 1 } }
            _ = try await stream.read()
            try await stream.write(greeting)
            try await stream.wait(for: .seconds(600))
        }
        let client = client(dialer)
        let texts = await onThread {
            (1...2).map { number in
                let text = try? client.blocking.send("http://a/").text
                return "\(text ?? "") \(number) \(ends.withLock { $0 })"
            }
        }
        #expect(texts == ["hello 1 1", "hello 2 2"])
    }
}
