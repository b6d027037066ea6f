#if Foundation
import ClientSupport
import FoundationEssentials
import HTTPClient
import HTTPTestServer
import Support

struct EntryUser: Decodable, Sendable, Equatable {
    var name: String
}

struct EntryNote: HTTPDecodableResponse, Sendable {
    var text: String

    static func decode(_ response: HTTPResponse) throws -> EntryNote {
        EntryNote(text: response.text)
    }
}

/// Calls every API that runs a request, in the isolation of the caller, against its own servers.
struct EntryPoints: Sendable {
    typealias Failures = [String]

    let client = HTTPClient()
    let server: HTTPTestServer
    let upgrading: ScriptedOrigin
    let proxy: ScriptedOrigin
    let directory: TemporaryDirectory

    init() async throws {
        server = try await HTTPTestServer.start { request in
            if request.method == .post { return .bytes(request.body) }
            if request.path == "/slow" { return .stall }
            guard request.path == "/long" else { return .json(#"{"name": "Ada"}"#) }
            if request.headers[.range] != nil {
                return .text("world", status: .partialContent)
                    .header(.contentRange, "bytes 6-10/11").header(.etag, "\"a\"")
            }
            return .text("hello world").header(.etag, "\"a\"").truncated(to: 6)
        }
        upgrading = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"),
            .expect("ping"), .reply("pong"), .close,
        ])
        proxy = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 Go\r\n\r\n"), .expect("ping"), .reply("pong"), .close,
        ])
        directory = try TemporaryDirectory()
    }

    var request: HTTPRequest { HTTPRequest(server.url) }
    var endpoint: HTTPEndpoint<EntryUser> { HTTPEndpoint(request, .json()) }

    /// Returns the names of the checks that failed.
    func failures(isolation: isolated (any Actor)? = #isolation) async throws -> Failures {
        let parts = [
            try await requests(), try await running(), try await uploads(), try await downloads(),
            try await queue(), try await connections(), try await handOvers(),
            try await policies(),
            try await watching(),
        ]
        return parts.flatMap { $0 }
    }

    private func requests(isolation: isolated (any Actor)? = #isolation) async throws -> Failures {
        var checks = Checks()
        let ada = EntryUser(name: "Ada")
        checks["send"] = try await client.send(request).isSuccess
        checks["stream"] = try await client.stream(request).body.collect().count == 15
        var count = 0
        for try await piece in try await client.stream(request).body { count += piece.count }
        checks["pieces"] = count == 15
        checks["client fetch endpoint"] = try await client.fetch(endpoint) == ada
        checks["result of endpoint"] = try await client.start(endpoint).result.get() == ada
        checks["result of request"] = try await client.start(request).result.get().isSuccess
        checks["fetch from"] = try await client.fetch(EntryUser.self, from: request) == ada
        checks["fetch note from"] = try await client.fetch(EntryNote.self, from: request).text != ""
        checks["fetch JSON from"] =
            try await client.fetch(HTTPJSON.self, from: request)["name"] == "Ada"
        checks["fetch from with a decoder"] =
            try await client.fetch(EntryUser.self, from: request, decoder: JSONDecoder()) == ada
        checks["fetch with a decoder"] =
            try await request.fetch(EntryUser.self, in: client, decoder: JSONDecoder()) == ada
        checks["shared"] = try await HTTPClient.shared.send(request).isSuccess
        checks["fetch by the shared"] = try await request.fetch(EntryUser.self) == ada
        checks["fetch endpoint by the shared"] = try await endpoint.fetch() == ada
        checks["request result"] = try await request.start(in: client).result.get().isSuccess
        let derived = client.with { $0.timeouts.total = .seconds(60) }
        checks["derived"] = try await derived.send(request).isSuccess
        checks["fetch"] = try await request.send(in: client).json()["name"].string == "Ada"
        checks["fetch Decodable"] = try await request.fetch(EntryUser.self, in: client) == ada
        checks["fetch note"] = try await request.fetch(EntryNote.self, in: client).text != ""
        checks["fetch JSON"] = try await request.fetch(HTTPJSON.self, in: client)["name"] == "Ada"
        checks["fetch parser"] = try await request.fetch(.text, in: client) != ""
        checks["endpoint fetch"] = try await endpoint.fetch(in: client) == ada
        checks["endpoint result"] = try await endpoint.start(in: client).result.get() == ada
        checks["query"] =
            try await request.query(encoding: ["a": 1]).returning(.json(HTTPJSON.self))
            .map { $0["name"].string }.fetch(in: client) == "Ada"
        return checks.failed
    }

    private func running(isolation: isolated (any Actor)? = #isolation) async throws -> Failures {
        var checks = Checks()
        let (callbacks, tell) = AsyncStream<String>.makeStream()
        let token = HTTPObserverToken()
        let call = endpoint.start(in: client)
            .onProgress { _ in tell.yield("progress") }
            .onResponse { _ in tell.yield("response") }
            .onResult { _ in tell.yield("result") }
            .onResult(as: token) { _ in }
        call.removeObservers(token)
        var events = 0
        for await event in call.events {
            if case .result(.success(EntryUser(name: "Ada"))) = event { events += 1 }
        }
        checks["events"] = events == 1
        checks["value"] = try await call.value.name == "Ada"
        checks["result"] = try await call.result.get().name == "Ada"
        checks["state"] = call.state == .finished
        var awaited: Set = ["progress", "response", "result"]
        for await name in callbacks {
            awaited.remove(name)
            if awaited.isEmpty { break }
        }
        checks["start request"] = try await request.start(in: client).value.isSuccess
        checks["client start"] = try await client.start(request).value.isSuccess
        checks["client start endpoint"] = try await client.start(endpoint).value.name == "Ada"
        checks["start parser"] = try await request.returning(.text).start(in: client).value != ""
        checks["start Decodable"] =
            try await request.returning(.json(EntryUser.self, decoder: JSONDecoder())).start(
                in: client
            ).value.name
            == "Ada"
        checks["start note"] =
            try await HTTPEndpoint(request, EntryNote.self).start(in: client).value.text != ""
        checks["start JSON"] =
            try await request.returning(.json(HTTPJSON.self)).start(in: client).value["name"]
            == "Ada"
        checks["start by the shared"] = try await request.start().value.isSuccess
        var last: HTTPProgress?
        for await progress in call.progress { last = progress }
        checks["progress"] = last?.isFinal == true
        let slow = HTTPRequest(server.url + "/slow").start(in: client)
        slow.cancel()
        checks["cancel"] = await slow.result.isCancelled
        return checks.failed
    }

    private func uploads(isolation: isolated (any Actor)? = #isolation) async throws -> Failures {
        var checks = Checks()
        let path = try directory.write("bytes of a file", as: "\(UInt64.random(in: 0 ... .max))")
        let post = HTTPRequest(server.url, method: .post)
        let (pieces, piece) = AsyncStream<[UInt8]>.makeStream()
        piece.yield([1, 2])
        piece.yield([3])
        piece.finish()
        checks["string"] = try await post.body(.string("é")).fetch(.text, in: client) == "é"
        checks["JSON"] = try await post.json(["a": 1]).fetch(HTTPJSON.self, in: client) == ["a": 1]
        checks["form"] =
            try await post.form(encoding: ["a": "b c"]).send(in: client).text == "a=b+c"
        checks["file"] = try await post.file(path).send(in: client).text == "bytes of a file"
        checks["stream"] = try await post.stream(pieces).fetch(.bytes, in: client) == [1, 2, 3]
        let again = HTTPBody.stream(length: 2) {
            AsyncStream<[UInt8]> { continuation in
                continuation.yield([7, 8])
                continuation.finish()
            }
        }
        checks["stream again"] = try await post.body(again).fetch(.bytes, in: client) == [7, 8]
        let form = post.multipart(boundary: "b") { form in
            form.add(string: "x", name: "a")
            form.add(file: path, name: "f")
        }
        let call = form.start(in: client).onProgress { _ in }
        checks["multipart"] = try await call.value.text.contains("bytes of a file")
        let (news, tell) = AsyncStream<HTTPProgress>.makeStream()
        let echo = try await client.startStream(post.body(.string("abc")))
            .onProgress { tell.yield($0) }.value
        tell.finish()
        var sent: [HTTPProgress] = []
        for await progress in news { sent.append(progress) }
        checks["stream with progress"] = sent.last?.isFinal == true && sent.last?.completed == 3
        checks["streamed answer"] = try await echo.body.collect(upTo: 3) == Array("abc".utf8)
        return checks.failed
    }

    private func downloads(isolation: isolated (any Actor)? = #isolation) async throws -> Failures {
        var checks = Checks()
        let path = "\(directory.path)/\(UInt64.random(in: 0 ... .max))"
        let url = URL(filePath: path)
        checks["client download"] = try await client.download(request, to: path).size == 15
        checks["download"] = try await request.download(to: path, in: client).size == 15
        checks["download to URL"] = try await request.download(to: url, in: client).size == 15
        let streamed = try await client.stream(request).requireSuccess()
        checks["stream to a file"] = try await streamed.write(to: path).size == 15
        let other = try await client.stream(request)
        checks["stream to a URL"] = try await other.write(to: url).size == 15
        let call = request.startDownload(to: path, in: client)
        checks["start download"] = try await call.value.size == 15
        checks["nothing to resume"] = await call.cancelProducingResumeData() == nil
        checks["client start download"] =
            try await client.startDownload(request, to: path).value.size > 0
        let long = HTTPRequest(server.url + "/long")
        var data: HTTPResumeData?
        do throws(HTTPError) {
            _ = try await long.download(to: path, in: client)
        } catch {
            data = error.resumeData
        }
        let rest = try await long.download(to: path, options: .resuming(data), in: client)
        checks["resume"] = rest.size == 11 && rest.resumedOffset == 6
        checks["start download to URL"] =
            try await request.startDownload(to: url, in: client).value.size == 15
        do throws(HTTPError) {
            _ = try await long.download(to: path, in: client)
        } catch {
            data = error.resumeData
        }
        try data?.discard()
        checks["discard"] = data.map { TestFileSystem.contents(of: $0.file) == nil } == true
        let slow = HTTPRequest(server.url + "/slow").startDownload(to: path, in: client)
        checks["cancel producing"] = await slow.cancelProducingResumeData() == nil
        return checks.failed
    }

    private func queue(isolation: isolated (any Actor)? = #isolation) async throws -> Failures {
        var checks = Checks()
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let queued = client.with { $0.queue = queue }
        checks["through"] = try await queued.send(request.with { $0.priority = .high }).isSuccess
        queue.suspend()
        let call = endpoint.start(in: queued)
        checks["waiting"] = call.state == .waiting
        queue.maxSimultaneousRequests = 2
        queue.resume()
        checks["resumed"] = try await call.value.name == "Ada"
        queue.suspend()
        let other = request.start(in: queued)
        // The call enters the queue on another task.
        while queue.waitingCount == 0 { await moment() }
        queue.cancelAll()
        checks["cancel all"] = await other.result.isCancelled
        return checks.failed
    }

    private func connections(isolation: isolated (any Actor)? = #isolation) async throws -> Failures
    {
        var checks = Checks()
        let url = request
        checks["with connection"] = try await client.withConnection(to: url) { connection in
            try await connection.send(url).isSuccess
        }
        let connection = try await client.pool.acquire(for: url)
        checks["leased"] = try await connection.stream(url).body.collect().count == 15
        checks["open"] = await connection.isOpen
        checks["sent on it"] = try await connection.send(url).isSuccess
        connection.release()
        let closed = try await client.pool.acquire(for: url)
        closed.close()
        while await closed.isOpen { await moment() }
        // A separate client, because other tests use the shared one at the same time.
        let own = HTTPClient()
        checks["prewarm"] = try await own.pool.prewarm(2, for: url) == 2
        let snapshot = await own.pool.snapshot()
        checks["snapshot"] = snapshot.idle == 2
        let id = snapshot.origins.first?.connections.first?.id
        checks["evict"] = await own.pool.evict(id ?? 0)
        await own.pool.drain(Origin(scheme: .http, host: "elsewhere"))
        checks["drain of another"] = await own.pool.snapshot().idle == 1
        await own.pool.drain()
        checks["drain"] = await own.pool.snapshot().origins.isEmpty
        return checks.failed
    }

    private func handOvers(isolation: isolated (any Actor)? = #isolation) async throws -> Failures {
        var checks = Checks()
        let upgrade = HTTPRequest(upgrading.url)
        guard case .upgraded(let echo) = try await client.upgrade(upgrade, to: "echo") else {
            return ["upgrade"]
        }
        try await echo.write(Array("ping".utf8))
        checks["read"] = try await echo.read() == Array("pong".utf8)
        echo.endWriting()
        echo.close()
        let way = HTTPProxy(scheme: .http, host: "127.0.0.1", port: proxy.port)
        let tunnel = try await client.tunnel(to: "a", port: 7, through: .proxy(way, except: ""))
        try await tunnel.write(Array("ping".utf8))
        var answer: [UInt8] = []
        for try await piece in tunnel { answer += piece }
        checks["tunnel"] = answer == Array("pong".utf8)
        return checks.failed
    }
}

/// A collection of failed checks, by name.
struct Checks {
    var failed: [String] = []

    subscript(name: String) -> Bool {
        get { !failed.contains(name) }
        set { if !newValue { failed.append(name) } }
    }
}

extension Result where Failure == HTTPError {
    var isCancelled: Bool {
        if case .failure(let error) = self { error.isCancellation } else { false }
    }
}
#endif
