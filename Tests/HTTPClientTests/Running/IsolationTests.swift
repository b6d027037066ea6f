#if Foundation
import HTTPClient
import HTTPTestServer
import Support
import Testing

private struct User: Decodable, Sendable, Equatable {
    var name: String
}

private struct Note: HTTPDecodableResponse, Sendable {
    var text: String

    static func decode(_ response: HTTPResponse) throws -> Note { Note(text: response.text) }
}

/// What every caller does with every entry point, changing state of its own between.
private struct Entry: Sendable {
    let client: HTTPClient
    let url: String
    let folder: String

    var request: HTTPRequest { HTTPRequest(url) }
    var endpoint: HTTPEndpoint<User> { HTTPEndpoint(request, .json()) }
}

/// Calls every entry point on the main actor.
@MainActor private final class MainCaller {
    var count = 0

    func callAll(_ entry: Entry) async throws {
        count += try await entry.client.send(entry.request).isSuccess ? 1 : 0
        count += try await entry.client.stream(entry.request).body.collect().isEmpty ? 0 : 1
        count += try await entry.client.call(entry.endpoint) == User(name: "Ada") ? 1 : 0
        count += await entry.client.result(of: entry.endpoint).isGood
        count += await entry.client.result(of: entry.request).isGood
        count += try await entry.client.fetch(User.self, from: entry.request).name == "Ada" ? 1 : 0
        count += try await entry.request.fetch(in: entry.client).isSuccess ? 1 : 0
        count += try await entry.request.fetch(User.self, in: entry.client).name == "Ada" ? 1 : 0
        count += try await entry.request.fetch(Note.self, in: entry.client).text.isEmpty ? 0 : 1
        count += try await entry.request.fetch(.text, in: entry.client).isEmpty ? 0 : 1
        count += try await entry.endpoint.fetch(in: entry.client).name == "Ada" ? 1 : 0
        count += await entry.endpoint.result(in: entry.client).isGood
        let call = entry.endpoint.run(in: entry.client)
            .onResult(on: .main) { _ in MainActor.assumeIsolated { self.count += 1 } }
        for await event in call.events {
            if case .response = event { count += 1 }
        }
        count += try await call.value.name == "Ada" ? 1 : 0
        count += await call.result.isGood
        count += await entry.request.run(in: entry.client).result.isGood
        let path = "\(entry.folder)/main"
        count += try await entry.client.download(entry.request, to: path).size > 0 ? 1 : 0
        count += try await entry.request.download(to: path, in: entry.client).size > 0 ? 1 : 0
        let download = entry.request.runDownload(to: path, in: entry.client)
        count += await download.result.isGood
        count += await download.cancelProducingResumeData() == nil ? 1 : 0
        while count < 21 { await Task.yield() }
    }
}

/// The same in an actor.
private actor ActorCaller {
    var count = 0

    func callAll(_ entry: Entry) async throws {
        count += try await entry.client.send(entry.request).isSuccess ? 1 : 0
        count += try await entry.client.stream(entry.request).body.collect().isEmpty ? 0 : 1
        count += try await entry.client.call(entry.endpoint) == User(name: "Ada") ? 1 : 0
        count += await entry.client.result(of: entry.endpoint).isGood
        count += await entry.client.result(of: entry.request).isGood
        count += try await entry.client.fetch(User.self, from: entry.request).name == "Ada" ? 1 : 0
        count += try await entry.request.fetch(in: entry.client).isSuccess ? 1 : 0
        count += try await entry.request.fetch(User.self, in: entry.client).name == "Ada" ? 1 : 0
        count += try await entry.request.fetch(Note.self, in: entry.client).text.isEmpty ? 0 : 1
        count += try await entry.request.fetch(.text, in: entry.client).isEmpty ? 0 : 1
        count += try await entry.endpoint.fetch(in: entry.client).name == "Ada" ? 1 : 0
        count += await entry.endpoint.result(in: entry.client).isGood
        let call = entry.endpoint.run(in: entry.client)
            .onResult(on: .actor(self)) { _ in self.assumeIsolated { $0.count += 1 } }
        for await event in call.events {
            if case .response = event { count += 1 }
        }
        count += try await call.value.name == "Ada" ? 1 : 0
        count += await call.result.isGood
        count += await entry.request.run(in: entry.client).result.isGood
        let path = "\(entry.folder)/actor"
        count += try await entry.client.download(entry.request, to: path).size > 0 ? 1 : 0
        count += try await entry.request.download(to: path, in: entry.client).size > 0 ? 1 : 0
        let download = entry.request.runDownload(to: path, in: entry.client)
        count += await download.result.isGood
        count += await download.cancelProducingResumeData() == nil ? 1 : 0
        while count < 21 { await Task.yield() }
    }
}

