internal import SocketTransport
internal import Wire

extension HTTPRequest {
    /// Says whether a description shows what nobody else should know.
    public enum Secrets: Sendable, Hashable {
        /// `***` stands for them.
        case redacted
        /// They are shown.
        case shown
    }

    /// The request as a command for a shell, for logs and for people to try; secrets are redacted.
    ///
    /// As ``curlDescription(secrets:redacting:)``.
    public var curlDescription: String { curlDescription(secrets: .redacted) }

    /// Spells the request as a command for curl, without what a client would add: its fields, cookies and
    /// credentials.
    ///
    /// ``curlDescription(in:secrets:redacting:)`` has them too. The request's own ``authentication`` is in
    /// both, as far as it is known before the request is sent: not of a provider or a token source.
    ///
    ///
    /// Each argument is quoted for a POSIX shell. A body that is text is an argument; other bytes,
    /// and text that is too long for one, are piped in by `printf`. Files are read where they lie; in
    /// place of a sequence the command reads its standard input.
    ///
    /// Redacted are, whatever the case of a name and with `_`, `-` or nothing between its words:
    ///
    /// - the credentials in the URL;
    /// - the values of the fields Authorization and Proxy-Authorization, behind the scheme;
    /// - the values of fields and of parameters of the query whose names end in `token`, `secret`,
    ///   `password`, `passwd`, `pwd`, `passphrase`, `signature`, `assertion`, `credential`,
    ///   `authorization`, `cookie`, `apikey`, `authkey`, `accesskey`, `secretkey`, `privatekey`,
    ///   `sharedkey` or `subscriptionkey`, such as X-Amz-Security-Token and `refreshToken`, and of
    ///   parameters those with a number or a word such as `_confirmation` behind; not those in
    ///   `pageToken`, `nextToken` or `continuationToken`;
    /// - the values of other fields in `-Key`, but for Idempotency-Key and Sec-WebSocket-Key;
    /// - the values of the parameters `key`, `code`, `sig`, `jwt`, `otp`, `pass`, `code_verifier`,
    ///   `AWSAccessKeyId` and `SAMLResponse`.
    ///
    /// Parameters are also looked for in the fragment and in a raw target, and of `user[password]` the
    /// last part counts. Nothing else is redacted: bodies are shown as they are sent, and so is the
    /// path.
    ///
    /// - Parameters:
    ///   - secrets: whether they are shown.
    ///   - names: fields and parameters to redact besides, in any case. Default none.
    /// - Returns: one line, unless the body has several. What cannot be sent makes a command too, so
    ///   that it can be looked at.
    public func curlDescription(
        secrets: Secrets,
        redacting names: [String] = []
    ) -> String {
        var fields = headers
        if let type = body.contentType, !fields.contains(.contentType) {
            fields.append(.contentType, type.rawValue)
        }
        let credentials = curlCredentials(authentication)
        if case .field(let value) = credentials { fields.append(.authorization, value) }
        var command = CurlCommand(secrets, names)
        command.method(method, hasBody: !body.isKnownEmpty)
        command.url(uri, or: url)
        if let rawTarget { command.target(rawTarget) }
        command.fields(fields, except: [])
        if case .option(let option, let user) = credentials { command.credentials(option, user) }
        command.content(body, hasType: fields.contains(.contentType))
        return command.text
    }

    /// Spells the URL for logs and traces, without secrets.
    ///
    /// - Parameter names: parameters to redact besides those that
    ///   ``curlDescription(secrets:redacting:)`` lists, in any case. Default none.
    /// - Returns: the URL with `***` in place of credentials and of the values of these parameters.
    public func urlDescription(redacting names: [String] = []) -> String {
        SecretNames(names).redacted(uri, or: url)
    }

