import ClientSupport
import Dispatch
import Glibc
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Regression tests for bugs found in reviews and by fuzzing.
@Suite(.timeLimit(.minutes(10))) struct HardeningTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test(arguments: [Int.max, -1])
    func `a collect limit of any value is enforced`(limit: Int) async throws {
        let origin = try ScriptedOrigin(.always(hello))
        var configuration = HTTPClient.Configuration()
        configuration.collectLimit = limit
        configuration.limits.headBytes = .max
        let client = HTTPClient(configuration)
        if limit > 0 {
            #expect(try await client.send(HTTPRequest(origin.url)).text == "hello")
        } else {
            let error = await failure { try await client.send(HTTPRequest(origin.url)) }
            #expect(error?.kind == .bodyTooLarge(limit: 0))
        }
    }

    @Test func `the total timeout applies to a peer that sends without pause`() async throws {
        let block = [UInt8](repeating: 1, count: 1 << 20)
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"), .replyForever(block),
        ])
        var request = HTTPRequest(origin.url)
        request.timeouts = HTTPTimeouts(total: .milliseconds(50))
        let error = await failure { [request] in
            // On a busy machine, the time may be over before the head has arrived.
            let response = try await HTTPClient().stream(request)
            for try await _ in response.body {}
        }
        #expect(error?.kind == .timedOut(.total))
    }

    /// An actor without a preferred executor: its jobs run both on the loop and on other threads.
    private actor Caller {
        let client: HTTPClient
        let url: String

        init(_ client: HTTPClient, _ url: String) {
            self.client = client
            self.url = url
        }

        /// Announces that it occupies the actor, and does so until the gate opens; returns its thread.
        func occupy(until gate: Gate, _ entered: @Sendable () -> Void) -> pthread_t {
            entered()
            gate.block()
            return pthread_self()
        }

        /// Sends requests, and returns the number of their bytes and the thread that the job began on.
        func ask() async throws -> (bytes: Int, thread: pthread_t) {
            let thread = pthread_self()
            var bytes = 0
            for _ in 0..<5 {
                bytes += try await client.send(HTTPRequest(url)).body.count
                let stream = try await client.stream(HTTPRequest(url))
                for try await chunk in stream.body { bytes += chunk.count }
            }
            return (bytes, thread)
        }
    }

    @Test func `an actor's calls succeed when its jobs run on the loop`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let caller = Caller(client, origin.url)
        // The thread that leaves the actor runs the job that is queued behind it, if it is queued in time.
        var isOnLoop = false
        while !isOnLoop {
            let gate = Gate()
            let (entries, entered) = AsyncStream.makeStream(of: Void.self)
            let occupying = Task(executorPreference: client.executor) {
                await caller.occupy(until: gate) { entered.yield() }
            }
            for await _ in entries { break }
            let asking = Task.detached {
                gate.open()
                return try await caller.ask()
            }
            let asked = try await asking.value
            #expect(asked.bytes == 50)
            isOnLoop = await occupying.value == asked.thread
        }
    }

    @Test func `a task on the loop can send requests after a pool snapshot`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let url = origin.url
        let bytes = try await Task(executorPreference: client.executor) {
            var bytes = 0
            for _ in 0..<20 {
                _ = await client.pool.snapshot()
                bytes += try await client.send(HTTPRequest(url)).body.count
            }
            return bytes
        }.value
        #expect(bytes == 100)
    }

    @Test func `tasks with and without an executor preference can share an actor`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let caller = Caller(client, origin.url)
        let bytes = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                let executor: (any TaskExecutor)? = number % 2 == 0 ? client.executor : nil
                group.addTask(executorPreference: executor) { try await caller.ask().bytes }
            }
            return try await group.reduce(0, +)
        }
        #expect(bytes == 400)
    }

    @Test func `a canceled task on the loop sends nothing`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        _ = try await client.send(HTTPRequest(origin.url))
        let before = origin.received().count
        let url = origin.url
        let kind = await Task(executorPreference: client.executor) {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await failure { try await client.send(HTTPRequest(url, method: .post)) }?.kind
        }.value
        #expect(kind == .cancelled)
        // Everything that was sent has been received when the connection is closed.
        await client.pool.drain()
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
        #expect(origin.received().count == before)
    }

    @Test(arguments: [false, true])
    func `a blocking call checks its idle connection for input or a close`(
        speaks: Bool
    ) async throws {
        let gate = Gate()
        let poison = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"
        let first = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(hello), .pause(gate), speaks ? .reply(poison) : .close],
            [.expectHead, .reply(hello)],
        ])
        let second = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let (one, other, port) = (first.url, second.url, first.port)
        let text: String = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                _ = try? client.blocking.send(HTTPRequest(one, method: .post))
                _ = try? client.blocking.send(HTTPRequest(other))
                gate.open()
                while !DescriptorCount.hasInput(fromPort: port) { usleep(1000) }
                // A check of the loop's sockets counts for at most a millisecond (`isKnownIdle`).
                usleep(1000)
                let answer = try? client.blocking.send(HTTPRequest(one, method: .post))
                continuation.resume(returning: answer?.text ?? "none")
            }
        }
        #expect(text == "hello")
    }

    @Test func `a framing field in the client's configuration is rejected`() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.headers[.transferEncoding] = "chunked"
        let client = HTTPClient(configuration)
        let error = await failure { try await client.send("http://127.0.0.1:1/") }
        #expect(error?.kind == .invalidRequest(.framingField("Transfer-Encoding")))
    }

    @Test(arguments: [HTTPTestServer.TLS.off, .selfIssued])
    func `trailers can exceed the head limit if their own limit allows`(
        tls: HTTPTestServer.TLS
    )
        async throws
    {
        var reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
        for number in 0..<20 {
            reply += "X-T\(number): " + String(repeating: "v", count: 8000) + "\r\n"
        }
        let text = reply + "\r\n"
        let server = try await HTTPTestServer.start(tls: tls) { _ in .raw(text) }
        var configuration = HTTPClient.Configuration()
        configuration.limits.trailerBytes = 1 << 20
        configuration.timeouts.total = .seconds(20)
        if tls != .off { configuration.security.trust = .pem(server.certificateAuthorityPEM) }
        let response = try await HTTPClient(configuration).send(HTTPRequest(server.url))
        #expect(response.trailers.count == 20)
    }

    @Test(arguments: [20_000, 30_000, 50_000])
    func `bytes buffered by TLS after a body are not read as the next response`(
        count: Int
    ) async throws {
        let authority = try CertificateAuthority(commonName: "hardening")
        let identity = try authority.issue(CertificateTemplate(names: ["127.0.0.1"]))
        let context = try TLSContext(server: identity)
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        let (address, door) = try await withTaskExecutorPreference(loop) { try await listen(loop) }
        let serving = Task(executorPreference: loop) { try await answerTwice(door, context, count) }
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(authority.certificate)
        configuration.timeouts.total = .seconds(2)
        let client = HTTPClient(configuration)
        let url = "https://127.0.0.1:\(address.port)/"
        #expect(try await client.send(HTTPRequest(url)).body.count == count)
        // The server accepts no second connection, so any response would be the planted one.
        var request = HTTPRequest(url)
        request.timeouts = HTTPTimeouts(total: .milliseconds(200))
        let second = try? await client.send(request)
        #expect(second == nil)
        serving.cancel()
    }
}

