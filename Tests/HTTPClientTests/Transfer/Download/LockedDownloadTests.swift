import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests that two processes do not write the same partial file.
///
/// The first test starts this program again with `LOCKED_DOWNLOAD_URL` set. There only the second test runs.
@Suite(.timeLimit(.minutes(10))) struct LockedDownloadTests {
    private static let lockedURL = Environment.variable("LOCKED_DOWNLOAD_URL")
    private static let lockedTarget = Environment.variable("LOCKED_DOWNLOAD_TARGET")

    private static let lockedLimit = Environment.variable("LOCKED_DOWNLOAD_LIMIT")

    private static func options(_ limit: Int) -> HTTPDownloadOptions {
        HTTPDownloadOptions(journal: .on, segments: limit > 1 ? .upTo(limit, minSize: 3) : .off)
    }

    @Test(.enabled(if: lockedURL == nil), arguments: [(1, 1), (1, 2), (2, 1), (2, 2)])
    func `a second process is refused the file of the first`(
        first: Int,
        second: Int
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let content = Array("abcdefghij".utf8)
        let latch = Latch()
        defer { latch.open() }
        // The first process has some bytes when the second one begins.
        let server = try await RangeServer.start(content) { asked in
            if asked.range?.lowerBound == 0 { return nil }
            guard asked.range == nil else {
                await latch.wait()
                return nil
            }
            return .stream { writer in
                try await writer.write(Array(content.prefix(4)))
                await latch.wait()
                try await writer.write(Array(content.dropFirst(4)))
            }
            .header("ETag", "\"v1\"")
        }
        let call = HTTPClient().startDownload(
            server.url,
            to: path,
            options: Self.options(first)
        )
        let requests = first == 1 ? 1 : 3
        while server.asked.count < requests { await moment() }
        let log = try TemporaryDirectory()
        let child = try ChildProcess(
            [
                "/usr/bin/env", "LOCKED_DOWNLOAD_URL=\(server.url)",
                "LOCKED_DOWNLOAD_TARGET=\(path)", "LOCKED_DOWNLOAD_LIMIT=\(second)",
                try OwnProgram.path(), "--testing-library",
                "swift-testing", "--filter", "LockedDownloadTests",
            ],
            output: log.path + "/output"
        )
        let status = child.wait()
        let output = TestFileSystem.contents(of: log.path + "/output") ?? []
        #expect(status == 0, "\(String(decoding: output, as: UTF8.self))")
        // It has not sent a request.
        #expect(server.asked.count == requests)
        latch.open()
        #expect(try await call.value.size == 10)
        #expect(TestFileSystem.contents(of: path) == content)
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
    }

    @Test(.enabled(if: lockedURL != nil))
    func `child process: a download of a locked file`() async throws {
        let (url, target) = (try #require(Self.lockedURL), try #require(Self.lockedTarget))
        let options = Self.options(try #require(Self.lockedLimit.flatMap { Int($0) }))
        let error = await failure {
            try await HTTPClient().download(url, to: target, options: options)
        }
        #expect(error?.kind == .invalidRequest(.resumeData(.fileInUse)))
    }
}
