import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests resume data whose partial file was replaced by a later one of the same name.
@Suite(.timeLimit(.minutes(10))) struct StaleResumeDataTests {
    private let client = HTTPClient()
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/file"
    }

    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"v1\"\r\n\r\n"

    private func cut(_ start: String) -> OriginScript {
        [.expectHead, .reply(Self.answer + start), .close]
    }

    private func interrupted(_ url: String, to path: String) async throws -> HTTPResumeData {
        let error = await failure { try await client.download(HTTPRequest(url), to: path) }
        return try #require(error?.resumeData)
    }

    @Test func `a partial file of another resource is neither continued nor deleted`() async throws
    {
        let gate = Gate()
        let origin = try ScriptedOrigin(perConnection: [
            cut("abc"),
            [.expectHead, .reply(Self.answer + "x"), .pause(gate), .close],
            cut("uvw"),
            [
                .expectHeadWhere { !$0.lowercased().contains("range:") },
                .reply(Self.answer + "abcdef"),
            ],
        ])
        let first = try await interrupted(origin.url + "/1", to: path)
        // A second download of the same target removes the partial file, and a third reuses its name.
        let second = HTTPRequest(origin.url + "/2").startDownload(to: path, in: client)
        await gate.arrival()
        while TestFileSystem.contents(of: first.file) != nil { await moment() }
        let third = try await interrupted(origin.url + "/3", to: path)
        #expect(third.file == first.file)
        try first.discard()
        #expect(TestFileSystem.contents(of: third.file) == Array("uvw".utf8))
        let file = try await client.download(
            HTTPRequest(origin.url + "/1"),
            to: path,
            options: .resuming(HTTPResumeData(first.text))
        )
        #expect(file.resumedOffset == 0)
        #expect(TestFileSystem.contents(of: path) == Array("abcdef".utf8))
        #expect(origin.failures == [])
        gate.open()
        _ = await failure { try await second.value }
    }

    @Test func `targets of the same name in two directories have separate partial files`()
        async throws
    {
        let origin = try ScriptedOrigin(perConnection: [cut("abc"), cut("uvw")])
        let other = try TemporaryDirectory()
        let data = try await interrupted(origin.url, to: path)
        let kept = try await interrupted(origin.url, to: other.path + "/file")
        #expect(TargetPath(data.file).name == TargetPath(kept.file).name)
        let error = await failure {
            try await client.download(
                HTTPRequest(origin.url),
                to: other.path + "/file",
                options: .resuming(data)
            )
        }
        #expect(error?.kind == .invalidRequest(.resumeData(.targetMismatch)))
        #expect(TestFileSystem.contents(of: kept.file) == Array("uvw".utf8))
        #expect(TestFileSystem.contents(of: data.file) == Array("abc".utf8))
    }

    @Test func `kept partial files stay until a response arrives, even if all names are used`()
        async throws
    {
        let server = try await HTTPTestServer.start(routes: [:])
        let paths = try #require(PartialFileName(target: path)?.fixedPaths)
        for path in paths { try directory.write("abc", as: TargetPath(path).name) }
        _ = await failure { try await client.download(HTTPRequest(server.url + "/x"), to: path) }
        #expect(
            TestFileSystem.names(in: directory.path) == paths.map { TargetPath($0).name }.sorted()
        )
    }
}
