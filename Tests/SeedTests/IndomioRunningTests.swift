import HTTPClient
import HTTPTestServer
import Support
import Testing

@Suite("IndomioHTTP: HTTP Request, execution", .timeLimit(.minutes(10)))
struct IndomioRunningTests {
    private static let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    /// Starts a server that sends half of the content and then stalls; a range request gets its range.
    private func haltingServer() async throws -> HTTPTestServer {
        let content = Self.content
        return try await HTTPTestServer.start { request in
            guard let range = request.headers[.range], request.headers[.ifRange] == "\"v1\"",
                let offset = Int(range.dropFirst("bytes=".count).dropLast())
            else {
                return .stream { writer in
                    try await writer.write(Array(content[..<100_000]))
                    // Waits until the server stops.
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                }
                .header(.contentLength, "\(content.count)").header(.etag, "\"v1\"")
            }
            return HTTPTestServer.Response.bytes(
                Array(content[offset...]),
                status: .partialContent
            )
            .header(.contentRange, "bytes \(offset)-\(content.count - 1)/\(content.count)")
            .header(.etag, "\"v1\"")
        }
    }

    /// Waits until the call has received a part of the body.
    private func waitUntilStarted(_ call: HTTPCall<HTTPDownloadedFile>) async {
        for await progress in call.progress where progress.completed > 0 { return }
    }

    @Test func `Execute Request: in a client and in the shared client`() async throws {
        let server = try await echoServer()
        let client = try HTTPClient(baseURL: server.url)
        #expect(try await HTTPRequest("/a").start(in: client).value.isSuccess)
        #expect(try await HTTPRequest(server.url + "/b").start().value.isSuccess)
        #expect(server.requests.map(\.target) == ["/a", "/b"])
    }

    @Test func `Execute Request: on a blocked thread`() async throws {
        let server = try await echoServer()
        let client = try HTTPClient(baseURL: server.url)
        let url = server.url
        let results = try await onThread {
            [
                Result { () throws(HTTPError) in try HTTPRequest("/a").runSync(in: client) },
                Result { () throws(HTTPError) in try HTTPRequest(url + "/b").runSync() },
            ]
        }
        let targets = try #require(results).map { try $0.get().json()["target"].string }
        #expect(targets == ["/a", "/b"])
        #expect(server.requests.map(\.target) == ["/a", "/b"])
    }

    @Test func `Cancel Request: a canceled download leaves no file`() async throws {
        let server = try await haltingServer()
        let directory = try TemporaryDirectory()
        let notes = EventRecorder<HTTPError.Kind>()
        let largeDownload = HTTPRequest(server.url + "/100MB.bin")
            .startDownload(to: directory.path + "/100MB.bin")
            .onResult { if case .failure(let error) = $0 { notes.add(error.kind) } }
        await waitUntilStarted(largeDownload)
        largeDownload.cancel()
        #expect(await notes.first(1) == [.cancelled])
        #expect(largeDownload.state == .cancelled)
        #expect(TestFileSystem.names(in: directory.path) == [])
        #expect(server.requests.map(\.target) == ["/100MB.bin"])
    }

    @Test func `Cancel Request: a download is resumed with its resume data`() async throws {
        let server = try await haltingServer()
        let directory = try TemporaryDirectory()
        let (url, path) = (server.url + "/100MB.bin", directory.path + "/100MB.bin")
        let largeDownload = HTTPRequest(url).startDownload(to: path)
        await waitUntilStarted(largeDownload)
        let resumableData = try #require(await largeDownload.cancelProducingResumeData())
        #expect(resumableData.offset > 0 && resumableData.offset <= 100_000)

        let notes = EventRecorder<HTTPProgress>()
        let file = try await HTTPRequest(url).startDownload(
            to: path,
            options: .resuming(resumableData)
        )
        .onProgress { notes.add($0) }
        .value
        #expect(file.resumedOffset == resumableData.offset)
        #expect(TestFileSystem.contents(of: path) == Self.content)
        #expect(notes.all.allSatisfy { $0.resumedOffset == resumableData.offset })
        #expect(await notes.first(where: \.isFinal)?.percentage == 100)
        #expect(server.requests.last?.headers[.range] == "bytes=\(resumableData.offset)-")
        #expect(server.requests.last?.headers[.ifRange] == "\"v1\"")
    }

