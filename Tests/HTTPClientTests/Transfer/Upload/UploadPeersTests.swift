import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests streamed uploads to nginx, to the test server and through proxies.
@Suite(.timeLimit(.minutes(10))) struct UploadPeersTests {
    private func post(_ url: String, _ body: HTTPBody) -> HTTPRequest {
        HTTPRequest(url, method: .post, body: body)
    }

    @Test func `nginx forwards files, sequences and forms`() async throws {
        let upstream = try await HTTPTestServer.start { .text("\($0.body.count)") }
        let nginx = try Nginx(upstream: upstream.port)
        let directory = try TemporaryDirectory()
        let bytes = [UInt8](repeating: 120, count: 500_000)
        let path = try directory.write(bytes, as: "a.txt")
        var form = MultipartForm()
        form.add(string: "1", name: "a")
        form.add(file: path, name: "f")
        form.add(name: "s") { WatchedPieces([1, 2, 3], 1000) }
        let client = HTTPClient()
        let url = nginx.url + "/proxy/x"
        #expect(try await client.send(post(url, .file(path))).text == "500000")
        let pieces = HTTPBody.stream(WatchedPieces([UInt8](repeating: 1, count: 1000), 300))
        #expect(try await client.send(post(url, pieces)).text == "300000")
        #expect(try await client.send(post(url, .multipart(form))).metrics.isReused)
        let received = try #require(upstream.requests.last)
        let type = try #require(received.headers[.contentType])
        let boundary = try #require(MediaType(type)?.boundary)
        #expect(received.text.hasPrefix("--\(boundary)\r\nContent-Disposition: form-data; "))
        #expect(received.text.hasSuffix("\r\n--\(boundary)--\r\n"))
        #expect(received.body.count > 503_000)
        nginx.stop()
        await upstream.stop()
    }

    @Test func `nginx rejects a large body before it is produced`() async throws {
        let nginx = try Nginx(
            directives: "location /small { client_max_body_size 1k; return 200; }"
        )
        let client = HTTPClient()
        let size = 64 << 20
        let pieces = WatchedPieces([UInt8](repeating: 120, count: 64 << 10), 1024)
        var request = post(nginx.url + "/small", .stream(pieces, length: size))
        #expect(try await client.send(request).status.code == 413)
        await pieces.iteratorReleased()
        let patient = WatchedPieces([1], 1)
        request.body = .stream(patient, length: size)
        request.headers[.expect] = "100-continue"
        #expect(try await client.send(request).status.code == 413)
        #expect(patient.takenCount == 0)
        nginx.stop()
    }

    @Test func `a large upload arrives through a tunnel`() async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { .text("\($0.body.count)") }
        let port = server.port
        let proxy = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"), .relay(toPort: port),
        ])
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(server.certificateAuthorityPEM)
        configuration.proxy = .proxy(
            HTTPProxy(scheme: .http, host: "127.0.0.1", port: proxy.port),
            except: ""
        )
        let client = HTTPClient(configuration)
        let (stream, maker) = AsyncStream.makeStream(of: [UInt8].self)
        let request = post(server.url, .stream(stream))
        let call = Task { try await client.send(request).text }
        for _ in 0..<50 {
            maker.yield([UInt8](repeating: 1, count: 20_000))
            await Task.yield()
        }
        maker.finish()
        #expect(try await call.value == "1000000")
    }

    @Test func `of two simultaneous calls only one sends a shared sequence`() async throws {
        let server = try await HTTPTestServer.start { .text("\($0.body.count)") }
        let client = HTTPClient()
        let request = post(server.url, .stream(WatchedPieces([1, 2], 2)))
        async let left = outcome(of: request, in: client)
        async let right = outcome(of: request, in: client)
        let outcomes = [await left, await right]
        #expect(outcomes.compactMap(\.text) == ["4"])
        for kind in outcomes.compactMap(\.failure) {
            let kinds: [HTTPError.Kind] = [
                .invalidRequest(.bodyAlreadyConsumed), .bodyFailed(.notReplayable(.first)),
            ]
            #expect(kinds.contains(kind))
        }
    }

    private func outcome(
        of request: HTTPRequest,
        in client: HTTPClient
    ) async -> (text: String?, failure: HTTPError.Kind?) {
        do {
            return (try await client.send(request).text, nil)
        } catch {
            return (nil, error.kind)
        }
    }

    @Test func `chained modifiers set the body of a copy`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("file", as: "a.csv")
        let server = try await HTTPTestServer.start { .echo($0) }
        let base = HTTPRequest(server.url, method: .post)
        let form = base.multipart(boundary: "b") { $0.add(string: "1", name: "a") }
        let rows: [(HTTPRequest, String, String)] = [
            (base.json(["b": 1, "a": nil]), #"{"b":1,"a":null}"#, "application/json"),
            (base.body(.json(text: "[]")), "[]", "application/json"),
            (base.form(["a": "b c"]), "a=b+c", "application/x-www-form-urlencoded"),
            (base.data(Array("x".utf8)), "x", "application/octet-stream"),
            (base.file(path, range: 1..<3), "il", "text/csv"),
            (base.stream(WatchedPieces([65], 2)), "AA", "application/octet-stream"),
            (base.body(.string("é")), "é", "text/plain; charset=utf-8"),
            (
                form, "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n",
                "multipart/form-data; boundary=b"
            ),
        ]
        for (request, text, type) in rows {
            _ = try await request.send()
            #expect(server.requests.last?.text == text)
            #expect(server.requests.last?.headers[.contentType] == type)
        }
        #expect(base.body.length == 0)
    }
}
