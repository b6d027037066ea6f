internal import Wire

/// Holds what a recorder keeps of one attempt: bytes and facts as they were, shown only when asked for.
struct ArchiveEntry: Sendable {
    /// Holds the start of a body.
    struct Content: Sendable {
        let kept: [UInt8]
        /// Bytes of the whole; nil when nobody knows.
        let length: Int?

        /// Keeps at most `limit` bytes.
        init(_ bytes: [UInt8], atMost limit: Int) {
            kept = bytes.count > limit ? Array(bytes.prefix(max(limit, 0))) : bytes
            length = bytes.count
        }

        /// Of a body that did not lie in memory.
        init(length: Int?) {
            kept = []
            self.length = length
        }

        var isWhole: Bool { length == kept.count }
    }

    let callID: UInt64
    /// Of the first attempt of the call, in nanoseconds since 1970.
    let callStart: Int64
    let method: String
    let url: URI?
    /// What ``url`` was made of.
    let urlText: String
    /// Nil when nothing could be sent.
    let sent: RequestHead?
    let sentBody: Content
    /// Nil when none came.
    let received: ResponseHead?
    var receivedBody: Content
    /// Its body goes to somebody else piece by piece.
    let isStreamed: Bool
    /// Nil when nothing was attempted.
    var attempt: HTTPMetrics.Attempt?
    /// What the attempt failed with.
    var error: String?

    /// Bytes of bodies that it keeps.
    var keptBytes: Int { sentBody.kept.count + receivedBody.kept.count }

    /// When the attempt began, in nanoseconds since 1970.
    var start: Int64 {
        let (sum, hasOverflowed) = callStart.addingReportingOverflow(
            attempt?.began.wholeNanoseconds ?? 0
        )
        return hasOverflowed ? .max : sum
    }
}

extension ArchiveEntry {
    /// Writes the entry as HAR 1.2 has it; names with a hyphen in front are our own, as it allows.
    ///
    /// What `secrets` hides has other text in its place; nil shows all.
    func json(hiding secrets: SecretNames?) -> HTTPJSON {
        let timings = attempt.map { ArchiveTimings($0) } ?? ArchiveTimings()
        var members: [HTTPJSON.Member] = [
            .init("startedDateTime", .string(Self.date(start))),
            .init("time", .number(timings.time)),
            .init("request", request(secrets)),
            .init("response", response(secrets)),
            .init("cache", [:]),
            .init("timings", timings.json),
        ]
        if let attempt {
            if let address = attempt.remoteAddress {
                members.append(.init("serverIPAddress", .string(address)))
            }
            if attempt.connectionID != 0 {
                members.append(.init("connection", .string("\(attempt.connectionID)")))
            }
            members.append(.init("_reason", .string(attempt.reason.name)))
        }
        members.append(.init("_call", .unsigned(UInt(callID))))
        if let error { members.append(.init("_error", .string(error))) }
        return .object(members)
    }

    // MARK: - Request

    private func request(_ secrets: SecretNames?) -> HTTPJSON {
        let fields = sent?.headers ?? [:]
        var parts = URLParts(secrets?.redacted(url, or: urlText) ?? urlText)
        parts.fragment = nil
        var members: [HTTPJSON.Member] = [
            .init("method", .string(method)),
            .init("url", .string(parts.text)),
            .init("httpVersion", .string("\(sent?.version ?? .http11)")),
            .init("cookies", .array(Self.sentCookies(fields, secrets))),
            .init("headers", Self.headers(fields, secrets)),
            .init("queryString", .array(HTTPQueryItem.items(of: parts.query).map(Self.parameter))),
            .init("headersSize", Self.size(attempt?.headBytesSent)),
            .init("bodySize", Self.size(attempt?.bodyBytesSent, mayBeNothing: true)),
        ]
        if sentBody.length != 0 {
            members.append(.init("postData", postData(fields[.contentType])))
        }
        return .object(members)
    }

    private func postData(_ type: String?) -> HTTPJSON {
        var members: [HTTPJSON.Member] = [
            .init("mimeType", .string(type ?? "")), .init("params", []),
        ]
        let text = Self.text(sentBody)
        members.append(.init("text", .string(text ?? "")))
        if let comment = Self.comment(sentBody, isText: text != nil) {
            members.append(.init("comment", .string(comment)))
        }
        return .object(members)
    }

    private static func parameter(_ item: HTTPQueryItem) -> HTTPJSON {
        ["name": .string(item.name), "value": .string(item.value ?? "")]
    }

    // MARK: - Response

    private func response(_ secrets: SecretNames?) -> HTTPJSON {
        let fields = received?.headers ?? [:]
        let location = fields[.location]
        return [
            "status": .integer(Int(received?.status.code ?? 0)),
            "statusText": .string(received?.reason ?? ""),
            "httpVersion": .string(received.map { "\($0.version)" } ?? ""),
            "cookies": .array(Self.receivedCookies(fields, secrets)),
            "headers": Self.headers(fields, secrets),
            "content": content(fields[.contentType]),
            "redirectURL": .string(location.map { Self.shown($0, of: .location, secrets) } ?? ""),
            "headersSize": Self.size(received?.rawByteCount),
            "bodySize": Self.size(
                attempt?.outcome == .complete ? attempt?.bodyBytesReceived : nil,
                mayBeNothing: true
            ),
        ]
    }