    @Test func `Response Handling: result, response and progress are observed`() async throws {
        let server = try await HTTPTestServer.start(routes: ["/n": .text("17")])
        let client = try HTTPClient(baseURL: server.url)
        let number = HTTPResponseParser.text.map { Int($0) ?? 0 }
        let notes = EventRecorder<String>()
        let call = HTTPRequest("/n").returning(number).start(in: client)
            .onResult { notes.add("result \((try? $0.get()) ?? 0)") }
            .onResponse { notes.add("response \($0.status.code) \($0.text)") }
            .onProgress { if $0.isFinal { notes.add("progress \($0.completed)") } }
        #expect(try await call.value == 17)
        #expect(Set(await notes.first(3)) == ["result 17", "response 200 17", "progress 2"])
        // Observers can be added any number of times, even after the end.
        call.onResult { notes.add("late \((try? $0.get()) ?? 0)") }
        #expect(notes.all.last == "late 17")
        #expect(server.requests.count == 1)
    }

    @Test func `Response Handling: on a chosen queue`() async throws {
        let server = try await echoServer()
        let notes = EventRecorder<Bool>()
        HTTPRequest(server.url).start().onResult(on: .main) { result in
            MainActor.assertIsolated()
            notes.add((try? result.get())?.isSuccess == true)
        }
        #expect(await notes.first(1) == [true])
        #expect(server.requests.count == 1)
    }

    @Test func `Response Validation: a decoded type rejects a response`() async throws {
        struct Accepted: HTTPDecodableResponse {
            struct RejectedError: Error {}
            static func decode(_ response: HTTPResponse) throws -> Accepted {
                guard response.text == "yes" else { throw RejectedError() }
                return Accepted()
            }
        }
        let server = try await serverAnswering([.text("yes"), .text("no")])
        let request = HTTPRequest(server.url)
        _ = try await request.fetch(Accepted.self)
        let error = await failure { try await request.fetch(Accepted.self) }
        #expect(error?.underlying is Accepted.RejectedError)
        #expect(server.requests.count == 2)
    }

    @Test func `Download Large Data`() async throws {
        let content = Self.content
        let server = try await HTTPTestServer.start { _ in .bytes(content) }
        let directory = try TemporaryDirectory()
        let path = directory.path + "/100MB.bin"
        let notes = EventRecorder<String>()
        HTTPRequest(server.url + "/100MB.bin").startDownload(to: path)
            .onProgress { if $0.isFinal { notes.add("\($0.percentage ?? 0)") } }
            .onResponse { notes.add("Completed \($0.status.code)") }
        #expect(Set(await notes.first(2)) == ["100.0", "Completed 200"])
        #expect(TestFileSystem.contents(of: path) == content)
        #expect(server.requests.map(\.target) == ["/100MB.bin"])
    }

    @Test func `Track Upload and Download Progress`() async throws {
        let content = Self.content
        let server = try await HTTPTestServer.start { _ in .bytes(content) }
        let notes = EventRecorder<HTTPProgress>()
        let call = HTTPRequest(.post, server.url).data(content).start()
            .onProgress { notes.add($0) }
        #expect(try await call.value.body == content)
        #expect(server.requests.first?.body == content)
        for direction in [HTTPProgress.Direction.upload, .download] {
            let last = try #require(
                await notes.first { $0.direction == direction && $0.isFinal }
            )
            #expect(last.fraction == 1 && last.percentage == 100)
            #expect(last.completed == 200_000 && last.total == 200_000)
        }
    }
}
