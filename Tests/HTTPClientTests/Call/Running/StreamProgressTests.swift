import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct StreamProgressTests {
    private let client = HTTPClient()
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test func `progress of one direction leaves out the other`() async throws {
        let server = try await HTTPTestServer.start { .bytes($0.body) }
        let upload = Locked<[HTTPProgress]>([])
        let download = Locked<[HTTPProgress]>([])
        let both = Locked<[HTTPProgress]>([])
        let request = HTTPRequest(server.url, method: .put, body: .bytes([1, 2, 3]))
            .onProgress(of: .upload) { progress in upload.withLock { $0.append(progress) } }
            .onProgress { progress in both.withLock { $0.append(progress) } }
        let call = client.start(request).onProgress(of: .download) { progress in
            download.withLock { $0.append(progress) }
        }
        #expect(try await call.value.body == [1, 2, 3])
        let (sent, received) = (upload.withLock { $0 }, download.withLock { $0 })
        #expect(!sent.isEmpty && sent.allSatisfy { $0.direction == .upload })
        #expect(!received.isEmpty && received.allSatisfy { $0.direction == .download })
        #expect(sent.last?.isFinal == true && received.last?.isFinal == true)
        #expect(Set(both.withLock { $0 }.map(\.direction)) == [.upload, .download])
    }

    @Test func `upload progress follows the peer and ends before the response body is read`()
        async throws
    {
        let gate = Gate()
        // More bytes than the socket buffers can hold.
        let size = 32 << 20
        let origin = try ScriptedOrigin([
            .expectHead, .pause(gate), .expect(count: size), .reply(hello),
        ])
        let (news, tell) = AsyncStream<HTTPProgress>.makeStream()
        let client = client
        let body = [UInt8](repeating: 1, count: size)
        let request = HTTPRequest(origin.url, method: .post, body: .bytes(body))
        let opening = Task {
            let response = try await client.startStream(request).onProgress { tell.yield($0) }.value
            tell.finish()
            return response
        }
        var reported: [HTTPProgress] = []
        for await progress in news {
            reported.append(progress)
            // The upload cannot complete while the peer waits at the gate.
            if progress.completed > 0 { gate.open() }
        }
        let response = try await opening.value
        let first = try #require(reported.first { $0.completed > 0 })
        #expect(first.completed > 0 && first.completed < size)
        #expect(!first.isFinal)
        #expect(reported.allSatisfy { $0.direction == .upload && $0.total == size })
        #expect(reported.last?.isFinal == true)
        #expect(reported.last?.completed == size)
        #expect(try await response.body.collect() == Array("hello".utf8))
    }

    private func reported(of request: HTTPRequest) async -> (news: [HTTPProgress], isAnswered: Bool)
    {
        let (news, tell) = AsyncStream<HTTPProgress>.makeStream()
        let response = try? await client.startStream(request).onProgress { tell.yield($0) }.value
        tell.finish()
        var reported: [HTTPProgress] = []
        for await progress in news { reported.append(progress) }
        return (reported, response != nil)
    }

    @Test func `a request without content reports no progress`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(hello)])
        let outcome = await reported(of: HTTPRequest(origin.url))
        #expect(outcome.isAnswered)
        #expect(outcome.news.isEmpty)
    }

    @Test func `a failed upload ends its progress`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .expect(count: 4), .reset])
        let body = HTTPBody.bytes([1, 2, 3, 4])
        let outcome = await reported(of: HTTPRequest(origin.url, method: .post, body: body))
        #expect(!outcome.isAnswered)
        #expect(outcome.news.last?.isFinal == true)
        #expect(outcome.news.last?.total == 4)
    }

    @Test func `redirects and cookies are handled, and progress ends once`() async throws {
        let server = try await HTTPTestServer.start { request in
            guard request.path == "/new" else {
                return .redirect(to: "/new", status: .temporaryRedirect)
                    .header(.setCookie, "a=1; Path=/")
            }
            return .text("\(request.body.count) \(request.headers[.cookie] ?? "none")")
        }
        let reported = Locked<[HTTPProgress]>([])
        let body = [UInt8](repeating: 1, count: 100_000)
        let request = HTTPRequest(.post, server.url + "/old").body(.bytes(body))
        let client = HTTPClient().with { $0.cookies = .automatic }
        let response = try await client.startStream(request).onProgress { news in
            reported.withLock { $0.append(news) }
        }.value
        #expect(try await response.body.collect() == Array("100000 a=1".utf8))
        let all = reported.withLock { $0 }
        #expect(all.count { $0.isFinal } == 1 && all.last?.isFinal == true)
        #expect(all.last?.completed == 100_000)
    }

    @Test func `a request rejected before sending ends its progress`() async throws {
        let reported = Locked<[HTTPProgress]>([])
        let request = HTTPRequest(.post, "ftp://a.example/").body(.string("content"))
        let error = await failure {
            try await client.startStream(request)
                .onProgress { news in reported.withLock { $0.append(news) } }.value
        }
        guard case .invalidRequest? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reported.withLock { $0.map(\.isFinal) } == [true])
    }

    @Test func `a streamed call ends with the head and reports no download`() async throws {
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        let origin = try ScriptedOrigin([.expectHead, .reply(head), .pause(gate), .reply("hello")])
        let call = client.startStream(HTTPRequest(origin.url, method: .post, body: .string("abc")))
        var names: [String] = []
        for await event in call.events {
            switch event {
            case .running: names.append("running")
            case .informational(let head): names.append("interim \(head.status.code)")
            case .head(let head): names.append("head \(head.status.code)")
            case .progress(let progress):
                if progress.isFinal { names.append("last \(progress.direction)") }
            case .response: names.append("response")
            case .result(.success): names.append("success")
            case .result(.failure): names.append("failure")
            }
        }
        #expect(names == ["running", "last upload", "head 200", "success"])
        #expect(call.state == .finished)
        // The call has ended, so this has no effect on the body.
        call.cancel()
        gate.open()
        #expect(try await call.value.body.collect() == Array("hello".utf8))
    }

    @Test func `canceling a streamed call before the head ends it`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(gate)])
        let call = client.startStream(origin.url)
        await gate.arrival()
        call.cancel()
        let error = await failure { try await call.value }
        #expect(error?.kind == .cancelled)
        #expect(call.state == .cancelled)
    }

    @Test func `a response whose call is gone is dropped like any other`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        // Each request waits for the connection of the one before.
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        let client = HTTPClient(configuration)
        for _ in 0..<3 {
            let request = HTTPRequest(origin.url, method: .post, body: .string("abc"))
            _ = try await client.startStream(request).onProgress { _ in }.value.status
            _ = try await client.send(origin.url)
        }
        #expect(origin.connectionCount == 1)
    }
}
