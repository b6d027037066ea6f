import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing
import Wire

/// Tests every text that programs log with every place of a secret, and with everything that breaks lines.
///
/// A new text becomes a row of ``texts(_:)`` or ``errors(_:)``.
@Suite(.timeLimit(.minutes(2))) struct LoggedTextTests {
    private static let secret = "hunter2"

    /// URLs with a secret.
    private static let urls = [
        "http://user:hunter2@127.0.0.1:1/a", "http://hunter2@127.0.0.1:1/a",
        "http://127.0.0.1:1/a?access_token=hunter2&x=1",
        "http://127.0.0.1:1/a?x=1&X-Amz-Signature=hunter2",
        "http://127.0.0.1:1/a?sig=hunter2", "http://127.0.0.1:1/a?user[password]=hunter2",
        "http://127.0.0.1:1/a?api%5Fkey=hunter2", "http://127.0.0.1:1/a#id_token=hunter2",
        "http://127.0.0.1:1/a?code=hunter2#hunter",
    ]

    /// Header fields with a secret.
    private static let fields: [(String, String)] = [
        ("Authorization", "Bearer hunter2"), ("Proxy-Authorization", "Basic hunter2"),
        ("Cookie", "a=1; sid=hunter2"), ("X-Api-Key", "hunter2"),
        ("X-Amz-Security-Token", "hunter2"),
        ("Referer", "http://u:hunter2@a.test/"), ("Referer", "http://a.test/?token=hunter2"),
        ("Origin", "http://u:hunter2@a.test"), ("Destination", "/a?access_token=hunter2"),
        ("Link", "<http://a.test/b>; rel=\"a\", <http://a.test/?sig=hunter2>; rel=\"b\""),
        ("Refresh", "0; url=http://u:hunter2@a.test/"), ("X-Original-URL", "/a?password=hunter2"),
    ]

    /// What must not stand in a line of a log.
    private static let breaks = [
        "\r\n", "\n", "\r", "\u{B}", "\u{C}", "\0", "\u{1B}[2J", "\u{7F}", "\u{85}", "\u{61C}",
        "\u{2028}",
        "\u{2029}", "\u{202E}", "\u{2066}", "\u{200F}",
    ]

    /// Returns the texts that describe a request that cannot be sent or was not answered.
    private func texts(_ request: HTTPRequest) async throws -> [String: String] {
        let recorder = HTTPArchiveRecorder()
        let client = HTTPClient().with { $0.observers = [recorder] }
        var texts = [
            "curlDescription": request.curlDescription,
            "urlDescription": request.urlDescription(),
        ]
        do throws(HTTPError) {
            _ = try await client.send(request)
            Issue.record("the request was answered")
        } catch {
            texts["error"] = "\(error)"
            texts["reflected error"] = String(reflecting: error)
            texts["kind of the error"] = "\(error.kind)"
            // One line for each step, and no URL.
            texts["waterfall"] = error.metrics.waterfall
        }
        texts["archive"] = String(decoding: recorder.encoded(), as: UTF8.self)
        if let command = try? request.curlDescription(in: client) {
            texts["curl of the client"] = command
        }
        return texts
    }

    /// Returns what print(_:), String(reflecting:) and dump(_:) show of values.
    private func printed(_ values: [String: Any]) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, value) in values {
            texts[name] = "\(value)"
            texts["reflected \(name)"] = String(reflecting: value)
            var dumped = ""
            dump(value, to: &dumped)
            texts["dumped \(name)"] = dumped
        }
        return texts
    }

    /// Returns the values with a request that programs print.
    private func values(_ request: HTTPRequest) -> [String: Any] {
        var configuration = HTTPClient.Configuration()
        configuration.headers = request.headers
        configuration.baseURL = try? URI(request.url)
        configuration.proxy = .url(request.url)
        var values: [String: Any] = [
            "request": request, "headers": request.headers, "fields": Array(request.headers),
            "configuration": configuration, "endpoint": HTTPEndpoint(request, .text),
            "proxy setting": configuration.proxy, "query": request.query,
            "request head": RequestHead(
                method: .get,
                target: .absolute(request.url),
                headers: request.headers
            ),
            "response head": ResponseHead(status: .ok, headers: request.headers),
            "target": RequestTarget.absolute(request.url),
        ]
        if let uri = try? URI(request.url) { values["URI"] = uri }
        if let proxy = try? HTTPProxy(request.url) { values["proxy"] = proxy }
        return values
    }

    /// Returns the texts of errors that carry a text of the caller or of the peer.
    private func errors(_ text: String) -> [String: String] {
        let kinds: [HTTPError.Kind] = [
            .invalidRequest(.url(text, .invalidURI(.forbiddenByte, offset: 0))),
            .invalidRequest(.relativeURL(text)), .invalidRequest(.missingScheme(text)),
            .invalidRequest(.missingScheme(String(text.dropFirst(5)))),
            .invalidRequest(.template(text, .invalidLiteral(offset: 0))),
            .redirectFailed(.invalidLocation(text)),
            .redirectFailed(.differentLocations([text, "/a"])),
        ]
        return Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ("error \($0)", "\($1)") })
    }

    /// Returns the texts of errors whose texts are not URLs.
    private func otherErrors(_ text: String) -> [String: String] {
        let kinds: [HTTPError.Kind] = [
            .resolveFailed(host: text, reason: text), .connectionLost(reason: text),
            .invalidRequest(.unsupportedScheme(text)), .redirectFailed(.unsupportedScheme(text)),
            .invalidRequest(.framingField(text)), .invalidRequest(.headModifier(reason: text)),
            .rejectedResponse(reason: text), .interceptorFailed(reason: text),
            .dialerFailed(reason: text),
            .fileFailed(path: text, .write, reason: text), .bodyFailed(.thrown(description: text)),
            .malformedDigest(field: text, value: text),
            .authenticationFailed(.provider(description: text)),
            .recordFailed(.notEventStream(contentType: text)), .systemFailure(reason: text),
        ]
        return Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ("error \($0)", "\($1)") })
    }

    @Test(arguments: urls)
    func `no text shows the secret of a URL`(_ url: String) async throws {
        let texts = try await texts(HTTPRequest(url)).merging(errors(url)) { $1 }
        for (name, text) in printed(values(HTTPRequest(url))) {
            #expect(!text.contains(Self.secret), "\(name): \(text)")
        }
        for (name, text) in texts {
            #expect(!text.contains(Self.secret), "\(name)")
            if name != "waterfall" { #expect(text.contains("127.0.0.1:1"), "\(name): \(text)") }
        }
    }

    @Test(arguments: [
        "http://user:hunter2@127.0.0.1:1/a", "http://127.0.0.1:1/a?access_token=hunter2&x=1",
        "/a?sig=hunter2",
    ])
    func `a description is not sent as a URL`(_ url: String) async throws {
        let uri = try URI(url)
        let base = try URI("http://127.0.0.1:1/")
        let client = HTTPClient().with { $0.baseURL = base }
        for request in [HTTPRequest("\(uri)"), HTTPRequest(try URI("\(uri)")), "\(uri)"] {
            let error = await failure { try await client.send(request) }
            let shown = uri.isAbsolute ? "\(uri)" : "http://127.0.0.1:1\(uri)"
            #expect(error?.kind == .invalidRequest(.redactedURL(shown)))
        }
        let sent = await failure { try await client.send(HTTPRequest(uri.text)) }
        #expect(sent?.kind.description.contains("refused") == true)
        // Only a secret is replaced by it.
        let other = await failure { try await client.send("http://127.0.0.1:1/?q=***&token=x***") }
        #expect(other?.kind.description.contains("refused") == true)
    }

    @Test(arguments: fields)
    func `no text shows the secret of a field`(_ name: String, _ value: String) async throws {
        var request = HTTPRequest("http://127.0.0.1:1/a")
        request.headers.append(FieldName(name), value)
        let all = try await texts(request).merging(printed(values(request))) { $1 }
        for (text, shown) in all {
            #expect(!shown.contains(Self.secret), "\(text): \(shown)")
        }
    }

    /// Sends all secrets, and receives others, with everything that reports on a call.
    @Test func `nothing that a call reports shows a secret when it is printed`() async throws {
        let server = try await HTTPTestServer.start { request in
            let fields: HTTPHeaders = [
                "Set-Cookie": "sid=hunter2; Path=/", "X-Auth-Token": "hunter2",
                "Location": "/b?access_token=hunter2", "Link": "</c?sig=hunter2>; rel=\"next\"",
            ]
            if request.path == "/a" { return .status(.found, headers: fields) }
            if request.path == "/forbidden" { return .status(.forbidden, headers: fields) }
            var response = HTTPTestServer.Response.bytes(
                Array("hunter2".utf8),
                contentType: "text/plain"
            )
            response.headers.merge(fields)
            return response
        }
        let recorder = StepRecorder()
        let log = HTTPEventLog()
        let client = HTTPClient().with {
            $0.observers = [recorder, log]
            for (name, value) in Self.fields { $0.headers.append(FieldName(name), value) }
        }
        let request = HTTPRequest(
            .post,
            server.url + "/a?access_token=hunter2",
            body: .form([("password", "hunter2")])
        )
        var values: [String: Any] = ["request": request, "body": request.body, "client": client]
        let call = client.start(request)
        values["call"] = call
        _ = try await call.value
        let response = try await client.send(request)
        #expect(response.text == "hunter2")
        values["response"] = response
        values["response head"] = response.head
        values["redirects"] = response.redirects
        values["metrics"] = response.metrics
        let streamed = try await client.stream(request)
        values["streamed"] = streamed
        _ = try await streamed.body.collect()
        let directory = try TemporaryDirectory()
        values["file"] = try await client.download(request, to: directory.path + "/file")
        values["cookies"] = response.headers.values(FieldName.setCookie)
            .compactMap { SetCookie($0) }
        values["pairs"] = CookiePair.list(["sid=hunter2"])
        let refusal = await failure {
            try await client.send(HTTPRequest(server.url + "/forbidden?code=hunter2"))
                .requireSuccess()
        }
        values["error"] = refusal as Any
        values["received"] = server.requests
        values["links"] = response.headers.links
        values["raw head"] = RawHead(
            Array("GET /?sig=hunter2 HTTP/1.1\r\nCookie: hunter2\r\n\r\n".utf8)
        )
        let dialer = RecordingDialer()
        let dialing = client.with { $0.dialer = dialer }
        _ = await failure { try await dialing.send(request) }
        let dialed = try #require(dialer.dialed.withLock { $0.first })
        values["dial request"] = dialed
        log.finish()
        var events: [HTTPEvent] = []
        for await event in log { events.append(event) }
        values["events"] = events
        for (index, step) in recorder.all.enumerated() { values["step \(index)"] = step }
        for (name, text) in printed(values) {
            #expect(!text.contains(Self.secret), "\(name): \(text)")
        }
        #expect("\(response)" == "HTTPResponse 200 OK, 7 bytes of text/plain")
        #expect("\(request.body)" == "16 bytes of application/x-www-form-urlencoded")
        #expect(
            "\(request)" == "HTTPRequest POST \(server.url)/a?access_token=***, \(request.body)"
        )
    }

    /// A dialer that keeps the request and fails.
    private final class RecordingDialer: HTTPDialer {
        let dialed = Locked<[HTTPDialRequest]>([])

        func dial(_ request: HTTPDialRequest) throws -> HTTPDialResult {
            dialed.withLock { $0.append(request) }
            throw CancellationError()
        }
    }

    private final class StepRecorder: HTTPObserver {
        private let steps = Locked<[HTTPStep]>([])

        var all: [HTTPStep] { steps.withLock { $0 } }

        func observe(_ step: HTTPStep, _ context: HTTPContext) {
            steps.withLock { $0.append(step) }
        }
    }

    @Test(arguments: breaks)
    func `no text has a second line or controls a terminal`(_ text: String) async throws {
        let forged = "http://a\(text)forged.test/b\(text)?c=\(text)#\(text)"
        let texts = try await texts(HTTPRequest(forged))
        for (name, text) in texts.merging(errors(forged), uniquingKeysWith: { $1 })
        where name != "waterfall" {
            check(text, name)
        }
        for (name, text) in otherErrors(forged) { check(text, name) }
        for method in ["GET\(text)X", "\(text)"] {
            let request = HTTPRequest("http://127.0.0.1:1/", method: HTTPMethod(method))
            for (name, text) in try await self.texts(request) where name.contains("error") {
                check(text, name)
            }
        }
        do throws(HTTPError) {
            _ = try await HTTPClient().tunnel(to: "a\(text)X: y", port: 22)
            Issue.record("a tunnel to a host with a line break")
        } catch {
            check("\(error)", "tunnel")
        }
    }

    private func check(
        _ text: String,
        _ name: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let found = Self.breaks.filter { text.contains($0.unicodeScalars.first!) }
        #expect(found == [], "\(name): \(text.debugDescription)", sourceLocation: location)
    }
}

extension String {
    fileprivate func contains(_ scalar: UnicodeScalar) -> Bool {
        unicodeScalars.contains(scalar)
    }
}
