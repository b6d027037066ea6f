import ClientSupport
import Glibc
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPCacheTests {
    @Test func `a fresh response is used until it is stale`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let client = origin.client()
        let first = try await client.send(origin.server.url)
        #expect(first.text == "1")
        #expect(first.cacheStatus?.description == "HTTPClient; fwd=uri-miss; stored")
        origin.advance(20)
        let second = try await client.send(origin.server.url)
        #expect(second.text == "1" && second.headers[.age] == "20")
        #expect(second.cacheStatus?.description == "HTTPClient; hit; ttl=40")
        #expect(second.metrics.attempts.isEmpty && origin.count == 1)
        origin.advance(41)
        let third = try await client.send(origin.server.url)
        #expect(third.text == "2" && third.cacheStatus?.outcome == .miss)
        #expect(third.cacheStatus?.reason == "stale")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount a file system"))
    func `calls succeed while the disk of the cache is full or read-only`() async throws {
        let parent = try TemporaryDirectory()
        let disk = parent.path + "/disk"
        TestFileSystem.makeDirectory(disk)
        try #require(unsafe mount("none", disk, "tmpfs", 0, "size=256k") == 0)
        defer { unsafe _ = umount2(disk, 2) }
        let origin = try await CachedOrigin { request in
            .bytes(Array(repeating: request.path.utf8.last ?? 0, count: 40_000))
                .header(.cacheControl, "max-age=600")
        }
        let setting = try HTTPCache.Setting.directory(disk + "/cache")
        let client = origin.client { $0.cache = setting }
        func send(_ letter: Character) async throws -> HTTPResponse.CacheStatus? {
            let response = try await client.send("\(origin.server.url)/\(letter)")
            #expect(response.body == Array(repeating: letter.utf8.first ?? 0, count: 40_000))
            return response.cacheStatus
        }
        for letter in "abcdefghijkl" { _ = try await send(letter) }
        #expect(client.cache?.lastError?.contains("No space left") == true)
        // The cache has made room.
        _ = try await send("x")
        #expect(try await send("x")?.outcome == .hit)

        let flags = UInt(MS_REMOUNT | MS_RDONLY)
        try #require(unsafe mount("none", disk, "tmpfs", flags, "size=256k") == 0)
        #expect(try await send("x")?.outcome == .hit)
        for _ in 0..<2 {
            let status = try await send("y")
            #expect(status?.outcome == .miss && status?.refusal != nil)
        }
        #expect(client.cache?.lastError?.contains("Read-only file system") == true)
    }

    /// Ranges of the ten digits that are requested one after the other, and the statuses of the cache.
    struct Parts: Sendable {
        let ranges: [String]
        let outcomes: String
        /// The validator of each answer; the last one repeats.
        var tags = ["\"v\""]
    }

    @Test(arguments: [
        Parts(ranges: ["0-3", "0-3", "1-2"], outcomes: "miss hit hit"),
        Parts(ranges: ["0-3", "4-9", "0-9", "2-5", ""], outcomes: "miss miss hit hit hit"),
        Parts(ranges: ["4-9", "0-3", "", "-2"], outcomes: "miss miss hit hit"),
        Parts(ranges: ["2-5", "4-7", "2-7", "0-9", "2-7"], outcomes: "miss miss hit miss hit"),
        Parts(ranges: ["4-7", "2-5", "2-7"], outcomes: "miss miss hit"),
        Parts(ranges: ["2-7", "4-5", "2-7"], outcomes: "miss hit hit"),
        // A gap, and another version: the newer part replaces the older one.
        Parts(ranges: ["0-1", "8-9", "8-9", "0-1"], outcomes: "miss miss hit miss"),
        Parts(
            ranges: ["0-3", "4-9", "4-9", "0-3"],
            outcomes: "miss miss hit miss",
            tags: ["\"v\"", "\"w\""]
        ),
        // Without a strong validator, nothing is combined.
        Parts(ranges: ["0-3", "0-3"], outcomes: "miss miss", tags: ["W/\"v\""]),
    ])
    func `parts are stored and combined`(row: Parts) async throws {
        let tags = Locked(row.tags)
        let origin = try await CachedOrigin { request in
            let tag = tags.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            let digits = Array("0123456789".utf8)
            guard let range = request.headers[.range].flatMap({ RangeHeader($0) }),
                let positions = range.ranges[0].positions(in: 10)
            else { return .bytes(digits).header(.etag, tag).header(.cacheControl, "max-age=60") }
            return .bytes(Array(digits[positions]), status: .partialContent).header(.etag, tag)
                .header(.cacheControl, "max-age=60").header(
                    .contentRange,
                    "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/10"
                )
        }
        let directory = try TemporaryDirectory()
        for setting in [.memory(), try HTTPCache.Setting.directory(directory.path + "/cache")] {
            tags.withLock { $0 = row.tags }
            let client = origin.client { $0.cache = setting }
            var outcomes: [String] = []
            for range in row.ranges {
                var request = HTTPRequest(origin.server.url)
                if !range.isEmpty { request.headers[.range] = "bytes=\(range)" }
                let response = try await client.send(request)
                outcomes.append("\(try #require(response.cacheStatus).outcome)")
                let positions = RangeHeader("bytes=\(range)")?.ranges[0].positions(in: 10) ?? 0..<10
                let digits = "0123456789".dropFirst(positions.lowerBound).prefix(positions.count)
                #expect(response.text == String(digits))
                #expect(response.status == (range.isEmpty ? .ok : .partialContent))
            }
            #expect(outcomes.joined(separator: " ") == row.outcomes)
        }
    }

    @Test func `a small part is not combined with a large one`() async throws {
        let content = TestContent.bytes(8 << 20)
        let origin = try await CachedOrigin { request in
            let header = request.headers[.range].flatMap { RangeHeader($0) }
            let range = header?.ranges[0].positions(in: content.count) ?? 0..<content.count
            let positions = "\(range.lowerBound)-\(range.upperBound - 1)"
            return .bytes(Array(content[range]), status: .partialContent).header(.etag, "\"v\"")
                .header(.cacheControl, "max-age=60")
                .header(.contentRange, "bytes \(positions)/\(content.count)")
        }
        let client = origin.client { $0.cache = .memory(maxBytes: 256 << 20) }
        func status(_ range: String) async throws -> String {
            let request = HTTPRequest(origin.server.url).header("Range", "bytes=\(range)")
            let response = try await client.send(request)
            let positions = RangeHeader("bytes=\(range)")?.ranges[0].positions(in: content.count)
            #expect(response.body == Array(content[positions ?? 0..<0]))
            return response.cacheStatus?.description ?? "none"
        }
        #expect(try await status("0-5242879").hasSuffix("stored"))
        #expect(try await status("5242880-5243903").hasSuffix("detail=partial"))
        #expect(try await status("5242870-5242879").contains("hit"))
        #expect(try await status("5242880-8388607").hasSuffix("stored"))
        #expect(try await status("0-8388607").contains("hit"))
    }

    @Test func `a client without a cache sends every request`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let client = origin.client { $0.cache = .disabled }
        for _ in 0..<2 {
            #expect(try await client.send(origin.server.url).cacheStatus == nil)
        }
        #expect(origin.count == 2 && client.cache == nil)
    }

    @Test func `all kinds of calls use the cache`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let client = origin.client()
        let url = origin.server.url
        let streamed = try await client.stream(url)
        #expect(streamed.cacheStatus?.outcome == .miss)
        #expect(try await streamed.body.collect() == Array("1".utf8))
        let again = try await client.stream(url)
        #expect(again.cacheStatus?.outcome == .hit && again.expectedContentLength == 1)
        #expect(try await again.body.collect() == Array("1".utf8))
        #expect(try await client.start(url).value.text == "1")
        #expect(await onThread { try? client.blocking.send(url).text } == "1")
        #expect(try await client.fetch(String.self, from: url) == "1")
        #expect(origin.count == 1)
    }

    @Test func `a 304 confirms a stored response and updates its fields`() async throws {
        let origin = try await CachedOrigin { request in
            guard request.headers[.ifNoneMatch] == #""a""# else {
                return .text("body", [.etag: #""a""#, .cacheControl: "max-age=10", "X": "1"])
            }
            return .text(
                "",
                [.etag: #""a""#, .cacheControl: "max-age=10", "X": "2"],
                status: .notModified
            )
        }
        for isStreamed in [false, true] {
            let client = origin.client()
            _ = try await client.send(origin.server.url)
            origin.advance(11)
            let before = origin.count
            let url = origin.server.url
            if isStreamed {
                let response = try await client.stream(url)
                #expect(response.status == .ok && response.headers["X"] == "2")
                #expect(response.cacheStatus?.outcome == .revalidated)
                #expect(try await response.body.collect() == Array("body".utf8))
            } else {
                let response = try await client.send(url)
                #expect(response.status == .ok && response.text == "body")
                #expect(response.headers["X"] == "2" && response.headers[.age] == "0")
                #expect(
                    response.cacheStatus?.description
                        == "HTTPClient; fwd=stale; fwd-status=304; ttl=10"
                )
            }
            origin.advance(5)
            let hit = try await client.send(url)
            #expect(hit.cacheStatus?.outcome == .hit && hit.headers["X"] == "2")
            #expect(origin.count == before + 1)
        }
    }

    @Test func `another answer to a revalidation replaces the stored response`() async throws {
        let number = Locked(0)
        let origin = try await CachedOrigin { _ in
            let now = number.withLock { number in
                number += 1
                return number
            }
            return .text("\(now)", [.etag: "\"\(now)\"", .cacheControl: "max-age=10"])
        }
        let client = origin.client()
        #expect(try await client.send(origin.server.url).text == "1")
        origin.advance(11)
        #expect(try await client.send(origin.server.url).text == "2")
        #expect(try await client.send(origin.server.url).text == "2")
        #expect(origin.count == 2)
    }

    @Test func `a 304 for a response that the store has lost leads to a full request`() async throws
    {
        let cache = HTTPCache()
        let origin = try await CachedOrigin { request in
            if request.headers.contains(.ifNoneMatch) {
                // The entry disappears while the origin is asked.
                try cache.removeAll()
                return .text("", [.etag: #""a""#], status: .notModified)
            }
            return .text("whole", [.etag: #""a""#, .cacheControl: "max-age=10"])
        }
        let client = origin.client { $0.cache = .cache(cache) }
        _ = try await client.send(origin.server.url)
        origin.advance(11)
        let response = try await client.send(origin.server.url)
        #expect(response.status == .ok && response.text == "whole")
        #expect(origin.count == 3)
    }

    @Test func `modes of requests`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60", .etag: #""e""#])
        let client = origin.client()
        func text(_ mode: HTTPRequest.CacheMode) async throws -> String {
            let response = try await client.send(
                HTTPRequest(origin.server.url).with { $0.cacheMode = mode }
            )
            return "\(response.status.code) \(response.text)"
        }
        #expect(try await text(.onlyIfCached) == "504 ")
        #expect(try await text(.default) == "200 1")
        #expect(try await text(.default) == "200 1")
        #expect(try await text(.noStore) == "200 2")
        #expect(origin.server.requests.last?.headers[.cacheControl] == "no-cache")
        #expect(try await text(.default) == "200 1")
        #expect(try await text(.reload) == "200 3")
        #expect(try await text(.default) == "200 3")
        #expect(try await text(.noCache) == "200 4")
        #expect(origin.server.requests.last?.headers[.ifNoneMatch] == #""e""#)
        origin.advance(61)
        #expect(try await text(.forceCache) == "200 4")
        #expect(try await text(.onlyIfCached) == "200 4")
        #expect(origin.count == 4)
    }

    @Test func `codings are stored as received and decoded for each response`() async throws {
        let content = String(repeating: "abc", count: 1000)
        let gzip = try #require(Deflater.gzip(Array(content.utf8)))
        let origin = try await CachedOrigin { _ in
            var response = HTTPTestServer.Response.bytes(gzip)
            response.headers[.contentEncoding] = "gzip"
            response.headers[.cacheControl] = "max-age=60"
            response.headers[.vary] = "Accept-Encoding"
            return response
        }
        let client = origin.client()
        for _ in 0..<2 {
            #expect(try await client.send(origin.server.url).text == content)
            let streamed = try await client.stream(origin.server.url)
            #expect(try await streamed.body.collect() == Array(content.utf8))
        }
        #expect(origin.count == 1)
        let coded = client.with { $0.decompression = .off }
        #expect(try await coded.send(origin.server.url).cacheStatus?.reason == "vary-miss")
        #expect(try await coded.send(origin.server.url).body == gzip && origin.count == 2)
    }

    @Test func `a body that is cut short is not stored`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let broken =
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n"
        let short = try ScriptedOrigin(.always(broken + "3\r\nabc\r\nzz\r\n"))
        let client = origin.client { $0.retries = HTTPRetryOptions(maxRetries: 0) }
        let error = await failure { try await client.send(HTTPRequest(short.url)) }
        #expect(error != nil)
        let streamed = try await client.stream(HTTPRequest(origin.server.url))
        streamed.cancel()
        #expect(try client.cache?.statistics.entryCount == 0)
    }

    @Test(arguments: [false, true], [false, true])
    func `a response with an invalid coding is not stored`(
        isStreamed: Bool,
        isCut: Bool
    ) async throws {
        let content = String(repeating: "abc", count: 1000)
        let gzip = try #require(Deflater.gzip(Array(content.utf8)))
        // Without its end, or with another checksum (RFC 1952 §2.3.1).
        var damaged = Array(gzip.dropLast(isCut ? 1 : 0))
        if !isCut { damaged[gzip.count - 8] ^= 1 }
        let answers = Locked([damaged, gzip])
        let origin = try await CachedOrigin { _ in
            let bytes = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            return .bytes(bytes).header(.contentEncoding, "gzip")
                .header(.cacheControl, "max-age=60")
        }
        let client = origin.client { $0.retries = HTTPRetryOptions(maxRetries: 0) }
        let url = origin.server.url
        let error = await failure {
            guard isStreamed else { return try await client.send(url).body }
            return try await client.stream(url).body.collect()
        }
        guard case .codingFailed = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(try client.cache?.statistics.entryCount == 0 && origin.count == 1)
        let second = try await client.send(url)
        #expect(second.text == content && second.cacheStatus?.outcome == .miss)
        #expect(try await client.send(url).cacheStatus?.outcome == .hit && origin.count == 2)
    }

    @Test func `a response with a wrong digest is not stored`() async throws {
        let origin = try await CachedOrigin.counting([
            .cacheControl: "max-age=60",
            "Content-Digest": "sha-256=:\(String(repeating: "A", count: 43))=:",
        ])
        let client = origin.client { $0.digestVerification = .ifPresent }
        #expect(await failure { try await client.send(HTTPRequest(origin.server.url)) } != nil)
        #expect(try client.cache?.statistics.entryCount == 0)
    }

    @Test func `ranges are served from a whole stored response`() async throws {
        let origin = try await CachedOrigin { _ in
            .text("0123456789", [.cacheControl: "max-age=60"])
        }
        let client = origin.client()
        _ = try await client.send(origin.server.url)
        let part = try await client.send(HTTPRequest(origin.server.url).range(2...4))
        #expect(part.status == .partialContent && part.text == "234")
        #expect(part.headers[.contentRange] == "bytes 2-4/10" && part.headers.contentLength == 3)
        let beyond = try await client.send(HTTPRequest(origin.server.url).range(20...30))
        #expect(beyond.status == .rangeNotSatisfiable && beyond.body.isEmpty)
        #expect(beyond.headers[.contentRange] == "bytes */10" && origin.count == 1)
    }

    @Test func `an unsafe method invalidates, and a HEAD updates`() async throws {
        let origin = try await CachedOrigin { request in
            let headers: [FieldName: String] = [
                .cacheControl: "max-age=60", "X": request.method.rawValue,
            ]
            return .text("text", headers)
        }
        let client = origin.client()
        let url = origin.server.url
        _ = try await client.send(url)
        let head = try await client.send(HTTPRequest(.head, url))
        #expect(head.cacheStatus?.outcome == .hit && head.body.isEmpty && origin.count == 1)
        let forced = HTTPRequest(.head, url).with { $0.cacheMode = .reload }
        _ = try await client.send(forced)
        #expect(try await client.send(url).headers["X"] == "HEAD" && origin.count == 2)
        let asked = HTTPRequest(.head, url).with { $0.cacheMode = .noCache }
        _ = try await client.send(asked)
        #expect(try await client.send(url).headers["X"] == "HEAD" && origin.count == 3)
        let posted = try await client.send(HTTPRequest(.post, url))
        #expect(posted.cacheStatus?.description == "HTTPClient; fwd=method; detail=method")
        #expect(try await client.send(url).headers["X"] == "GET" && origin.count == 5)
    }

    @Test func `variants are kept apart`() async throws {
        let origin = try await CachedOrigin { request in
            .text(
                request.headers["Accept-Language"] ?? "",
                [
                    .cacheControl: "max-age=60", .vary: "Accept-Language",
                ]
            )
        }
        let client = origin.client()
        for language in ["de", "en", "de", "en"] {
            let request = HTTPRequest(origin.server.url).header("Accept-Language", language)
            #expect(try await client.send(request).text == language)
        }
        #expect(origin.count == 2)
    }

    @Test(arguments: ["private, max-age=60", "max-age=60"])
    func `responses for one user are not used for another`(control: String) async throws {
        let origin = try await CachedOrigin { request in
            .text(request.headers[.authorization] ?? "anonymous", [.cacheControl: control])
        }
        let client = origin.client()
        for user in ["a", "b", "a"] {
            let request = HTTPRequest(origin.server.url).authorization(.bearer(user))
            #expect(try await client.send(request).text == "Bearer \(user)")
        }
        #expect(origin.count == 2)
    }

    @Test(arguments: [true, false])
    func `a stale response takes the place of an error that permits it`(
        hasValidator: Bool
    ) async throws {
        let isBroken = Locked(false)
        let origin = try await CachedOrigin { _ in
            guard !isBroken.withLock({ $0 }) else { return .text("broken", status: .badGateway) }
            var headers: [FieldName: String] = [.cacheControl: "max-age=10, stale-if-error=100"]
            if hasValidator { headers[.etag] = #""a""# }
            return .text("good", headers)
        }
        let client = origin.client { $0.retries = HTTPRetryOptions(maxRetries: 0) }
        _ = try await client.send(origin.server.url)
        isBroken.withLock { $0 = true }
        origin.advance(11)
        let stale = try await client.send(origin.server.url)
        #expect(stale.text == "good" && stale.cacheStatus?.outcome == .staleHit)
        #expect(
            stale.cacheStatus?.description
                == "HTTPClient; fwd=stale; fwd-status=502; ttl=-1; detail=stale-if-error"
        )
        let streamed = try await client.stream(origin.server.url)
        #expect(try await streamed.body.collect() == Array("good".utf8))
        origin.advance(100)
        #expect(try await client.send(origin.server.url).status == .badGateway)
    }

    @Test func `stale-while-revalidate answers at once and updates in the background`() async throws
    {
        let number = Locked(0)
        let origin = try await CachedOrigin { _ in
            let now = number.withLock { number in
                number += 1
                return number
            }
            return .text(
                "\(now)",
                [
                    .cacheControl: "max-age=10, stale-while-revalidate=100", .etag: "\"\(now)\"",
                ]
            )
        }
        let client = origin.client()
        _ = try await client.send(origin.server.url)
        origin.advance(11)
        let stale = try await client.send(origin.server.url)
        #expect(stale.text == "1" && stale.cacheStatus?.reason == "stale-while-revalidate")
        var text = "1"
        while text == "1" {
            text = try await client.send(origin.server.url).text
            await Task.yield()
        }
        // A call that found the stale response just before the update validates it once more.
        #expect(text != "1" && text != "" && origin.count >= 2)
    }

    @Test func `draining waits for validations in the background`() async throws {
        let number = Locked(0)
        let origin = try await CachedOrigin { _ in
            let now = number.withLock { number in
                number += 1
                return number
            }
            return .text("\(now)", [.cacheControl: "max-age=10, stale-while-revalidate=100"])
        }
        let client = origin.client()
        await client.pool.drain()
        _ = try await client.send(origin.server.url)
        origin.advance(11)
        let stale = try await client.send(origin.server.url)
        #expect(
            stale.cacheStatus?.description
                == "HTTPClient; hit; ttl=-1; detail=stale-while-revalidate"
        )
        await client.pool.drain()
        #expect(try await client.send(origin.server.url).text == "2" && origin.count == 2)
    }

    @Test func `observers, interceptors, validators and redirects see stored responses`()
        async throws
    {
        let origin = try await CachedOrigin.redirecting()
        final class Recorder: HTTPInterceptor {
            let seen = Locked<[String]>([])
            let scope = HTTPInterceptorScope.attempt
            func intercept(
                _ request: HTTPRequest,
                _ context: HTTPContext,
                next: HTTPNext
            ) async throws -> HTTPInterceptorResult {
                let result = try await next(request)
                if case .response(let response) = result {
                    seen.withLock { $0.append("\(response.cacheStatus?.outcome as Any)") }
                }
                return result
            }
        }
        let recorder = Recorder()
        let client = origin.client { $0.interceptors = [recorder] }
        for _ in 0..<2 {
            let response = try await client.send(origin.server.url + "/old")
            #expect(response.text == "new" && response.redirects.count == 1)
        }
        #expect(origin.count == 2 && recorder.seen.withLock { $0.count } == 4)
        let hits = recorder.seen.withLock { $0.filter { $0.contains(".hit") }.count }
        #expect(hits == 2)
    }

    @Test func `cookies of a stored response are not stored again`() async throws {
        let origin = try await CachedOrigin { _ in
            .text("x", [.cacheControl: "max-age=60", .setCookie: "a=1"])
        }
        let client = origin.client { $0.cookies = .automatic }
        let url = try URI(origin.server.url)
        _ = try await client.send(url)
        let jar = try #require(client.cookies)
        #expect(jar.set("a", "2", for: url) == nil)
        // The cookie of the request does not matter, because Vary does not name it.
        #expect(try await client.send(url).cacheStatus?.outcome == .hit)
        #expect(jar.cookies(for: url).map(\.value) == ["2"])
    }

    @Test func `a directory serves two clients, and large bodies in pieces`() async throws {
        let directory = try TemporaryDirectory()
        let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let origin = try await CachedOrigin { _ in
            var response = HTTPTestServer.Response.bytes(content)
            response.headers[.cacheControl] = "max-age=60"
            return response
        }
        let path = directory.path + "/cache"
        let caches = try [HTTPCache(directory: path), HTTPCache(directory: path)]
        let first = origin.client { $0.cache = .cache(caches[0]) }
        let second = origin.client { $0.cache = .cache(caches[1]) }
        #expect(try await first.send(origin.server.url).body == content)
        let hit = try await second.send(origin.server.url)
        #expect(hit.cacheStatus?.outcome == .hit && hit.body == content)
        let streamed = try await second.stream(origin.server.url)
        var pieces = 0
        var all: [UInt8] = []
        for try await piece in streamed.body {
            pieces += 1
            all += piece
        }
        #expect(all == content && pieces > 1 && origin.count == 1)
        try second.cache?.removeAll()
        #expect(try await first.send(origin.server.url).cacheStatus?.outcome == .miss)
    }

    @Test func `a store that fails does not fail a request`() async throws {
        let directory = try TemporaryDirectory()
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        // The parent of the directory does not exist.
        let cache = try HTTPCache(directory: directory.path + "/missing/cache")
        let client = origin.client { $0.cache = .cache(cache) }
        #expect(try await client.send(origin.server.url).text == "1")
        let second = try await client.send(origin.server.url)
        #expect(second.text == "2" && second.cacheStatus?.refusal == "store")
        #expect(cache.lastError?.contains("missing") == true)
    }

    @Test func `a stored content with another digest than the expected one is removed`()
        async throws
    {
        for isStreamed in [false, true] {
            let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
            let client = origin.client()
            _ = try await client.send(origin.server.url)
            // The digest of the next response.
            var request = HTTPRequest(origin.server.url)
            request.expectedDigest = try HTTPDigest.sha256(of: Array("2".utf8))
            if isStreamed {
                // The head was delivered already when the digest is known.
                let streamed = try await client.stream(request)
                #expect(streamed.cacheStatus?.outcome == .hit)
                await #expect(throws: HTTPError.self) { try await streamed.body.collect() }
            }
            let response = try await client.send(request)
            #expect(response.text == "2" && response.cacheStatus?.outcome == .miss)
            #expect(try await client.send(request).cacheStatus?.outcome == .hit)
            #expect(origin.count == 2)
        }
    }

    @Test func `metrics have the status of the cache`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let client = origin.client()
        let first = try await client.send(origin.server.url)
        #expect(first.metrics.cacheStatus == first.cacheStatus && first.metrics.attempts.count == 1)
        #expect(first.metrics.waterfall.hasSuffix("\ncache: HTTPClient; fwd=uri-miss; stored\n"))
        let second = try await client.stream(origin.server.url)
        _ = try await second.body.collect()
        #expect(second.metrics.cacheStatus == second.cacheStatus)
        #expect(second.metrics.json["cacheStatus"].string == "HTTPClient; hit; ttl=60")
        #expect(second.metrics.waterfall == "cache: HTTPClient; hit; ttl=60\n")
        let uncached = try await HTTPClient().send(origin.server.url)
        #expect(
            uncached.metrics.cacheStatus == nil && !uncached.metrics.waterfall.contains("cache")
        )
        #expect(uncached.metrics.json["cacheStatus"] == .null)
    }

    @Test func `stored responses are listed`() async throws {
        let origin = try await CachedOrigin.counting([
            .cacheControl: "max-age=60", .vary: "Accept-Language, X", .contentType: "text/x",
        ])
        let client = origin.client()
        let cache = try #require(client.cache)
        #expect(try cache.responses == [])
        let request = HTTPRequest(
            origin.server.url + "/a?b#c",
            headers: [.acceptLanguage: "de"]
        )
        _ = try await client.send(request)
        let listed = try cache.responses
        let stored = try #require(listed.first)
        #expect(listed.count == 1 && stored.url.text == origin.server.url + "/a?b")
        #expect(stored.head.status == .ok && stored.head.headers[.contentType] == "text/x")
        #expect(stored.byteCount == 1 && stored.received.secondsSince1970 == 1_800_000_000)
        #expect(Set(stored.selectingFields) == [.acceptLanguage, "X"])
        origin.advance(1)
        _ = try await client.send(request.header(.acceptLanguage, "fr"))
        _ = try await client.send(origin.server.url + "/other")
        let found = try cache.responses(to: try URI(origin.server.url + "/a?b#d"))
        #expect(found.count == 2 && found.first == stored)
        #expect(found.last?.received.secondsSince1970 == 1_800_000_001)
        #expect(try cache.responses(to: try URI(origin.server.url + "/none")) == [])
        #expect(try cache.responses.count == 3)
    }

    @Test func `clients with one configuration do not share a cache`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let client = origin.client()
        _ = try await client.send(origin.server.url)
        #expect(try await origin.client().send(origin.server.url).text == "2")
        let derived = client.with { $0.headers["X"] = "1" }
        #expect(try await derived.send(origin.server.url).text == "1")
        try client.cache?.remove(try URI(origin.server.url + "#part"))
        #expect(try await client.send(origin.server.url).text == "3")
    }

    @Test func `a revalidation passes a proxy that asks for credentials`() async throws {
        let origin = try await CachedOrigin { request in
            guard request.headers.contains(.proxyAuthorization) else {
                let headers: [FieldName: String] = [.proxyAuthenticate: #"Basic realm="p""#]
                return .text("who", headers, status: .proxyAuthenticationRequired)
            }
            let headers: [FieldName: String] = [.etag: #""a""#, .cacheControl: "max-age=10"]
            let isKnown = request.headers.contains(.ifNoneMatch)
            return .text(isKnown ? "" : "body", headers, status: isKnown ? .notModified : .ok)
        }
        let port = try #require(try URI(origin.server.url).port)
        var way = HTTPProxy(scheme: .http, host: "127.0.0.1", port: port)
        way.credentials = HTTPCredentials(user: "u", password: "p")
        let cache = HTTPCache()
        for outcome in [HTTPResponse.CacheStatus.Outcome.miss, .revalidated, .revalidated] {
            // A new client does not know the proxy yet, so the proxy refuses the first request of each.
            let client = origin.client { [way] in
                $0.proxy = .proxy(way, except: "")
                $0.cache = .cache(cache)
            }
            let response = try await client.send("http://origin.example/")
            #expect(response.status == .ok && response.text == "body")
            #expect(response.metrics.attempts.count == 2)
            #expect(response.cacheStatus?.outcome == outcome)
            origin.advance(11)
        }
    }

    @Test func `a request with another host or target stores nothing for its URL`() async throws {
        let origin = try await CachedOrigin { request in
            .text(
                "\(request.headers[.host] ?? "") \(request.target)",
                [.cacheControl: "max-age=60"]
            )
        }
        let client = origin.client()
        let url = origin.server.url
        _ = try await client.send(HTTPRequest(url).header(.host, "evil.example"))
        _ = try await client.send(HTTPRequest(url).with { $0.rawTarget = "/evil" })
        _ = try await client.send(HTTPRequest(url).headModifier { $0.headers["X"] = "1" })
        let other = client.with { $0.headers[.host] = "evil.example" }
        _ = try await other.send(url)
        _ = try await other.stream(url).body.collect()
        #expect(try client.cache?.statistics.entryCount == 0)
        #expect(try await client.send(url).text.contains("evil") == false)
        // The authority of the URL itself changes nothing.
        let authority = try URI(parsing: url).origin?.authority ?? ""
        let same = try await client.send(HTTPRequest(url).header(.host, authority))
        #expect(same.cacheStatus?.outcome == .hit)
    }

    // MARK: - Found by CacheHistoryTests

    @Test func `a 304 with no-store confirms a stored response, which is then removed`()
        async throws
    {
        let origin = try await CachedOrigin { request in
            let isKnown = request.headers.contains(.ifNoneMatch)
            let headers: [FieldName: String] = [
                .etag: #""a""#, .cacheControl: isKnown ? "no-store" : "max-age=10",
            ]
            return .text(isKnown ? "" : "body", headers, status: isKnown ? .notModified : .ok)
        }
        let client = origin.client()
        _ = try await client.send(origin.server.url)
        origin.advance(10)
        let confirmed = try await client.send(origin.server.url)
        #expect(confirmed.text == "body" && confirmed.cacheStatus?.outcome == .revalidated)
        #expect(try client.cache?.statistics.entryCount == 0 && origin.count == 2)
    }

    @Test func `the response to a HEAD with no-store changes no stored response`() async throws {
        let origin = try await CachedOrigin { request in
            .text("x", [.cacheControl: "max-age=60", "X": request.method.rawValue])
        }
        let client = origin.client()
        let url = origin.server.url
        _ = try await client.send(url)
        _ = try await client.send(HTTPRequest(.head, url).header(.cacheControl, "no-store"))
        _ = try await client.send(HTTPRequest(.head, url).with { $0.cacheMode = .noStore })
        #expect(try await client.send(url).headers["X"] == "GET" && origin.count == 3)
    }

    @Test(arguments: [[:], [.etag: #""a""#]] as [[FieldName: String]])
    func `a stored response replaces a failure again and again, also without a validator`(
        validators: [FieldName: String]
    ) async throws {
        let isBroken = Locked(false)
        let origin = try await CachedOrigin { _ in
            guard !isBroken.withLock({ $0 }) else {
                // The failure may be stored, too.
                return .text("broken", [.cacheControl: "max-age=60"], status: .badGateway)
            }
            let control: [FieldName: String] = [.cacheControl: "max-age=10, stale-if-error=100"]
            return .text("good", control.merging(validators) { $1 })
        }
        let client = origin.client { $0.retries = HTTPRetryOptions(maxRetries: 0) }
        _ = try await client.send(origin.server.url)
        isBroken.withLock { $0 = true }
        origin.advance(10)
        for _ in 0..<2 {
            let stale = try await client.send(origin.server.url)
            #expect(stale.text == "good" && stale.cacheStatus?.reason == "stale-if-error")
        }
        #expect(origin.count == 3)
    }

    @Test func `a HEAD that is repeated without conditions removes a changed response`()
        async throws
    {
        let origin = try await CachedOrigin { request in
            if request.headers.contains(.ifNoneMatch) {
                return .text("", [.etag: #""other""#], status: .notModified)
            }
            let tag = request.method == .head ? #""b""# : #""a""#
            return .text("x", [.etag: tag, .cacheControl: "max-age=10"])
        }
        let client = origin.client()
        _ = try await client.send(origin.server.url)
        origin.advance(10)
        _ = try await client.send(HTTPRequest(.head, origin.server.url))
        #expect(try client.cache?.statistics.entryCount == 0 && origin.count == 3)
    }

    @Test func `an unsafe method invalidates also if its response has a wrong body`() async throws {
        let origin = try await CachedOrigin { request in
            var headers: [FieldName: String] = [.cacheControl: "max-age=60"]
            if request.method == .post {
                headers["Content-Digest"] = "sha-256=:\(String(repeating: "A", count: 43))=:"
            }
            return .text("x", headers)
        }
        let client = origin.client { $0.digestVerification = .ifPresent }
        _ = try await client.send(origin.server.url)
        let error = await failure { try await client.send(HTTPRequest(.post, origin.server.url)) }
        #expect(error != nil)
        #expect(try client.cache?.statistics.entryCount == 0)
    }
}
