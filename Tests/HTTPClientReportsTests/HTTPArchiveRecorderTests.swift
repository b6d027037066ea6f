import ClientSupport
import HTTPClient
import HTTPClientReports
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPArchiveRecorderTests {
    private func client(
        _ recorder: HTTPArchiveRecorder,
        _ change: (inout HTTPClient.Settings) -> Void = { _ in }
    ) -> HTTPClient {
        HTTPClient().with {
            $0.observers = [recorder]
            change(&$0)
        }
    }

    /// Parses the recorded archive, checks it against ``ArchiveRules``, and returns its entries.
    private func entries(
        _ recorder: HTTPArchiveRecorder,
        at location: SourceLocation = #_sourceLocation
    ) throws -> [HTTPJSON] {
        let har = try HTTPJSON(parsing: recorder.encoded())
        #expect(ArchiveRules.violations(in: har) == [], sourceLocation: location)
        return try #require(har["log"]["entries"].array)
    }

    private func header(_ name: String, _ message: HTTPJSON) -> String? {
        message["headers"].array?.first { $0["name"].string == name }?["value"].string
    }

    @Test func `a stored response is an entry`() async throws {
        let server = try await HTTPTestServer.start { request in
            var response = HTTPTestServer.Response.text("stored")
            response.headers[.cacheControl] = "max-age=60"
            return response
        }
        let recorder = HTTPArchiveRecorder()
        let client = client(recorder) { $0.cache = .memory() }
        for _ in 0..<2 { _ = try await client.send(server.url + "/a") }
        var request = HTTPRequest(server.url + "/b")
        request.cacheMode = .onlyIfCached
        _ = try await client.send(request)
        let entries = try entries(recorder)
        try #require(entries.count == 3)
        #expect(entries[0]["cache"]["comment"].string == "HTTPClient; fwd=uri-miss; stored")
        #expect(entries[1]["cache"]["comment"].string?.hasPrefix("HTTPClient; hit; ttl=") == true)
        #expect(entries[1]["request"]["url"].string == server.url + "/a")
        #expect(entries[1]["request"]["method"].string == "GET")
        #expect(entries[1]["request"]["headers"].array == [])
        #expect(entries[1]["response"]["content"]["text"].string == "stored")
        #expect(header("Age", entries[1]["response"]) != nil)
        #expect(entries[2]["request"]["url"].string == server.url + "/b")
        #expect(entries[2]["response"]["status"].int == 504)
    }

    @Test(arguments: [false, true])
    func `each entry says what the cache did for its response`(isStreamed: Bool) async throws {
        let server = try await HTTPTestServer.start { request in
            let isKnown = request.headers[.ifNoneMatch] == #""1""#
            return .text(isKnown ? "" : "stored", status: isKnown ? .notModified : .ok)
                .header(.cacheControl, "max-age=0").header(.etag, #""1""#)
        }
        let recorder = HTTPArchiveRecorder()
        let client = client(recorder) { $0.cache = .memory() }
        for mode: HTTPRequest.CacheMode in [.default, .default, .forceCache, .noStore] {
            let request = HTTPRequest(server.url).with { $0.cacheMode = mode }
            if isStreamed {
                let response = try await client.stream(request)
                #expect(try await response.body.collect() == Array("stored".utf8))
            } else {
                #expect(try await client.send(request).text == "stored")
            }
        }
        let comments = try entries(recorder).map { $0["cache"]["comment"].string ?? "" }
        // The numbers of seconds depend on the time that the calls take.
        let expected = [
            ("HTTPClient; fwd=uri-miss; stored", ""),
            // The exchange, and the response that it confirms.
            ("HTTPClient; fwd=stale; detail=not-modified", ""),
            ("HTTPClient; fwd=stale; fwd-status=304; ttl=", ""),
            ("HTTPClient; hit; ttl=", "; detail=mode"), ("HTTPClient; fwd=bypass; detail=mode", ""),
        ]
        try #require(comments.count == expected.count, "\(comments)")
        for (comment, (start, end)) in zip(comments, expected) {
            #expect(comment.hasPrefix(start) && comment.hasSuffix(end))
        }
        #expect(server.requests.count == 3)
    }

    @Test func `each exchange is an entry with its request and response`() async throws {
        let server = try await HTTPTestServer.start { request in
            if request.path == "/old" {
                return .status(
                    .found,
                    headers: [.location: "/new?a=1&b=%20", .setCookie: "s=1; Path=/; HttpOnly"]
                )
            }
            return .text("héllo")
        }
        let recorder = HTTPArchiveRecorder { 1_800_000_000_123_456_789 }
        let request = HTTPRequest(server.url + "/old#part", method: .post, body: .string("x=1"))
        _ = try await client(recorder) { $0.cookies = .automatic }.send(request)
        let entries = try entries(recorder)
        try #require(entries.count == 2)
        let (first, second) = (entries[0], entries[1])
        #expect(first["startedDateTime"].string == "2027-01-15T08:00:00.123Z")
        #expect(first["request"]["method"].string == "POST")
        #expect(first["request"]["url"].string == server.url + "/old")
        #expect(first["request"]["postData"]["text"].string == "x=1")
        #expect(first["request"]["bodySize"].int == 3)
        #expect(header("Host", first["request"]) == "127.0.0.1:\(server.port)")
        #expect(header("Content-Length", first["request"]) == "3")
        #expect(first["response"]["status"].int == 302)
        #expect(first["response"]["redirectURL"].string == "/new?a=1&b=%20")
        #expect(first["response"]["cookies"][0]["name"].string == "s")
        #expect(first["response"]["cookies"][0]["httpOnly"].bool == true)
        #expect(first["connection"].string == "1" && first["serverIPAddress"].string == "127.0.0.1")
        #expect(first["timings"]["connect"].double != -1 && first["timings"]["ssl"].double == -1)

        #expect(second["request"]["method"].string == "GET")
        #expect(second["request"].member("postData") == nil)
        #expect(second["request"]["queryString"][1]["value"].string == " ")
        #expect(second["request"]["cookies"][0]["name"].string == "s")
        #expect(second["response"]["content"]["text"].string == "héllo")
        #expect(second["response"]["content"]["size"].int == 6)
        #expect(second["timings"]["connect"].double == -1 && second["_reason"].string == "redirect")
        #expect(first["_call"] == second["_call"])
    }

    @Test func `the TLS handshake is a part of connecting`() async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { _ in .text("") }
        let recorder = HTTPArchiveRecorder()
        let client = HTTPClient().with {
            $0.observers = [recorder]
            $0.security.trust = .pem(server.certificateAuthorityPEM)
        }
        let metrics = try await client.send(server.url).metrics
        let timings = try #require(try entries(recorder).first)["timings"]
        let (connect, ssl) = (timings["connect"].double ?? -1, timings["ssl"].double ?? -1)
        let attempt = try #require(metrics.attempts.first)
        let handshake = try #require(attempt.interval(of: .tlsHandshake))
        let opening = try #require(attempt.interval(of: .connect))
        let milliseconds = { ($0 as Duration) / .microseconds(1) / 1000 }
        #expect(abs(ssl - milliseconds(handshake.upperBound - handshake.lowerBound)) < 0.001)
        #expect(abs(connect - milliseconds(handshake.upperBound - opening.lowerBound)) < 0.001)
    }

    @Test func `secrets are hidden unless requested`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .text("").header(.setCookie, "sid=topsecret; Secure")
                .header(.location, "http://user:topsecret@a.test/?token=topsecret")
        }
        let url = "http://user:topsecret@127.0.0.1:\(server.port)/?token=topsecret&x=1"
        let request = HTTPRequest(
            url,
            headers: [.cookie: "c=topsecret", "X-Mine": "topsecret", .referer: url]
        )
        let hidden = HTTPArchiveRecorder(redacting: ["x-mine"])
        let shown = HTTPArchiveRecorder(secrets: .shown)
        _ = try await HTTPClient().with { $0.observers = [hidden, shown] }.send(request)
        let text = String(decoding: hidden.encoded(), as: UTF8.self)
        #expect(!text.contains("topsecret") && !text.contains("dXNlcjp0b3BzZWNyZXQ"))
        let entry = try #require(try entries(hidden).first)
        #expect(header("Set-Cookie", entry["response"]) == "sid=***; Secure")
        #expect(header("Authorization", entry["request"]) == "Basic ***")
        #expect(entry["request"]["cookies"][0]["value"].string == "***")
        #expect(entry["request"]["queryString"][0]["value"].string == "***")
        let open = try #require(try entries(shown).first)
        #expect(header("Cookie", open["request"]) == "c=topsecret")
        #expect(open["request"]["url"].string == url)
    }

    @Test func `the description of an error thrown by a body is not recorded`() async throws {
        struct BodyError: Error, CustomStringConvertible {
            var description: String { "topsecret" }
        }
        let pieces = AsyncThrowingStream<[UInt8], any Error> { $0.finish(throwing: BodyError()) }
        let server = try await HTTPTestServer.start { _ in .text("") }
        let recorder = HTTPArchiveRecorder()
        let client = HTTPClient().with { $0.observers = [recorder] }
        let request = HTTPRequest(server.url, method: .post, body: .stream(pieces))
        let error = await failure { try await client.send(request) }
        #expect("\(try #require(error))".contains("topsecret"))
        let entry = try #require(try entries(recorder).first)
        #expect(entry["_error"].string == error?.kind.label)
        let metrics = try #require(error).metrics.json["attempts"][0]
        #expect(metrics["error"].string == error?.kind.label)
    }

    @Test func `a failed exchange is an entry`() async throws {
        let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(hello), .expectHead, .reset], [.expectHead, .reply(hello)],
        ])
        let recorder = HTTPArchiveRecorder()
        let client = client(recorder)
        _ = try await client.send(HTTPRequest(origin.url))
        _ = try await client.send(HTTPRequest(origin.url))
        let port = try UnreachablePorts.refusing()
        _ = await failure { try await client.send(HTTPRequest("http://127.0.0.1:\(port)")) }
        _ = await failure {
            try await client.send(HTTPRequest(origin.url, headers: ["a b": "not a name"]))
        }
        let entries = try entries(recorder)
        #expect(entries.map { $0["response"]["status"].int } == [200, 0, 200, 0, 0])
        let errors = entries.map { $0["_error"].string }
        #expect(errors[0] == nil && errors[2] == nil)
        #expect(errors[1]?.contains("connection was lost") == true)
        #expect(errors[3]?.contains("Connection refused") == true && errors[4] != nil)
        #expect(entries.map { $0["connection"].string } == ["1", "1", "2", nil, "2"])
    }

    @Test func `a streamed body is measured and not stored`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let recorder = HTTPArchiveRecorder()
        let response = try await client(recorder).stream(HTTPRequest(server.url))
        #expect(try entries(recorder)[0]["response"]["bodySize"].int == -1)
        _ = try await response.body.collect()
        let entry = try entries(recorder)[0]
        #expect(entry["response"]["bodySize"].int == 5)
        #expect(entry["response"]["content"]["size"].int == 5)
        #expect(entry["response"]["content"].member("text") == nil)
    }

    /// An error of the application, whose description must not appear in an archive.
    private struct Secret: Error, CustomStringConvertible {
        var description: String { "topsecret" }
    }

    @Test func `the description of an error thrown during an upload is not recorded`() async throws
    {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead,
            .reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"),
            .pause(gate),
        ])
        let recorder = HTTPArchiveRecorder()
        let (pieces, maker) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let request = HTTPRequest(origin.url, method: .post, body: .stream(pieces))
        let response = try await client(recorder).stream(request)
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next() == Array("one".utf8))
        maker.finish(throwing: Secret())
        let error = await failure { while try await chunks.next() != nil {} }
        #expect(error?.kind == .bodyFailed(.thrown(description: "topsecret")))
        gate.open()
        let archive = String(decoding: recorder.encoded(), as: UTF8.self)
        #expect(!archive.contains("topsecret") && archive.contains("bodyFailed"))
    }

    @Test func `file paths and evaluator messages are not recorded`() async throws {
        let path = "/no/topsecret/file.pem"
        let recorder = HTTPArchiveRecorder()
        let client = client(recorder) { $0.security.trust = .file(path) }
        let server = try await HTTPTestServer.start { _ in .text("") }
        let error = await failure {
            try await client.send(HTTPRequest("https://127.0.0.1:\(server.port)/"))
        }
        guard case .tlsFailed = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.description.contains("topsecret") == true)
        let archive = String(decoding: recorder.encoded(), as: UTF8.self)
        #expect(!archive.contains("topsecret"))
        let kinds: [HTTPError.Kind] = [
            .tlsFailed(.vetoed(reason: "topsecret")), .tlsFailed(.identity(reason: "topsecret")),
            .bodyFailed(.thrown(description: "topsecret")), .interceptorFailed(reason: "topsecret"),
            .fileFailed(path: "topsecret", .open, reason: ""),
        ]
        for kind in kinds { #expect(kind.publicReason == nil && kind.publicText == kind.label) }
        #expect(HTTPError.Kind.tlsFailed(.notTLS).publicReason != nil)
    }

    private struct SecretResolver: HTTPResolver {
        func addresses(of host: String) async throws -> [IPAddress] { throw Secret() }
    }

    @Test(arguments: ["http://a.example/", "https://a.example/"])
    func `resolver messages are not recorded`(url: String) async throws {
        let recorder = HTTPArchiveRecorder()
        var configuration = HTTPClient.Configuration()
        configuration.resolver = SecretResolver()
        configuration.timeouts.resolve = .seconds(60)
        configuration.observers = [recorder]
        let client = HTTPClient(configuration)
        let proxied = client.with {
            $0.proxy = .proxy(HTTPProxy(scheme: .http, host: "proxy.example", port: 1))
        }
        for client in [client, proxied] {
            let error = await failure { try await client.send(HTTPRequest(url)) }
            #expect(error?.description.contains("topsecret") == true)
            #expect(error?.kind.publicReason?.contains("topsecret") != true)
            #expect(error.map { "\($0.metrics.json)".contains("topsecret") } == false)
        }
        let archive = String(decoding: recorder.encoded(), as: UTF8.self)
        #expect(!archive.contains("topsecret"))
        #expect(archive.contains("could not resolve a.example"))
        #expect(archive.contains("could not resolve the proxy proxy.example"))
        // A message of the C library contains nothing of the application, so it is kept.
        let reason = TransportError.resolveReason(-2)
        let kind = HTTPError.Kind.resolveFailed(host: "a.example", reason: reason)
        #expect(kind.publicReason?.hasSuffix(reason) == true)
    }

    @Test func `entries and body bytes are limited, and truncation is marked`() async throws {
        let server = try await HTTPTestServer.start { request in
            .bytes(request.path == "/text" ? Array("aéb".utf8) : [0xFF, 0xFE, 0x00, 0x01])
        }
        var limits = HTTPArchiveRecorder.Limits()
        limits.maxBodyBytes = 2
        limits.maxEntries = 2
        let recorder = HTTPArchiveRecorder(limits: limits)
        let client = client(recorder)
        for path in ["/1", "/2", "/text"] {
            _ = try await client.send(HTTPRequest(server.url + path))
        }
        let entries = try entries(recorder)
        #expect(entries.count == 2 && recorder.dropped == 1)
        #expect(recorder.archive["log"]["comment"].string?.contains("1 older") == true)
        #expect(entries[0]["response"]["content"]["encoding"].string == "base64")
        #expect(entries[0]["response"]["content"]["text"].string == "//4=")
        #expect(entries[0]["response"]["content"]["size"].int == 4)
        #expect(entries[0]["response"]["content"]["comment"].string?.contains("2 of 4") == true)
        // The limit splits a character, which is dropped.
        #expect(entries[1]["response"]["content"]["text"].string == "a")

        limits.maxTotalBodyBytes = 3
        let small = HTTPArchiveRecorder(limits: limits)
        let other = client.with { $0.observers = [small] }
        for path in ["/1", "/2"] { _ = try await other.send(HTTPRequest(server.url + path)) }
        #expect(small.dropped == 1)
        small.clear()
        #expect(try self.entries(small).isEmpty && small.dropped == 0)
    }
}
