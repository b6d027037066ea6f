import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPStreamedResponseTests {
    private let client = HTTPClient()

    @Test(
        arguments: [
            ("/text", .get, 5), ("/text", .head, 0), ("/chunks", .get, nil), ("/none", .get, 0),
            ("/gzip", .get, nil), ("/close", .get, nil),
        ] as [(String, HTTPMethod, Int?)]
    )
    func `the expected length is given if it is known`(
        path: String,
        method: HTTPMethod,
        length: Int?
    ) async throws {
        let server = try await HTTPTestServer.start { request in
            switch request.path {
            case "/text": .text("hello")
            case "/chunks": .chunks(["hel", "lo"])
            case "/gzip": .text("hello").gzipped()
            case "/none": .status(.noContent)
            default: .raw("HTTP/1.1 200 OK\r\n\r\nhello")
            }
        }
        let request = HTTPRequest(server.url + path, method: method)
        let response = try await client.stream(request)
        #expect(response.expectedContentLength == length)
        let body = try await response.body.collect()
        if let length { #expect(body.count == length) }
    }

    @Test func `an ignored length is not expected, and an undecoded body has its encoded length`()
        async throws
    {
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        var configuration = HTTPClient.Configuration()
        configuration.contentLengthPolicy = .ignored
        let doubting = HTTPClient(configuration)
        #expect(try await doubting.stream(HTTPRequest(server.url)).expectedContentLength == nil)
        let undecoded = client.with { $0.decompression = .off }
        let coded = try await HTTPTestServer.start { _ in .text("hello").gzipped() }
        let response = try await undecoded.stream(
            HTTPRequest(coded.url, headers: [.acceptEncoding: "gzip"])
        )
        let length = try await response.body.collect().count
        #expect(response.expectedContentLength == length)
    }

    @Test func `a rejected status throws an error with the start of the body`() async throws {
        let server = try await HTTPTestServer.start(routes: [
            "/fine": .text("fine"), "/full": .text("0123456789", status: .conflict),
        ])
        let fine = try await client.stream(HTTPRequest(server.url + "/fine")).requireSuccess()
        #expect(try await fine.body.collect() == Array("fine".utf8))
        for (limit, kept) in [(64 << 10, 10), (4, 4), (0, 0)] {
            let error = await failure {
                try await client.stream(HTTPRequest(server.url + "/full"))
                    .requireSuccess(bodyLimit: limit)
            }
            #expect(error?.kind == .rejectedStatus(.conflict))
            #expect(error?.head?.status == .conflict)
            #expect(error?.partialBody == Array("0123456789".utf8.prefix(kept)))
            #expect(error?.request == "GET \(server.url)/full")
            #expect(error?.isRetrySafe == false)
        }
    }

    @Test func `an endless error body is read up to the limit`() async throws {
        let block = [UInt8](repeating: 1, count: 65536)
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 500 Oh\r\n\r\n"), .replyForever(block),
        ])
        let error = await failure {
            try await client.stream(HTTPRequest(origin.url)).requireSuccess(bodyLimit: 100_000)
        }
        #expect(error?.partialBody.count == 100_000)
    }

    @Test func `a body written to a file replaces it only when complete`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 404 No\r\nContent-Length: 6\r\n\r\nabc"), .pause(gate),
            .reply("def"),
        ])
        let directory = try TemporaryDirectory()
        let path = try directory.write("old", as: "file")
        let response = try await client.stream(HTTPRequest(origin.url))
        async let written = response.write(to: path)
        await gate.arrival()
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
        gate.open()
        let file = try await written
        #expect(file.path == path)
        #expect(file.size == 6)
        #expect(file.resumedOffset == 0)
        #expect(file.head.status == .notFound)
        #expect(file.metrics.bodyBytesReceived == 6)
        #expect(TestFileSystem.contents(of: path) == Array("abcdef".utf8))
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
    }

    @Test func `only the unread rest is written to a file, and it is decoded`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/": .text("hello").gzipped()])
        let directory = try TemporaryDirectory()
        let coded = try await client.stream(HTTPRequest(server.url + "/"))
        try await coded.write(to: directory.path + "/a")
        #expect(TestFileSystem.contents(of: directory.path + "/a") == Array("hello".utf8))
        let again = try await client.stream(HTTPRequest(server.url + "/"))
        _ = try await again.body.collect()
        let rest = try await again.write(to: directory.path + "/b")
        #expect(rest.size == 0)
        #expect(TestFileSystem.contents(of: directory.path + "/b") == [])
    }

    @Test func `a truncated body leaves no partial file`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"), .close,
        ])
        let directory = try TemporaryDirectory()
        let path = try directory.write("old", as: "file")
        let response = try await client.stream(HTTPRequest(origin.url))
        let error = await failure { try await response.write(to: path) }
        guard case .truncatedResponse = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(TestFileSystem.contents(of: path) == Array("old".utf8))
        #expect(TestFileSystem.names(in: directory.path) == ["file"])
    }

    @Test func `a canceled task leaves no partial file`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"), .pause(gate),
        ])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let response = try await client.stream(HTTPRequest(origin.url))
        let task = Task { try await response.write(to: path) }
        await gate.arrival()
        task.cancel()
        let error = await failure { try await task.value }
        #expect(error?.kind == .cancelled)
        #expect(TestFileSystem.names(in: directory.path) == [])
        gate.open()
    }

    @Test func `a missing directory gives an error with the request`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let directory = try TemporaryDirectory()
        let response = try await client.stream(HTTPRequest(server.url))
        let error = await failure { try await response.write(to: directory.path + "/no/file") }
        guard case .fileFailed(_, .create, _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.request == "GET \(server.url)/")
        #expect(error?.blame == .machine)
    }
}
