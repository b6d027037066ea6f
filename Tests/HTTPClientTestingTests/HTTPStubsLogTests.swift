import ClientSupport
import HTTPClient
import HTTPClientTesting
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPStubsLogTests {
    @Test func `the oldest recorded bodies are discarded for the newest`() async throws {
        let stubs = HTTPStubs { HTTPStub(answer: .status(.noContent)) }
        let client = HTTPClient().with { $0.stubs = stubs }
        let bytes = [UInt8](repeating: 7, count: 33 << 20)
        for name in ["a", "b"] {
            let request = HTTPRequest("http://x/\(name)", method: .post, body: .bytes(bytes))
            _ = try await client.send(request)
        }
        _ = try await client.send(HTTPRequest("http://x/c", method: .post, body: .string("c")))
        #expect(stubs.calls.map(\.request.body.count) == [0, 33 << 20, 1])
        stubs.removeAllCalls()
        _ = try await client.send("http://x/")
        #expect(stubs.calls.count == 1)
    }

    @Test func `a stubbed request takes its response only when it leaves the queue`() async throws {
        let (releases, release) = AsyncStream<Void>.makeStream()
        let (beginnings, beginning) = AsyncStream<Void>.makeStream()
        let stubs = HTTPStubs {
            HTTPStub("/slow") { _ in
                beginning.yield()
                for await _ in releases { break }
                return .text("slow")
            }
            HTTPStub("/next", answers: [.text("one"), .text("two")])
        }
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let client = HTTPClient().with {
            $0.stubs = stubs
            $0.queue = queue
        }
        let slow = HTTPRequest("http://a/slow").start(in: client)
        for await _ in beginnings { break }
        let cancelled = HTTPRequest("http://a/next").start(in: client)
        while queue.waitingCount < 1 { await moment() }
        cancelled.cancel()
        let error = await failure { try await cancelled.value }
        #expect(error?.kind == .cancelled)
        release.yield()
        #expect(try await slow.value.text == "slow")
        #expect(try await client.send("http://a/next").text == "one")
        #expect(stubs.calls.map(\.request.url.path) == ["/slow", "/next"])
    }

    @Test func `no text of a stub shows a secret of a request`() async throws {
        let stubs = HTTPStubs {
            HTTPStub("/a?x=1") { _ in .text("hunter2").header("X-Auth-Token", "hunter2") }
            HTTPStub(.template("/b/{id}"), answer: .text("b"))
        }
        let client = HTTPClient().with { $0.stubs = stubs }
        var values: [String: Any] = [:]
        for path in ["/a?access_token=hunter2", "/c?sig=hunter2&x=1"] {
            let request = HTTPRequest(
                "http://user:hunter2@x\(path)",
                method: .post,
                headers: ["Authorization": "Bearer hunter2"],
                body: .string("hunter2")
            )
            let failed = await failure { try await client.send(request) }
            let error = try #require(failed)
            values["error of \(path)"] = error
            let stubError = try #require(error.stubError)
            values["stub error of \(path)"] = stubError
        }
        values["calls"] = stubs.calls
        values["request"] = try #require(stubs.calls.first?.request)
        values["verification"] = #expect(throws: HTTPStubs.VerificationError.self) {
            try stubs.verify("/a")
        }
        values["response"] = HTTPStub.Response.text("hunter2").header("Set-Cookie", "a=hunter2")
        values["raw response"] = HTTPStub.Response.raw("hunter2")
        for (name, value) in values {
            var text = "\(value)\n\(String(reflecting: value))\n"
            dump(value, to: &text)
            #expect(!text.contains("hunter2"), "\(name): \(text)")
            let digits = text.filter { !" \n-,".contains($0) }
            #expect(!digits.contains("104117110116101114"), "\(name): \(text)")
        }
    }
}
