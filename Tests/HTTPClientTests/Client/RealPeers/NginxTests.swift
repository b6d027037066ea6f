import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests persistent connections to nginx. `RealServerTests` has the simple cases.
@Suite(.timeLimit(.minutes(10))) struct NginxTests {
    @Test func `nginx's limit of requests per connection causes no error`() async throws {
        let nginx = try Nginx(directives: "keepalive_requests 7;")
        let client = HTTPClient()
        let replays = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    var replays = 0
                    for _ in 0..<60 {
                        guard let response = try? await client.send(HTTPRequest(nginx.url)) else {
                            Issue.record("a request failed")
                            continue
                        }
                        #expect(response.text == "hello, world\n")
                        #expect(response.metrics.priorUses < 7)
                        replays += response.metrics.replays
                    }
                    return replays
                }
            }
            return await group.reduce(0, +)
        }
        // nginx announces that it will close, so no retry is necessary.
        #expect(replays == 0)
        await expectUnharmed(client, next: HTTPRequest(nginx.url), ports: nginx.port)
        nginx.stop()
    }

    @Test func `a reload of nginx between and during requests causes no error`() async throws {
        let nginx = try Nginx(processes: .masterWithWorker)
        let client = HTTPClient()
        let first = try await client.send(HTTPRequest(nginx.url))
        // The old worker closes its idle connections.
        try nginx.reload()
        while await client.pool.snapshot().idle > 0 { await moment() }
        let second = try await client.send(HTTPRequest(nginx.url))
        #expect(second.metrics.connectionID != first.metrics.connectionID)
        #expect(second.metrics.replays == 0)

        let isOver = Latched()
        let callers = Task {
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var failures = 0
                        while !isOver.isSet {
                            if (try? await client.send(HTTPRequest(nginx.url))) == nil {
                                failures += 1
                            }
                        }
                        return failures
                    }
                }
                return await group.reduce(0, +)
            }
        }
        for _ in 0..<5 {
            let before = try await client.send(HTTPRequest(nginx.url)).metrics.connectionID
            try nginx.reload()
            // Wait until all connections to the old worker are closed.
            while try await client.send(HTTPRequest(nginx.url)).metrics.connectionID <= before {}
        }
        isOver.set()
        #expect(await callers.value == 0)
        await expectUnharmed(client, next: HTTPRequest(nginx.url), ports: nginx.port)
        nginx.stop()
    }

    @Test func `a stopped nginx closes idle connections and then refuses new ones`() async throws {
        let nginx = try Nginx()
        let other = try Nginx()
        let client = HTTPClient()
        _ = try await client.send(HTTPRequest(nginx.url))
        nginx.stop()
        while await client.pool.snapshot().idle > 0 { await moment() }
        let error = await failure { try await client.send(HTTPRequest(nginx.url)) }
        #expect(error.map { Expected.connectFailed(errno: 111).fits($0.kind) } == true)
        await expectUnharmed(client, next: HTTPRequest(other.url), ports: nginx.port, other.port)
        other.stop()
    }

    @Test func `a POST too large for nginx is rejected, and a smaller one accepted`() async throws {
        let upstream = try await HTTPTestServer.start { .text("\($0.body.count)") }
        let nginx = try Nginx(
            upstream: upstream.port,
            directives: "location = /small { client_max_body_size 1k; return 200; }"
        )
        let client = HTTPClient()
        let large = [UInt8](repeating: 120, count: 8 << 20)
        let refused = HTTPRequest(nginx.url + "/small", method: .post, body: .bytes(large))
        let answer = try await client.send(refused)
        #expect(answer.status.code == 413)
        #expect(answer.text.contains("413"))
        let taken = HTTPRequest(nginx.url + "/proxy/x", method: .post, body: .bytes(large))
        #expect(try await client.send(taken).text == "\(large.count)")
        await expectUnharmed(client, next: HTTPRequest(nginx.url), ports: nginx.port)
        nginx.stop()
        await upstream.stop()
    }

    @Test func `100 Continue arrives before the response to a large POST`() async throws {
        let upstream = try await HTTPTestServer.start { .text("\($0.body.count)") }
        let nginx = try Nginx(upstream: upstream.port)
        let client = HTTPClient()
        let large = [UInt8](repeating: 120, count: 8 << 20)
        var request = HTTPRequest(nginx.url + "/proxy/x", method: .post, body: .bytes(large))
        request.headers["expect"] = "100-continue"
        let response = try await client.send(request)
        #expect(response.text == "\(large.count)")
        #expect(response.informational.map(\.status.code) == [100])
        await expectUnharmed(client, next: HTTPRequest(nginx.url), ports: nginx.port)
        nginx.stop()
        await upstream.stop()
    }

    @Test func `a range of a file is delivered`() async throws {
        let file = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let nginx = try Nginx(files: ["part.bin": file])
        let client = HTTPClient()
        var request = HTTPRequest(nginx.url + "/files/part.bin")
        request.headers["range"] = "bytes=1000-69999"
        let part = try await client.send(request)
        #expect(part.status == .partialContent)
        #expect(part.headers["content-range"] == "bytes 1000-69999/100000")
        #expect(part.body == Array(file[1000..<70_000]))
        request.headers["range"] = "bytes=100000-"
        let beyond = try await client.send(request)
        #expect(beyond.status.code == 416)
        #expect(beyond.headers["content-range"] == "bytes */100000")
        await expectUnharmed(client, next: HTTPRequest(nginx.url), ports: nginx.port)
        nginx.stop()
    }

    @Test func `a large file compressed by nginx is streamed`() async throws {
        let text = (0..<60_000).map { "line \($0)\n" }.joined()
        let nginx = try Nginx(files: ["lines.txt": Array(text.utf8)])
        let client = HTTPClient()
        let response = try await client.stream(HTTPRequest(nginx.url + "/gzip/lines.txt"))
        #expect(response.headers[.contentEncoding] == "gzip")
        #expect(response.headers[.transferEncoding] == "chunked")
        #expect(try await response.body.collect() == Array(text.utf8))
        await expectUnharmed(client, next: HTTPRequest(nginx.url), ports: nginx.port)
        nginx.stop()
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `TLS sessions of nginx are resumed`(version: HTTPSecurity.Version) async throws {
        let certificates = try TestCertificates.shared.get()
        let directory = try TemporaryDirectory()
        let identity = try certificates.chained("localhost", "127.0.0.1")
        let nginx = try Nginx(
            tls: Nginx.TLSFiles(
                certificate: try directory.write(identity.certificateChain, as: "chain.pem"),
                key: try directory.write(identity.privateKey, as: "key.pem")
            )
        )
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(certificates.root.certificate)
        configuration.security.minimumVersion = version
        configuration.security.maximumVersion = version
        let client = HTTPClient(configuration)
        var request = HTTPRequest("https://localhost:\(nginx.tlsPort)/")
        request.headers[.connection] = "close"
        for number in 0..<4 {
            let response = try await client.send(request)
            #expect(response.text == "hello, world\n")
            #expect(!response.metrics.isReused)
            #expect(response.metrics.tls?.version == version)
            #expect(response.metrics.tls?.isResumed == (number > 0))
        }
        await expectUnharmed(client, next: request, ports: nginx.tlsPort)
        nginx.stop()
    }
}

/// A flag that is set once.
private final class Latched: Sendable {
    private let flag = Locked(false)
    var isSet: Bool { flag.withLock { $0 } }
    func set() { flag.withLock { $0 = true } }
}
