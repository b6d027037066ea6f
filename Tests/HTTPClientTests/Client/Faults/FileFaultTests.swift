import ClientSupport
import Glibc
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests downloads whose files cannot be written, or are changed meanwhile.
@Suite(.timeLimit(.minutes(10))) struct FileFaultTests {
    private static let isRoot = geteuid() == 0
    private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"v1\"\r\n\r\n"
    private static let rest =
        "HTTP/1.1 206 Partial Content\r\nContent-Length: 6\r\nETag: \"v1\"\r\n"
        + "Content-Range: bytes 4-9/10\r\n\r\nefghij"

    private let client = HTTPClient()
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/file"
    }

    /// Expects that a download and a streamed response fail to create a file beside `path`.
    private static func expectFailure(
        _ client: HTTPClient,
        _ url: String,
        _ path: String,
        _ errno: Errno
    ) async throws {
        for options in [HTTPDownloadOptions(), .resume] {
            let error = await failure {
                try await client.download(url, to: path, options: options)
            }
            #expect(
                error?.kind == .fileFailed(path: path, .create, reason: errno.description)
            )
        }
        let response = try await client.stream(url)
        let error = await failure { try await response.write(to: path) }
        #expect(error?.kind == .fileFailed(path: path, .create, reason: errno.description))
    }

    @Test(.enabled(if: isRoot, "only root can mount a file system"))
    func `a read-only file system fails a download before its request`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("new") }
        let target = directory.path + "/mounted"
        try #require(unsafe mkdir(target, 0o700) == 0)
        let flags = UInt(MS_RDONLY)
        try #require(unsafe mount("tmpfs", target, "tmpfs", flags, "size=64k") == 0)
        defer { unsafe _ = umount2(target, 2) }
        try await Self.expectFailure(
            client,
            server.url,
            target + "/file",
            Errno(rawValue: EROFS)
        )
        #expect(server.requests.count == 1)
    }

    @Test func `a directory without permission fails a download before its request`() async throws {
        // The user belongs to a process.
        await #expect(processExitsWith: .success) {
            let server = try await HTTPTestServer.start { _ in .text("new") }
            let directory = try TemporaryDirectory()
            try directory.write("old", as: "file")
            TestFileSystem.setMode(0o555, of: directory.path)
            if geteuid() == 0 { #expect(seteuid(65_534) == 0) }
            let path = directory.path + "/file"
            try await FileFaultTests.expectFailure(
                HTTPClient(),
                server.url,
                path,
                Errno(rawValue: EACCES)
            )
            #expect(server.requests.count == 1)
            _ = seteuid(getuid())
            #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
            TestFileSystem.setMode(0o755, of: directory.path)
        }
    }

    @Test(arguments: [HTTPDownloadOptions(), .resume])
    func `a link as target is replaced, and its file stays`(
        options: HTTPDownloadOptions
    ) async throws {
        let server = try await HTTPTestServer.start { _ in .text("new") }
        let other = try directory.write("old", as: "other")
        for destination in [other, directory.path + "/missing"] {
            TestFileSystem.delete(path)
            TestFileSystem.symlink(destination, at: path)
            let file = try await client.download(server.url, to: path, options: options)
            #expect(file.path == path)
            #expect(TestFileSystem.mode(of: path) != 0o777)
            #expect(TestFileSystem.contents(of: path) == Array("new".utf8))
        }
        #expect(TestFileSystem.contents(of: other) == Array("old".utf8))
        #expect(TestFileSystem.names(in: directory.path) == ["file", "other"])
    }

    @Test(arguments: [HTTPDownloadOptions(), .resume])
    func `a partial file that another file replaces does not become the target`(
        options: HTTPDownloadOptions
    ) async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Self.whole + "abcd"), .pause(gate), .reply("efghij"),
        ])
        let call = client.startDownload(origin.url, to: path, options: options)
        await gate.arrival()
        // Until the first bytes are written, the client may still delete files that others left behind.
        var name = ""
        while TestFileSystem.contents(of: name) != Array("abcd".utf8) {
            await Task.yield()
            let part = TestFileSystem.names(in: directory.path).first { $0.hasSuffix(".part") }
            name = directory.path + "/" + (part ?? "")
        }
        TestFileSystem.rename(name, to: directory.path + "/moved")
        try TestFileSystem.write(Array("precious".utf8), to: name)
        gate.open()
        let error = await failure { try await call.value }
        #expect(
            error?.kind
                == .fileFailed(path: path, .rename, reason: "another file has its name")
        )
        #expect(TestFileSystem.contents(of: path) == nil)
        #expect(TestFileSystem.contents(of: name) == Array("precious".utf8))
    }

    /// A limit that a trickling body breaks.
    enum Limit: CaseIterable, Sendable {
        case silence
        case throughput
    }

    @Test(arguments: Limit.allCases)
    func `a body that trickles too slowly fails, and the next call continues`(
        limit: Limit
    ) async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(Self.whole + "abcd"), .pause(gate)],
            [.expectHead(lines: "Range: bytes=4-"), .reply(Self.rest)],
        ])
        defer { gate.open() }
        let request = HTTPRequest(origin.url)
        let limited = request.timeouts {
            switch limit {
            case .silence: $0.readIdle = .milliseconds(50)
            case .throughput:
                $0.minimumThroughput = HTTPTimeouts.Throughput(
                    bytes: 1 << 30,
                    in: .milliseconds(50)
                )
            }
        }
        let error = await failure {
            try await client.download(limited, to: path, options: .resume)
        }
        #expect(error?.kind == .timedOut(limit == .silence ? .body : .throughput))
        let file = try await client.download(request, to: path, options: .resume)
        #expect(file.resumedOffset == 4)
        #expect(TestFileSystem.contents(of: path) == Array("abcdefghij".utf8))
        #expect(origin.failures == [])
    }
}