/// The same in a class that is neither isolated nor Sendable.
private final class PlainCaller {
    var count = 0

    func callAll(_ entry: Entry) async throws {
        count += try await entry.client.send(entry.request).isSuccess ? 1 : 0
        count += try await entry.client.stream(entry.request).body.collect().isEmpty ? 0 : 1
        count += try await entry.client.call(entry.endpoint) == User(name: "Ada") ? 1 : 0
        count += await entry.client.result(of: entry.endpoint).isGood
        count += await entry.client.result(of: entry.request).isGood
        count += try await entry.client.fetch(User.self, from: entry.request).name == "Ada" ? 1 : 0
        count += try await entry.request.fetch(in: entry.client).isSuccess ? 1 : 0
        count += try await entry.request.fetch(User.self, in: entry.client).name == "Ada" ? 1 : 0
        count += try await entry.request.fetch(Note.self, in: entry.client).text.isEmpty ? 0 : 1
        count += try await entry.request.fetch(.text, in: entry.client).isEmpty ? 0 : 1
        count += try await entry.endpoint.fetch(in: entry.client).name == "Ada" ? 1 : 0
        count += await entry.endpoint.result(in: entry.client).isGood
        let call = entry.endpoint.run(in: entry.client)
        for await event in call.events {
            if case .response = event { count += 2 }
        }
        count += try await call.value.name == "Ada" ? 1 : 0
        count += await call.result.isGood
        count += await entry.request.run(in: entry.client).result.isGood
        let path = "\(entry.folder)/plain"
        count += try await entry.client.download(entry.request, to: path).size > 0 ? 1 : 0
        count += try await entry.request.download(to: path, in: entry.client).size > 0 ? 1 : 0
        let download = entry.request.runDownload(to: path, in: entry.client)
        count += await download.result.isGood
        count += await download.cancelProducingResumeData() == nil ? 1 : 0
    }
}

extension Result {
    fileprivate var isGood: Int {
        if case .success = self { 1 } else { 0 }
    }
}

/// Every way to run a request compiles and works from every isolation.
@Suite(.timeLimit(.minutes(2))) struct IsolationTests {
    private let server: HTTPTestServer
    private let folder: TemporaryFolder
    private let entry: Entry

    init() async throws {
        server = try await HTTPTestServer.start { _ in .json(#"{"name": "Ada"}"#) }
        folder = try TemporaryFolder()
        entry = Entry(client: HTTPClient(), url: server.url, folder: folder.path)
    }

    @Test @MainActor func `from the main actor`() async throws {
        let caller = MainCaller()
        try await caller.callAll(entry)
        #expect(caller.count == 21)
    }

    @Test func `from an actor`() async throws {
        let caller = ActorCaller()
        try await caller.callAll(entry)
        #expect(await caller.count == 21)
    }

    @Test func `from code without isolation, in a plain class`() async throws {
        let caller = PlainCaller()
        try await caller.callAll(entry)
        #expect(caller.count == 21)
    }

    @Test func `from a task on the client's executor`() async throws {
        let entry = entry
        let task = Task(executorPreference: entry.client.executor) { () async throws -> Int in
            let caller = PlainCaller()
            try await caller.callAll(entry)
            return caller.count
        }
        #expect(try await task.value == 21)
    }

    @Test func `from a thread that is no task's`() async throws {
        let entry = entry
        let good = await onThread { () -> [Bool] in
            [
                (try? entry.client.sendBlocking(entry.request).isSuccess) == true,
                (try? entry.client.callBlocking(entry.endpoint).name) == "Ada",
                (try? entry.request.runSync(in: entry.client).isSuccess) == true,
                (try? entry.request.runSync(User.self, in: entry.client).name) == "Ada",
                (try? entry.request.runSync(Note.self, in: entry.client).text.isEmpty) == false,
                (try? entry.endpoint.runSync(in: entry.client).name) == "Ada",
            ]
        }
        #expect(good == [true, true, true, true, true, true])
    }
}
#endif
