public import HTTPClient
internal import SocketTransport
internal import Wire

/// An observer that records traffic as HAR 1.2, which browsers and many tools can open.
///
///     let recorder = HTTPArchiveRecorder()
///     let client = HTTPClient().with { $0.observers.append(recorder) }
///     …
///     let file = recorder.encoded()
///
/// Each attempt is an entry, including attempts that led to a redirect, were challenged, or failed. If
/// there was no response, the status is 0 and `_error` has the reason. A stored response is an entry too, without the
/// head of a request, which was not sent; the comment of `cache` is the text of its `HTTPResponse.CacheStatus`. If the description of the error can
/// contain data of a request, a response or the program, the reason is only `HTTPError.Kind.label`.
///
/// Request bodies and collected response bodies are kept within the limits, and `comment` records where
/// one was truncated. Streamed bodies are not kept.
///
/// Secrets are redacted by default: the values of Authorization, Proxy-Authorization, Cookie, Set-Cookie
/// and the other header fields that `HTTPRequest.curlDescription(secrets:redacting:)` lists. The query
/// parameters that it lists and credentials are redacted in all URLs, also in Location and Referer. Bodies
/// are not redacted.
public final class HTTPArchiveRecorder: HTTPObserver {
    /// The limits of a recorder.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of entries; the oldest entries are removed first.
        ///
        /// Default 1000: a few megabytes, and more than people read.
        public var maxEntries = 1000
        /// The maximum number of bytes kept of each body, from its start.
        ///
        /// Default 64 KiB: enough to inspect most bodies; larger ones are truncated.
        public var maxBodyBytes = 64 << 10
        /// The maximum number of bytes kept of all bodies together; the oldest entries are removed first.
        ///
        /// Default 16 MiB: 256 truncated bodies.
        public var maxTotalBodyBytes = 16 << 20

        /// Creates the default limits.
        public init() {}
    }

    fileprivate struct Record: Sendable {
        /// The state of a call in progress.
        struct Open: Sendable {
            var start: Int64?
            var request: HTTPRequest?
            var head: RequestHead?
            /// The number of the entry whose response body is streamed, counting all entries ever made.
            var streamedEntry: Int?
        }

        var open: [UInt64: Open] = [:]
        var entries: [ArchiveEntry] = []
        /// The number of entries that were removed.
        var dropped = 0
        var keptBytes = 0
    }

    private let limits: Limits
    private let secrets: SecretNames?
    private let wallClock: @Sendable () -> Int64
    private let record = Locked(Record())

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - limits: the limits of what is kept.
    ///   - secrets: whether secrets are shown. Default redacted.
    ///   - names: additional fields and parameters to redact; case does not matter. Default none.
    public convenience init(
        limits: Limits = Limits(),
        secrets: HTTPRequest.Secrets = .redacted,
        redacting names: [String] = []
    ) {
        self.init(limits: limits, secrets: secrets, redacting: names) {
            WallClock.nanosecondsSince1970
        }
    }

    /// Creates a recorder with a clock that returns nanoseconds since 1970.
    package init(
        limits: Limits = Limits(),
        secrets: HTTPRequest.Secrets = .redacted,
        redacting names: [String] = [],
        wallClock: @escaping @Sendable () -> Int64
    ) {
        self.limits = limits
        self.secrets = secrets == .shown ? nil : SecretNames(names)
        self.wallClock = wallClock
    }

    // MARK: - Reading

    /// The number of entries that were removed to make room for newer ones.
    public var dropped: Int { record.withLock(\.dropped) }

    /// The recorded entries as the value of a HAR file.
    ///
    /// Entries are in the order in which the recorder received them.
    public var archive: HTTPJSON {
        let (entries, dropped) = record.withLock { ($0.entries, $0.dropped) }
        var log: [HTTPJSON.Member] = [
            .init("version", "1.2"),
            .init("creator", ["name": "HTTPClient", "version": "1"]),
            .init("entries", .array(entries.map { $0.json(hiding: secrets) })),
        ]
        if dropped > 0 {
            log.append(.init("comment", "truncated: \(dropped) older entries were removed"))
        }
        return ["log": .object(log)]
    }

    /// Returns the recorded entries as the bytes of a HAR file.
    public func encoded() -> [UInt8] { HTTPBody.json(archive).bytes }

    /// Removes all recorded entries and resets ``dropped``.
    public func clear() {
        record.withLock { record in
            record.entries = []
            record.keptBytes = 0
            record.dropped = 0
            for id in record.open.keys { record.open[id]?.streamedEntry = nil }
        }
    }

    // MARK: - Recording

    /// Records a step.
    public func observe(_ step: HTTPStep, _ context: HTTPContext) {
        let id = context.callID
        switch step {
        case .began, .queued, .dequeued, .entered, .challenged, .informational, .redirected,
            .retrying:
            break
        // The archive format has no entry for a stream of bytes.
        case .upgraded: record.withLock { $0.open[id] = nil }
        case .prepared(let request):
            record.withLock { $0.open[id, default: Record.Open()].request = request }
        case .sending(let head):
            let now = wallClock()
            record.withLock { record in
                record.open[id]?.head = head
                if record.open[id]?.start == nil { record.open[id]?.start = now }
            }
        case .received(let response):
            take(Record.Outcome(response, atMost: limits.maxBodyBytes), of: id)
        case .failed(let error): take(Record.Outcome(error, atMost: limits.maxBodyBytes), of: id)
        case .ended(.success(let response)) where response.isStreamed: break
        case .ended(.success): record.withLock { $0.open[id] = nil }
        case .ended(.failure(let error)):
            // Completes the entry of a response whose body the client could not write to a file.
            record.withLock { $0.end(id, error.metrics, error) }
        case .streamed(let metrics, let error):
            record.withLock { $0.end(id, metrics, error) }
        }
    }

    private func take(_ outcome: Record.Outcome, of id: UInt64) {
        let now = wallClock()
        record.withLock { $0.take(outcome, of: id, at: now, limits) }
    }
}

