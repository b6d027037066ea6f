import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct DownloadTests {
    private let client = HTTPClient()

    private static let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    private func head(_ status: String, _ fields: [String]) -> String {
        "HTTP/1.1 \(status)\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// Returns a script that sends the first `count` bytes of the content and then closes.
    private func cut(after count: Int, etag: String = "\"v1\"") -> OriginScript {
        let fields = ["Content-Length: \(Self.content.count)", "ETag: \(etag)"]
        return [
            .expectHead, .reply(head("200 OK", fields)), .reply(Array(Self.content[..<count])),
            .close,
        ]
    }

    /// Returns a script that requires a range request for the rest and sends it.
    private func rest(from offset: Int, etag: String = "\"v1\"") -> OriginScript {
        let last = Self.content.count - 1
        let fields = [
            "Content-Length: \(Self.content.count - offset)", "ETag: \(etag)",
            "Content-Range: bytes \(offset)-\(last)/\(last + 1)",
        ]
        return [
            .expectHead(lines: "Range: bytes=\(offset)-", "If-Range: \"v1\""),
            .reply(head("206 Partial Content", fields)), .reply(Array(Self.content[offset...])),
        ]
    }

    @Test func `a completed download replaces the target only at its end`() async throws {
        let gate = Gate()
        let directory = try TemporaryDirectory()
        let path = try directory.write("old", as: "file")
        let fields = ["Content-Length: \(Self.content.count)"]
        let origin = try ScriptedOrigin([
            .expectHead(lines: "Accept-Encoding: identity"), .reply(head("200 OK", fields)),
            .reply(Array(Self.content[..<1000])), .pause(gate),
            .reply(Array(Self.content[1000...])),
        ])
        let call = HTTPRequest(origin.url).startDownload(to: path, in: client)
        await gate.arrival()
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
        gate.open()
        let file = try await call.value
        #expect(file.path == path)
        #expect(file.size == Self.content.count)
        #expect(file.resumedOffset == 0)
        #expect(file.head.status == .ok)
        #expect(file.metrics.bodyBytesReceived == Self.content.count)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
        #expect(origin.failures == [])
    }

    @Test func `encoded content is saved as received, and chunks are decoded`() async throws {
        let server = try await HTTPTestServer.start(routes: [
            "/gzip": .text("text").gzipped(), "/chunks": .chunks(["one", "two"]),
            "/empty": .status(.ok),
        ])
        let directory = try TemporaryDirectory()
        let coded = try await client.send(HTTPRequest(server.url + "/gzip"))
        #expect(coded.text == "text")
        let path = directory.path + "/a"
        let request = HTTPRequest(server.url + "/gzip")
        let file = try await request.download(to: path, in: client)
        #expect(TestFileSystem.contents(of: path)?.starts(with: [0x1F, 0x8B]) == true)
        #expect(file.size > 4)
        _ = try await client.download(HTTPRequest(server.url + "/chunks"), to: path)
        #expect(TestFileSystem.contents(of: path) == Array("onetwo".utf8))
        _ = try await client.download(HTTPRequest(server.url + "/empty"), to: path)
        #expect(TestFileSystem.contents(of: path) == [])
    }

    @Test func `an error response is not saved to the target`() async throws {
        let server = try await HTTPTestServer.start(routes: [:])
        let directory = try TemporaryDirectory()
        let path = try directory.write("old", as: "file")
        let error = await failure {
            try await client.download(HTTPRequest(server.url + "/x"), to: path)
        }
        #expect(error?.kind == .rejectedStatus(.notFound))
        #expect(error?.head?.status == .notFound)
        #expect(error?.partialBody.isEmpty == false)
        #expect(error?.resumeData == nil)
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
    }

    // MARK: - Resuming

    @Test func `an interrupted download resumes where it stopped`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let origin = try ScriptedOrigin(perConnection: [cut(after: 70_000), rest(from: 70_000)])
        let request = HTTPRequest(origin.url)
        let error = await failure { try await client.download(request, to: path) }
        guard case .truncatedResponse = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        let data = try #require(error?.resumeData)
        #expect(data.offset == 70_000)
        #expect(data.total == Self.content.count)
        #expect(data.validator == "\"v1\"")
        #expect(TestFileSystem.contents(of: data.file) == Array(Self.content[..<70_000]))
        let kept = try HTTPResumeData(data.text)
        let log = Locked<[HTTPProgress]>([])
        let call = request.startDownload(to: path, options: .resuming(kept), in: client)
            .onProgress { progress in log.withLock { $0.append(progress) } }
        let file = try await call.value
        #expect(file.resumedOffset == 70_000)
        #expect(file.size == Self.content.count)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
        #expect(origin.failures == [])
        while log.withLock({ $0.last?.isFinal }) != true { await moment() }
        let entries = log.withLock { $0 }
        #expect(entries.allSatisfy { $0.resumedOffset == 70_000 && $0.total == data.total })
        #expect(entries.last?.completed == data.total)
        #expect(entries.first?.completed ?? 0 >= 70_000)
    }

    @Test func `a canceled download leaves no file unless requested`() async throws {
        let gate = Gate()
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let fields = ["Content-Length: \(Self.content.count)", "ETag: \"v1\""]
        let start: OriginScript = [
            .expectHead, .reply(head("200 OK", fields)), .reply(Array(Self.content[..<90_000])),
            .pause(gate),
        ]
        let origin = try ScriptedOrigin(perConnection: [start, start, rest(from: 90_000)])
        let request = HTTPRequest(origin.url)
        func begun() async -> HTTPCall<HTTPDownloadedFile> {
            let call = request.startDownload(to: path, in: client)
            for await event in call.events {
                if case .progress(let progress) = event, progress.completed > 0 { break }
            }
            // The first event can precede the write of the remaining bytes to the file.
            while !TestFileSystem.names(in: directory.path).contains(where: {
                TestFileSystem.contents(of: "\(directory.path)/\($0)")?.count == 90_000
            }) { await moment() }
            return call
        }
        let first = await begun()
        first.cancel()
        let error = await failure { try await first.value }
        #expect(error?.kind == .cancelled)
        #expect(error?.resumeData == nil)
        #expect(TestFileSystem.names(in: directory.path) == [])
        let second = await begun()
        let data = try #require(await second.cancelProducingResumeData())
        #expect(data.offset == 90_000)
        #expect(second.state == .cancelled)
        gate.open()
        let file = try await client.download(request, to: path, options: .resuming(data))
        #expect(file.resumedOffset == 90_000)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
    }

    @Test func `a download without bytes has no resume data`() async throws {
        let server = try await HTTPTestServer.start { _ in .stall }
        let directory = try TemporaryDirectory()
        let call = client.startDownload(HTTPRequest(server.url), to: directory.path + "/file")
        while server.requests.isEmpty { await moment() }
        #expect(await call.cancelProducingResumeData() == nil)
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    /// The response on a download's second connection, and the expected result.
    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: String
        let fields: [String]
        let body: [UInt8]
        /// The final content of the file; nil if the download fails.
        var file: [UInt8]?
        var resumedOffset = 0
        var kind: HTTPError.Kind?

        init(
            _ name: String,
            _ status: String,
            _ fields: [String],
            _ body: [UInt8],
            file: [UInt8]? = nil,
            resumed offset: Int = 0,
            _ kind: HTTPError.Kind? = nil
        ) {
            testDescription = name
            self.status = status
            self.fields = fields
            self.body = body
            self.file = file
            resumedOffset = offset
            self.kind = kind
        }
    }

    @Test(arguments: [
        Answer(
            "the whole body",
            "200 OK",
            ["Content-Length: 3", "ETag: \"v2\""],
            [1, 2, 3],
            file: [1, 2, 3]
        ),
        Answer(
            "the rest",
            "206 Partial Content",
            ["Content-Range: bytes 4-5/6", "Content-Length: 2"],
            [8, 9],
            file: [0, 1, 2, 3, 8, 9],
            resumed: 4
        ),
        Answer(
            "another part",
            "206 Partial Content",
            ["Content-Range: bytes 3-5/6", "Content-Length: 3"],
            [7, 8, 9],
            .resumeFailed(.rangeMismatch(requested: 4, received: .part(3...5, of: 6)))
        ),
        Answer(
            "another ETag",
            "206 Partial Content",
            ["Content-Range: bytes 4-5/6", "Content-Length: 2", "ETag: \"v2\""],
            [8, 9],
            .resumeFailed(.representationChanged)
        ),
        Answer(
            "another size",
            "416 Range Not Satisfiable",
            ["Content-Range: bytes */3", "Content-Length: 0"],
            [],
            .resumeFailed(.noRemainingBytes(offset: 4, total: 3))
        ),
        Answer(
            "an error page",
            "503 Service Unavailable",
            ["Content-Length: 2"],
            [7, 7],
            .rejectedStatus(503)
        ),
    ])
    func `a response continues the file exactly or is rejected`(answer: Answer) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let first = head("200 OK", ["Content-Length: 6", "ETag: \"v1\""])
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(first), .reply([0, 1, 2, 3]), .close],
            [
                .expectHead(lines: "Range: bytes=4-", "If-Range: \"v1\""),
                .reply(head(answer.status, answer.fields)), .reply(answer.body),
            ],
        ])
        let request = HTTPRequest(origin.url)
        let lost = await failure { try await client.download(request, to: path) }
        let data = try #require(lost?.resumeData)
        if let expected = answer.file {
            let file = try await client.download(request, to: path, options: .resuming(data))
            #expect(TestFileSystem.contents(of: path) == expected)
            #expect(file.resumedOffset == answer.resumedOffset)
            #expect(TestFileSystem.names(in: directory.path) == ["file"])
        } else {
            let error = await failure {
                try await client.download(request, to: path, options: .resuming(data))
            }
            #expect(error?.kind == answer.kind)
            #expect(error?.resumeData == data)
            #expect(TestFileSystem.contents(of: data.file) == [0, 1, 2, 3])
            #expect(TestFileSystem.contents(of: path) == nil)
        }
        #expect(origin.failures == [])
    }

    @Test func `a file that is already complete is finished without a body`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        try directory.write([0, 1, 2, 3, 9], as: ".file.abcdefgh.part")
        let origin = try ScriptedOrigin([
            .expectHead(lines: "Range: bytes=4-"),
            .reply(
                head(
                    "416 Range Not Satisfiable",
                    ["Content-Range: bytes */4", "Content-Length: 0"]
                )
            ),
        ])
        let data = HTTPResumeData(
            url: origin.url + "/",
            validator: "\"v1\"",
            offset: 4,
            total: 4,
            target: path,
            name: ".file.abcdefgh.part"
        )
        let file = try await client.download(
            HTTPRequest(origin.url),
            to: path,
            options: .resuming(data)
        )
        #expect(file.head.status == 416)
        #expect(file.resumedOffset == 4)
        // The response does not confirm the bytes beyond the total length, so they are cut off.
        #expect(TestFileSystem.contents(of: path) == [0, 1, 2, 3])
    }

    @Test func `a partial file that is gone or too short is downloaded again`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await HTTPTestServer.start { _ in .bytes([1, 2, 3, 4]) }
        let path = directory.path + "/file"
        let gone = HTTPResumeData(
            url: server.url + "/",
            validator: "\"v1\"",
            offset: 3,
            total: 4,
            target: path,
            name: ".file.goneaway.part"
        )
        let file = try await client.download(
            HTTPRequest(server.url),
            to: path,
            options: .resuming(gone)
        )
        #expect(file.resumedOffset == 0)
        #expect(server.requests.first?.headers.contains(.range) == false)
        try directory.write([9], as: ".file.abcdefgh.part")
        let short = HTTPResumeData(
            url: server.url + "/",
            validator: "\"v1\"",
            offset: 3,
            total: 4,
            target: path,
            name: ".file.abcdefgh.part"
        )
        _ = try await client.download(HTTPRequest(server.url), to: path, options: .resuming(short))
        #expect(server.requests.last?.headers.contains(.range) == false)
        #expect(TestFileSystem.contents(of: path) == [1, 2, 3, 4])
        try directory.write([UInt8](), as: ".file.abcdefgh.part")
        let empty = HTTPResumeData(
            url: server.url + "/",
            validator: "\"v1\"",
            offset: 3,
            total: 4,
            target: path,
            name: ".file.abcdefgh.part"
        )
        _ = try await client.download(HTTPRequest(server.url), to: path, options: .resuming(empty))
        #expect(server.requests.last?.headers.contains(.range) == false)
    }

    @Test func `a partial file that cannot be resumed is removed`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let weak = try ScriptedOrigin(cut(after: 500, etag: "W/\"v1\""))
        let error = await failure { try await client.download(HTTPRequest(weak.url), to: path) }
        #expect(error?.resumeData == nil)
        #expect(TestFileSystem.names(in: directory.path) == [])
        let strong = try ScriptedOrigin(cut(after: 500))
        let removed = await failure {
            try await client.download(
                HTTPRequest(strong.url),
                to: path,
                options: HTTPDownloadOptions(failureAction: .removePartialFile)
            )
        }
        #expect(removed?.resumeData == nil)
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    @Test func `resume data of another request is rejected before sending`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await HTTPTestServer.start { _ in .text("") }
        try directory.write([1, 2, 3], as: ".x.abcdefgh.part")
        let data = HTTPResumeData(
            url: server.url + "/a",
            validator: "\"v1\"",
            offset: 3,
            total: 4,
            target: directory.path + "/x",
            name: ".x.abcdefgh.part"
        )
        let rows: [(HTTPRequest, HTTPResumeData.ResumeError)] = [
            (HTTPRequest(server.url + "/b"), .urlMismatch),
            (HTTPRequest(server.url + "/a", method: .post), .requestNotResumable),
            (HTTPRequest(server.url + "/a", headers: [.range: "bytes=0-1"]), .requestNotResumable),
        ]
        for (request, reason) in rows {
            let error = await failure {
                try await client.download(
                    request,
                    to: directory.path + "/x",
                    options: .resuming(data)
                )
            }
            #expect(error?.kind == .invalidRequest(.resumeData(reason)))
        }
        #expect(server.requests.isEmpty)
        #expect(TestFileSystem.contents(of: data.file) == [1, 2, 3])
    }

    @Test(arguments: ["", "/", "missing/file", ".", "a\0b"])
    func `an unwritable target is rejected before sending`(
        name: String
    )
        async throws
    {
        let directory = try TemporaryDirectory()
        let server = try await HTTPTestServer.start { _ in .text("") }
        let path = name.isEmpty ? "" : "\(directory.path)/\(name)"
        let error = await failure { try await client.download(HTTPRequest(server.url), to: path) }
        guard case .fileFailed(_, .create, _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.blame == .machine)
        #expect(server.requests.isEmpty)
        #expect(TestFileSystem.names(in: directory.path) == [])
    }

    @Test func `downloads wait in the client's queue and can run on its executor`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let queued = client.with { $0.queue = queue }
        let (path, url) = (directory.path + "/file", server.url)
        let task = Task(executorPreference: queued.executor) {
            try await queued.download(HTTPRequest(url), to: path).size
        }
        #expect(try await task.value == 5)
        #expect(queue.runningCount == 0)
        #expect(TestFileSystem.contents(of: path) == Array("hello".utf8))
    }
}
