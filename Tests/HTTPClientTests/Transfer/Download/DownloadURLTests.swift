#if Foundation
import ClientSupport
import FoundationEssentials
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct DownloadURLTests {
    @Test func `a download accepts only a file URL as target`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let directory = try TemporaryDirectory()
        let client = HTTPClient()
        let url = URL(filePath: "\(directory.path)/a b.txt")
        let file = try await HTTPRequest(server.url).download(to: url, in: client)
        #expect(file.path == "\(directory.path)/a b.txt")
        #expect(TestFileSystem.contents(of: file.path) == Array("hello".utf8))
        let web = try #require(URL(string: "https://example.com/a"))
        let error = await failure {
            try await HTTPRequest(server.url).download(to: web, in: client)
        }
        guard case .fileFailed(_, .create, _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(server.requests.count == 1)
        let call = HTTPRequest(server.url).startDownload(to: web, in: client)
        let late = await failure { try await call.value }
        #expect(late?.kind == error?.kind)
        #expect(call.state == .finished)
        let blocking = await onThread { () -> HTTPError.Kind? in
            do throws(HTTPError) {
                _ = try client.blocking.download(HTTPRequest(server.url), to: web)
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(blocking == error?.kind)
        #expect(server.requests.count == 1)
    }

    @Test func `a running download reports progress and can be stopped and resumed`()
        async throws
    {
        let gate = Gate()
        let start = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nETag: \"a\"\r\n\r\nhalf"
        let rest =
            "HTTP/1.1 206 Partial Content\r\nContent-Length: 4\r\nContent-Range: bytes 4-7/8\r\n"
            + "ETag: \"a\"\r\n\r\ndone"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(start), .pause(gate)],
            [.expectHead(lines: "Range: bytes=4-", "If-Range: \"a\""), .reply(rest)],
        ])
        defer { gate.open() }
        let directory = try TemporaryDirectory()
        let url = URL(filePath: "\(directory.path)/file")
        let client = HTTPClient()
        let call = HTTPRequest(origin.url).startDownload(to: url, in: client)
        for await progress in call.progress where progress.completed == 4 { break }
        let data = try #require(await call.cancelProducingResumeData())
        #expect(data.offset == 4 && data.total == 8)
        #expect(call.state == .cancelled)
        #expect(TestFileSystem.contents(of: data.file) == Array("half".utf8))

        let events = Locked<[String]>([])
        let again = HTTPRequest(origin.url).startDownload(
            to: url,
            options: .resuming(data),
            in: client
        )
        .onResponse { response in events.withLock { $0.append("\(response.status.code)") } }
        .onResult { result in
            events.withLock { $0.append("\((try? result.get().resumedOffset) ?? 0)") }
        }
        #expect(try await again.value.size == 8)
        #expect(TestFileSystem.contents(of: url.path) == Array("halfdone".utf8))
        #expect(Set(events.withLock { $0 }) == ["206", "4"])
        #expect(origin.failures == [])
    }

    @Test func `resume data is encoded as Data and decoded again`() throws {
        let data = HTTPResumeData(
            url: "http://a/",
            validator: "\"é\"",
            offset: 1,
            total: nil,
            target: "/tmp/ü",
            name: ".ü.abcdefgh.part"
        )
        #expect(try HTTPResumeData(data.data) == data)
        #expect(invalidReason { try HTTPResumeData(Data([0xFF])) } == .resumeData(.notResumeData))
    }
}
#endif
