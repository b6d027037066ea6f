import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing

#if Foundation
import FoundationEssentials
#endif

/// Tests that each direction reports one final progress value before the result.
@Suite(.timeLimit(.minutes(10))) struct FinalProgressTests {
    private let client = HTTPClient()

    private func events<Value>(_ call: HTTPCall<Value>) async -> [String] {
        var names: [String] = []
        for await event in call.events {
            switch event {
            case .running: names.append("running")
            case .informational(let head): names.append("interim \(head.status.code)")
            case .head: names.append("head")
            case .progress(let progress):
                if progress.isFinal { names.append("last \(progress.direction)") }
            case .response: names.append("response")
            case .result(.success): names.append("success")
            case .result(.failure): names.append("failure")
            }
        }
        return names
    }

    @Test(arguments: [
        (HTTPRequest("ftp://a/"), ["last download", "failure"]),
        (
            HTTPRequest("ftp://a/").body(.string("abc")),
            ["last upload", "last download", "failure"]
        ),
        (HTTPRequest("http://a/").header(.contentLength, "1"), ["last download", "failure"]),
    ])
    func `an invalid request ends its progress`(request: HTTPRequest, expected: [String]) async {
        #expect(await events(request.start(in: client)) == expected)
    }

    @Test func `a call that never left the queue ends its progress`() async throws {
        let queue = HTTPClientQueue()
        queue.suspend()
        let queued = client.with { $0.queue = queue }
        let request = HTTPRequest("http://127.0.0.1:1/", method: .post, body: .string("abc"))
        let cancelled = request.start(in: queued)
        cancelled.cancel()
        let expected = ["last upload", "last download", "failure"]
        #expect(await events(cancelled) == expected)
        var impatient = request
        impatient.timeouts = HTTPTimeouts(total: .milliseconds(10))
        #expect(await events(impatient.start(in: queued)) == expected)
    }

    @Test func `a download that cannot start ends its progress`() async throws {
        let directory = try TemporaryDirectory()
        let request = HTTPRequest("http://127.0.0.1:1/")
        let missing = request.startDownload(to: directory.path + "/none/file", in: client)
        #expect(await events(missing) == ["last download", "failure"])
        let data = HTTPResumeData(
            url: "http://elsewhere/",
            validator: "\"a\"",
            offset: 1,
            total: nil,
            target: directory.path + "/file",
            name: ".file.abcdefgh.part"
        )
        let wrong = request.startDownload(
            to: directory.path + "/file",
            options: .resuming(data),
            in: client
        )
        #expect(await events(wrong) == ["last download", "failure"])
    }

    @Test func `a stream that cannot start ends its upload progress`() async {
        let reported = Locked<[HTTPProgress]>([])
        let request = HTTPRequest("ftp://a/", method: .post, body: .string("abc"))
        _ = await failure {
            try await client.startStream(request)
                .onProgress { progress in reported.withLock { $0.append(progress) } }.value
        }
        let news = reported.withLock { $0 }
        #expect(news.count == 1)
        #expect(news.first?.isFinal == true)
        #expect(news.first?.total == 3)
    }

    #if Foundation
    @Test func `the final upload progress has the length of the client's encoder`() async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        let value = ["a": ["b": 1]]
        let length = try encoder.encode(value).count
        let indenting = client.with { $0.jsonEncoder = encoder }
        let request = HTTPRequest("ftp://a/").json(value)
        var totals: [Int?] = []
        for await progress in request.start(in: indenting).progress
        where progress.direction == .upload {
            totals.append(progress.total)
        }
        #expect(totals == [length])
        let reported = Locked<[Int?]>([])
        _ = await failure {
            try await indenting.startStream(request)
                .onProgress { news in reported.withLock { $0.append(news.total) } }.value
        }
        #expect(reported.withLock { $0 } == [length])
    }
    #endif

    @Test func `the file has its final name when its progress ends`() async throws {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"))
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let found = Locked<[[UInt8]?]>([])
        let call = HTTPRequest(origin.url).startDownload(to: path, in: client)
            .onProgress { progress in
                let contents = TestFileSystem.contents(of: path)
                if progress.isFinal { found.withLock { $0.append(contents) } }
            }
        _ = try await call.value
        #expect(found.withLock { $0 } == [Array("ab".utf8)])
    }

    @Test func `a file that cannot be replaced ends its progress once`() async throws {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"))
        let directory = try TemporaryDirectory()
        // A nonempty directory cannot be replaced.
        let inner = try TemporaryDirectory()
        _ = try inner.write("x", as: "file")
        let call = HTTPRequest(origin.url).startDownload(to: inner.path, in: client)
        #expect(await events(call) == ["last download", "failure"])
        let error = await failure { try await call.value }
        guard case .fileFailed = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.request == "GET \(origin.url)/")
        #expect(TestFileSystem.names(in: directory.path).isEmpty)
    }
}
