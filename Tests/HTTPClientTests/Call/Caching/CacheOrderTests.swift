import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing
import Wire

/// What is stored while other requests change it, and for whom it answers.
@Suite(.timeLimit(.minutes(10))) struct CacheOrderTests {
    /// What happens between the head of an old response and the end of its body.
    enum Event: CaseIterable {
        case unsafeMethod
        case laterResponse
        case laterConfirmation
        case removal
        case removalOfAll
    }

    @Test(arguments: Event.allCases)
    func `an older response does not come back after it was replaced`(event: Event) async throws {
        let directory = try TemporaryDirectory()
        for inMemory in [true, false] {
            let number = Locked(0)
            let origin = try await CachedOrigin { request in
                let count = number.withLock { number in
                    number += 1
                    return number
                }
                let headers: [FieldName: String] = [.cacheControl: "max-age=60", .etag: "\"1\""]
                if request.headers.contains(.ifNoneMatch) {
                    return .text("", headers, status: .notModified)
                }
                return .text("\(count)", headers)
            }
            let client = origin.client {
                if !inMemory, let cache = try? HTTPCache(directory: "\(directory.path)/\(event)") {
                    $0.cache = .cache(cache)
                }
            }
            let (url, cache) = (origin.server.url, try #require(client.cache))
            if event == .laterConfirmation { _ = try await client.send(url) }
            let reload = HTTPRequest(url).with { $0.cacheMode = .reload }
            let old = try await client.stream(reload)
            #expect(old.cacheStatus?.outcome == .bypassed && old.cacheStatus?.refusal == nil)
            switch event {
            case .unsafeMethod: _ = try await client.send(HTTPRequest(.post, url))
            case .laterResponse: _ = try await client.send(reload)
            case .laterConfirmation:
                let validated = try await client.send(
                    HTTPRequest(url).with { $0.cacheMode = .noCache }
                )
                #expect(validated.cacheStatus?.outcome == .revalidated && validated.text == "1")
            case .removal: try cache.remove(try URI(url))
            case .removalOfAll: try cache.removeAll()
            }
            let text = String(decoding: try await old.body.collect(), as: UTF8.self)
            let next = try await client.send(url)
            let hasStored = event == .laterResponse || event == .laterConfirmation
            #expect(next.text != text && next.cacheStatus?.outcome == (hasStored ? .hit : .miss))
            // The response to the next request is stored again.
            #expect(try await client.send(url).cacheStatus?.outcome == .hit)
        }
    }

    @Test(arguments: [false, true])
    func `a response whose head comes after a later one does not replace it`(
        hasDriver: Bool
    ) async throws {
        let mayAnswer = Locked(false)
        let number = Locked(0)
        let origin = try await CachedOrigin { _ in
            let count = number.withLock { number in
                number += 1
                return number
            }
            while count == 1, !mayAnswer.withLock({ $0 }) { await moment() }
            return .text("\(count)", [.cacheControl: "max-age=60"])
        }
        let client = origin.client { if hasDriver { $0.validators = [HTTPDefaultValidator()] } }
        let url = origin.server.url
        async let early = client.send(url)
        while origin.count < 1 { await moment() }
        #expect(try await client.send(url).text == "2")
        mayAnswer.withLock { $0 = true }
        let first = try await early
        #expect(first.text == "1" && first.cacheStatus?.refusal == "store")
        let next = try await client.send(url)
        #expect(next.text == "2" && next.cacheStatus?.outcome == .hit)
    }

    /// A store whose removals fail, as in a directory that has become read-only.
    private final class StuckStore: CacheStore {
        private let store: any CacheStore = MemoryCacheStore(.init(maxBytes: 1 << 20))

        var mayBlock: Bool { false }
        var maxEntryBytes: Int { store.maxEntryBytes }
        var evictionError: CacheStoreError? { nil }

        func entries(of uri: String) throws(CacheStoreError) -> [CacheEntry] {
            try store.entries(of: uri)
        }

        func open(_ entry: CacheEntry) throws(CacheStoreError) -> CacheContent? {
            try store.open(entry)
        }

        func write(
            _ uri: String,
            expecting length: Int?
        ) throws(CacheStoreError) -> any CacheWriter { try store.write(uri, expecting: length) }

        func update(
            _ entry: CacheEntry,
            to response: StoredResponse
        ) throws(CacheStoreError) -> CacheEntry? { try store.update(entry, to: response) }

        func remove(_ entry: CacheEntry) throws(CacheStoreError) { throw .locked(path: "/c") }
        func removeAll(of uri: String) throws(CacheStoreError) { throw .locked(path: "/c") }
        func removeAll() throws(CacheStoreError) { throw .locked(path: "/c") }
        func list() throws(CacheStoreError) -> [CacheEntry] { try store.list() }
        func statistics() throws(CacheStoreError) -> CacheStatistics { try store.statistics() }
    }

    @Test func `a response that cannot be removed is not used`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let cache = HTTPCache(store: StuckStore())
        let client = origin.client { $0.cache = .cache(cache) }
        let url = origin.server.url
        _ = try await client.send(url)
        _ = try await client.send(url + "/other")
        _ = try await client.send(HTTPRequest(.post, url))
        #expect(cache.lastError?.contains("locked") == true)
        origin.advance(1)
        #expect(try await client.send(url).text == "4")
        #expect(try await client.send(url).cacheStatus?.outcome == .hit)
        #expect(try await client.send(url + "/other").text == "2")
    }

    @Test func `a method that is not safe invalidates also if its head is changed`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let client = origin.client()
        let url = origin.server.url
        _ = try await client.send(url)
        let put = HTTPRequest(.put, url).headModifier { $0.headers["X-Signature"] = "1" }
        _ = try await client.send(put)
        #expect(try await client.send(url).cacheStatus?.outcome == .miss)
    }

    @Test func `equivalent spellings of a URL are one`() async throws {
        let origin = try await CachedOrigin { request in
            var response = HTTPTestServer.Response.text("x").header(.cacheControl, "max-age=60")
            guard request.method == .post else { return response }
            response.status = .created
            let host = request.headers[.host] ?? ""
            response.headers[.location] = "HTTP://\(host.uppercased())/items/1"
            return response
        }
        let client = origin.client()
        let port = try #require(try URI(origin.server.url).port)
        let base = "http://localhost:\(port)"
        _ = try await client.send(base)
        #expect(try await client.send("HTTP://LOCALHOST:\(port)/").cacheStatus?.outcome == .hit)
        #expect(try client.cache?.responses(to: try URI("\(base)?")).isEmpty == true)
        _ = try await client.send(base + "/items/1")
        _ = try await client.send(HTTPRequest(.post, base + "/items"))
        #expect(try await client.send(base + "/items/1").cacheStatus?.outcome == .miss)
        try client.cache?.remove(try URI("http://LocalHost:\(port)"))
        #expect(try await client.send(base + "/").cacheStatus?.outcome == .miss)
        #expect(HTTPCache.key(try URI("https://A.test:443?q#f")) == "https://a.test/?q")
        // Each has as many bytes as its normal form.
        #expect(HTTPCache.key(try URI("http://a.test#")) == "http://a.test/")
        #expect(HTTPCache.key(try URI("http://A.test/")) == "http://a.test/")
        #expect(HTTPCache.key(try URI("hTTp://a.test/b")) == "http://a.test/b")
        #expect(HTTPCache.key(try URI("http://a.test/B?C")) == "http://a.test/B?C")
        #expect(HTTPCache.key(try URI("http://u:p@[::1]:81/%7e")) == "http://[::1]:81/%7e")
    }

    // MARK: - Clients that connect in other ways

    @Test func `a request that connects in another way does not use the cache`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let client = origin.client()
        let request = HTTPRequest(origin.server.url)
        _ = try await client.send(request)
        for hasDriver in [false, true] {
            let client =
                hasDriver ? client.with { $0.validators = [HTTPDefaultValidator()] } : client
            var other = request
            other.connectOptions = HTTPConnectOptions()
            other.connectOptions?.overrides = [
                .init(
                    host: "other.test",
                    port: nil,
                    addresses: [try #require(IPAddress("127.0.0.1"))]
                )
            ]
            #expect(try await client.send(other).cacheStatus == nil)
            var unverified = request
            unverified.security = .withoutVerification
            #expect(try await client.send(unverified).cacheStatus == nil)
            // The same settings as those of the client make no difference.
            var equal = request
            equal.security = HTTPSecurity()
            #expect(try await client.send(equal).cacheStatus?.outcome == .hit)
        }
        #expect(origin.count == 5)
    }

    @Test func `a client that connects in another way does not use the cache`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let client = origin.client()
        let url = origin.server.url
        _ = try await client.send(url)
        let unverified = client.with { $0.security = .withoutVerification }
        #expect(try await unverified.send(url).text == "2")
        #expect(try await unverified.send(url).cacheStatus?.outcome == .hit)
        #expect(try await client.send(url).text == "1")
        #expect(try await unverified.with { $0.retries = .standard }.send(url).text == "2")
        let cache = HTTPCache()
        let first = origin.client { $0.cache = .cache(cache) }
        #expect(cache.lastError == nil)
        let second = origin.client {
            $0.cache = .cache(cache)
            $0.security = .withoutVerification
        }
        #expect(first.cache === cache && second.cache == nil)
        #expect(cache.lastError?.contains("other `security`") == true)
        #expect(try await first.send(url).text == "3")
        #expect(try await second.send(url).text == "4")
    }

    // MARK: - Fields

    @Test func `a part of a stored response has no digest of the whole`() async throws {
        let content = Array("0123456789".utf8)
        let digest = try HTTPDigest.sha256(of: content)
        let field = "sha-256=:\(digest.base64):"
        let origin = try await CachedOrigin { _ in
            .bytes(content).header(.cacheControl, "max-age=60").header("Content-Digest", field)
        }
        let client = origin.client { $0.digestVerification = .ifPresent }
        let url = origin.server.url
        #expect(try await client.send(url).headers["Content-Digest"] == field)
        for isStreamed in [false, true] {
            let request = HTTPRequest(url, headers: [.range: "bytes=2-4"])
            let (status, body): (HTTPStatus, [UInt8])
            if isStreamed {
                let response = try await client.stream(request)
                (status, body) = (response.status, try await response.body.collect())
            } else {
                let response = try await client.send(request)
                (status, body) = (response.status, response.body)
            }
            #expect(status == .partialContent && body == Array("234".utf8))
            let beyond = try await client.send(HTTPRequest(url, headers: [.range: "bytes=20-"]))
            #expect(beyond.status == .rangeNotSatisfiable)
        }
        let whole = try await client.send(url)
        #expect(whole.cacheStatus?.outcome == .hit && whole.headers["Content-Digest"] == field)
        #expect(origin.count == 1)
    }

    @Test func `a response whose digest comes in a trailer is not stored`() async throws {
        let digest = try HTTPDigest.sha256(of: Array("abc".utf8)).base64
        let reply =
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n"
            + "Trailer: Content-Digest\r\n\r\n3\r\nabc\r\n0\r\n"
            + "Content-Digest: sha-256=:\(digest):\r\n\r\n"
        let origin = try ScriptedOrigin(.always(reply))
        let client = HTTPClient {
            $0.cache = .memory()
            $0.digestVerification = .required
        }
        for _ in 0..<2 {
            let response = try await client.stream(origin.url)
            #expect(try await response.body.collect() == Array("abc".utf8))
            #expect(response.cacheStatus?.outcome == .miss)
        }
    }

    @Test(
        arguments: ["Content-Digest", "Repr-Digest"],
        [HTTPDigest.Verification.off, .ifPresent, .required]
    )
    func `a response with a wrong digest in a trailer is not stored`(
        name: String,
        verification: HTTPDigest.Verification
    ) async throws {
        let digest = try HTTPDigest.sha256(of: Array("another".utf8)).base64
        let reply =
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n"
            + "Trailer: \(name)\r\n\r\n3\r\nabc\r\n0\r\n\(name): sha-256=:\(digest):\r\n\r\n"
        let origin = try ScriptedOrigin(.always(reply))
        let client = HTTPClient {
            $0.cache = .memory()
            $0.digestVerification = verification
        }
        for isStreamed in [true, false] {
            do throws(HTTPError) {
                let body =
                    isStreamed
                    ? try await client.stream(origin.url).body.collect()
                    : try await client.send(origin.url).body
                #expect(body == Array("abc".utf8) && verification == .off)
            } catch {
                guard case .digestMismatch = error.kind, verification != .off else {
                    Issue.record("another error: \(error)")
                    return
                }
            }
            #expect(try client.cache?.responses == [], "streamed: \(isStreamed)")
        }
    }

    @Test func `a 304 that forbids storing still gives the newer fields`() async throws {
        let origin = try await CachedOrigin { request in
            let headers: [FieldName: String] = [
                .cacheControl: "max-age=10", .etag: "\"1\"", "X": "1",
            ]
            guard request.headers.contains(.ifNoneMatch) else { return .text("body", headers) }
            let newer: [FieldName: String] = [.cacheControl: "no-store", .etag: "\"1\"", "X": "2"]
            return .text("", newer, status: .notModified)
        }
        let client = origin.client()
        _ = try await client.send(origin.server.url)
        origin.advance(1000)
        let response = try await client.send(origin.server.url)
        #expect(response.cacheStatus?.outcome == .revalidated && response.text == "body")
        #expect(response.headers["X"] == "2" && response.headers[.cacheControl] == "no-store")
        #expect(response.headers[.age] == "0")
        #expect(try client.cache?.responses == [])
    }

    @Test func `the first request of a mode tells other caches`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let client = origin.client()
        _ = try await client.send(HTTPRequest(origin.server.url).with { $0.cacheMode = .noCache })
        #expect(origin.server.requests.last?.headers[.cacheControl] == "max-age=0")
    }
}
