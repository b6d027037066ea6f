import ClientSupport
import HTTPClient
import HTTPClientReports
import HTTPTestServer
import SocketTransport
import Support
import Testing
import Wire

/// Tests every text that programs log with every place of a secret, and with everything that breaks lines.
///
/// A new text becomes a row of ``texts(_:)`` or ``errors(_:)``.
@Suite(.timeLimit(.minutes(10))) struct LoggedTextTests {
    private static let secret = LoggedSecrets.secret
    private static let urls = LoggedSecrets.urls
    private static let fields = LoggedSecrets.fields
    private static let breaks = LoggedSecrets.breaks

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

    /// Returns errors, and the reasons in them, that carry a text of the caller or of the peer.
    private func errors(_ text: String) -> [String: Any] {
        let requestReasons: [HTTPError.InvalidRequestReason] = [
            .url(text, .invalidURI(.forbiddenByte, offset: 0)), .relativeURL(text),
            .missingScheme(text), .missingScheme(String(text.dropFirst(5))),
            .template(text, .invalidLiteral(offset: 0)),
        ]
        let redirectReasons: [HTTPError.RedirectReason] = [
            .invalidLocation(text), .differentLocations([text, "/a"]),
        ]
        var errors: [String: Any] = [:]
        for (index, reason) in requestReasons.enumerated() {
            errors["request error \(index)"] = HTTPError.Kind.invalidRequest(reason)
            errors["request reason \(index)"] = reason
        }
        for (index, reason) in redirectReasons.enumerated() {
            errors["redirect error \(index)"] = HTTPError.Kind.redirectFailed(reason)
            errors["redirect reason \(index)"] = reason
        }
        return errors
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
        let texts = try await texts(HTTPRequest(url)).merging(printed(errors(url))) { $1 }
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
    private func reported() async throws -> [String: Any] {
        let server = try await HTTPTestServer.start { request in
            let fields: HTTPHeaders = [
                "Set-Cookie": "sid=hunter2; Path=/", "X-Auth-Token": "hunter2",
                "Location": "/b?access_token=hunter2", "Link": "</c?sig=hunter2>; rel=\"next\"",
            ]
            if request.path == "/a" { return .status(.found, headers: fields) }
            if request.path == "/forbidden" { return .status(.forbidden, headers: fields) }
            if request.method == .connect { return .text("hunter2", status: .forbidden) }
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
            body: .form(["password": "hunter2"])
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
        let refused: HTTPError = try #require(refusal)
        values["error"] = refused
        let proxied = client.with { $0.proxy = .url(server.url) }
        let rejection = await failure { try await proxied.send("https://a.test/?code=hunter2") }
        guard case .proxyFailed(.refused(let answer))? = rejection?.kind else {
            Issue.record("\(String(describing: rejection))")
            return values
        }
        #expect(answer.body == Array("hunter2".utf8))
        values["proxy rejection"] = answer
        values["received"] = server.requests
        values["links"] = response.headers.links
        let dialer = RecordingDialer()
        let dialing = client.with { $0.dialer = dialer }
        _ = await failure { try await dialing.send(request) }
        let dialed: HTTPDialRequest = try #require(dialer.dialed.withLock { $0.first })
        values["dial request"] = dialed
        log.finish()
        var events: [HTTPEventLog.Event] = []
        for await event in log { events.append(event) }
        values["events"] = events
        for (index, step) in recorder.all.enumerated() { values["step \(index)"] = step }
        #expect("\(response)" == "HTTPResponse 200 OK, 7 bytes of text/plain")
        #expect("\(request.body)" == "16 bytes of application/x-www-form-urlencoded")
        #expect(
            "\(request)" == "HTTPRequest POST \(server.url)/a?access_token=***, \(request.body)"
        )
        return values
    }

    @Test func `nothing that a call reports shows a secret when it is printed`() async throws {
        for (name, text) in printed(try await reported()) { checkHidden(text, name) }
    }

    @Test func `no value with a secret shows it when it is printed`() throws {
        for (name, text) in printed(try LoggedValues.all(Self.secret)) { checkHidden(text, name) }
    }

    /// Checks that a text has the secret neither as text nor as decimal bytes.
    private func checkHidden(
        _ text: String,
        _ name: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(!text.contains(Self.secret), "\(name): \(text)", sourceLocation: location)
        // dump(_:) shows each byte on a separate line.
        let digits = text.filter { !" \n-,".contains($0) }
        let bytes = Self.secret.utf8.map(String.init).joined()
        #expect(!digits.contains(bytes), "\(name): \(text)", sourceLocation: location)
    }

    @Test func `every type that hides something is in the table`() async throws {
        var values = try await reported()
        values.merge(self.values(HTTPRequest(Self.urls[0]))) { $1 }
        values.merge(errors(Self.urls[0])) { $1 }
        values.merge(try LoggedValues.all(Self.secret)) { $1 }
        let printed = Set(values.values.map { LoggedValues.typeName(of: $0) })
        let hiding = try LoggedValues.hidingTypes()
        #expect(hiding.count > 30)
        #expect(hiding.subtracting(printed) == [])
    }

    /// A dialer that keeps the request and fails.
    private final class RecordingDialer: HTTPDialer {
        let dialed = Locked<[HTTPDialRequest]>([])

        func dial(_ request: HTTPDialRequest) throws -> HTTPDialRequest.Outcome {
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
        for (name, text) in texts where name != "waterfall" { check(text, name) }
        for (name, value) in errors(forged) { check("\(value)", name) }
        for (name, text) in otherErrors(forged) { check(text, name) }
        var request = HTTPRequest(forged)
        request.headers.append("X-A", "a\(text)b")
        // A header section has a line for each field.
        let sections: Set = ["configuration", "headers", "fields", "request head", "response head"]
        for (name, value) in values(request) where !sections.contains(name) {
            check("\(value)", name)
        }
        for field in request.headers { check("\(field)", "field") }
        let credentials = HTTPCredentials(user: "a\(text)b", password: "")
        let item = HTTPQueryItem("a\(text)", "b\(text)")
        let parameters: HTTPParameters = ["a\(text)": "b\(text)"]
        for (name, value) in ["user": credentials, "item": item, "parameters": parameters]
            as [String: Any]
        {
            check("\(value)", name)
        }
        check("\(HTTPProxy(scheme: .http, host: "a\(text)b"))", "proxy")
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
