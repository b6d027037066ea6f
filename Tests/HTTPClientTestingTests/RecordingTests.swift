import ClientSupport
import HTTPClient
import HTTPClientTesting
import HTTPTestServer
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct RecordingTests {
    private let directory: TemporaryDirectory
    private var path: String { "\(directory.path)/cassette.json" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func client(_ mode: HTTPCassette.Mode = .replay) throws -> HTTPClient {
        let cassette = try HTTPCassette(path, mode: mode)
        return HTTPClient().with { $0.stubs = HTTPStubs(cassette: cassette) }
    }

    private func isMissing(_ url: String, in client: HTTPClient) async -> Bool {
        let error = await failure { try await client.send(HTTPRequest(url)) }
        return error?.stubError?.reason == .notRecorded(cassette: path)
    }

    @Test func `requests that differ only in secrets get their own responses`() async throws {
        let server = try await HTTPTestServer.start { .text("for \($0.query ?? "")") }
        let url = "\(server.url)/kv?key="
        let recorder = try client(.recordMissing)
        #expect(try await recorder.send(HTTPRequest(url + "alice")).text == "for key=alice")
        #expect(try await recorder.send(HTTPRequest(url + "bob")).text == "for key=bob")
        await server.stop()
        let player = try client()
        #expect(await isMissing(url + "carol", in: player))
        #expect(try await player.send(HTTPRequest(url + "bob")).text == "for key=bob")
        #expect(await isMissing(url + "bob", in: player))
        #expect(try await player.send(HTTPRequest(url + "alice")).text == "for key=alice")
        // A URL copied from the recording has a redacted secret, so every recorded response matches it.
        #expect(try await client().send(HTTPRequest(url + "***")).text == "for key=alice")
    }

    @Test func `a single changed secret gets the response of the old one`() async throws {
        let server = try await HTTPTestServer.start {
            .text($0.text.contains("old") ? "old" : "new")
        }
        func request(_ token: String) -> HTTPRequest {
            HTTPRequest(.post, server.url).json(["token": .string(token), "a": 1])
        }
        let recorder = try client(.recordAll)
        for _ in 0..<2 { _ = try await recorder.send(request("old")) }
        await server.stop()
        let player = try client()
        for _ in 0..<2 { #expect(try await player.send(request("new")).text == "old") }
        let error = await failure { try await player.send(request("new")) }
        #expect(error?.stubError?.reason == .notRecorded(cassette: path))
        let text = String(decoding: TestFileSystem.contents(of: path) ?? [], as: UTF8.self)
        #expect(text.contains(#""salt": ""#) && text.contains(#""digest": ""#))
    }

    @Test func `several recorders of one file lose no exchanges`() async throws {
        let server = try await HTTPTestServer.start { .text($0.path) }
        for mode in [HTTPCassette.Mode.recordAll, .recordMissing] {
            let clients = try (0..<4).map { _ in try client(mode) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, client) in clients.enumerated() {
                    for step in 0..<3 {
                        let url = "\(server.url)/\(mode)/\(number)/\(step)"
                        group.addTask { _ = try await client.send(HTTPRequest(url)) }
                    }
                }
                try await group.waitForAll()
            }
            let cassette = try HTTPCassette(path)
            #expect(cassette.unusedCount == (mode == .recordAll ? 12 : 24))
        }
        _ = try await client(.recordAll).send(HTTPRequest(server.url))
        #expect(try HTTPCassette(path).unusedCount == 1)
    }

    @Test func `timeouts do not apply to a replayed call`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("a") }
        _ = try await client(.recordAll).send(HTTPRequest(server.url))
        let hasty = try client().with { $0.timeouts.responseHead = .nanoseconds(1) }
        #expect(try await hasty.send(HTTPRequest(server.url)).text == "a")
    }
}