extension HTTPArchiveRecorder.Record {
    /// The result of one exchange.
    fileprivate struct Outcome {
        let metrics: HTTPMetrics
        let head: ResponseHead?
        let body: ArchiveEntry.Content
        var error: String?
        var isStreamed = false
        /// The part of the client's cache, with the method and the URL of a response that was not received now.
        var cacheStatus: HTTPResponse.CacheStatus?
        var stored: (method: HTTPMethod, url: URI)?

        init(_ response: HTTPResponse, atMost limit: Int) {
            metrics = response.metrics
            head = response.head
            isStreamed = response.isStreamed
            cacheStatus = response.cacheStatus
            if cacheStatus?.isAnswerOfCache == true {
                stored = (response.method, response.url)
            }
            body =
                response.isStreamed
                ? ArchiveEntry.Content(length: nil)
                : ArchiveEntry.Content(response.body, atMost: limit)
        }

        init(_ failure: HTTPError, atMost limit: Int) {
            metrics = failure.metrics
            head = failure.head
            body = ArchiveEntry.Content(failure.partialBody, atMost: limit)
            error = failure.kind.publicText
        }
    }

    /// Adds the attempts of one exchange; the response belongs to the last attempt.
    ///
    /// - Parameters:
    ///   - outcome: the result of the exchange.
    ///   - id: the ID of the call.
    ///   - now: the start of a call that was never sent.
    ///   - limits: the limits of what is kept.
    fileprivate mutating func take(
        _ outcome: Outcome,
        of id: UInt64,
        at now: Int64,
        _ limits: HTTPArchiveRecorder.Limits
    ) {
        if let stored = outcome.stored {
            return add(stored.method, stored.url, outcome, of: id, at: now, limits)
        }
        guard let call = open[id], let request = call.request else { return }
        open[id]?.head = nil
        let sentBody: ArchiveEntry.Content
        if request.body.isProducedWhileSent {
            sentBody = ArchiveEntry.Content(length: nil)
        } else {
            sentBody = ArchiveEntry.Content(request.body.bytes, atMost: limits.maxBodyBytes)
        }
        // A request that cannot be sent has no attempt, but it still becomes an entry.
        let attempts = outcome.metrics.latestExchange.map { Optional($0) }
        let made = attempts.isEmpty ? [nil] : attempts
        for (place, attempt) in made.enumerated() {
            let isLast = place == made.count - 1
            let entry = ArchiveEntry(
                callID: id,
                callStart: call.start ?? now,
                method: request.method.rawValue,
                url: request.uri,
                urlText: request.url,
                sent: call.head,
                sentBody: sentBody,
                received: isLast ? outcome.head : nil,
                receivedBody: isLast ? outcome.body : ArchiveEntry.Content([], atMost: 0),
                isStreamed: isLast && outcome.isStreamed,
                attempt: attempt,
                cacheStatus: isLast ? outcome.cacheStatus : nil,
                error: isLast ? outcome.error : attempt?.failureDescription
            )
            entries.append(entry)
            keptBytes += entry.keptBytes
        }
        makeRoom(limits)
        open[id]?.streamedEntry = outcome.isStreamed ? dropped + entries.count - 1 : nil
    }

    /// Adds a stored response.
    private mutating func add(
        _ method: HTTPMethod,
        _ url: URI,
        _ outcome: Outcome,
        of id: UInt64,
        at now: Int64,
        _ limits: HTTPArchiveRecorder.Limits
    ) {
        let entry = ArchiveEntry(
            callID: id,
            callStart: now,
            method: method.rawValue,
            url: url,
            urlText: url.text,
            sent: nil,
            sentBody: ArchiveEntry.Content([], atMost: 0),
            received: outcome.head,
            receivedBody: outcome.body,
            isStreamed: outcome.isStreamed,
            cacheStatus: outcome.cacheStatus
        )
        entries.append(entry)
        keptBytes += entry.keptBytes
        makeRoom(limits)
    }

    private mutating func makeRoom(_ limits: HTTPArchiveRecorder.Limits) {
        var count = 0
        while count < entries.count,
            entries.count - count > max(limits.maxEntries, 0)
                || keptBytes > max(limits.maxTotalBodyBytes, 0)
        {
            keptBytes -= entries[count].keptBytes
            count += 1
        }
        entries.removeFirst(count)
        dropped += count
    }

    /// Completes the entry of a streamed response.
    fileprivate mutating func end(_ id: UInt64, _ metrics: HTTPMetrics, _ error: HTTPError?) {
        let number = open[id]?.streamedEntry
        open[id] = nil
        guard let number, entries.indices.contains(number - dropped) else { return }
        if let attempt = metrics.attempts.last { entries[number - dropped].attempt = attempt }
        entries[number - dropped].error = error?.kind.publicText
    }
}

extension HTTPMetrics.Attempt {
    /// The reason why another attempt followed.
    fileprivate var failureDescription: String? {
        switch outcome {
        case .challenged: "the proxy required credentials"
        default: outcome.kind?.publicText
        }
    }
}
