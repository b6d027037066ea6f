import HTTPClient
import SocketTransport
import Support
import Wire

/// The origin of a history, on streams in memory.
///
/// The body of each answer names the path, the version, the values of the selecting fields, and a serial number.
final class HistoryOrigin: HTTPDialer {
    /// The fields of a response that a cache reads.
    struct Fields: Sendable {
        var control: ResponseControl?
        /// The time of Expires in seconds since 1970.
        var expires: Int?
        var vary: OriginTerms.Vary?
        var tag: String?
        /// The time of Last-Modified in seconds since 1970.
        var changed: Int?
        var age: Int?
        var date: Int
    }

    struct Answer: Sendable {
        let serial: Int
        let path: Int
        let language: String?
        let user: String?
        let status: Int
        let fields: Fields
        /// The whole body, also for a HEAD, a 304 and a body that is cut.
        let body: [UInt8]
        let hasLength: Bool
        let isCut: Bool
    }

    /// A request that arrived.
    struct Exchange: Sendable {
        let method: HTTPMethod
        /// The value of If-None-Match.
        let tag: String?
        /// The value of If-Modified-Since in seconds since 1970.
        let changed: Int?
        /// The answer; nil if the connection was closed without one.
        let answer: Answer?
    }

    private struct State {
        var terms: [Int: OriginTerms] = [:]
        var exchanges: [Exchange] = []
        var held: [AsyncStream<Bool>.Continuation] = []
        var mustHold = false
    }

    private let state = Locked(State())
    private let now: @Sendable () -> Int

    /// - Parameter now: returns the time in seconds since 1970.
    init(now: @escaping @Sendable () -> Int) {
        self.now = now
    }

    var exchanges: [Exchange] { state.withLock { $0.exchanges } }

    func change(_ path: Int, to terms: OriginTerms) { state.withLock { $0.terms[path] = terms } }

    /// Holds bodies of the following answers after their first half.
    func hold() { state.withLock { $0.mustHold = true } }

