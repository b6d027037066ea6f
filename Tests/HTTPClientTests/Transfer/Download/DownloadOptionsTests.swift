import ClientSupport
import Glibc
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests the options of downloads other than resuming.
@Suite(.timeLimit(.minutes(10))) struct DownloadOptionsTests {
    private let client = HTTPClient()
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/file.txt"
    }

    private func download(
        _ url: String,
        _ change: (inout HTTPDownloadOptions) -> Void
    ) async throws -> HTTPDownloadedFile {
        var options = HTTPDownloadOptions()
        change(&options)
        return try await client.download(url, to: path, options: options)
    }

    // MARK: - Existing files

    @Test func `an existing file is not replaced if the caller forbids it`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("new") }
        try directory.write("old", as: "file.txt")
        let error = await failure { try await download(server.url) { $0.existingFile = .fail } }
        guard case .fileFailed(path, .replace, _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(server.requests.isEmpty)
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
        #expect(TestFileSystem.names(in: directory.path) == ["file.txt"])
    }

    @Test func `a file that appears during the download is not replaced`() async throws {
        let (directory, path) = (directory, path)
        let server = try await HTTPTestServer.start { _ in
            _ = try? directory.write("old", as: "file.txt")
            return .text("new")
        }
        let error = await failure { try await download(server.url) { $0.existingFile = .fail } }
        guard case .fileFailed(path, .replace, _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
        #expect(TestFileSystem.names(in: directory.path) == ["file.txt"])
    }

    @Test func `an existing file is kept, and the new one gets a number`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("new") }
        try directory.write("old", as: "file.txt")
        for number in 2...3 {
            let file = try await download(server.url) { $0.existingFile = .keep }
            #expect(file.path == "\(directory.path)/file-\(number).txt")
            #expect(TestFileSystem.contents(of: file.path) == Array("new".utf8))
        }
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
    }

    @Test(arguments: [
        ("a", "a-2"), ("a.b", "a-2.b"), ("/x.y/a", "/x.y/a-2"), ("a.tar.gz", "a.tar-2.gz"),
        (".hidden", ".hidden-2"), ("/d/a.", "/d/a-2."),
    ])
    func `the number comes before the extension`(path: String, numbered: String) {
        #expect(DownloadWriter.numbered(path, 2) == numbered)
    }

    @Test func `a long name is cut to make room for the number`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("new") }
        let long = String(repeating: "é", count: 125) + "a.txt"
        #expect(long.utf8.count == 255)
        for name in [long, "a." + String(repeating: "b", count: 253)] {
            try directory.write("old", as: name)
            let file = try await client.download(
                server.url,
                to: "\(directory.path)/\(name)",
                options: HTTPDownloadOptions(existingFile: .keep)
            )
            #expect(TestFileSystem.contents(of: file.path) == Array("new".utf8))
        }
        let short = String(repeating: "é", count: 124)
        #expect(DownloadWriter.numbered("/d/" + long, 2) == "/d/\(short)-2.txt")
    }

    // MARK: - Names from the server

    @Test(
        arguments: [
            ("/a/big.iso?x=1", nil, "big.iso"), ("/a", "attachment; filename=\"b.txt\"", "b.txt"),
            ("/a/", nil, "download"), ("/a", "attachment; filename=\"../../etc/passwd\"", "passwd"),
            ("/a/..%2F..%2Fetc", nil, "etc"),
        ] as [(String, String?, String)]
    )
    func `the response names the file in a directory`(
        target: String,
        disposition: String?,
        name: String
    ) async throws {
        let server = try await HTTPTestServer.start { _ in
            disposition.map { .text("new").header(.contentDisposition, $0) } ?? .text("new")
        }
        for path in [directory.path, directory.path + "/"] {
            let file = try await client.download(
                server.url + target,
                to: path,
                options: HTTPDownloadOptions(naming: .suggested)
            )
            #expect(file.path == "\(directory.path)/\(name)")
        }
        #expect(TestFileSystem.names(in: directory.path) == [name])
        let kept = try await client.download(
            server.url + target,
            to: directory.path,
            options: HTTPDownloadOptions(naming: .suggested, existingFile: .keep)
        )
        #expect(kept.path == DownloadWriter.numbered("\(directory.path)/\(name)", 2))
    }

    @Test func `a directory for the file must exist`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("new") }
        try directory.write("old", as: "file")
        for name in ["missing", "file"] {
            let error = await failure {
                try await client.download(
                    server.url,
                    to: "\(directory.path)/\(name)",
                    options: HTTPDownloadOptions(naming: .suggested)
                )
            }
            guard case .fileFailed(_, .create, _) = error?.kind else {
                Issue.record("got \(String(describing: error))")
                continue
            }
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a download into a directory continues, also from a URL that was signed again`()
        async throws
    {
        let rest = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 2-5/6\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHead,
                .reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"v1\"\r\n\r\nab"), .close,
            ],
            [
                .expectHead(lines: "Range: bytes=2-"),
                .reply(rest + "Content-Length: 4\r\n\r\ncdef"),
            ],
        ])
        let options = HTTPDownloadOptions(journal: .on, naming: .suggested)
        let lost = await failure {
            try await client.download(
                origin.url + "/f.bin?Expires=1&Signature=a",
                to: directory.path,
                options: options
            )
        }
        #expect(lost?.resumeData?.offset == 2)
        let file = try await client.download(
            origin.url + "/f.bin?Expires=2&Signature=b",
            to: directory.path,
            options: options
        )
        #expect(file.resumedOffset == 2)
        #expect(TestFileSystem.names(in: directory.path) == ["f.bin"])
    }

    // MARK: - Size

    @Test func `a file that is announced as too large is not begun`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("12345") }
        try directory.write("old", as: "file.txt")
        let error = await failure { try await download(server.url) { $0.maxSize = 4 } }
        #expect(error?.kind == .fileTooLarge(limit: 4))
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
        #expect(TestFileSystem.names(in: directory.path) == ["file.txt"])
        #expect(try await download(server.url) { $0.maxSize = 5 }.size == 5)
    }

    @Test func `a file that grows too large without an announcement is refused`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/": .chunks(["123", "45"])])
        let error = await failure { try await download(server.url) { $0.maxSize = 4 } }
        #expect(error?.kind == .fileTooLarge(limit: 4))
        #expect(TestFileSystem.names(in: directory.path) == [])
        #expect(try await download(server.url) { $0.maxSize = 5 }.size == 5)
    }

    // MARK: - Digest

    @Test func `a file with another digest does not become the target`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("new") }
        try directory.write("old", as: "file.txt")
        let expected = try HTTPDigest.sha256(of: Array("old".utf8))
        let received = try HTTPDigest.sha256(of: Array("new".utf8))
        let mismatch = HTTPError.Kind.digestMismatch(expected: expected, received: received)
        let error = await failure {
            try await download(server.url) { $0.expectedDigest = expected }
        }
        #expect(error?.kind == mismatch)
        #expect(error?.resumeData == nil)
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
        // The bytes stay for an examination, until the next download.
        #expect(TestFileSystem.names(in: directory.path).count == 2)
        let kept = try #require(error?.partialFile)
        #expect(TestFileSystem.contents(of: kept) == Array("new".utf8))
        #expect(error?.description.contains(": the received file is \(kept) [GET ") == true)
        let removed = await failure {
            try await download(server.url) {
                ($0.expectedDigest, $0.failureAction) = (expected, .removePartialFile)
            }
        }
        #expect(removed?.kind == mismatch && removed?.partialFile == nil)
        _ = try await download(server.url) { $0.expectedDigest = received }
        #expect(TestFileSystem.contents(of: path) == Array("new".utf8))
        #expect(TestFileSystem.names(in: directory.path) == ["file.txt"])
    }

    @Test func `the digest of the request covers all parts of the file`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"v1\"\r\n\r\n"
        let rest = "HTTP/1.1 206 Partial Content\r\nContent-Length: 4\r\n"
        for body in ["cdef", "cdeX"] {
            let origin = try ScriptedOrigin(perConnection: [
                [.expectHead, .reply(head + "ab"), .close],
                [.expectHead, .reply(rest + "Content-Range: bytes 2-5/6\r\n\r\n" + body)],
            ])
            let request = HTTPRequest(origin.url)
                .expectingDigest(try .sha256(of: Array("abcdef".utf8)))
            let lost = await failure { try await client.download(request, to: path) }
            let data = try #require(lost?.resumeData)
            if body == "cdef" {
                let file = try await client.download(
                    request,
                    to: path,
                    options: .resuming(data)
                )
                #expect(file.resumedOffset == 2)
            } else {
                let error = await failure {
                    try await client.download(request, to: path, options: .resuming(data))
                }
                guard case .digestMismatch = error?.kind else {
                    Issue.record("got \(String(describing: error))")
                    continue
                }
            }
            #expect(TestFileSystem.contents(of: path) == Array("abcdef".utf8))
        }
    }

    // MARK: - Disk

    @Test(arguments: [HTTPDownloadOptions.SyncPolicy.beforeRename, .never])
    func `a file with reserved space has its own size`(
        policy: HTTPDownloadOptions.SyncPolicy
    ) async throws {
        let server = try await HTTPTestServer.start { _ in .text("12345") }
        let file = try await download(server.url) {
            ($0.preallocation, $0.syncPolicy) = (.whenSizeIsKnown, policy)
        }
        #expect(file.size == 5)
        #expect(TestFileSystem.contents(of: path) == Array("12345".utf8))
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can mount a file system"),
        arguments: [HTTPDownloadOptions.Preallocation.off, .whenSizeIsKnown]
    )
    func `a full disk is reported, and the download continues when there is space`(
        preallocation: HTTPDownloadOptions.Preallocation
    ) async throws {
        let target = directory.path + "/small"
        try #require(unsafe mkdir(target, 0o700) == 0)
        try #require(unsafe mount("tmpfs", target, "tmpfs", 0, "size=64k") == 0)
        defer { unsafe _ = umount2(target, 2) }
        try TestFileSystem.write([UInt8](repeating: 1, count: 40 << 10), to: target + "/other")
        let content = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let server = try await HTTPTestServer.start { request in
            let offset =
                request.headers[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            guard offset > 0 else {
                return .bytes(content).header(.etag, "\"v1\"")
            }
            return .bytes(Array(content[offset...]), status: 206).header(.etag, "\"v1\"")
                .header(.contentRange, "bytes \(offset)-\(content.count - 1)/\(content.count)")
        }
        var options = HTTPDownloadOptions.resume
        options.preallocation = preallocation
        let error = await failure {
            try await client.download(server.url, to: target + "/file", options: options)
        }
        guard case .fileFailed(_, .write, _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        TestFileSystem.delete(target + "/other")
        _ = try await client.download(server.url, to: target + "/file", options: options)
        #expect(TestFileSystem.contents(of: target + "/file") == content)
        #expect(TestFileSystem.names(in: target) == ["file"])
    }
}
