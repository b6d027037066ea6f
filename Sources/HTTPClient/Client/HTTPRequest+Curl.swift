internal import SocketTransport
internal import Wire

extension HTTPRequest {

    /// The request as a curl command for logs and for trying it in a shell; secrets are redacted.
    ///
    /// It equals ``curlDescription(secrets:redacting:)`` with `.redacted`.
    public var curlDescription: String { curlDescription(secrets: .redacted) }

    /// Returns the request as a curl command, without the fields, cookies and credentials of a
    /// client.
    ///
    /// ``curlDescription(in:secrets:redacting:)`` includes those. Both include the request's own
    /// ``authentication`` as far as it is known before the request is sent. They omit credentials
    /// of a provider or a token source.
    ///
    /// Each argument is quoted for a POSIX shell. A text body becomes an argument. Other bytes, and
    /// text that is too long for an argument, are piped in with `printf`. Files are read from their
    /// paths. In place of a stream, the command reads its standard input.
    ///
    /// Redaction ignores the case of names, and accepts `_`, `-` or nothing between their words. It
    /// covers:
    ///
    /// - the credentials in the URL;
    /// - the values of the fields Authorization and Proxy-Authorization, after the scheme;
    /// - the values of fields and of query parameters whose names end in `token`, `secret`,
    ///   `password`, `passwd`, `pwd`, `passphrase`, `signature`, `assertion`, `credential`,
    ///   `authorization`, `cookie`, `apikey`, `authkey`, `accesskey`, `secretkey`, `privatekey`,
    ///   `sharedkey`, `subscriptionkey`, `secrets`, `passwords` or `credentials`, such as
    ///   X-Amz-Security-Token and `refreshToken`; for parameters also if a number or a word such as
    ///   `_confirmation` follows; but not `pageToken`, `nextToken` or `continuationToken`;
    /// - the values of other fields whose names end in `-Key`, except for Idempotency-Key and
    ///   Sec-WebSocket-Key;
    /// - the values of the parameters `key`, `code`, `sig`, `jwt`, `otp`, `pass`, `code_verifier`,
    ///   `AWSAccessKeyId` and `SAMLResponse`.
    ///
    /// Parameters are also redacted in the fragment and in a raw target. The last part of a name
    /// such as `user[password]` decides. Nothing else is redacted: bodies and the path are shown as
    /// they are sent.
    ///
    /// - Parameters:
    ///   - secrets: whether to show secrets.
    ///   - names: the names of further fields and parameters to redact, in any case. Default none.
    /// - Returns: the command; one line, unless the body has several. A request that cannot be sent
    ///   also has a command, so that you can inspect it.
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

    /// Returns the URL for logs and traces, without secrets.
    ///
    /// - Parameter names: the names of parameters to redact in addition to those that
    ///   ``curlDescription(secrets:redacting:)`` lists, in any case. Default none.
    /// - Returns: the URL with `***` in place of credentials and of the values of these parameters.
    public func urlDescription(redacting names: [String] = []) -> String {
        LogText.line(SecretNames(names).redacted(uri, or: url))
    }

    /// Returns the request as a curl command that sends the same request as the client's first
    /// attempt.
    ///
    /// The command includes the client's base URL and fields, the cookies of its jar for the URL,
    /// and the credentials of the request or the client. A bearer token and Basic credentials
    /// become the Authorization field. Credentials for Digest or any scheme become curl's options
    /// (`--digest -u`, `--anyauth -u`). The command suppresses the fields that curl would add.
    /// Secrets are redacted as in ``curlDescription(secrets:redacting:)``, and so are user names.
    ///
    /// The command lacks the parts that are known only when the request is sent: credentials of a
    /// provider or a token source, responses to challenges, and changes by interceptors. It also
    /// lacks the settings for proxies, timeouts and trust.
    ///
    /// - Parameters:
    ///   - client: the client whose configuration applies.
    ///   - secrets: as in ``curlDescription(secrets:redacting:)``.
    ///   - names: as in ``curlDescription(secrets:redacting:)``.
    /// - Returns: the command; one line, unless the body has several.
    /// - Throws: `.invalidRequest(…)` for a request that cannot be sent.
    public func curlDescription(
        in client: HTTPClient,
        secrets: Secrets = .redacted,
        redacting names: [String] = []
    ) throws(HTTPError) -> String {
        let common = client.configuration.settings.headers
        var request = self
        request.target = .uri(
            try self.absoluteURL(below: client.configuration.settings.baseURL)
        )
        request.add(missing: client.configuration.settings.query)
        client.policies.addCookies(to: &request, common, isShown: true)
        let credentials = request.curlCredentials(
            authentication ?? client.policies.authentication,
            besides: common
        )
        if case .field(let value) = credentials { request.headers.append(.authorization, value) }
        let plan = try client.core.plan(request)
        let body = body.encoded(with: client.configuration.settings.coders)
        let fields = plan.head.headers
        var command = CurlCommand(secrets, names)
        command.method(plan.head.method, hasBody: !body.isKnownEmpty)
        command.url(plan.url, or: plan.url.text)
        if let target = plan.key.proxy == nil ? plan.rawTarget : rawTarget {
            command.target(target)
        }
        // The fields include the credentials of the URL. The command sends to the origin, so it
        // omits the credentials for a proxy.
        var known: [FieldName] = [.contentLength, .transferEncoding]
        if plan.key.proxy != nil { known.append(.proxyAuthorization) }
        if fields[.host] == plan.key.origin.authority { known.append(.host) }
        command.fields(fields, except: known)
        if case .option(let option, let user) = credentials { command.credentials(option, user) }
        command.suppress(for: fields)
        command.content(body, hasType: fields.contains(.contentType))
        return command.text
    }
}

