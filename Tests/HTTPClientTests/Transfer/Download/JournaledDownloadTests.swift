import ClientSupport
import Glibc
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests downloads that a later call continues because they have a journal.
@Suite(.timeLimit(.minutes(10))) struct JournaledDownloadTests {
    private let client = HTTPClient()
    private let directory: TemporaryDirectory
    private let path: String
    private let part: String
    private let journal: String

    private static let content = Array("abcdefghij".utf8)
    private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"v1\"\r\n\r\n"

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/file"
        let name = try #require(PartialFileName(target: path))
        part = name.journaledPath
        journal = name.journalPath
    }

    private func cut(_ start: String, _ head: String = whole) -> OriginScript {
        [.expectHead, .reply(head + start), .close]
    }

    private func rest(from offset: Int, _ lines: String = "If-Range: \"v1\"") -> OriginScript {
        let head =
            "HTTP/1.1 206 Partial Content\r\nContent-Length: \(10 - offset)\r\nETag: \"v1\"\r\n"
            + "Content-Range: bytes \(offset)-9/10\r\n\r\n"
        return [
            .expectHead(lines: "Range: bytes=\(offset)-", lines),
            .reply(Array(head.utf8) + Self.content[offset...]),
        ]
    }

    private static let wholeAnswer: OriginScript = [
        .expectHeadWhere { !$0.lowercased().contains("range:") },
        .reply(Array(whole.utf8) + content),
    ]

    /// Answers a request for the bytes from 4 on with those of another version.
    private static let restOfAnotherVersion: OriginScript = [
        .expectHead(lines: "Range: bytes=4-"),
        .reply("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 4-9/10\r\n"),
        .reply("Connection: close\r\nETag: \"v2\"\r\n"),
        .reply("Content-Length: 6\r\n\r\nefghij"), .close,
    ]

    @discardableResult
    private func interrupted(
        _ url: String,
        _ options: HTTPDownloadOptions = .resume
    ) async -> HTTPError? {
        await failure { try await client.download(url, to: path, options: options) }
    }

    private func saved() throws -> DownloadJournal {
        try #require(TestFileSystem.contents(of: journal).flatMap { DownloadJournal($0) })
    }

    @Test func `the next call continues the file, and leaves no other`() async throws {
        let origin = try ScriptedOrigin(perConnection: [cut("abcd"), rest(from: 4)])
        let error = await interrupted(origin.url + "/?token=secret")
        let saved = try saved()
        #expect(error?.resumeData?.text == saved.text)
        #expect(saved.target == path && saved.file == nil && saved.modified == nil)
        #expect(saved.written == 4 && saved.synced == 4 && saved.total == 10)
        #expect(saved.url == origin.url + "/?token=***")
        #expect(saved.boot == BootIdentity.current && saved.boot != nil)
        #expect(TestFileSystem.mode(of: journal) == 0o600)
        let file = try await client.download(
            origin.url + "/?token=renewed",
            to: path,
            options: .resume
        )
        #expect(file.resumedOffset == 4 && file.size == 10)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
        #expect(origin.failures == [])
    }

    @Test func `the text of a journal resumes its download, with the journal`() async throws {
        let origin = try ScriptedOrigin(perConnection: [
            cut("ab"),
            [
                .expectHead(lines: "Range: bytes=2-"),
                .reply("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 2-9/10\r\n"),
                .reply("ETag: \"v1\"\r\nContent-Length: 8\r\n\r\ncd"), .close,
            ],
            rest(from: 4),
        ])
        await interrupted(origin.url)
        let old = try HTTPResumeData(saved().text)
        #expect(old.offset == 2 && old.file == part && old.target == path)
        let error = await interrupted(origin.url, .resuming(old))
        #expect(error?.partialFile == part)
        #expect(try error?.resumeData == HTTPResumeData(saved().text))
        #expect(error?.resumeData?.offset == 4)
        // The journal is newer than the data, and decides.
        let file = try await client.download(origin.url, to: path, options: .resuming(old))
        #expect(file.resumedOffset == 4)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
        #expect(origin.failures == [])
    }

    @Test func `the error has resume data when nothing has changed, too`() async throws {
        let origin = try ScriptedOrigin(perConnection: [
            cut("ab"), [.expectHead, .close], [.expectHead, .close],
        ])
        await interrupted(origin.url)
        let error = await interrupted(origin.url)
        #expect(try error?.resumeData == HTTPResumeData(saved().text))
        // The journal belongs to another URL.
        let other = await interrupted(origin.url + "/other")
        #expect(other != nil && other?.resumeData == nil)
        #expect(TestFileSystem.contents(of: part) == Array("ab".utf8))
    }

    @Test func `discarding the text of a journal deletes both files of that download`() async throws
    {
        let origin = try ScriptedOrigin(perConnection: [cut("ab"), cut("ab")])
        await interrupted(origin.url)
        let data = try HTTPResumeData(saved().text)
        let lock = try JournaledFile.open(beside: path)
        #expect(throws: HTTPError.self) { try data.discard() }
        lock.release()
        #expect(TestFileSystem.contents(of: part) != nil)
        try data.discard()
        #expect(TestFileSystem.names(in: directory.path) == [])
        try data.discard()
        await interrupted(origin.url)
        // Later downloads, also of a file with the same inode number, keep their files.
        let changes: [(inout DownloadJournal) -> Void] = [
            { $0.inode += 1 }, { $0.url += "x" }, { $0.validator = "\"v0\"" }, { $0.origin += "1" },
        ]
        for change in changes {
            var earlier = try saved()
            change(&earlier)
            try HTTPResumeData(earlier, target: path).discard()
            #expect(TestFileSystem.names(in: directory.path).count == 2)
        }
        // The process of a complete download was killed before it deleted its journal.
        let last = try HTTPResumeData(saved().text)
        try directory.write("half", as: TargetPath(journal).name + "~")
        TestFileSystem.delete(part)
        try last.discard()
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    @Test func `a refused range leaves no resume data`() async throws {
        let origin = try ScriptedOrigin(perConnection: [cut("abcd"), Self.restOfAnotherVersion])
        await interrupted(origin.url)
        let data = try HTTPResumeData(saved().text)
        let error = await interrupted(origin.url, .resuming(data))
        #expect(error?.kind == .resumeFailed(.representationChanged))
        #expect(error?.resumeData == nil && error?.partialFile == nil)
    }

    @Test(arguments: [true, false])
    func `a target whose directory cannot be synchronized is complete`(hasJournal: Bool) throws {
        let plain: any DownloadFiles =
            hasJournal
            ? try JournaledFile.open(beside: path) : try OutputFile.create(beside: path)
        let fail: @Sendable () throws(Errno) -> Void = { () throws(Errno) in throw .inputOutput }
        let files = HookedFiles(plain, onDirectory: fail) { _, _ in nil }
        var rules = DownloadWriter.Rules()
        rules.url = "http://a/"
        var writer = try DownloadWriter(creating: files, .continuation, boot: "b", rules)
        _ = try writer.receive(
            .ok,
            ["Content-Length": "10", "ETag": "\"v1\""],
            from: "http://a",
            isVerbatim: true
        )
        try writer.claim()
        try writer.write(Self.content)
        #expect(throws: DownloadWriter.WriteError.self) { try writer.finish(path) }
        let remainder = writer.suspend()
        #expect(remainder == .moved)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
    }

    @Test func `a file that has lost its name writes no journal`() throws {
        let file = try JournaledFile.open(beside: path)
        TestFileSystem.delete(part)
        try directory.write("other", as: TargetPath(part).name)
        try directory.write("other", as: TargetPath(journal).name)
        #expect(throws: Errno.stale) { try file.writeJournal([1], .process) }
        try file.remove()
        #expect(TestFileSystem.contents(of: part) == Array("other".utf8))
        #expect(TestFileSystem.contents(of: journal) == Array("other".utf8))
    }

    @Test func `without synchronizing, no byte counts after a power failure`() async throws {
        let origin = try ScriptedOrigin(perConnection: [cut("abcd"), rest(from: 4)])
        var options = HTTPDownloadOptions.resume
        options.syncPolicy = .never
        await interrupted(origin.url, options)
        let saved = try saved()
        #expect(saved.written == 4 && saved.synced == 0)
        _ = try await client.download(origin.url, to: path, options: options)
        #expect(TestFileSystem.contents(of: path) == Self.content)
    }

    @Test func `a canceled download is continued`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(Self.whole + "abcdef"), .pause(gate)], rest(from: 6),
        ])
        let call = client.startDownload(origin.url, to: path, options: .resume)
        while TestFileSystem.contents(of: part)?.count != 6 { await moment() }
        #expect(await call.cancelProducingResumeData()?.offset == 6)
        gate.open()
        let file = try await client.download(origin.url, to: path, options: .resume)
        #expect(file.resumedOffset == 6)
        #expect(TestFileSystem.contents(of: path) == Self.content)
    }

    /// A change of the files between two calls, after which the download must start over.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (_ journal: String, _ part: String) throws -> Void

        static func rewrite(
            _ name: String,
            _ change: @escaping @Sendable (inout DownloadJournal) -> Void
        ) -> Damage {
            Damage(testDescription: name) { path, _ in
                let text = try #require(TestFileSystem.contents(of: path))
                var journal = try #require(DownloadJournal(text))
                change(&journal)
                try TestFileSystem.write(Array(journal.text.utf8), to: path)
            }
        }
    }

    @Test(arguments: [
        Damage(testDescription: "no journal") { path, _ in TestFileSystem.delete(path) },
        Damage(testDescription: "an empty journal") { path, _ in
            try TestFileSystem.write([], to: path)
        },
        Damage(testDescription: "a truncated journal") { path, _ in
            let text = try #require(TestFileSystem.contents(of: path))
            try TestFileSystem.write(Array(text.dropLast(9)), to: path)
        },
        Damage(testDescription: "a large journal") { path, _ in
            let text = try #require(TestFileSystem.contents(of: path))
            try TestFileSystem.write(text + [UInt8](repeating: 10, count: 1 << 20), to: path)
        },
        Damage(testDescription: "a journal that others can write") { path, _ in
            TestFileSystem.setMode(0o666, of: path)
        },
        Damage(testDescription: "a link to a journal") { path, _ in
            TestFileSystem.rename(path, to: path + ".other")
            TestFileSystem.symlink(path + ".other", at: path)
        },
        Damage(testDescription: "a journal with a second name") { path, _ in
            TestFileSystem.link(path, at: path + ".other")
        },
        Damage(testDescription: "another file") { _, part in
            TestFileSystem.rename(part, to: part + ".other")
            try TestFileSystem.write(Array("xxxx".utf8), to: part)
        },
        Damage(testDescription: "a shorter file") { _, part in
            try TestFileSystem.write(Array("abc".utf8), to: part)
        },
        Damage(testDescription: "no file") { _, part in TestFileSystem.delete(part) },
        .rewrite("another URL") { $0.url += "x" },
        .rewrite("no validator") { $0.validator = nil },
        .rewrite("another system, unsynchronized") { ($0.boot, $0.synced) = ("other", 0) },
        .rewrite("another inode") { $0.inode += 1 },
    ])
    func `a journal that does not fit is ignored`(damage: Damage) async throws {
        let origin = try ScriptedOrigin(perConnection: [cut("abcd"), Self.wholeAnswer])
        await interrupted(origin.url)
        try damage.change(journal, part)
        let file = try await client.download(origin.url, to: path, options: .resume)
        #expect(file.resumedOffset == 0)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(origin.failures == [])
    }

    @Test func `after a power failure, only synchronized bytes count`() async throws {
        let origin = try ScriptedOrigin(perConnection: [cut("abcdef"), rest(from: 3)])
        await interrupted(origin.url)
        try Damage.rewrite("") { ($0.boot, $0.synced) = ("other", 3) }.change(journal, part)
        try TestFileSystem.write(Array("abc".utf8) + [0, 0, 0], to: part)
        let file = try await client.download(origin.url, to: path, options: .resume)
        #expect(file.resumedOffset == 3)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(origin.failures == [])
    }

    @Test func `files stay unchanged until a response belongs to them`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.headers.contains(.range) ? .status(.forbidden) : .status(.notFound)
        }
        let origin = try ScriptedOrigin(perConnection: [cut("abcd")])
        await interrupted(origin.url)
        try Damage.rewrite("") {
            ($0.url, $0.origin) = (server.url + "/", server.url)
        }.change(journal, part)
        let before = TestFileSystem.contents(of: journal)
        let error = await interrupted(server.url + "/")
        #expect(error?.kind == .rejectedStatus(.forbidden))
        _ = await interrupted(server.url + "/other")
        #expect(TestFileSystem.contents(of: journal) == before)
        #expect(TestFileSystem.contents(of: part) == Array("abcd".utf8))
    }

    @Test func `a download that receives nothing leaves no file`() async throws {
        let server = try await HTTPTestServer.start { _ in .status(.notFound) }
        _ = await interrupted(server.url)
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    @Test func `without a validator, only a digest lets the next call continue`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            cut("abcd", head), cut("abcd", head),
            [
                .expectHeadWhere {
                    $0.contains("Range: bytes=4-\r\n") && !$0.contains("If-Range")
                },
                .reply("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 4-9/10\r\n"),
                .reply("Content-Length: 6\r\n\r\nefghij"),
            ],
        ])
        await interrupted(origin.url)
        #expect(TestFileSystem.names(in: directory.path) == [])
        var options = HTTPDownloadOptions.resume
        options.expectedDigest = try .sha256(of: Self.content)
        await interrupted(origin.url, options)
        let file = try await client.download(origin.url, to: path, options: options)
        #expect(file.resumedOffset == 4)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(origin.failures == [])
    }

    @Test func `a wrong digest keeps the file, but not the journal`() async throws {
        let origin = try ScriptedOrigin(perConnection: [
            cut("abcX"), OriginScript(rest(from: 4).steps + Self.wholeAnswer.steps),
        ])
        var options = HTTPDownloadOptions.resume
        let expected = try HTTPDigest.sha512(of: Self.content)
        options.expectedDigest = expected
        await interrupted(origin.url, options)
        let error = await interrupted(origin.url, options)
        let wrong = Array("abcXefghij".utf8)
        #expect(
            error?.kind == .digestMismatch(expected: expected, received: try .sha512(of: wrong))
        )
        #expect(TestFileSystem.contents(of: part) == wrong && error?.partialFile == part)
        #expect(TestFileSystem.contents(of: journal) == nil)
        #expect(TestFileSystem.contents(of: path) == nil)
        let file = try await client.download(origin.url, to: path, options: options)
        #expect(file.resumedOffset == 0)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(origin.failures == [])
    }

    @Test func `a changed resource starts over in place, and can be continued then`() async throws {
        let changed = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"v2\"\r\n\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            cut("abcdef"), cut("vw", changed),
            [
                .expectHead(lines: "Range: bytes=2-", "If-Range: \"v2\""),
                .reply("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 2-4/5\r\n"),
                .reply("ETag: \"v2\"\r\nContent-Length: 3\r\n\r\nxyz"),
            ],
        ])
        await interrupted(origin.url)
        await interrupted(origin.url)
        #expect(try saved().validator == "\"v2\"" && saved().written == 2)
        let file = try await client.download(origin.url, to: path, options: .resume)
        #expect(file.resumedOffset == 2)
        #expect(TestFileSystem.contents(of: path) == Array("vwxyz".utf8))
        #expect(origin.failures == [])
    }

    @Test func `a range of another version is refused once, and the next call starts over`()
        async throws
    {
        let origin = try ScriptedOrigin(perConnection: [
            cut("abcd"),
            Self.restOfAnotherVersion,
            Self.wholeAnswer,
        ])
        await interrupted(origin.url)
        let error = await interrupted(origin.url)
        #expect(error?.kind == .resumeFailed(.representationChanged))
        let file = try await client.download(origin.url, to: path, options: .resume)
        #expect(file.resumedOffset == 0)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(origin.failures == [])
    }

    @Test func `a range of another version is refused in the same call, too`() async throws {
        let origin = try ScriptedOrigin(perConnection: [
            cut("abcd"),
            Self.restOfAnotherVersion,
            Self.wholeAnswer,
        ])
        var configuration = HTTPClient.Configuration()
        configuration.retries = .standard(maxRetries: 1)
        let client = HTTPClient(configuration)
        let error = await failure {
            try await client.download(origin.url, to: path, options: .resume)
        }
        #expect(error?.kind == .resumeFailed(.representationChanged))
        #expect(TestFileSystem.contents(of: journal) == nil)
        let file = try await client.download(origin.url, to: path, options: .resume)
        #expect(file.resumedOffset == 0)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(origin.failures == [])
    }

    @Test func `a file that is complete already, but too large, is refused`() async throws {
        let chunks = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n"
        let answer: OriginScript = [
            .expectHead(lines: "Range: bytes=10-"),
            .reply("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */10\r\n"),
            .reply("Content-Length: 0\r\n\r\n"), .close,
        ]
        let origin = try ScriptedOrigin(perConnection: [
            cut("a\r\nabcdefghij\r\n", chunks), answer, answer,
        ])
        await interrupted(origin.url)
        var limited = HTTPDownloadOptions.resume
        limited.maxSize = 5
        #expect(await interrupted(origin.url, limited)?.kind == .fileTooLarge(limit: 5))
        #expect(TestFileSystem.contents(of: path) == nil)
        let file = try await client.download(origin.url, to: path, options: .resume)
        #expect(file.resumedOffset == 10)
    }

    @Test func `a file that is complete already needs only a 416`() async throws {
        let chunks = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            cut("a\r\nabcdefghij\r\n", chunks),
            [
                .expectHead(lines: "Range: bytes=10-"),
                .reply("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */10\r\n"),
                .reply("Content-Length: 0\r\n\r\n"),
            ],
        ])
        await interrupted(origin.url)
        let file = try await client.download(origin.url, to: path, options: .resume)
        #expect(file.head.status == 416)
        #expect(TestFileSystem.contents(of: path) == Self.content)
    }

    @Test func `a second download of the same target is refused`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin(perConnection: [
            [
                .expectHead, .reply(Self.whole + "abcd"), .pause(gate),
                .reply("efghij"),
            ]
        ])
        let call = client.startDownload(origin.url, to: path, options: .resume)
        while TestFileSystem.contents(of: part)?.count != 4 { await moment() }
        let error = await interrupted(origin.url)
        #expect(error?.kind == .invalidRequest(.resumeData(.fileInUse)))
        gate.open()
        _ = try await call.value
        #expect(TestFileSystem.contents(of: path) == Self.content)
    }

    @Test func `only a GET without a range can have a journal`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("") }
        for request in [
            HTTPRequest(.post, server.url), HTTPRequest(server.url, headers: [.range: "bytes=0-1"]),
            HTTPRequest(server.url, headers: [.ifRange: "\"a\""]),
        ] {
            let error = await failure {
                try await client.download(request, to: path, options: .resume)
            }
            #expect(error?.kind == .invalidRequest(.resumeData(.requestNotResumable)))
        }
        #expect(server.requests.isEmpty)
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    @Test func `a response without the resource does not replace the target`() async throws {
        let server = try await HTTPTestServer.start { _ in .status(.noContent) }
        try directory.write("precious", as: "file")
        let error = await interrupted(server.url)
        #expect(error?.kind == .rejectedStatus(.noContent))
        #expect(TestFileSystem.contents(of: path) == Array("precious".utf8))
        let replaced = try await client.download(server.url, to: path)
        #expect(replaced.head.status == .noContent)
        #expect(TestFileSystem.contents(of: path) == [])
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
    }

    @Test func `only its owner can read a partial file until it is complete`() async throws {
        let origin = try ScriptedOrigin(perConnection: [cut("abcd"), rest(from: 4)])
        await interrupted(origin.url)
        #expect(mode(of: part) == 0o600)
        #expect(mode(of: journal) == 0o600)
        _ = try await client.download(origin.url, to: path, options: .resume)
        let usual = directory.path + "/usual"
        let descriptor = unsafe open(usual, O_WRONLY | O_CREAT, 0o666)
        close(descriptor)
        #expect(mode(of: path) == mode(of: usual))
        #expect(TestFileSystem.names(in: directory.path) == ["file", "usual"])
    }

    private func mode(of path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can give a file to another user"),
        arguments: 0..<3
    )
    func `another user's file under a predictable name does not stop a download`(
        index: Int
    ) async throws {
        let taken = [part, journal, journal + "~"][index]
        try directory.write("trap", as: TargetPath(taken).name)
        #expect(unsafe chown(taken, 1, 1) == 0)
        let origin = try ScriptedOrigin(perConnection: [cut("abcd"), Self.wholeAnswer])
        let error = await interrupted(origin.url)
        #expect(error?.resumeData != nil)
        let file = try await client.download(origin.url, to: path, options: .resume)
        #expect(file.path == path)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(TestFileSystem.contents(of: taken) == Array("trap".utf8))
        #expect(TestFileSystem.names(in: directory.path) == [TargetPath(taken).name, "file"])
    }

    @Test func `a link or a directory in place of the partial file is refused`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("new") }
        let other = try directory.write("precious", as: "other")
        TestFileSystem.symlink(other, at: part)
        let error = await interrupted(server.url)
        #expect(error?.kind == .invalidRequest(.resumeData(.notPartialFile)))
        TestFileSystem.delete(part)
        TestFileSystem.link(other, at: part)
        let linked = await interrupted(server.url)
        #expect(linked?.kind == .invalidRequest(.resumeData(.notPartialFile)))
        #expect(TestFileSystem.contents(of: other) == Array("precious".utf8))
        #expect(server.requests.isEmpty)
    }

    @Test func `a download without a journal removes the files of one with a journal`() async throws
    {
        let origin = try ScriptedOrigin(perConnection: [cut("abcd"), Self.wholeAnswer])
        await interrupted(origin.url)
        _ = try await client.download(origin.url, to: path)
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
    }
}
