import ClientSupport
import Glibc
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// The threads on which the client calls a store of its cache that may wait for a disk.
@Suite(.timeLimit(.minutes(10))) struct CacheThreadTests {
    /// The calls of a store: the function, and the thread that called it.
    private final class Calls: Sendable {
        private let threads = Locked<[(name: String, thread: UInt)]>([])

        func record(_ name: String = #function) {
            let thread = CacheThreadTests.currentThread()
            threads.withLock { $0.append((name, thread)) }
        }

        func names(on thread: UInt) -> [String] {
            threads.withLock { $0.filter { $0.thread == thread }.map(\.name) }
        }

        /// The names of all functions that were called, without their arguments.
        var names: Set<String> {
            threads.withLock { Set($0.map { String($0.name.prefix { $0 != "(" }) }) }
        }
    }

    /// A store in memory that may wait for a disk, as its caller has to assume.
    private final class SlowStore: CacheStore {
        private let store: any CacheStore = MemoryCacheStore(.init(maxBytes: 1 << 20))
        let calls = Calls()

        var mayBlock: Bool { true }
        var maxEntryBytes: Int { store.maxEntryBytes }
        var evictionError: CacheStoreError? { store.evictionError }

        func entries(of uri: String) throws(CacheStoreError) -> [CacheEntry] {
            calls.record()
            return try store.entries(of: uri)
        }

        func open(_ entry: CacheEntry) throws(CacheStoreError) -> CacheContent? {
            calls.record()
            return try store.open(entry)
        }

        func write(
            _ uri: String,
            expecting length: Int?
        ) throws(CacheStoreError) -> any CacheWriter {
            calls.record()
            return SlowWriter(try store.write(uri, expecting: length), calls)
        }

        func update(
            _ entry: CacheEntry,
            to response: StoredResponse
        ) throws(CacheStoreError) -> CacheEntry? {
            calls.record()
            return try store.update(entry, to: response)
        }

        func remove(_ entry: CacheEntry) throws(CacheStoreError) {
            calls.record()
            try store.remove(entry)
        }

        func removeAll(of uri: String) throws(CacheStoreError) {
            calls.record()
            try store.removeAll(of: uri)
        }

        func removeAll() throws(CacheStoreError) {
            calls.record()
            try store.removeAll()
        }

        func list() throws(CacheStoreError) -> [CacheEntry] { try store.list() }
        func statistics() throws(CacheStoreError) -> CacheStatistics { try store.statistics() }
    }

    private final class SlowWriter: CacheWriter {
        private let writer: any CacheWriter
        private let calls: Calls

        init(_ writer: any CacheWriter, _ calls: Calls) {
            self.writer = writer
            self.calls = calls
        }

        func append(_ bytes: [UInt8]) throws(CacheStoreError) {
            calls.record()
            try writer.append(bytes)
        }

        func commit(_ response: StoredResponse) throws(CacheStoreError) -> CacheEntry {
            calls.record()
            return try writer.commit(response)
        }

        func discard() {
            calls.record()
            writer.discard()
        }
    }

    fileprivate static func currentThread() -> UInt { UInt(pthread_self()) }

    /// A server that supports validators and ranges.
    private func origin() async throws -> CachedOrigin {
        try await CachedOrigin { request in
            let headers: [FieldName: String] = [.cacheControl: "max-age=60", .etag: "\"1\""]
            if request.headers[.ifNoneMatch] == "\"1\"" {
                return .text("", headers, status: .notModified)
            }
            guard request.headers[.range] == "bytes=0-3" else {
                return .text("0123456789", headers)
            }
            var part = HTTPTestServer.Response.text("0123", headers, status: .partialContent)
            part.headers[.contentRange] = "bytes 0-3/10"
            return part
        }
    }

    /// Reads a streamed response to its end.
    private func stream(_ request: HTTPRequest, _ client: HTTPClient) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in try await client.stream(request).body { bytes += chunk }
        return bytes
    }

    @Test(arguments: [false, true])
    func `no call on the event loop waits for a disk`(hasDriver: Bool) async throws {
        let origin = try await origin()
        let store = SlowStore()
        let client = origin.client {
            $0.cache = .cache(HTTPCache(store: store))
            if hasDriver { $0.validators = [HTTPDefaultValidator()] }
        }
        let url = origin.server.url
        // With this executor, everything that does not leave the event loop runs on its thread.
        let task = Task(executorPreference: client.executor) {
            let loop = Self.currentThread()
            for path in ["/collected", "/streamed"] {
                let isStreamed = path == "/streamed"
                let request = HTTPRequest(url + path)
                // A miss, a hit, and a validation.
                for seconds in [0, 0, 61] {
                    origin.advance(seconds)
                    let body =
                        isStreamed
                        ? try await stream(request, client) : try await client.send(request).body
                    #expect(body == Array("0123456789".utf8))
                }
                _ = try await client.send(request.method(.head))
                _ = try await client.send(request.method(.post))
            }
            var part = HTTPRequest(url + "/part")
            part.headers[.range] = "bytes=0-3"
            #expect(try await stream(part, client) == Array("0123".utf8))
            #expect(try await client.send(part).cacheStatus?.outcome == .hit)
            do {
                // The caller abandons a body after its first byte.
                var body = try await client.stream(url + "/abandoned").body.makeAsyncIterator()
                #expect(try await body.next() != nil)
            }
            while !store.calls.names.contains("discard") { await moment() }
            return loop
        }
        let loop = try await task.value
        #expect(store.calls.names(on: loop) == [])
        #expect(
            store.calls.names.isSuperset(of: [
                "entries", "open", "write", "update", "removeAll", "append", "commit",
            ])
        )
    }
}
