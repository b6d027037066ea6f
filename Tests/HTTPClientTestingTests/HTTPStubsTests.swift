import ClientSupport
import HTTPClient
import HTTPClientTesting
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPStubsTests {
    private func client(
        @HTTPStubsBuilder _ stubs: () -> [HTTPStub]
    ) -> (client: HTTPClient, stubs: HTTPStubs) {
        let stubs = HTTPStubs { stubs() }
        return (HTTPClient().with { $0.stubs = stubs }, stubs)
    }

    @Test func `requests are counted by several matchers, as stubs select them`() async throws {
        let (client, stubs) = client {
            HTTPStub(.post, "/orders", answer: .json(["id": 7]).status(.created))
            HTTPStub(answer: .status(.notFound))
        }
        let order = HTTPRequest(.post, "https://api.invalid/orders").header("X-Key", "1")
        #expect(try await client.send(order).status == .created)
        _ = try await client.send("https://api.invalid/orders")
        try stubs.verify(.post, "/orders", .header("X-Key", "1"))
        try stubs.verify("/orders", times: 2)
        try stubs.verify(.post, .header("X-Key", "2"), times: 0)
        try stubs.verify(times: 2...2)
        #expect(stubs.calls(.post, "/orders").count == 1)
        #expect(stubs.calls(.get, .header("X-Key")).isEmpty)
        let error = #expect(throws: HTTPStubs.VerificationError.self) {
            try stubs.verify(.get, .header("X-Key"))
        }
        #expect(error?.description.contains("requested 0 times, not 1") == true)
    }

    @Test func `one stub is removed, and the next that matches answers`() async throws {
        let special = HTTPStub("/a", answer: .text("special"))
        let twin = HTTPStub("/a", answer: .text("twin"))
        let (client, stubs) = client {
            special
            twin
            HTTPStub(answer: .text("other"))
        }
        func text() async throws -> String { try await client.send("http://a.invalid/a").text }
        #expect(try await text() == "special")
        #expect(stubs.remove(special))
        #expect(!stubs.remove(special))
        #expect(try await text() == "twin")
        stubs.remove(twin)
        #expect(try await text() == "other")
        try stubs.verify("/a", times: 3)
        try stubs.verifyAllUsed()
        stubs.add(special)
        stubs.removeAll()
        #expect(!stubs.remove(special))
    }

    @Test func `a stub answers in place of the network and records the call`() async throws {
        let (client, stubs) = client {
            HTTPStub(.get("https://api.invalid/users/7"), answer: .json(["name": "Ada"]))
            HTTPStub(.post, answer: .status(.noContent))
        }
        let response = try await client.send("https://api.invalid/users/7")
        #expect(response.status == .ok)
        #expect(try response.json()["name"].string == "Ada")
        #expect(response.url.text == "https://api.invalid/users/7")
        #expect(response.metrics.attempts.first?.bytesReceived ?? 0 > 0)
        #expect(response.metrics.tls?.isSimulated == true)
        try stubs.verify(.host("api.invalid"))
        try stubs.verify(.post, times: 0...0)
        let call = try #require(stubs.calls.first)
        #expect(call.stub == "GET https://api.invalid/users/7")
        #expect(call.request.headers[.userAgent] == "HTTPClient")
        let missing = #expect(throws: HTTPStubs.VerificationError.self) { try stubs.verify(.post) }
        #expect(
            missing?.description
                == "POST: requested 0 times, not 1. The requests were:\n  GET https://api.invalid/users/7"
        )
        #expect(throws: HTTPStubs.VerificationError.self) { try stubs.verifyAllUsed() }
        _ = try await client.send(HTTPRequest("https://api.invalid/", method: .post))
        try stubs.verifyAllUsed()
        stubs.removeAllCalls()
        #expect(stubs.calls.isEmpty)
    }

    @Test func `a closure receives the whole request, also a streamed one`() async throws {
        let (client, stubs) = client {
            HTTPStub(.put, .template("/files/{name}")) { request in
                .text("\(request.variable("name") ?? "") \(request.text)")
            }
        }
        let pieces = AsyncStream<[UInt8]> { continuation in
            for piece in ["one ", "two"] { continuation.yield(Array(piece.utf8)) }
            continuation.finish()
        }
        let request = HTTPRequest("http://a/files/x", method: .put, body: .stream(pieces))
        #expect(try await client.send(request).text == "x one two")
        #expect(stubs.calls.first?.request.text == "one two")
        let other = HTTPRequest(
            "http://a/",
            method: .post,
            body: .stream(AsyncStream<[UInt8]> { $0.finish() })
        )
        let strict = client.with {
            $0.stubs = HTTPStubs { HTTPStub(.body("never"), answer: .close) }
        }
        let error = await failure { try await strict.send(other) }
        #expect(error?.description.contains("produced while it is sent") == true)
    }

    @Test func `an error thrown by a stub's closure is the cause of the call's error`() async {
        struct TestError: Error {}
        let (client, _) = client { HTTPStub("/") { _ in throw TestError() } }
        let error = await failure { try await client.send("http://a/") }
        let reason = HTTPStubFailureReason.answerFailed(stub: "/", reason: "TestError()")
        #expect(error?.stubError?.reason == reason)
        #expect(error?.stubError?.underlying is TestError)
        #expect(error?.kind == .dialerFailed(reason: reason.description))
        #expect(error?.blame == .caller)
    }

    @Test func `an invalid stub response gives an error`() async {
        let (client, _) = client { HTTPStub("/", answer: .text("x").header("X", "a\r\nb")) }
        let error = await failure { try await client.send("http://a/") }
        guard case .answerFailed("/", _)? = error?.stubError?.reason else {
            Issue.record("\(error.debugDescription)")
            return
        }
    }

    @Test func `a JSON matcher takes a value or text`() async throws {
        let name = "Ada"
        let (client, _) = client { HTTPStub(.json("{"), answer: .text("never")) }
        let error = await failure { try await client.send("http://a/value") }
        guard case .invalidStub("JSON", _)? = error?.stubError?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        let good = client.with {
            $0.stubs = HTTPStubs {
                HTTPStub("/value", answer: .json(["name": "Ada"]))
                HTTPStub("/text", answer: .json(#"{"name":"\#(name)"}"#))
            }
        }
        for path in ["/value", "/text"] {
            #expect(try await good.send(HTTPRequest("http://a\(path)")).text == #"{"name":"Ada"}"#)
        }
    }

    @Test func `an echo has the fields and body of the request`() async throws {
        let (client, _) = client { HTTPStub(answer: .echo) }
        let request = HTTPRequest(
            "http://a/",
            method: .post,
            headers: ["X-A": "1"],
            body: .json([1])
        )
        let response = try await client.send(request)
        #expect(response.headers["X-A"] == "1")
        #expect(response.contentType?.subtype == "json")
        #expect(response.text == "[1]")
        #expect(try await client.send(HTTPRequest("http://a/", method: .head)).body.isEmpty)
    }

    @Test func `redirects and cookies work with stubs`() async throws {
        let (client, stubs) = client {
            HTTPStub("http://a.test/in", answer: .redirect(to: "/home").header(.setCookie, "id=7"))
            HTTPStub("http://a.test/home", .header(.cookie, "id=7"), answer: .text("home"))
        }
        let response = try await client.with { $0.cookies = .automatic }.send("http://a.test/in")
        #expect(response.text == "home")
        #expect(response.redirects.count == 1)
        #expect(stubs.calls.map(\.request.url.path) == ["/in", "/home"])
    }

    @Test func `retries and challenges work with stubs`() async throws {
        let stubs = HTTPStubs {
            HTTPStub(
                .not(.header(.authorization)),
                answer: .status(
                    .unauthorized,
                    headers: [
                        .wwwAuthenticate: #"Basic realm="r""#
                    ]
                )
            )
            HTTPStub(answers: [
                .status(.serviceUnavailable), .error(.connectionLost(reason: "x")), .text("done"),
            ])
        }
        let client = HTTPClient().with {
            $0.stubs = stubs
            var validator = HTTPDefaultValidator()
            validator.strategy = .immediate
            $0.validators = [validator]
            $0.authentication = .basic(user: "u", password: "p")
        }
        #expect(try await client.send("http://a/").text == "done")
        try stubs.verify(.header(.authorization, "Basic dTpw"), times: 3)
    }

    @Test func `bodies are streamed, also delayed and throttled ones`() async throws {
        let (client, _) = client {
            HTTPStub("/chunks", answer: .chunks(["one", "two"], every: .milliseconds(5)))
            HTTPStub(
                "/slow",
                answer: .bytes(Array(repeating: 7, count: 3000))
                    .throttled(to: .init(bytesPerSecond: 60_000))
            )
        }
        var pieces: [String] = []
        for try await piece in try await client.stream("http://a/chunks").body {
            pieces.append(String(decoding: piece, as: UTF8.self))
        }
        #expect(pieces.joined() == "onetwo")
        #expect(try await client.send("http://a/slow").body.count == 3000)
        // A body that is dropped before its end also stops the stub that sends it.
        var iterator = try await client.stream("http://a/slow").body.makeAsyncIterator()
        _ = try await iterator.next()
    }

    #if DEBUG
    @Test func `delays and speeds of a stub pass in simulated time`() async {
        let result = await onThread { () -> (text: String?, elapsed: Duration) in
            let start = Deadline(nanoseconds: 1_000_000_000)
            SimulatedTime.now = start
            defer { SimulatedTime.now = nil }
            let loop = EventLoop.callerDriven()
            loop.simulation = { next in
                if next != .never, next > .now() { SimulatedTime.now = next }
            }
            var configuration = HTTPClient.Configuration()
            configuration.stubs = HTTPStubs {
                HTTPStub(
                    answer: .text("late").delayed(by: .seconds(30))
                        .throttled(to: .init(bytesPerSecond: 20))
                )
            }
            let client = HTTPClient(configuration, simulatedOn: loop, seed: 1)
            let text = try? loop.drive { try? await client.send("http://a/").text }
            let elapsed = Deadline.now().nanoseconds - start.nanoseconds
            return (text ?? nil, .nanoseconds(elapsed))
        }
        #expect(result.text == "late")
        #expect(result.elapsed > .seconds(33))
    }
    #endif

    @Test func `a stubbed download is resumed by another stub`() async throws {
        let directory = try TemporaryDirectory()
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let (client, stubs) = client {
            HTTPStub(.header(.range, "bytes=40000-")) { request in
                .bytes(Array(content[40_000...]), status: .partialContent)
                    .header("Content-Range", "bytes 40000-99999/100000").header("ETag", "\"a\"")
            }
            HTTPStub(
                answer: .bytes(content).header("ETag", "\"a\"").truncated(to: 40_000)
            )
        }
        let path = "\(directory.path)/file"
        let error = await failure { try await client.download("http://a/", to: path) }
        let data = try #require(error?.resumeData)
        _ = try await client.download("http://a/", to: path, options: .resuming(data))
        #expect(TestFileSystem.contents(of: path) == content)
        #expect(stubs.calls.count == 2)
    }

    @Test func `blocking calls are stubbed`() async throws {
        let (client, stubs) = client {
            HTTPStub("/a", answer: .text("fixed").delayed(by: .milliseconds(5)))
            HTTPStub("/b") { request in .text("made of \(request.url.path)") }
        }
        let texts = await onThread {
            ["/a", "/b", "/a"].map { try? client.blocking.send(HTTPRequest("http://a\($0)")).text }
        }
        #expect(texts == ["fixed", "made of /b", "fixed"])
        #expect(stubs.calls.count == 3)
    }

    @Test func `canceling a call cancels the stub's closure`() async throws {
        let (began, beginning) = AsyncStream<Void>.makeStream()
        let (ended, ending) = AsyncStream<Bool>.makeStream()
        let (client, _) = client {
            HTTPStub { _ in
                beginning.yield()
                try? await Task.sleep(for: .seconds(600))
                ending.yield(Task.isCancelled)
                return .text("late")
            }
        }
        let call = Task { await failure { try await client.send("http://a/") } }
        for await _ in began { break }
        call.cancel()
        #expect(await call.value?.isCancellation == true)
        for await wasCancelled in ended {
            #expect(wasCancelled)
            break
        }
    }

    @Test func `simultaneous calls are each answered once`() async throws {
        let count = 200
        let (client, stubs) = client {
            HTTPStub("/n", answers: (0..<count).map { .text("\($0)") })
            HTTPStub(.post) { request in .text(request.text) }
        }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<count {
                group.addTask { try await client.send("http://a/n").text }
                group.addTask {
                    let body = HTTPBody.string("p\(number)")
                    return try await client.send(
                        HTTPRequest("http://a/", method: .post, body: body)
                    ).text
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(texts) == Set((0..<count).flatMap { ["\($0)", "p\($0)"] }))
        #expect(stubs.calls.count == 2 * count)
        #expect(await client.pool.snapshot().origins.isEmpty)
    }

    @Test func `unmatched and ignored calls go to the network`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("real") }
        let open = HTTPStubs(onUnmatched: .passThrough) { HTTPStub("/stub", answer: .text("stub")) }
        let ignoring = HTTPStubs(ignoring: [.url(prefix: server.url)]) {
            HTTPStub(answer: .text("stub"))
        }
        let client = HTTPClient()
        let passing = client.with { $0.stubs = open }
        #expect(try await passing.send(HTTPRequest("\(server.url)/stub")).text == "stub")
        #expect(try await passing.send(HTTPRequest("\(server.url)/x")).text == "real")
        #expect(open.calls.map(\.isPassedThrough) == [false, true])
        let careful = client.with { $0.stubs = ignoring }
        #expect(try await careful.send(HTTPRequest("\(server.url)/x")).text == "real")
        #expect(try await careful.send("http://a/").text == "stub")
        #expect(server.requests.count == 2)
    }

    @Test func `a stubbed call does not use the proxy`() async throws {
        let (plain, stubs) = client { HTTPStub(answer: .text("stub")) }
        let client = plain.with { $0.proxy = .url("http://127.0.0.1:1") }
        #expect(try await client.send("http://a/x").text == "stub")
        #expect(try await client.send("https://a/x").text == "stub")
        #expect(stubs.calls.map(\.request.url.text) == ["http://a/x", "https://a/x"])
    }

    @Test func `upload progress is reported for a stub`() async throws {
        let (client, stubs) = client { HTTPStub(answer: .text("ok")) }
        let last = Locked<HTTPProgress?>(nil)
        let body = HTTPBody.bytes(Array(repeating: 1, count: 300_000))
        let request = HTTPRequest("http://a/", method: .post, body: body)
        let call = client.startStream(request)
            .onProgress { progress in last.withLock { $0 = progress } }
        _ = try await call.value.body.collect()
        #expect(last.withLock { $0?.isFinal } == true)
        #expect(stubs.calls.first?.request.body.count == 300_000)
    }

    @Test func `upgrades and dedicated connections are rejected`() async {
        let (client, _) = client { HTTPStub(answer: .text("stub")) }
        let upgrade = await failure { try await client.upgrade("http://a/", to: "websocket") }
        #expect(upgrade?.stubError?.reason == .needsNetwork)
        let lease = await failure { try await client.pool.acquire(for: "http://a/") }
        #expect(lease?.stubError?.reason == .needsNetwork)
    }

    @Test func `a stub sends bytes in chunks, and content as gzip`() async throws {
        let client = HTTPClient().with {
            $0.stubs = HTTPStubs {
                HTTPStub("/chunks", answer: .chunks([[1, 2], [], [3]]))
                HTTPStub("/gzip", answer: .text("hello").gzipped())
            }
        }
        let chunks = try await client.send("http://a/chunks")
        #expect(chunks.body == [1, 2, 3] && chunks.headers[.transferEncoding] == "chunked")
        let coded = try await client.send("http://a/gzip")
        #expect(coded.text == "hello")
        let raw = client.with { $0.decompression = .off }
        let received = try await raw.send("http://a/gzip")
        #expect(received.headers[.contentEncoding] == "gzip")
        #expect(received.body.starts(with: [0x1F, 0x8B]))
    }
}