@concurrent private func listen(
    _ loop: EventLoop
) async throws -> (SocketAddress, LoopBound<ListeningSocket>) {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    let listener = try ListeningSocket(on: loop, address: address)
    return (listener.address, LoopBound(listener, on: loop))
}

/// Accepts the first connection that completes a handshake.
///
/// Another test may connect to this port, because it was unused before.
private nonisolated(nonsending) func acceptSecured(
    _ door: LoopBound<ListeningSocket>,
    _ context: TLSContext
) async throws -> (SocketStream, TLSStream) {
    while true {
        let socket = try await door.value.accept()
        let engine = try TLSEngine(context: context, role: .server)
        let stream = TLSStream(engine: engine, over: socket)
        do {
            try await stream.handshake(until: .never)
            return (socket, stream)
        } catch {
            stream.close()
        }
    }
}

/// Answers one request with a body and, in the same burst, with an unsolicited response.
@concurrent private func answerTwice(
    _ door: LoopBound<ListeningSocket>,
    _ context: TLSContext,
    _ count: Int
) async throws {
    defer { door.value.close() }
    let (socket, stream) = try await acceptSecured(door, context)
    defer { stream.close() }
    try await stream.wait(for: .readable, until: .never)
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8)
    let planted = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL".utf8)
    let all = head + [UInt8](repeating: 97, count: count) + planted
    var sent = 0
    while sent < all.count {
        sent += try stream.send(all.span.extracting(sent...))
        if sent < all.count { try await stream.wait(for: .writable, until: .never) }
    }
    // Wait until the client closes.
    try await socket.wait(for: .readable, until: Deadline.now().advanced(by: .seconds(5)))
}
