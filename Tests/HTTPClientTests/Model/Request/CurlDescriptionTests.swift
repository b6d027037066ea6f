import ClientSupport
import HTTPClient
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct CurlDescriptionTests {
    /// A request and its command.
    struct Command: Sendable {
        let request: HTTPRequest
        let text: String

        init(
            _ request: HTTPRequest,
            _ text: String
        ) {
            self.request = request
            self.text = text
        }
    }

    private static let commands: [Command] = [
        Command("http://a/b?c=d", "curl 'http://a/b?c=d'"),
        Command("http://a/b", "curl http://a/b"),
        Command(HTTPRequest(.delete, "http://a/"), "curl -X DELETE http://a/"),
        Command(HTTPRequest(.head, "http://a/"), "curl --head http://a/"),
        Command(HTTPRequest(.post, "http://a/"), "curl -X POST http://a/"),
        Command(HTTPRequest("A B", "http://a/"), "curl -X 'A B' http://a/"),
        Command(
            HTTPRequest("http://a/", headers: ["X-A": "it's", "X-B": ""]),
            #"curl http://a/ -H 'X-A: it'\''s' -H 'X-B;'"#
        ),
        Command(
            HTTPRequest("http://a/", headers: [.acceptEncoding: "gzip"]),
            "curl http://a/ -H 'Accept-Encoding: gzip' --compressed"
        ),
        Command(
            HTTPRequest("http://a/", method: .post, body: .json(text: #"{"a":"b"}"#)),
            #"curl http://a/ -H 'Content-Type: application/json' --data-raw '{"a":"b"}'"#
        ),
        Command(
            HTTPRequest(
                "http://a/",
                method: .put,
                body: .bytes(Array("@x".utf8), contentType: nil)
            ),
            "curl -X PUT http://a/ -H Content-Type: --data-raw @x"
        ),
        Command(
            HTTPRequest("http://a/", method: .post, body: .bytes([0, 0x41, 0x25, 0x27, 0xff])),
            "printf '\\000A%%\\047\\377' | curl http://a/ "
                + "-H 'Content-Type: application/octet-stream' --data-binary @-"
        ),
        Command(HTTPRequest("http://[::1]/"), "curl --globoff 'http://[::1]/'"),
        Command(HTTPRequest("http://a/../b"), "curl --path-as-is http://a/../b"),
        Command(
            HTTPRequest("http://a/").with { $0.rawTarget = "/x y" },
            "curl http://a/ --request-target '/x y'"
        ),
        Command(HTTPRequest("-x"), "curl --url -x"),
        Command(HTTPRequest("ht tp://$(x)"), "curl 'ht tp://$(x)'"),
    ]

    @Test(arguments: commands)
    func `a request is printed as a curl command`(row: Command) {
        #expect(row.request.curlDescription == row.text)
    }

    @Test func `a URL can be printed without its secrets`() {
        let request = HTTPRequest("https://ada:geheim@example.com/a?code=geheim&x=1&mine=geheim#b")
        #expect(
            request.urlDescription(redacting: ["mine"])
                == "https://***@example.com/a?code=***&x=1&mine=***#b"
        )
        #expect(HTTPRequest("http://a b/?token=geheim").urlDescription().contains("token=***"))
    }

    @Test func `secrets are printed only if requested`() {
        let request = HTTPRequest("http://u:geheim@a/").authorization(.bearer("geheim"))
            .header(.cookie, "sid=geheim").header(.proxyAuthorization, "geheim")
        #expect(!request.curlDescription.contains("geheim"))
        #expect(
            request.curlDescription == "curl 'http://***@a/' -H 'Authorization: Bearer ***' "
                + "-H 'Cookie: ***' -H 'Proxy-Authorization: ***'"
        )
        #expect(
            request.curlDescription(secrets: .shown)
                == "curl http://u:geheim@a/ -H 'Authorization: Bearer geheim' "
                + "-H 'Cookie: sid=geheim' -H 'Proxy-Authorization: geheim'"
        )
        #expect(!HTTPRequest("ht tp://u:geheim@a/").curlDescription.contains("geheim"))
        #expect(!HTTPRequest("http://u:geheim@a b/").curlDescription.contains("geheim"))
    }

    @Test(arguments: [
        "X-API-Key", "x-api-key", "Api-Key", "X-Auth-Token", "x-csrf-token", "X-Client-Secret",
        "X-Auth-Key", "X-Goog-Api-Key", "DD-API-KEY", "Ocp-Apim-Subscription-Key",
        "X-Amz-Security-Token", "X_Auth_Token", "apikey", "X-Mine",
    ])
    func `header fields with secret names are redacted`(name: String) throws {
        let request = HTTPRequest(
            "http://a/",
            headers: [FieldName(name): "geheim", "Idempotency-Key": "shown"]
        )
        let own = ["x_MINE"]
        let text = request.curlDescription(secrets: .redacted, redacting: own)
        #expect(text == "curl http://a/ -H '\(name): ***' -H 'Idempotency-Key: shown'")
        #expect(request.curlDescription(secrets: .shown, redacting: own).contains("geheim"))
        let sent = try request.curlDescription(in: HTTPClient(), redacting: own)
        #expect(sent.contains("'\(name): ***'") && !sent.contains("geheim"))
        if name != "X-Mine" { #expect(!request.curlDescription.contains("geheim")) }
    }

    @Test(arguments: [
        "access_token", "api_key", "ApiKey", "TOKEN", "key", "secret", "password", "signature",
        "password2", "new_password1", "user%5Bpassword_confirmation%5D", "secrets",
        "access%5Ftoken",
        "accessToken", "refreshToken", "clientSecret", "pwd", "passwd", "api-key",
        "sig", "X-Amz-Signature", "X-Amz-Security-Token", "X-Amz-Credential", "code",
        "client_secret", "refresh_token", "id_token", "client_assertion", "user%5Bpassword%5D",
        "mine",
    ])
    func `query parameters with secret names are redacted`(name: String) throws {
        let query = "a=1&\(name)=geheim&\(name)&keys=2&pageToken=3"
        let masked = "a=1&\(name)=***&\(name)&keys=2&pageToken=3"
        let request = HTTPRequest("http://a/b?\(query)")
        let own = ["Mine"]
        #expect(
            request.curlDescription(secrets: .redacted, redacting: own)
                == "curl 'http://a/b?\(masked)'"
        )
        #expect(request.curlDescription(secrets: .shown, redacting: own).contains("geheim"))
        let sent = try request.curlDescription(in: HTTPClient(), redacting: own)
        #expect(!sent.contains("geheim"))
        let raw = HTTPRequest("http://a/").with { $0.rawTarget = "/b?\(query)" }
        let target = raw.curlDescription(secrets: .redacted, redacting: own)
        #expect(target == "curl http://a/ --request-target '/b?\(masked)'")
        let fragment = HTTPRequest("http://a/#\(name)=geheim")
        #expect(!fragment.curlDescription(secrets: .redacted, redacting: own).contains("geheim"))
        if name != "mine" { #expect(!request.curlDescription.contains("geheim")) }
    }

    @Test func `with a client the command shows what the client would send`() throws {
        var configuration = HTTPClient.Configuration()
        configuration.baseURL = try URI("http://u:geheim@a/v1")
        configuration.headers = ["X-Other": "k"]
        configuration.decompression = .off
        let client = HTTPClient(configuration)
        let request = HTTPRequest("x", method: .post, body: .string("é'"))
        #expect(
            try request.curlDescription(in: client)
                == "curl 'http://***@a/v1/x' -H 'X-Other: k' -H 'Authorization: Basic ***' "
                + "-H 'Content-Type: text/plain; charset=utf-8' -H Accept: -H User-Agent: "
                + #"--data-raw 'é'\'''"#
        )
        #expect(
            try request.with { $0.rawTarget = "/r" }.curlDescription(in: client).contains(
                "--request-target /r "
            )
        )
        #expect(throws: HTTPError.self) { try HTTPRequest("x").curlDescription(in: HTTPClient()) }
    }

    @Test(arguments: [
        (0..<Int.max, "tail -c +1 <f | head -c 9223372036854775807"),
        (Int.max - 1..<Int.max, "tail -c +9223372036854775807 <f | head -c 1"),
        (-3..<4, "tail -c +-2 <f | head -c 0"),
        (Int.min..<Int.max, "tail -c +-9223372036854775807 <f | head -c 0"),
        (Int.max..<Int.max, "tail -c +9223372036854775807 <f | head -c 0"),
        (5..<7, "tail -c +6 <f | head -c 2"),
    ])
    func `a file range of any size is printed`(range: Range<Int>, reading: String) {
        let request = HTTPRequest("http://a/", method: .post, body: .file("f", range: range))
        #expect(request.curlDescription.contains(reading))
    }

    @Test func `the client's cookies are part of the command`() throws {
        let jar = CookieJar()
        jar.set("sid", "geheim", for: try URI("http://a/"))
        let client = HTTPClient().with { $0.cookies = .jar(jar) }
        let command = try HTTPRequest("http://a/").curlDescription(in: client)
        #expect(command.contains("-H 'Cookie: ***'") && !command.contains("geheim"))
        let shown = try HTTPRequest("http://a/").curlDescription(in: client, secrets: .shown)
        #expect(shown.contains("-H 'Cookie: sid=geheim'"))
        let other = try HTTPRequest("http://b/").curlDescription(in: client, secrets: .shown)
        #expect(!other.contains("Cookie"))
    }

    private static let netrc = "machine a login ada password geheim"

    private static let authentications: [(HTTPAuthentication, redacted: String, shown: String)] = [
        (.bearer("geheim"), "-H 'Authorization: Bearer ***'", "-H 'Authorization: Bearer geheim'"),
        (
            .basic(user: "ada", password: "geheim"), "-H 'Authorization: Basic ***'",
            "-H 'Authorization: Basic YWRhOmdlaGVpbQ=='"
        ),
        (
            .digest(user: "ada", password: "geheim"), "--digest -u '***:***'",
            "--digest -u ada:geheim"
        ),
        (
            .any(user: "ada", password: "geheim"), "--anyauth -u '***:***'",
            "--anyauth -u ada:geheim"
        ),
    ]

    @Test(arguments: authentications)
    func `credentials are part of the command`(
        authentication: HTTPAuthentication,
        redacted: String,
        shown: String
    ) throws {
        let plain = HTTPRequest("http://a/")
        var own = plain
        own.authentication = authentication
        let client = HTTPClient().with { $0.authentication = authentication }
        let commands = [
            own.curlDescription, try own.curlDescription(in: HTTPClient()),
            try plain.curlDescription(in: client),
        ]
        for command in commands {
            #expect(command.contains(redacted), "\(command)")
            #expect(!command.contains("geheim") && !command.contains("ada"))
        }
        let open = [
            own.curlDescription(secrets: .shown),
            try plain.curlDescription(in: client, secrets: .shown),
        ]
        for command in open { #expect(command.contains(shown), "\(command)") }
        #expect(!plain.curlDescription.contains("-u "))
        // The request's own field takes precedence over the client's authentication.
        let custom = own.header(.authorization, "Mine x")
        #expect(custom.curlDescription.contains("'Authorization: Mine ***'"))
        #expect(!custom.curlDescription.contains(redacted))
    }

    @Test func `netrc credentials are printed for their host`() throws {
        let netrc = try HTTPNetrc(text: Self.netrc)
        let client = HTTPClient().with { $0.authentication = .netrc(netrc) }
        let command = try HTTPRequest("http://a/").curlDescription(in: client, secrets: .shown)
        #expect(command.contains("--anyauth -u ada:geheim"))
        let other = try HTTPRequest("http://b/").curlDescription(in: client, secrets: .shown)
        #expect(!other.contains("geheim"))
    }

    @Test func `proxy fields are omitted from a command without a proxy`() throws {
        let request = HTTPRequest("http://a/").with {
            $0.proxy = .url("http://u:geheim@127.0.0.1:1")
        }
        .header(.proxyAuthorization, "geheim").with { $0.rawTarget = "/r" }
        let command = try request.curlDescription(in: HTTPClient(), secrets: .shown)
        #expect(!command.contains("geheim") && command.contains("--request-target /r "))
    }

    /// Texts that a shell must pass on unchanged.
    private static let nasty = [
        "", " ", "'", "''", "it's", "\"", "$HOME", "$(id)", "`id`", "\\", "\\'", "a\nb", "a\r\nb",
        "*",
        "?", "~", "!", "!!", "#", "&", "|", ";", "<>", "(a)", "{a,b}", "[a]", "-x", "--", "@f",
        "%s",
        "%%", "=", "'\u{301}", "ü😀", "\t", "\u{1}\u{7f}", "'; exit 1; '", "\\000",
        String(repeating: "'", count: 20_000),
    ]

    /// Runs a command with a fake curl that prints its arguments and then its standard input.
    private func arguments(of command: String) async throws -> [[UInt8]] {
        let directory = try TemporaryDirectory()
        let script = """
            curl() { for word; do printf '%s\\0' "$word"; done; case "$*" in *@-) cat;; esac; }
            \(command)
            """
        let path = try directory.write(script, as: "command.sh")
        let output = directory.path + "/output"
        let status = await onThread {
            try? ChildProcess(["/bin/sh", path], output: output).wait()
        }
        #expect(status == 0)
        let printed = try #require(TestFileSystem.contents(of: output))
        return printed.split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
    }

    @Test(arguments: nasty) func `a shell passes every argument unchanged`(
        text: String
    ) async throws {
        var request = HTTPRequest("http://a/", method: HTTPMethod(text.isEmpty ? "X" : text))
        request.rawTarget = text
        request.body = .string(text + "x")
        let printed = try await arguments(of: request.curlDescription(secrets: .shown))
        let words = [
            "-X", request.method.rawValue, "http://a/", "--request-target", text,
            "-H", "Content-Type: text/plain; charset=utf-8", "--data-raw", text + "x", "",
        ]
        #expect(printed == words.map { Array($0.utf8) })
    }

    @Test func `files are referenced by path, whole or in part`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array("0123456789".utf8), as: "it's -a file")
        let whole = HTTPRequest("http://a/", method: .post).file(path)
        let quoted = path.split(separator: "'").joined(separator: #"'\''"#)
        #expect(whole.curlDescription.hasSuffix(" --data-binary '@\(quoted)'"))
        let part = try await arguments(of: whole.file(path, range: 2..<5).curlDescription)
        #expect(part.last == Array("234".utf8))
        let form = whole.multipart(boundary: "b") {
            $0.add(string: "x", name: "a")
            $0.add(file: path, name: "f")
        }
        let bytes = try await arguments(of: form.curlDescription).last ?? []
        let sent = String(decoding: bytes, as: UTF8.self)
        let first = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b\r\n"
        #expect(sent.hasPrefix(first))
        #expect(sent.hasSuffix("\r\n\r\n0123456789\r\n--b--\r\n"))
    }

    @Test func `a command reads a streamed body from standard input`() throws {
        let pieces = AsyncStream<[UInt8]> { $0.finish() }
        let command = HTTPRequest("http://a/", method: .put).stream(pieces).curlDescription
        #expect(command.hasPrefix("curl -X PUT ") && command.hasSuffix(" --data-binary @-"))
    }

    @Test(
        arguments: [
            Array(0...255), [0], [0x80, 0x31], Array("%s\\n'\\0".utf8) + [0],
            [UInt8](repeating: 0x27, count: 200_000),
        ] as [[UInt8]]
    )
    func `a body of arbitrary bytes is piped into the command`(bytes: [UInt8]) async throws {
        let request = HTTPRequest("http://a/", method: .post, body: .bytes(bytes))
        let printed = try await arguments(of: request.curlDescription)
        // The bytes follow the last argument; splitting at zeros has also split the bytes.
        let content = printed.dropFirst(5).joined(separator: [0])
        #expect(Array(content) == bytes)
        #expect(printed[4] == Array("@-".utf8))
    }
}