    private func content(_ type: String?) -> HTTPJSON {
        let length = attempt?.bodyBytesDecoded ?? receivedBody.length ?? 0
        var members: [HTTPJSON.Member] = [
            .init("size", .integer(length)),
            .init("mimeType", .string(type ?? "x-unknown")),
        ]
        if let attempt, attempt.outcome == .complete, length > attempt.bodyBytesReceived,
            received?.headers.contains(.contentEncoding) == true
        {
            let saved = length - attempt.bodyBytesReceived
            members.append(.init("compression", .integer(saved)))
        }
        if isStreamed {
            members.append(.init("comment", "streamed: the body was not kept"))
            return .object(members)
        }
        if let text = Self.text(receivedBody) {
            members.append(.init("text", .string(text)))
        } else {
            let coded = BasicAuthentication.base64(receivedBody.kept)
            members += [.init("text", .string(coded)), .init("encoding", "base64")]
        }
        if let comment = Self.comment(receivedBody, isText: true) {
            members.append(.init("comment", .string(comment)))
        }
        return .object(members)
    }

    // MARK: - Fields

    private static func headers(_ fields: HTTPHeaders, _ secrets: SecretNames?) -> HTTPJSON {
        .array(
            fields.map { field in
                let value = shown(field.value, of: FieldName(field.name), secrets)
                return ["name": .string(field.name), "value": .string(value)]
            }
        )
    }

    /// Returns the value of a field as it may be shown.
    private static func shown(
        _ value: String,
        of name: FieldName,
        _ secrets: SecretNames?
    ) -> String {
        secrets?.shown(value, of: name) ?? value
    }

    private static func sentCookies(
        _ fields: HTTPHeaders,
        _ secrets: SecretNames?
    ) -> [HTTPJSON] {
        let lines = fields.filter { FieldName($0.name) == .cookie }.map(\.value)
        return CookiePair.list(lines).map { pair in
            ["name": .string(pair.name), "value": .string(secrets == nil ? pair.value : "***")]
        }
    }

    private static func receivedCookies(
        _ fields: HTTPHeaders,
        _ secrets: SecretNames?
    ) -> [HTTPJSON] {
        let lines = fields.filter { FieldName($0.name) == .setCookie }.map(\.value)
        return lines.compactMap { SetCookie($0) }.map { cookie in
            var members: [HTTPJSON.Member] = [
                .init("name", .string(cookie.name)),
                .init("value", .string(secrets == nil ? cookie.value : "***")),
            ]
            if let path = cookie.path { members.append(.init("path", .string(path))) }
            if let domain = cookie.domain { members.append(.init("domain", .string(domain))) }
            if let expires = cookie.expires {
                let (nanoseconds, hasOverflowed) = expires.secondsSince1970
                    .multipliedReportingOverflow(by: 1_000_000_000)
                if !hasOverflowed {
                    members.append(.init("expires", .string(date(Int64(nanoseconds)))))
                }
            }
            members.append(.init("httpOnly", .bool(cookie.isHTTPOnly)))
            members.append(.init("secure", .bool(cookie.isSecure)))
            return .object(members)
        }
    }

    // MARK: - Values

    /// Bytes, or -1 for nobody knows.
    private static func size(_ bytes: Int?, mayBeNothing: Bool = false) -> HTTPJSON {
        guard let bytes, bytes > 0 || mayBeNothing else { return .integer(-1) }
        return .integer(bytes)
    }

    /// Reads what was kept as UTF-8; nil when it is something else.
    private static func text(_ content: Content) -> String? {
        if let text = String(validating: content.kept, as: UTF8.self) { return text }
        guard !content.isWhole else { return nil }
        // The cut may go through a character, which has four bytes at most.
        for end in 1...3 where content.kept.count > end {
            let start = content.kept.dropLast(end)
            if let text = String(validating: start, as: UTF8.self) { return text }
        }
        return nil
    }

    private static func comment(_ content: Content, isText: Bool) -> String? {
        guard let length = content.length else { return "a sequence: the body was not kept" }
        guard isText else { return "\(length) bytes that are no text" }
        return content.isWhole ? nil : "cut: \(content.kept.count) of \(length) bytes were kept"
    }

    /// Writes a moment, in nanoseconds since 1970, as ISO 8601 has it: with milliseconds, in UTC.
    static func date(_ nanoseconds: Int64) -> String {
        let (seconds, rest) = nanoseconds.flooredSeconds
        // `Sun, 06 Nov 1994 08:49:37 GMT`, whose names are fixed.
        let parts = HTTPDate(secondsSince1970: Int(seconds)).description.split(separator: " ")
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let month = (months.firstIndex(of: String(parts[2])) ?? 0) + 1
        let digits = "\(1000 + rest / 1_000_000)".dropFirst()
        return "\(parts[3])-\("\(100 + month)".dropFirst())-\(parts[1])T\(parts[4]).\(digits)Z"
    }
}

extension Int64 {
    /// Of nanoseconds: whole seconds, and the nanoseconds behind them.
    fileprivate var flooredSeconds: (seconds: Int64, rest: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? (quotient - 1, remainder + 1_000_000_000) : (quotient, remainder)
    }
}
