package import HTTPClient
internal import SocketTransport
internal import Wire

/// A record of one attempt, with its secrets; they are redacted when the archive is written.
struct ArchiveEntry: Sendable {
    /// The start of a body.
    struct Content: Sendable {
        let kept: [UInt8]
        /// The length of the whole body in bytes; nil when unknown.
        let length: Int?

        /// Creates content that keeps at most `limit` bytes.
        init(_ bytes: [UInt8], atMost limit: Int) {
            kept = bytes.count > limit ? Array(bytes.prefix(max(limit, 0))) : bytes
            length = bytes.count
        }

        /// Creates content for a body that was not in memory.
        init(length: Int?) {
            kept = []
            self.length = length
        }

        var isWhole: Bool { length == kept.count }
    }

    let callID: UInt64
    /// The start of the call's first attempt, in nanoseconds since 1970.
    let callStart: Int64
    let method: String
    let url: URI?
    /// The text from which ``url`` was made.
    let urlText: String
    /// The head of the request; nil when nothing could be sent.
    let sent: RequestHead?
    let sentBody: Content
    /// The head of the response; nil when none was received.
    let received: ResponseHead?
    var receivedBody: Content
    /// Whether the caller reads the response body in pieces.
    let isStreamed: Bool
    /// The metrics of the attempt; nil when there was none.
    var attempt: HTTPMetrics.Attempt?
    /// The part of the client's cache in the response; nil without a cache.
    var cacheStatus: HTTPResponse.CacheStatus?
    /// The error with which the attempt failed.
    var error: String?

    /// The number of body bytes that the entry keeps.
    var keptBytes: Int { sentBody.kept.count + receivedBody.kept.count }

    /// The start of the attempt, in nanoseconds since 1970.
    var start: Int64 {
        let (sum, hasOverflowed) = callStart.addingReportingOverflow(
            attempt?.began.wholeNanoseconds ?? 0
        )
        return hasOverflowed ? .max : sum
    }
}

extension ArchiveEntry {
    /// Returns the entry in the format of HAR 1.2; names of custom members begin with an underscore.
    ///
    /// The values that `secrets` redacts are replaced; nil shows all values.
    func json(hiding secrets: SecretNames?) -> HTTPJSON {
        let timings = attempt.map { ArchiveTimings($0) } ?? ArchiveTimings()
        var members: [HTTPJSON.Member] = [
            .init("startedDateTime", .string(Self.date(start))),
            .init("time", .number(timings.time)),
            .init("request", request(secrets)),
            .init("response", response(secrets)),
            .init("cache", cacheStatus.map { ["comment": .string($0.description)] } ?? [:]),
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
            let coded = Base64Text.encode(receivedBody.kept)
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

    /// Returns the value of a field, with secrets redacted.
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

    /// Returns the number of bytes, or -1 when it is unknown.
    private static func size(_ bytes: Int?, mayBeNothing: Bool = false) -> HTTPJSON {
        guard let bytes, bytes > 0 || mayBeNothing else { return .integer(-1) }
        return .integer(bytes)
    }

    /// Decodes the kept bytes as UTF-8; returns nil for other content.
    private static func text(_ content: Content) -> String? {
        if let text = String(validating: content.kept, as: UTF8.self) { return text }
        guard !content.isWhole else { return nil }
        // Truncation may split a character, which has at most four bytes.
        for end in 1...3 where content.kept.count > end {
            let start = content.kept.dropLast(end)
            if let text = String(validating: start, as: UTF8.self) { return text }
        }
        return nil
    }

    private static func comment(_ content: Content, isText: Bool) -> String? {
        guard let length = content.length else { return "a sequence: the body was not kept" }
        guard isText else { return "\(length) bytes that are not text" }
        let kept = content.kept.count
        return content.isWhole ? nil : "truncated: \(kept) of \(length) bytes were kept"
    }

    /// Formats nanoseconds since 1970 as ISO 8601 in UTC, with milliseconds.
    static func date(_ nanoseconds: Int64) -> String {
        let (seconds, rest) = nanoseconds.flooredSeconds
        // The format is `Sun, 06 Nov 1994 08:49:37 GMT`, with fixed English names.
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
    /// The whole seconds in this number of nanoseconds, and the remaining nanoseconds.
    fileprivate var flooredSeconds: (seconds: Int64, rest: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? (quotient - 1, remainder + 1_000_000_000) : (quotient, remainder)
    }
}

/// The phases of an attempt in HAR 1.2, in milliseconds; -1 for a phase that did not happen.
///
/// In HAR, `ssl` is a part of `connect`. All other phases add up to the duration of the attempt.
package struct ArchiveTimings: Equatable {
    /// Time waiting for a connection, including gaps between the phases before there is one.
    package private(set) var blocked = -1.0
    package private(set) var dns = -1.0
    package private(set) var connect = -1.0
    package private(set) var ssl = -1.0
    package private(set) var send = 0.0
    package private(set) var wait = 0.0
    package private(set) var receive = 0.0

    /// The sum of the phases, as HAR defines it.
    package var time: Double {
        [blocked, dns, connect, send, wait, receive].filter { $0 >= 0 }.reduce(0, +)
    }

    /// Creates the timings of a call that was never attempted.
    package init() {}

    /// Splits an attempt into phases; an attempt in progress ends at its last known moment.
    package init(_ attempt: HTTPMetrics.Attempt) {
        let known = [
            attempt.ended, attempt.headReceived, attempt.firstByte, attempt.sent, attempt.leased,
        ]
        let began = attempt.began
        let end = max(known.compactMap(\.self).max() ?? began, began)
        let leased = min(max(attempt.leased ?? end, began), end)
        var rest = leased - began
        if let lookup = Self.interval(of: [.dns], in: attempt) {
            dns = Self.milliseconds(lookup.upperBound - lookup.lowerBound)
            rest -= lookup.upperBound - lookup.lowerBound
        }
        if let opening = Self.interval(of: [.connect, .ssl], in: attempt) {
            let opened = min(opening.upperBound, leased)
            connect = Self.milliseconds(opened - opening.lowerBound)
            rest -= opened - opening.lowerBound
        }
        if rest > .zero { blocked = Self.milliseconds(rest) }
        if let handshake = Self.interval(of: [.ssl], in: attempt) {
            ssl = Self.milliseconds(handshake.upperBound - handshake.lowerBound)
        }
        // A response may begin before the whole request is sent.
        let first = min(max(attempt.firstByte ?? end, leased), end)
        let sent = min(max(attempt.sent ?? first, leased), first)
        send = Self.milliseconds(sent - leased)
        wait = Self.milliseconds(first - sent)
        receive = Self.milliseconds(end - first)
    }

    /// Returns the time from the first to the last phase that belongs to one of the timings.
    private static func interval(
        of timings: [HTTPPhase.ArchiveTiming],
        in attempt: HTTPMetrics.Attempt
    ) -> Range<Duration>? {
        let found = HTTPPhase.rows.compactMap { row in
            row.phase.archiveTiming.flatMap {
                timings.contains($0) ? attempt.interval(of: row.phase) : nil
            }
        }
        guard let start = found.map(\.lowerBound).min(), let end = found.map(\.upperBound).max()
        else { return nil }
        return start..<end
    }

    private static func milliseconds(_ time: Duration) -> Double {
        Double(time.wholeNanoseconds) / 1e6
    }

    var json: HTTPJSON {
        [
            "blocked": .number(blocked), "dns": .number(dns), "connect": .number(connect),
            "ssl": .number(ssl), "send": .number(send), "wait": .number(wait),
            "receive": .number(receive),
        ]
    }
}