    /// Spells the request as a command for curl that sends what a client would send first.
    ///
    /// It has the client's base URL and fields, the cookies of its jar for the URL, and the credentials of
    /// the request or the client: a bearer token and Basic credentials as the Authorization field, those
    /// for Digest or any scheme as curl's own options (`--digest -u`, `--anyauth -u`). It suppresses what
    /// curl would add of its own. Secrets are redacted as in ``curlDescription(secrets:redacting:)``, user
    /// names included.
    ///
    /// It lacks what is known only when the request is sent: credentials of a provider or a token source,
    /// answers to challenges, and the changes of interceptors. It has no settings of proxies, time or trust.
    ///
    /// - Parameters:
    ///   - client: whose configuration counts.
    ///   - secrets: as in ``curlDescription(secrets:redacting:)``.
    ///   - names: as there.
    /// - Returns: one line, unless the body has several.
    /// - Throws: `.invalidRequest(…)` for a request that cannot be sent.
    public func curlDescription(
        in client: HTTPClient,
        secrets: Secrets = .redacted,
        redacting names: [String] = []
    ) throws(HTTPError) -> String {
        let common = client.configuration.settings.headers
        var request = self
        request.target = .uri(
            try RequestPlanner.url(of: self, client.configuration.settings.baseURL)
        )
        request = client.policies.withCookies(request, common, isShown: true)
        let credentials = request.curlCredentials(
            authentication ?? client.policies.authentication,
            besides: common
        )
        if case .field(let value) = credentials { request.headers.append(.authorization, value) }
        let plan = try client.plan(request)
        let body = body.encoded(with: client.configuration.settings.coders)
        let fields = plan.head.headers
        var command = CurlCommand(secrets, names)
        command.method(plan.head.method, hasBody: !body.isKnownEmpty)
        command.url(plan.url, or: plan.url.text)
        if let target = plan.key.proxy == nil ? plan.rawTarget : rawTarget {
            command.target(target)
        }
        // Credentials of the URL are among the fields; those for a proxy are not for the origin.
        var known: [FieldName] = [.contentLength, .transferEncoding]
        if plan.key.proxy != nil { known.append(.proxyAuthorization) }
        if fields[.host] == plan.key.origin.authority { known.append(.host) }
        command.fields(fields, except: known)
        if case .option(let option, let user) = credentials { command.credentials(option, user) }
        for name in [FieldName.accept, .userAgent] where !fields.contains(name) {
            command.add("-H", "\(name.rawName):")
        }
        command.content(body, hasType: fields.contains(.contentType))
        return command.text
    }
}

/// The form that credentials have in a command for curl.
private enum CurlCredentials {
    case none
    /// The value of the Authorization field.
    case field(String)
    /// An option that names the scheme, and what is said with `-u`.
    case option(String, user: HTTPCredentials)
}

extension HTTPRequest {
    /// Finds the credentials of the first attempt, as far as they are known before.
    fileprivate func curlCredentials(
        _ authentication: HTTPAuthentication?,
        besides common: HTTPHeaders = HTTPHeaders()
    ) -> CurlCredentials {
        guard let authentication, !says(.authorization, besides: common),
            let url = uri, url.userinfo == nil, let origin = url.origin,
            authentication.applies(to: origin, initialOrigin: origin)
        else { return .none }
        let credentials: HTTPCredentials
        switch authentication.source {
        case .token(let text): return .field("Bearer \(text)")
        case .tokens, .provider: return .none
        case .credentials(let given): credentials = given
        case .netrc(let netrc):
            guard let found = netrc.credentials(host: origin.host) else { return .none }
            credentials = found
        }
        switch authentication.policy {
        case .basic: return .field(BasicAuthentication.value(for: credentials))
        case .digest: return .option("--digest", user: credentials)
        case .any: return .option("--anyauth", user: credentials)
        }
    }
}

extension Plan {
    /// What was said to stand in the request line; nil when it is what the URL says.
    fileprivate var rawTarget: String? {
        head.target.text == url.requestTarget ? nil : head.target.text
    }
}

/// Puts a command for curl together.
struct CurlCommand {
    /// nil when secrets are shown.
    private let redaction: SecretNames?
    private var words = ["curl"]
    /// What stands before the command and feeds it.
    private var source = ""

    /// Bytes of an argument; Linux takes 128 KiB, and quoting can make four bytes of one.
    private static let maxArgumentBytes = 24 << 10

    init(_ secrets: HTTPRequest.Secrets, _ names: [String]) {
        redaction = secrets == .shown ? nil : SecretNames(names)
    }

    var text: String { source + words.joined(separator: " ") }

    mutating func add(_ option: String, _ value: String) {
        words += [option, Self.quoted(value)]
    }

    /// Names the method where curl would take another.
    mutating func method(_ method: HTTPMethod, hasBody: Bool) {
        switch (method, hasBody) {
        case (.get, false), (.post, true): break
        case (.head, false): words.append("--head")
        default: add("-X", method.rawValue)
        }
    }

