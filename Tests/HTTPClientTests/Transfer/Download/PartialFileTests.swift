import ClientSupport
import Glibc
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests which files a download changes, and when.
@Suite(.timeLimit(.minutes(10))) struct PartialFileTests {
    private let client = HTTPClient()
    private let directory: TemporaryDirectory
    private let path: String
    private let partName = ".file.abcdefgh.part"

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/file"
    }

    private func data(_ url: String, name: String? = nil, target: String? = nil) -> HTTPResumeData {
        HTTPResumeData(
            url: url + "/",
            validator: "\"v1\"",
            offset: 3,
            total: 6,
            target: target ?? path,
            name: name ?? partName
        )
    }

    private func text(naming file: String) -> String {
        JournalText.sealed(
            """
            HTTPClient download journal 1
            url: http://a/
            origin: http://a
            validator: "v1"
            written: 3
            synced: 3
            inode: 1
            target: \(path)
            file: \(file)
            modified: 3

            """
        )
    }

    // MARK: - Resume data that names other files

    @Test func `resume data that names another file is rejected, and the file stays`() async throws
    {
        let precious = try directory.write("precious", as: "precious")
        try directory.write("old", as: "file")
        let server = try await HTTPTestServer.start { _ in .text("evil") }
        for file in [precious, "precious", "file", path, "../precious"] {
            let reason = invalidReason { try HTTPResumeData(text(naming: file)) }
            #expect(reason == .resumeData(.notPartialFile))
            for action in [HTTPDownloadOptions.FailureAction.keepPartialFile, .removePartialFile] {
                let error = await failure {
                    try await client.download(
                        HTTPRequest(server.url),
                        to: path,
                        options: HTTPDownloadOptions(
                            resumeData: data(server.url, name: file),
                            failureAction: action
                        )
                    )
                }
                #expect(error?.kind == .invalidRequest(.resumeData(.notPartialFile)))
            }
        }
        #expect(server.requests.isEmpty)
        #expect(TestFileSystem.contents(of: precious) == Array("precious".utf8))
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
        #expect(TestFileSystem.names(in: directory.path) == ["file", "precious"])
    }

    @Test func `a link with the name of a partial file is rejected`() async throws {
        let precious = try directory.write("precious", as: "precious")
        let part = "\(directory.path)/\(partName)"
        let server = try await HTTPTestServer.start { _ in .text("evil") }
        for isHard in [false, true] {
            _ = unsafe unlink(part)
            let made = unsafe isHard ? link(precious, part) : symlink(precious, part)
            #expect(made == 0)
            let error = await failure {
                try await client.download(
                    HTTPRequest(server.url),
                    to: path,
                    options: .resuming(data(server.url))
                )
            }
            #expect(error?.kind == .invalidRequest(.resumeData(.notPartialFile)))
        }
        #expect(server.requests.isEmpty)
        #expect(TestFileSystem.contents(of: precious) == Array("precious".utf8))
    }

    @Test func `a partial file in use is rejected`() async throws {
        try directory.write("abc", as: partName)
        let server = try await HTTPTestServer.start { _ in .text("other") }
        let data = data(server.url)
        let user = try OutputFile.reopen(partName, beside: path)
        let request = HTTPRequest(server.url)
        let error = await failure {
            try await client.download(request, to: path, options: .resuming(data))
        }
        #expect(error?.kind == .invalidRequest(.resumeData(.fileInUse)))
        #expect(throws: HTTPError.self) { try data.discard() }
        #expect(TestFileSystem.contents(of: user.path) == Array("abc".utf8))
        user.release()
        _ = try await client.download(request, to: path, options: .resuming(data))
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
    }

    @Test func `resume data for a target in another directory is rejected`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("all") }
        let elsewhere = data(server.url, target: "/elsewhere/file")
        let request = HTTPRequest(server.url)
        let error = await failure {
            try await client.download(request, to: path, options: .resuming(elsewhere))
        }
        #expect(error?.kind == .invalidRequest(.resumeData(.targetMismatch)))
        #expect(server.requests.isEmpty)
    }

    @Test func `the target of resume data is an absolute path`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"v1\"\r\n\r\nabc"),
            .close,
        ])
        let here = TargetPath.absolute("x")
        #expect(here.hasPrefix("/") && here.hasSuffix("/x"))
        let steps = here.split(separator: "/").count - 1
        let relative = String(repeating: "../", count: steps) + path.dropFirst()
        let error = await failure {
            try await client.download(HTTPRequest(origin.url), to: relative)
        }
        let kept = try #require(error?.resumeData)
        #expect(kept.target == TargetPath.absolute(relative))
        #expect(kept.text.contains("\ntarget: /"))
        #expect(TestFileSystem.contents(of: kept.file) == Array("abc".utf8))
        try HTTPResumeData(kept.text).discard()
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    // MARK: - Before a matching response

    /// Responses that neither continue nor replace the file.
    private static let refusals = [
        "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */2\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 2-5/6\r\nContent-Length: 4\r\n\r\nabcd",
        "HTTP/1.1 302 Found\r\nLocation: ftp://a/\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-",
        "garbage\r\n\r\n",
        "",
    ]

    @Test(
        arguments: refusals,
        [HTTPDownloadOptions.FailureAction.keepPartialFile, .removePartialFile]
    )
    func `a partial file is unchanged until a matching response arrives`(
        answer: String,
        remains: HTTPDownloadOptions.FailureAction
    ) async throws {
        let content = Array("abcdefgh".utf8)
        try directory.write(content, as: partName)
        let target = try directory.write("old", as: "file")
        let origin = try ScriptedOrigin([.expectHead, .reply(answer), .close])
        let data = data(origin.url)
        let error = await failure {
            try await client.download(
                HTTPRequest(origin.url),
                to: path,
                options: HTTPDownloadOptions(resumeData: data, failureAction: remains)
            )
        }
        #expect(error?.resumeData == data)
        #expect(TestFileSystem.contents(of: data.file) == content)
        #expect(TestFileSystem.contents(of: target) == Array("old".utf8))
        // The file is not locked either.
        _ = try OutputFile.reopen(partName, beside: path)
    }

    @Test func `an emptied partial file stays until a matching response arrives`() async throws {
        try directory.write("", as: partName)
        let origin = try ScriptedOrigin([.expectHead, .reply(Self.refusals[0])])
        let data = data(origin.url)
        let error = await failure {
            try await client.download(HTTPRequest(origin.url), to: path, options: .resuming(data))
        }
        #expect(error?.resumeData == data)
        #expect(TestFileSystem.contents(of: data.file) == [])
    }

    @Test func `the rest is written after the known bytes`() async throws {
        try directory.write("abcXYZ12", as: partName)
        let reply =
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 3-5/6\r\nContent-Length: 3\r\n\r\ndef"
        let origin = try ScriptedOrigin([.expectHead(lines: "Range: bytes=3-"), .reply(reply)])
        let file = try await client.download(
            HTTPRequest(origin.url),
            to: path,
            options: .resuming(data(origin.url))
        )
        #expect(file.size == 6)
        #expect(TestFileSystem.contents(of: path) == Array("abcdef".utf8))
    }

    // MARK: - Special targets

    @Test func `a pipe is not replaced by a file`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        #expect(unsafe mkfifo(path, 0o600) == 0)
        try #require(unsafe symlink(path, directory.path + "/link") == 0)
        let request = HTTPRequest(server.url)
        for target in [path, directory.path + "/link"] {
            let error = await failure { try await client.download(request, to: target) }
            expectRefusal(error, of: target)
        }
        #expect(server.requests.isEmpty)
        let response = try await client.stream(request)
        expectRefusal(await failure { try await response.write(to: path) }, of: path)
        let (caller, target) = (client, path)
        let blocking = await onThread { () -> HTTPError? in
            do throws(HTTPError) {
                _ = try caller.blocking.download(request, to: target)
                return nil
            } catch {
                return error
            }
        }
        expectRefusal(blocking, of: path)
        // A symbolic link, so that a bug cannot replace the machine's device.
        let device = directory.path + "/device"
        #expect(unsafe symlink("/dev/null", device) == 0)
        expectRefusal(
            await failure { try await client.download(request, to: device) },
            of: device
        )
        #expect(OutputFile.isSpecial(path) && OutputFile.isSpecial(device))
        #expect(TestFileSystem.names(in: directory.path) == ["device", "file", "link"])
    }

    /// The ways to download a file.
    enum Way: CaseIterable, Sendable {
        case whole
        case journal
        case segments

        var options: HTTPDownloadOptions {
            switch self {
            case .whole: HTTPDownloadOptions()
            case .journal: .resume
            case .segments:
                HTTPDownloadOptions(journal: .on, segments: .upTo(2, minSize: 2))
            }
        }
    }

    /// Downloads `abcdef`, and calls `change` when a part of it has arrived.
    private func download(
        by way: Way,
        changing change: @Sendable @escaping () -> Void
    ) async throws -> Result<HTTPDownloadedFile, HTTPError> {
        let changed = Locked(false)
        let server = try await RangeServer.start(Array("abcdef".utf8)) { asked in
            guard asked.number == (way == .segments ? 1 : 0) else { return nil }
            changed.withLock { isChanged in
                if !isChanged { change() }
                isChanged = true
            }
            return nil
        }
        return await client.startDownload(server.url, to: path, options: way.options).result
    }

    @Test(arguments: Way.allCases)
    func `a target that becomes a directory meanwhile fails, and the bytes stay`(
        way: Way
    )
        async throws
    {
        let path = path
        let result = try await download(by: way) { TestFileSystem.makeDirectory(path) }
        guard case .failure(let error) = result, case .fileFailed(path, .rename, _) = error.kind
        else {
            Issue.record("\(result)")
            return
        }
        // All bytes are there for the next call.
        let part = try #require(error.partialFile)
        #expect(TestFileSystem.contents(of: part) == Array("abcdef".utf8))
        #expect(error.resumeData?.offset == 6)
    }

    @Test(arguments: Way.allCases)
    func `a target that becomes a link meanwhile is replaced, and the linked file stays`(
        way: Way
    )
        async throws
    {
        let path = path
        let other = try directory.write("precious", as: "other")
        let result = try await download(by: way) { TestFileSystem.symlink(other, at: path) }
        #expect(try result.get().size == 6)
        #expect(TestFileSystem.contents(of: other) == Array("precious".utf8))
        #expect(TestFileSystem.contents(of: path) == Array("abcdef".utf8))
        #expect(TestFileSystem.names(in: directory.path) == ["file", "other"])
    }

    @Test(arguments: Way.allCases)
    func `a target that becomes a pipe meanwhile is not replaced, and the bytes stay`(
        way: Way
    )
        async throws
    {
        let path = path
        let result = try await download(by: way) { _ = unsafe mkfifo(path, 0o600) }
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        expectRefusal(error, of: path)
        #expect(OutputFile.isSpecial(path))
        let part = try #require(error.partialFile)
        #expect(TestFileSystem.contents(of: part) == Array("abcdef".utf8))
        #expect(error.resumeData?.offset == 6)
    }

    private func expectRefusal(
        _ error: HTTPError?,
        of target: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        guard case .fileFailed(target, .replace, _) = error?.kind else {
            Issue.record("got \(String(describing: error))", sourceLocation: location)
            return
        }
    }

    // MARK: - Leftovers

    @Test func `a download removes the leftovers of its target`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/": .text("hello")])
        let paths = try #require(PartialFileName(target: path)?.fixedPaths)
        func leave() throws { try directory.write("left", as: TargetPath(paths[0]).name) }
        // Leftovers stay until a response arrives, because until then they could be resumed.
        try leave()
        _ = await failure {
            try await client.download(HTTPRequest(server.url + "/missing"), to: path)
        }
        #expect(TestFileSystem.names(in: directory.path) == [TargetPath(paths[0]).name])
        _ = try await client.download(HTTPRequest(server.url), to: path)
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
        try leave()
        _ = try await client.stream(HTTPRequest(server.url)).write(to: path)
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
    }

    // MARK: - Other origins

    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"v1\"\r\n\r\n"
    private static let rest =
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 3-5/6\r\nContent-Length: 3\r\n"
        + "ETag: \"v1\"\r\n\r\ndef"

    /// Returns an origin that redirects to each URL once and requires requests without a Range field.
    private func redirecting(to urls: String...) throws -> ScriptedOrigin {
        func redirect(_ url: String) -> OriginStep {
            .reply("HTTP/1.1 302 Found\r\nLocation: \(url)/\r\nContent-Length: 0\r\n\r\n")
        }
        let head = OriginStep.expectHeadWhere { !$0.lowercased().contains("range:") }
        return try ScriptedOrigin([head, redirect(urls[0]), head, redirect(urls[1])])
    }

    @Test func `the rest is requested from the original origin, also after a redirect`()
        async throws
    {
        let content = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(Self.answer + "abc"), .close],
            [.expectHead(lines: "Range: bytes=3-", "If-Range: \"v1\""), .reply(Self.rest)],
        ])
        let front = try redirecting(to: content.url, content.url)
        let request = HTTPRequest(front.url)
        let error = await failure { try await client.download(request, to: path) }
        let data = try #require(error?.resumeData)
        #expect(data.origin == content.url)
        let file = try await client.download(
            request,
            to: path,
            options: .resuming(HTTPResumeData(data.text))
        )
        #expect(file.resumedOffset == 3)
        #expect(TestFileSystem.contents(of: path) == Array("abcdef".utf8))
        #expect(front.failures == [] && content.failures == [])
    }

    @Test func `after a restart of the system, resume data start over`() async throws {
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(Self.answer + "abc"), .close],
            [
                .expectHeadWhere { !$0.lowercased().contains("range:") },
                .reply(Self.answer + "abcdef"),
            ],
        ])
        let error = await failure { try await client.download(origin.url, to: path) }
        let data = try #require(error?.resumeData)
        #expect(data.journal.synced == 0)
        var restarted = data.journal
        restarted.boot = "another"
        let later = try HTTPResumeData(HTTPResumeData(restarted, target: path).text)
        _ = try await client.download(origin.url, to: path, options: .resuming(later))
        #expect(TestFileSystem.contents(of: path) == Array("abcdef".utf8))
        #expect(origin.failures == [])
    }

    @Test func `a digest replaces the validator of resume data`() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(answer + "abc"), .close],
            [
                .expectHeadWhere { !$0.lowercased().contains("if-range:") },
                .reply("HTTP/1.1 206 Partial Content\r\nContent-Length: 3\r\n"),
                .reply("Content-Range: bytes 3-5/6\r\n\r\ndef"),
            ],
        ])
        var options = HTTPDownloadOptions()
        options.expectedDigest = try .sha256(of: Array("abcdef".utf8))
        let error = await failure { [options] in
            try await client.download(origin.url, to: path, options: options)
        }
        let data = try #require(error?.resumeData)
        #expect(data.validator == nil)
        options.resumeData = try HTTPResumeData(data.text)
        let file = try await client.download(origin.url, to: path, options: options)
        #expect(file.resumedOffset == 3)
        #expect(TestFileSystem.contents(of: path) == Array("abcdef".utf8))
        #expect(origin.failures == [])
    }

    @Test func `another origin is asked for the whole file`() async throws {
        let first = try ScriptedOrigin([.expectHead, .reply(Self.answer + "abc"), .close])
        let second = try ScriptedOrigin([
            .expectHeadWhere { !$0.lowercased().contains("range:") },
            .reply(Self.answer + "uvwxyz"),
        ])
        let front = try redirecting(to: first.url, second.url)
        let request = HTTPRequest(front.url)
        let error = await failure { try await client.download(request, to: path) }
        let data = try #require(error?.resumeData)
        let file = try await client.download(request, to: path, options: .resuming(data))
        #expect(file.resumedOffset == 0)
        #expect(TestFileSystem.contents(of: path) == Array("uvwxyz".utf8))
        #expect(front.failures == [] && second.failures == [])
    }

    @Test func `another origin's 416 does not complete the file`() async throws {
        let first = try ScriptedOrigin([.expectHead, .reply(Self.answer + "abc"), .close])
        let second = try ScriptedOrigin([
            .expectHead,
            .reply(
                "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */3\r\n"
                    + "Content-Length: 0\r\n\r\n"
            ),
        ])
        let front = try redirecting(to: first.url, second.url)
        let request = HTTPRequest(front.url)
        let error = await failure { try await client.download(request, to: path) }
        let data = try #require(error?.resumeData)
        // As if the first origin had not sent the total length.
        let cut = try HTTPResumeData(JournalText.without("total:", data.text))
        let refused = await failure {
            try await client.download(request, to: path, options: .resuming(cut))
        }
        #expect(refused?.head?.status == .rangeNotSatisfiable)
        #expect(TestFileSystem.contents(of: path) == nil)
    }
}