    /// Ends the bodies that were held, with their second half or by closing the connection.
    func release(sendingRest: Bool) {
        let held = state.withLock { state in
            state.mustHold = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held {
            continuation.yield(sendingRest)
            continuation.finish()
        }
    }

    func dial(_ request: HTTPDialRequest) throws -> HTTPDialRequest.Outcome {
        .stream { stream in
            _ = try await stream.read()
            try await self.serve(request, stream)
        }
    }

    private func serve(
        _ request: HTTPDialRequest,
        _ stream: HTTPDialRequest.PeerStream
    ) async throws {
        let path = Int(request.url.path.dropFirst()) ?? 0
        let time = now()
        let (text, rest, hold) = state.withLock { state -> (String, String, AsyncStream<Bool>?) in
            let terms = state.terms[path] ?? OriginTerms()
            let answer = answer(request, path, terms, state.exchanges.count + 1, time)
            state.exchanges.append(
                Exchange(
                    method: request.method,
                    tag: request.headers[.ifNoneMatch],
                    changed: request.headers[.ifModifiedSince].flatMap { HTTPDate($0) }?
                        .secondsSince1970,
                    answer: answer
                )
            )
            guard let answer else { return ("", "", nil) }
            let (text, rest) = Self.text(of: answer, request, terms)
            guard state.mustHold, !rest.isEmpty, answer.status < 500 else {
                return (text, rest, nil)
            }
            let (hold, continuation) = AsyncStream.makeStream(of: Bool.self)
            state.held.append(continuation)
            return (text, rest, hold)
        }
        guard !text.isEmpty else { return }
        try await stream.write(text)
        if let hold {
            for await sendsRest in hold where !sendsRest { return }
        }
        if !rest.isEmpty { try await stream.write(rest) }
    }

    /// Returns the answer to a request; nil if the connection is closed instead.
    private func answer(
        _ request: HTTPDialRequest,
        _ path: Int,
        _ terms: OriginTerms,
        _ serial: Int,
        _ time: Int
    ) -> Answer? {
        guard terms.fault != .closed else { return nil }
        let language = request.headers[.acceptLanguage]
        let user = request.headers[.authorization]
        // Other users and languages have other validators, because their representations differ.
        let variant = "\(language ?? "-")-\(user?.suffix(1) ?? "-")"
        let changed =
            1_800_000_000 - 1000 + 16 * terms.version
            + (["de", "en"].firstIndex(of: language) ?? 2) + 3
            * (user == nil ? 0 : user == "Bearer a" ? 1 : 2)
        var fields = Fields(
            control: terms.control.text.isEmpty ? nil : terms.control,
            date: time - terms.delay
        )
        fields.expires = terms.expires.map { fields.date + $0 }
        fields.vary = terms.vary
        fields.age = terms.age
        if [.strong, .strongAndDate].contains(terms.validator) {
            fields.tag = "\"\(terms.version)-\(variant)\""
        }
        if terms.validator == .weak { fields.tag = "W/\"\(terms.version)-\(variant)\"" }
        if [.date, .strongAndDate].contains(terms.validator) { fields.changed = changed }
        var status = terms.status
        if status == 200, request.method == .get || request.method == .head {
            let condition = request.headers[.ifNoneMatch]
            let date = request.headers[.ifModifiedSince].flatMap { HTTPDate($0) }?.secondsSince1970
            let isUnchanged =
                fields.tag == nil
                ? condition == nil && date != nil && date == fields.changed
                : condition == fields.tag
            switch terms.conditions {
            case .evaluated where isUnchanged: status = 304
            case .bare where isUnchanged:
                status = 304
                (fields.tag, fields.changed) = (nil, nil)
            case .wrong where condition != nil || date != nil:
                status = 304
                (fields.tag, fields.changed) = ("\"wrong\"", nil)
            default: break
            }
        }
        var text = "/\(path) version \(terms.version) \(variant) #\(serial) "
        text += String(repeating: ".", count: 48 + terms.version % 3 - text.utf8.count)
        if status == 200, terms.hasRanges, request.method == .get,
            let range = request.headers[.range]
        {
            status = range == "bytes=3-9" ? 206 : 416
        }
        return Answer(
            serial: serial,
            path: path,
            language: language,
            user: user,
            status: status,
            fields: fields,
            body: Array(text.utf8),
            hasLength: !terms.isChunked,
            isCut: terms.fault == .cut && request.method != .head && status != 304
        )
    }

    /// Returns the message in two halves.
    private static func text(
        of answer: Answer,
        _ request: HTTPDialRequest,
        _ terms: OriginTerms
    ) -> (String, String) {
        let fields = answer.fields
        var head = "HTTP/1.1 \(answer.status) Status\r\nDate: \(date(fields.date))\r\n"
        // A field of a 304 or of a HEAD replaces the stored one, so the number has another name there.
        let isUpdate = answer.status == 304 || request.method == .head
        head += "\(isUpdate ? "X-Update" : "X-Serial"): \(answer.serial)\r\n"
        if let control = fields.control { head += "Cache-Control: \(control.text)\r\n" }
        if let expires = fields.expires { head += "Expires: \(date(expires))\r\n" }
        if let vary = fields.vary { head += "Vary: \(vary == .any ? "*" : "Accept-Language")\r\n" }
        if let tag = fields.tag { head += "ETag: \(tag)\r\n" }
        if let changed = fields.changed { head += "Last-Modified: \(date(changed))\r\n" }
        if let age = fields.age { head += "Age: \(age)\r\n" }
        if terms.setsCookie { head += "Set-Cookie: a=\(answer.serial)\r\n" }
        if [301, 302].contains(answer.status) { head += "Location: /\(answer.path + 1)\r\n" }
        var body = String(decoding: answer.body, as: UTF8.self)
        switch answer.status {
        case 304: return (head + "\r\n", "")
        case 206:
            head += "Content-Range: bytes 3-9/\(body.utf8.count)\r\n"
            body = String(body.dropFirst(3).prefix(7))
        case 416:
            head += "Content-Range: bytes */\(body.utf8.count)\r\n"
            body = "none"
        default: break
        }
        if answer.hasLength { head += "Content-Length: \(body.utf8.count)\r\n" }
        guard request.method != .head else { return (head + "\r\n", "") }
        let half = body.utf8.count / 2
        var (first, second) = (String(body.prefix(half)), String(body.dropFirst(half)))
        if !answer.hasLength {
            head += "Transfer-Encoding: chunked\r\n"
            let length = String(second.utf8.count, radix: 16)
            first = "\(String(half, radix: 16))\r\n\(first)\r\n"
            second = "\(length)\r\n\(second)\r\n0\r\n\r\n"
        }
        return (head + "\r\n" + first, answer.isCut ? "" : second)
    }

    private static func date(_ seconds: Int) -> String {
        HTTPDate(secondsSince1970: seconds).description
    }
}
