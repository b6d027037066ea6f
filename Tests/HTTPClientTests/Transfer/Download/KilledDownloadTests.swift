import ClientSupport
import Glibc
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests how a download treats the partial file of a killed process.
///
/// The first test starts this program again with `KILLED_DOWNLOAD_URL` set and kills it. There only
/// the second test runs.
@Suite(.timeLimit(.minutes(10))) struct KilledDownloadTests {
    private static let url = Environment.variable("KILLED_DOWNLOAD_URL")
    private static let target = Environment.variable("KILLED_DOWNLOAD_TARGET")

    @Test(.enabled(if: url == nil))
    func `a partial file in use stays, and the one of a killed process is removed`() async throws {
        let gate = Gate()
        let all = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(all + "hel"), .pause(gate)],
            [.expectHead, .reply(all + "world"), .expectHead, .reply(all + "third")],
        ])
        let (directory, log) = (try TemporaryDirectory(), try TemporaryDirectory())
        let path = directory.path + "/file"
        let child = try ChildProcess(
            [
                "/usr/bin/env", "KILLED_DOWNLOAD_URL=\(origin.url)",
                "KILLED_DOWNLOAD_TARGET=\(path)", "KILLED_DOWNLOAD_ID=\(log.path)/id",
                try OwnProgram.path(), "--testing-library", "swift-testing", "--filter",
                "KilledDownloadTests",
            ],
            output: log.path + "/output"
        )
        await gate.arrival()
        while TestFileSystem.names(in: directory.path).isEmpty
            || part(in: directory) != Array("hel".utf8)
        {
            try #require(child.exitStatus == nil, "\(output(log))")
            await Task.yield()
        }
        let names = TestFileSystem.names(in: directory.path)
        let client = HTTPClient()
        _ = try await client.download(HTTPRequest(origin.url), to: path)
        #expect(TestFileSystem.contents(of: path) == Array("world".utf8))
        #expect(TestFileSystem.names(in: directory.path) == names + ["file"])
        let id = try #require(
            TestFileSystem.contents(of: log.path + "/id").flatMap {
                pid_t(String(decoding: $0, as: UTF8.self))
            }
        )
        #expect(kill(id, SIGKILL) == 0)
        #expect(child.wait() == 128 + SIGKILL, "\(output(log))")
        #expect(TestFileSystem.names(in: directory.path) == names + ["file"])
        _ = try await client.download(HTTPRequest(origin.url), to: path)
        #expect(TestFileSystem.contents(of: path) == Array("third".utf8))
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
        gate.open()
    }

    @Test(.enabled(if: url != nil)) func `child process: a download that is killed`()
        async throws
    {
        let (url, target) = (try #require(Self.url), try #require(Self.target))
        let file = try #require(Environment.variable("KILLED_DOWNLOAD_ID"))
        try TestFileSystem.write(Array("\(getpid())".utf8), to: file)
        _ = try await HTTPClient().download(HTTPRequest(url), to: target)
    }

    /// Returns the contents of the only file in the directory.
    private func part(in directory: TemporaryDirectory) -> [UInt8]? {
        TestFileSystem.names(in: directory.path).first.flatMap {
            TestFileSystem.contents(of: "\(directory.path)/\($0)")
        }
    }

    private func output(_ log: TemporaryDirectory) -> String {
        String(decoding: TestFileSystem.contents(of: log.path + "/output") ?? [], as: UTF8.self)
    }
}
