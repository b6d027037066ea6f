#if Foundation
import ClientSupport
import FoundationEssentials
import HTTPClient
import Support
import Testing

/// A caller on the main actor that changes its state between calls and in an observer.
@MainActor private final class MainCaller {
    var count = 0

    func callAll(_ entry: EntryPoints) async throws -> [String] {
        count += try await entry.request.send(in: entry.client).isSuccess ? 1 : 0
        let call = entry.endpoint.start(in: entry.client)
            .onResult(on: .main) { _ in MainActor.assumeIsolated { self.count += 1 } }
        for await event in call.events {
            if case .response = event { count += 1 }
        }
        while count < 3 { await moment() }
        return try await entry.failures()
    }
}

/// The same caller as an actor.
private actor ActorCaller {
    var record = ""

    func callAll(_ entry: EntryPoints) async throws -> [String] {
        record += try await entry.endpoint.fetch(in: entry.client).name
        let call = entry.request.start(in: entry.client)
        call.onResponse(on: .actor(self)) { response in
            self.assumeIsolated { $0.record += "+\(response.status.code)" }
        }
        record += try await call.value.text.isEmpty ? "-" : ""
        while record != "Ada+200" { await moment() }
        return try await entry.failures()
    }
}

/// The same caller as a class that is neither isolated nor `Sendable`.
private final class PlainCaller {
    var bytes: [UInt8] = []

    func callAll(_ entry: EntryPoints) async throws -> [String] {
        for try await piece in try await entry.client.stream(entry.request).body {
            bytes += piece
        }
        bytes += try await entry.client.send(entry.request).body
        return bytes.count == 30 ? try await entry.failures() : ["own"]
    }
}

/// Tests that every way to run a request compiles and works from every isolation.
@Suite(.timeLimit(.minutes(10))) struct IsolationTests {
    private let entry: EntryPoints

    init() async throws {
        entry = try await EntryPoints()
    }

    @Test @MainActor func `every way to run a request works from the main actor`() async throws {
        #expect(try await MainCaller().callAll(entry) == [])
        #expect(try await entry.failures() == [])
    }

    @Test func `every way to run a request works from an actor`() async throws {
        #expect(try await ActorCaller().callAll(entry) == [])
    }

    @Test func `every way to run a request works from a class without isolation`() async throws {
        #expect(try await PlainCaller().callAll(entry) == [])
    }

    @Test func `every way to run a request works from a task on the client's executor`()
        async throws
    {
        let entry = entry
        let task = Task(executorPreference: entry.client.executor) {
            try await PlainCaller().callAll(entry)
        }
        #expect(try await task.value == [])
    }

    @Test @concurrent func `every way to run a request works from a concurrent function`()
        async throws
    {
        #expect(try await entry.failures() == [])
    }

    @Test func `every blocking way to run a request works from a plain thread`() async throws {
        let entry = entry
        let path = "\(entry.directory.path)/blocking"
        let url = URL(filePath: path)
        let good = await onThread { () -> [Bool] in
            [
                (try? entry.client.blocking.send(entry.request).isSuccess) == true,
                (try? entry.client.blocking.fetch(entry.endpoint).name) == "Ada",
                (try? entry.request.runSync(in: entry.client).isSuccess) == true,
                (try? entry.client.blocking.fetch(EntryUser.self, from: entry.request).name)
                    == "Ada",
                (try? entry.client.blocking.fetch(EntryNote.self, from: entry.request).text) != "",
                (try? entry.client.blocking.fetch(HTTPJSON.self, from: entry.request)["name"])
                    == "Ada",
                (try? entry.client.start(entry.endpoint).wait().name) == "Ada",
                (try? entry.client.blocking.fetch(entry.request.returning(.text))) != nil,
                (try? entry.request.runSync().isSuccess) == true,
                (try? entry.client.blocking.stream(entry.request).blocking.collect().count) == 15,
                (try? entry.client.blocking.download(entry.request, to: path).size) == 15,
                (try? entry.client.blocking.download(entry.request, to: url).size) == 15,
            ]
        }
        #expect(good == Array(repeating: true, count: 12))
    }
}
#endif