extension HTTPResponse {
    /// The request that led to the response as a curl command, with the fields that the client sent.
    ///
    /// Secrets are redacted as in ``HTTPRequest/curlDescription(secrets:redacting:)``. The command lacks the
    /// content of the request, which a response does not keep, and the fields that curl sends by itself: Host,
    /// and those for the length of the content.
    public var curlDescription: String {
        var command = CurlCommand(.redacted, [])
        command.method(request.method, hasBody: false)
        command.url(url, or: url.text)
        let hasHost = request.headers[.host] == url.origin?.authority
        command.fields(
            request.headers,
            except: [.contentLength, .transferEncoding] + (hasHost ? [.host] : [])
        )
        command.suppress(for: request.headers)
        return command.text
    }
}

/// The form of credentials in a curl command.
private enum CurlCredentials {
    case none
    /// The value of the Authorization field.
    case field(String)
    /// The option that names the scheme, and the credentials for `-u`.
    case option(String, user: HTTPCredentials)
}

extension HTTPRequest {
    /// Returns the credentials of the first attempt, as far as they are known in advance.
    fileprivate func curlCredentials(
        _ authentication: HTTPAuthentication?,
        besides common: HTTPHeaders = HTTPHeaders()
    ) -> CurlCredentials {
        guard let authentication, !sets(.authorization, orClient: common),
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
        // For any other policy, curl chooses the scheme after the challenge, as the client does.
        default: return .option("--anyauth", user: credentials)
        }
    }
}

extension Plan {
    /// The request target, if it was set and differs from the URL's; otherwise nil.
    fileprivate var rawTarget: String? {
        head.target.text == url.requestTarget ? nil : head.target.text
    }
}

/// A builder of a curl command.
struct CurlCommand {
    /// The redaction rules; nil if secrets are shown.
    private let redaction: SecretNames?
    private var words = ["curl"]
    /// The text before the command that pipes data into it.
    private var source = ""

    /// The maximum size of an argument in bytes.
    ///
    /// Linux allows 128 KiB, and quoting can turn one byte into four.
    private static let maxArgumentBytes = 24 << 10

    init(_ secrets: HTTPRequest.Secrets, _ names: [String]) {
        redaction = secrets == .shown ? nil : SecretNames(names)
    }

    var text: String { source + words.joined(separator: " ") }

    mutating func add(_ option: String, _ value: String) {
        words += [option, Self.quoted(value)]
    }

    /// Adds the method if curl would choose another.
    mutating func method(_ method: HTTPMethod, hasBody: Bool) {
        switch (method, hasBody) {
        case (.get, false), (.post, true): break
        case (.head, false): words.append("--head")
        default: add("-X", method.rawValue)
        }
    }

    mutating func url(_ uri: URI?, or text: String) {
        // Text with a line break cannot be sent, but the command shows it.
        let url = LogText.line(redaction?.redacted(uri, or: text) ?? text)
        // curl treats braces and brackets as patterns, and removes dot segments.
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
            // With `Name;` curl sends the field with an empty value. With `Name:` it sends no such
            // field.
            add("-H", value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
            if name == .acceptEncoding { words.append("--compressed") }
        }
    }

    /// Suppresses the fields that curl would add to these.
    mutating func suppress(for fields: HTTPHeaders) {
        for name in [FieldName.accept, .userAgent] where !fields.contains(name) {
            add("-H", "\(name.rawName):")
        }
    }

    mutating func content(_ body: HTTPBody, hasType: Bool) {
        guard !body.isKnownEmpty else { return }
        // Without this option, curl would send the Content-Type of a form.
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
        // A lone `cat` is not needed: curl reads standard input itself.
        if commands != ["cat"] { source = "{ \(commands.joined(separator: "; ")); } | " }
        words += ["--data-binary", "@-"]
    }

    /// Returns a command that reads a file.
    ///
    /// After `<`, a path with a leading hyphen is not an option.
    private static func reading(_ file: BodyFile) -> String {
        guard let range = file.range else { return "cat <\(quoted(file.path))" }
        // tail counts from 1. A range with a negative start sends nothing.
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

    /// Quotes a word if a shell would interpret it (POSIX.1-2017 §2.2.2).
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
        // Within single quotes, only a single quote is special. The loop works on bytes, because
        // Swift combines a quote and a following accent into one character.
        var bytes: [UInt8] = [UInt8(ascii: "'")]
        for byte in word.utf8 {
            if byte == UInt8(ascii: "'") { bytes += #"'\'"#.utf8 }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "'")], as: UTF8.self)
    }

    /// Returns bytes as a quoted argument of `printf`.
    static func printed(_ bytes: [UInt8]) -> String {
        var text = "'"
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "%"): text += "%%"
            // `printf` would parse a format that begins with a hyphen as an option.
            case UInt8(ascii: "-") where index > 0: text += "-"
            case UInt8(ascii: "-"), UInt8(ascii: "\\"), UInt8(ascii: "'"), 0...0x1f, 0x7f...0xff:
                // Always three digits, so that a following digit is not part of the escape.
                text += "\\" + [byte >> 6, byte >> 3 & 7, byte & 7].map { "\($0)" }.joined()
            default: text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text + "'"
    }
}
