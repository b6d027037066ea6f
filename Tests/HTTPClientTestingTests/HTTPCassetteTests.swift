import ClientSupport
import HTTPClient
import HTTPClientTesting
import HTTPTestServer
import Support
import Testing
import Wire

@Suite(.timeLimit(.minutes(10))) struct HTTPCassetteTests {
    private let directory: TemporaryDirectory
    private var path: String { "\(directory.path)/cassette.json" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func client(
        _ mode: HTTPCassette.Mode = .replay,
        redacting names: [String] = []
    ) throws -> HTTPClient {
        let cassette = try HTTPCassette(path, mode: mode, redacting: names)
        return HTTPClient().with { $0.stubs = HTTPStubs(cassette: cassette) }
    }

    @Test func `recorded exchanges are replayed without the network, in order`() async throws {
        let count = Counter()
        let server = try await HTTPTestServer.start { request in
            if request.path == "/in" {
                return .redirect(to: "/count").header(.setCookie, "id=s3cret; Path=/")
            }
            if request.path == "/bytes" { return .bytes([0xff, 0, 1]) }
            return .text("\(await count.next())").gzipped()
        }
        let recorder = try client(.recordAll).with { $0.cookies = .automatic }
        #expect(try await recorder.send(HTTPRequest("\(server.url)/count")).text == "1")
        #expect(try await recorder.send(HTTPRequest("\(server.url)/in")).text == "2")
        #expect(try await recorder.send(HTTPRequest("\(server.url)/bytes")).body == [0xff, 0, 1])
        #expect(recorder.cookies?.isEmpty == false)
        await server.stop()

        let player = try client().with { $0.cookies = .automatic }
        #expect(try await player.send(HTTPRequest("\(server.url)/count")).text == "1")
        #expect(try await player.send(HTTPRequest("\(server.url)/in")).text == "2")
        #expect(try await player.send(HTTPRequest("\(server.url)/bytes")).body == [0xff, 0, 1])
        let error = await failure { try await player.send(HTTPRequest("\(server.url)/count")) }
        #expect(error?.stubError?.reason == .notRecorded(cassette: path))
    }

    @Test func `a digest is recorded only with the bytes that it covers`() async throws {
        let secret = #"{"token":"s3cret"}"#
        let coded = try #require(Deflater.gzip(Array("hello".utf8)))
        func field(_ content: [UInt8]) throws -> String {
            DigestFields.value(of: [try .sha256(of: content)])
        }
        let fields = [
            "/plain": try field(Array("hello".utf8)), "/coded": try field(coded),
            "/secret": try field(Array(secret.utf8)),
        ]
        let server = try await HTTPTestServer.start { request in
            let response: HTTPTestServer.Response =
                switch request.path {
                case "/plain": .text("hello")
                case "/coded": .bytes(coded).header(.contentEncoding, "gzip")
                default: .json(secret)
                }
            return response.header("Content-Digest", fields[request.path] ?? "")
        }
        let recorder = try client(.recordAll)
        for path in fields.keys { _ = try await recorder.send(HTTPRequest(server.url + path)) }
        await server.stop()
        let player = try client()
        for (path, isKept) in [("/plain", true), ("/coded", false), ("/secret", false)] {
            let request = HTTPRequest(server.url + path).verifyingDigests()
            let response = try await player.send(request)
            #expect(response.headers.contains("Content-Digest") == isKept, "\(path)")
        }
    }

    @Test func `a part that cannot be searched for secrets is replayed with its length`()
        async throws
    {
        let coded = try #require(Deflater.gzip(Array(#"{"token":"s3cret"}"#.utf8)))
        let text = Array(#""token":"s3cret","#.utf8)
        let server = try await HTTPTestServer.start { request in
            let response: HTTPTestServer.Response =
                switch request.path {
                case "/coded":
                    .bytes(Array(coded[2..<12]), status: .partialContent)
                        .header(.contentEncoding, "gzip")
                case "/json":
                    .bytes(
                        Array(text[..<10]),
                        contentType: "application/json",
                        status: .partialContent
                    )
                default: .bytes(Array(repeating: 0x61, count: 10), status: .partialContent)
                }
            return response.header("Content-Range", "bytes 2-11/99")
        }
        let recorder = try client(.recordAll)
        let paths = ["/coded", "/json", "/plain"]
        for path in paths {
            let received = try await recorder.send(HTTPRequest(server.url + path).range(2...11))
            #expect(received.body.count == 10 && !received.body.contains(UInt8(ascii: "*")))
        }
        await server.stop()
        let player = try client()
        let hidden = String(repeating: "*", count: 10)
        for (path, text) in zip(paths, [hidden, hidden, "aaaaaaaaaa"]) {
            let replayed = try await player.send(HTTPRequest(server.url + path).range(2...11))
            #expect(replayed.status == .partialContent && replayed.text == text, "\(path)")
            #expect(replayed.headers["Content-Range"] == "bytes 2-11/99")
        }
    }

    @Test func `secrets are not recorded, and replay ignores their values`() async throws {
        let server = try await HTTPTestServer.start { request in
            .json(#"{"access_token": "s3cret", "name": "Ada", "pin": "s3cret"}"#)
                .header(.setCookie, "id=s3cret; Path=/").header("X-Auth-Token", "s3cret")
        }
        func request(_ secret: String) -> HTTPRequest {
            HTTPRequest(
                "\(server.url)/?api_key=\(secret)&page=2",
                method: .post,
                headers: [
                    .authorization: "Bearer \(secret)", .cookie: "a=\(secret)", "X-Own": secret,
                ],
                body: .json(["password": .string(secret), "user": "u"])
            )
        }
        let form = HTTPRequest(
            server.url,
            method: .post,
            body: .form(["password": "s3cret", "user": "u"])
        )
        let recorder = try client(.recordAll, redacting: ["X-Own", "pin"])
        let response = try await recorder.send(request("s3cret"))
        #expect(try response.json()["pin"].string == "s3cret")
        _ = try await recorder.send(form)
        await server.stop()
        let text = String(decoding: try #require(TestFileSystem.contents(of: path)), as: UTF8.self)
        #expect(!text.contains("s3cret"))
        for kept in ["Bearer ***", "a=***", "id=***; Path=/", "page=2", "Ada", "user"] {
            #expect(text.contains(kept), "\(kept)")
        }
        let player = try client(redacting: ["X-Own", "pin"])
        let played = try await player.send(request("another"))
        #expect(try played.json()["pin"].string == "***")
        #expect(try played.json()["name"].string == "Ada")
    }

    @Test func `no place of a secret is recorded`() async throws {
        let server = try await HTTPTestServer.start { request in
            // The fields of the request come back, as a server's own.
            var response = HTTPTestServer.Response.text("ok")
            for (name, value) in LoggedSecrets.fields {
                response.headers.append(FieldName(name), value)
            }
            return response
        }
        let recorder = try client(.recordAll)
        let address = server.url.dropFirst("http://".count)
        for url in LoggedSecrets.urls {
            let parts = url.split(separator: "127.0.0.1:1", maxSplits: 1)
            let target = "\(parts[0])\(address)\(parts[1])"
            _ = try await recorder.send(HTTPRequest(target))
        }
        for (name, value) in LoggedSecrets.fields {
            var request = HTTPRequest(server.url + "/\(name)")
            request.headers.append(FieldName(name), value)
            _ = try await recorder.send(request)
        }
        await server.stop()
        let text = String(decoding: try #require(TestFileSystem.contents(of: path)), as: UTF8.self)
        #expect(text.contains("/X-Original-URL"))
        #expect(!text.contains(LoggedSecrets.secret), "\(text)")
    }

    @Test func `missing exchanges are recorded in addition`() async throws {
        let server = try await HTTPTestServer.start { .text($0.text) }
        func ask(_ mode: HTTPCassette.Mode, _ text: String) async throws -> String {
            let pieces = AsyncStream<[UInt8]> { continuation in
                continuation.yield(Array(text.utf8))
                continuation.finish()
            }
            let request = HTTPRequest(server.url, method: .post, body: .stream(pieces))
            return try await client(mode).send(request).text
        }
        #expect(try await ask(.recordMissing, "a") == "a")
        #expect(try await ask(.recordMissing, "b") == "b")
        #expect(try await ask(.recordMissing, "a") == "a")
        #expect(server.requests.count == 2)
        #expect(try await ask(.replay, "b") == "b")
        #expect(try await ask(.recordAll, "c") == "c")
        let error = await failure { try await ask(.replay, "a") }
        #expect(error?.stubError?.reason == .notRecorded(cassette: path))
        #expect(TestFileSystem.names(in: directory.path) == ["cassette.json"])
    }

    @Test func `a failure is thrown and not recorded`() async throws {
        let server = try await HTTPTestServer.start { _ in .close }
        let recorder = try client(.recordMissing)
        let error = await failure { try await recorder.send(HTTPRequest(server.url)) }
        #expect(error?.kind == .truncatedResponse(.closedBeforeResponse))
        #expect(TestFileSystem.contents(of: path) == nil)
    }

    @Test(
        arguments: [
            ("", nil), ("[1", nil), ("{}", .unrecognizedFormat),
            (#"{"version": 1, "interactions": 7}"#, .unrecognizedFormat),
            (#"{"version": 2, "interactions": []}"#, .unknownVersion),
            (
                #"{"version": 1, "interactions": [{}]}"#,
                .invalidMember("request.method", interaction: 0)
            ),
            (entry(status: "99"), .invalidMember("response.status", interaction: 0)),
            (entry(headers: #"[["a"]]"#), .invalidMember("response.headers", interaction: 0)),
            (entry(body: #"{"base64": "?"}"#), .invalidMember("response.body", interaction: 0)),
            (entry(body: "7"), .invalidMember("response.body", interaction: 0)),
        ] as [(String, HTTPCassetteError?)]
    )
    func `a damaged cassette gives an error with its position`(
        _ text: String,
        _ expected: HTTPCassetteError?
    ) async throws {
        try TestFileSystem.write(Array(text.utf8), to: path)
        let error = await failure { try client() }
        guard case .fileFailed(path, .read, let reason)? = error?.kind else {
            Issue.record("\(error.debugDescription)")
            return
        }
        let cause = try #require(error?.underlying as? HTTPCassetteError)
        #expect(reason == cause.description)
        if let expected {
            #expect(cause == expected)
        } else if case .json = cause {
        } else {
            Issue.record("\(cause)")
        }
    }

    @Test func `replay ignores the order of JSON members, and tokens of any form are redacted`()
        async throws
    {
        let server = try await HTTPTestServer.start { _ in
            .json(#"{"token": "s3cret"}"#)
                .header(.location, "https://app.example/cb#access_token=s3cret")
        }
        let url = server.url
        let recorder = try client(.recordAll)
        let own = HTTPRequest(.post, url + "/own").json(["a": 1, "b": ["c": 2, "d": 3]])
        _ = try await recorder.send(own)
        let grant = HTTPRequest(.post, url + "/grant")
            .form(["refresh_token": "s3cret", "client_secret": "s3cret", "user": "ada"])
        _ = try await recorder.send(grant)
        await server.stop()
        let text = String(decoding: TestFileSystem.contents(of: path) ?? [], as: UTF8.self)
        #expect(!text.contains("s3cret") && text.contains("ada"))
        let player = try client()
        let other = HTTPRequest(.post, url + "/own").json(["b": ["d": 3, "c": 2], "a": 1])
        #expect(try await player.send(other).status == .ok)
        #expect(try await player.send(grant).status == .ok)
    }

    @Test func `a multipart form is matched again, with its passwords redacted`() async throws {
        let server = try await HTTPTestServer.start { request in
            .text("\(request.body.count)")
        }
        func request(_ password: String, file: String) -> HTTPRequest {
            HTTPRequest(server.url, method: .post).multipart { form in
                form.add(string: "ada", name: "user")
                form.add(string: password, name: "password")
                form.add(bytes: Array(file.utf8), name: "notes", fileName: "notes.txt")
            }
        }
        let recorder = try client(.recordAll)
        let recorded = try await recorder.send(request("s3cret", file: "--one\r\n")).text
        await server.stop()
        let written = String(
            decoding: try #require(TestFileSystem.contents(of: path)),
            as: UTF8.self
        )
        #expect(!written.contains("s3cret") && written.contains("boundary=boundary"))
        #expect(written.contains("--one"))

        let player = try client()
        let other = await failure { try await player.send(request("x", file: "two")) }
        #expect(other?.stubError?.reason == .notRecorded(cassette: path))
        #expect(try await player.send(request("other", file: "--one\r\n")).text == recorded)
    }

    @Test func `a missing cassette is an error, and a handwritten one is played`() async throws {
        let error = await failure { try client() }
        #expect(
            error?.kind == .fileFailed(path: path, .open, reason: "No such file or directory")
        )
        try TestFileSystem.write(Array(entry().utf8), to: path)
        let response = try await client().send("http://a/")
        #expect(response.text == "hi")
        #expect(response.headers["X-A"] == "1")
    }
}

/// A cassette with one entry.
private func entry(
    status: String = "200",
    headers: String = #"[["X-A", "1"]]"#,
    body: String = #"{"text": "hi"}"#
) -> String {
    #"{"version": 1, "interactions": [{"request": {"method": "GET", "url": "http://a/", "#
        + #""headers": [], "body": null}, "response": {"status": \#(status), "#
        + #""headers": \#(headers), "body": \#(body)}}]}"#
}

/// Counts from 1.
private actor Counter {
    private var last = 0

    func next() -> Int {
        last += 1
        return last
    }
}