    mutating func url(_ uri: URI?, or text: String) {
        let url = redaction?.redacted(uri, or: text) ?? text
        // Braces and brackets are patterns to curl, and it removes dot segments.
        if url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
        if url.hasSubstring("/.") { words.append("--path-as-is") }
        if url.hasPrefix("-") { words.append("--url") }
        words.append(Self.quoted(url))
    }

    mutating func credentials(_ option: String, _ credentials: HTTPCredentials) {
        words.append(option)
        guard redaction == nil else {
            add("-u", "\(SecretNames.mask):\(SecretNames.mask)")
            return
        }
        add("-u", String(decoding: credentials.user + [0x3A] + credentials.password, as: UTF8.self))
    }

    mutating func target(_ text: String) {
        add("--request-target", redaction?.redacted(target: text) ?? text)
    }

    mutating func fields(_ fields: HTTPHeaders, except known: [FieldName]) {
        for field in fields {
            let name = FieldName(field.name)
            guard !known.contains(name) else { continue }
            let value = redaction?.redacted(field.value, of: name) ?? field.value
            // A field without a value is spelled with a semicolon; with a colon it is suppressed.
            add("-H", value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
            if name == .acceptEncoding { words.append("--compressed") }
        }
    }

    mutating func content(_ body: HTTPBody, hasType: Bool) {
        guard !body.isKnownEmpty else { return }
        // curl would take it for a form.
        if !hasType { add("-H", "Content-Type:") }
        if case .source(let made) = body.content {
            content(made.segments)
        } else {
            content(body.bytes)
        }
    }

    private mutating func content(_ segments: [BodySegment]) {
        if segments.count == 1, case .file(let file) = segments[0], file.range == nil,
            file.path != "-"
        {
            add("--data-binary", "@\(file.path)")
            return
        }
        let commands = segments.map { segment in
            switch segment {
            case .bytes(let bytes): "printf \(Self.printed(bytes))"
            case .file(let file): Self.reading(file)
            case .stream: "cat"
            }
        }
        // The reader's own input needs no help.
        if commands != ["cat"] { source = "{ \(commands.joined(separator: "; ")); } | " }
        words += ["--data-binary", "@-"]
    }

    /// Spells the reading of a file; a path that begins with a hyphen is no option behind `<`.
    private static func reading(_ file: BodyFile) -> String {
        guard let range = file.range else { return "cat <\(quoted(file.path))" }
        // tail counts from 1. Nothing is sent of a range with a negative bound.
        let first = range.lowerBound == .max ? range.lowerBound : range.lowerBound + 1
        let size = range.lowerBound < 0 ? 0 : range.count
        return "tail -c +\(first) <\(quoted(file.path)) | head -c \(size)"
    }

    private mutating func content(_ bytes: [UInt8]) {
        if bytes.count <= Self.maxArgumentBytes, !bytes.contains(0),
            let text = String(validating: bytes, as: UTF8.self)
        {
            add("--data-raw", text)
        } else {
            source = "printf \(Self.printed(bytes)) | "
            words += ["--data-binary", "@-"]
        }
    }

    // MARK: - Quoting

    /// Quotes a word, if a shell could take it for more than itself (POSIX.1-2017 §2.2.2).
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"),
                UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: ","):
                true
            default: false
            }
        }
        if isPlain, !word.isEmpty { return word }
        // Nothing is special between single quotes but a single quote.
        // Byte by byte: with an accent behind it, a quote is another character to Swift.
        var bytes: [UInt8] = [UInt8(ascii: "'")]
        for byte in word.utf8 {
            if byte == UInt8(ascii: "'") { bytes += #"'\'"#.utf8 }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "'")], as: UTF8.self)
    }

    /// Spells bytes as an argument of `printf`.
    static func printed(_ bytes: [UInt8]) -> String {
        var text = "'"
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "%"): text += "%%"
            // A format that begins with a hyphen is an option.
            case UInt8(ascii: "-") where index > 0: text += "-"
            case UInt8(ascii: "-"), UInt8(ascii: "\\"), UInt8(ascii: "'"), 0...0x1f, 0x7f...0xff:
                // Three digits always, so that a digit behind them is itself.
                text += "\\" + [byte >> 6, byte >> 3 & 7, byte & 7].map { "\($0)" }.joined()
            default: text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text + "'"
    }
}
