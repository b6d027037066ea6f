public import SocketTransport

// To add a metric, add the property and its name in JSON here. It is set where the value is known: in `Engine` and
// `RequestAttempt`, in `ClientConnection` and its extensions for bytes and times of the exchange, in `Dialer` for a new
// connection, and in `StreamingBody` and `TransformedBody` for a body that the caller reads. `HTTPMetrics` repeats a
// value of the last attempt. The tests are `TimelineTests`, and `WaterfallTests` for the JSON.

extension HTTPMetrics {
    /// The metrics of one attempt of a call: one request on one connection, and its outcome.
    ///
    /// Times are measured from the start of the call, not of the attempt; nil means that the step
    /// did not happen. ``interval(of:)`` converts them to the intervals of a waterfall chart. They
    /// correspond to other formats as follows:
    ///
    /// | here | HAR 1.2 | Resource Timing |
    /// |---|---|---|
    /// | interval of `queue` | `blocked` | before `domainLookupStart` |
    /// | interval of `resolve` | `dns` | `domainLookupStart` to `domainLookupEnd` |
    /// | interval of `connect` and `proxyHandshake` | `connect`, without `ssl` | `connectStart` on |
    /// | interval of `tlsHandshake` | `ssl` | `secureConnectionStart` to `connectEnd` |
    /// | `leased` to `sent` | `send` | from `requestStart` |
    /// | `sent` to `firstByte` | `wait` | to `responseStart` |
    /// | `firstByte` to `ended` | `receive` | `responseStart` to `responseEnd` |
    ///
    /// ## Topics
    /// ### Reason and outcome
    /// - ``reason``
    /// - ``outcome``
    /// - ``hasResponseBegun``
    /// - ``interval(of:)``
    /// - ``connectAttempts``
    public struct Attempt: Sendable, Hashable {
        /// The reason for an attempt.
        @nonexhaustive public enum Reason: Sendable, Hashable {
            /// It is the first attempt of the call.
            case first
            /// The previous attempt lost a reused connection before any part of a response arrived
            /// (RFC 9112 §9.3.1).
            case lostConnection
            /// A forwarding proxy requested credentials (407).
            case proxyChallenge
            /// The previous response redirected to another URL (RFC 9110 §15.4).
            case redirect
            /// The server requested credentials (401).
            case challenge
            /// The server did not support the Expect field (417); the request is sent without it (RFC 9110 §10.1.1).
            case expectationFailed
            /// The connection was not the right one for the request (421); a new one is used (RFC 9110 §15.5.20).
            case misdirected
            /// The server did not risk that the request was a replay (425; RFC 8470 §5.2).
            case tooEarly
            /// A validator or an interceptor requested a retry.
            case retry
            /// A download requested another part of its file, or the whole file instead of parts; see
            /// ``HTTPDownloadOptions/Segments``.
            case segment
        }

        /// The outcome of an attempt.
        @nonexhaustive public enum Outcome: Sendable, Hashable {
            /// The attempt has not ended: the body has not been read to its end, or was dropped.
            case inProgress
            /// The whole response was received.
            case complete
            /// The reused connection was lost before the response began; another attempt followed.
            ///
            /// ``Attempt/bytesSent``, ``Attempt/hasResponseBegun``, ``Attempt/isReused`` and the
            /// error show why the request could be sent again.
            case lost(HTTPError.Kind)
            /// A proxy requested credentials; another attempt sent them.
            case challenged
            /// The attempt failed with this error in this phase.
            case failed(HTTPError.Kind, in: HTTPPhase)
            /// The connection was upgraded to another protocol.
            case upgraded
        }

        /// The cases of ``Outcome`` without their rare associated values.
        package enum Ending: Sendable, Hashable {
            case inProgress
            case complete
            case challenged
            case upgraded
            /// The associated values are in the details.
            case lost
            /// The associated values are in the details.
            case failed
        }

        /// Data that most attempts do not have.
        package final class Details: Sendable, Hashable {
            package let attempts: [ConnectAttempt]
            package let kind: HTTPError.Kind?
            package let phase: HTTPPhase
            package let deviations: [HTTPResponse.Deviation]

            package init(
                _ attempts: [ConnectAttempt],
                _ kind: HTTPError.Kind?,
                _ phase: HTTPPhase,
                _ deviations: [HTTPResponse.Deviation]
            ) {
                self.attempts = attempts
                self.kind = kind
                self.phase = phase
                self.deviations = deviations
            }

            package static func == (left: Details, right: Details) -> Bool {
                left.attempts == right.attempts && left.kind == right.kind
                    && left.phase == right.phase
                    && left.deviations == right.deviations
            }

            package func hash(into hasher: inout Hasher) {
                hasher.combine(attempts)
                hasher.combine(kind)
            }
        }

        /// The reason for the attempt.
        public package(set) var reason = Reason.first
        /// The connection's number in its client; 0 if none was acquired.
        public package(set) var connectionID: UInt64 = 0
        /// The number of exchanges that the connection had carried before this one.
        public package(set) var priorUses: Int = 0
        /// The number of bytes of head and body that were sent.
        public package(set) var bytesSent = 0
        /// The number of bytes of the request head that were sent.
        public var headBytesSent: Int { min(bytesSent, headLength) }
        /// The number of bytes of the request body that were sent, including chunked framing.
        public var bodyBytesSent: Int { bytesSent - headBytesSent }
        /// The number of bytes of heads, framing and encoded body that were received.
        public package(set) var bytesReceived = 0
        /// The number of bytes of complete heads that were received, including interim responses.
        public package(set) var headBytesReceived = 0
        /// The number of body bytes received, without chunked framing and before content decoding.
        public package(set) var bodyBytesReceived = 0
        /// The number of body bytes delivered, after content decoding.
        public package(set) var bodyBytesDecoded = 0
        /// The TLS session of the connection; nil for plain http.
        ///
        /// After a failed handshake, it has the values negotiated so far.
        public package(set) var tls: TLSSessionInfo?

        /// The number of bytes that had arrived when the first byte was noticed.
        private var firstRead = 0
        /// The size of the request head in bytes.
        package var headLength = 0
        package var ending = Ending.inProgress
        package var details: Details?
        /// The start of the call.
        package var startMark = Deadline.never
        package var beginMark = Deadline.never
        package var dequeuedMark = Deadline.never
        package var resolvedMark = Deadline.never
        package var connectMark = Deadline.never
        package var connectedMark = Deadline.never
        package var tunneledMark = Deadline.never
        package var securedMark = Deadline.never
        package var leasedMark = Deadline.never
        /// Set only if the body was sent separately from the head.
        package var headSentMark = Deadline.never
        package var sentMark = Deadline.never
        package var firstByteMark = Deadline.never
        var headMark = Deadline.never
        package var endMark = Deadline.never
        package var peer: SocketAddress?
        package var local: SocketAddress?

        package init() {}

        package init(_ reason: Reason, at now: Deadline, in start: Deadline) {
            self.reason = reason
            startMark = start
            beginMark = now
        }

        package var hasBegun: Bool { beginMark != .never }

        /// The outcome of the attempt.
        public var outcome: Outcome {
            switch ending {
            case .inProgress: return .inProgress
            case .complete: return .complete
            case .challenged: return .challenged
            case .upgraded: return .upgraded
            case .lost, .failed:
                guard let details, let kind = details.kind else { return .inProgress }
                return ending == .lost ? .lost(kind) : .failed(kind, in: details.phase)
            }
        }

        /// Whether the connection had carried an exchange before.
        public var isReused: Bool { priorUses > 0 }
        /// Whether any byte of a response arrived, including interim responses.
        public var hasResponseBegun: Bool { firstByteMark != .never }
        /// The peer's address without the port.
        public var remoteAddress: String? { peer?.host.description }
        /// The peer's port.
        public var remotePort: Int? { (peer?.port).map { Int($0) } }
        /// The local address without the port.
        public var localAddress: String? { local?.host.description }
        /// The local port.
        public var localPort: Int? { (local?.port).map { Int($0) } }

        /// The time until the attempt began; zero for the first.
        public var began: Duration { elapsed(beginMark) ?? .zero }
        /// The time until a place in the pool was free; nil if the attempt did not wait.
        public var dequeued: Duration? { elapsed(dequeuedMark) }
        /// The time until the name was resolved.
        public var resolved: Duration? { elapsed(resolvedMark) }
        /// The time until TCP was connected.
        public var connected: Duration? { elapsed(connectedMark) }
        /// The time until a proxy had opened a tunnel to the origin; the peer's address is then the
        /// proxy's.
        public var tunneled: Duration? { elapsed(tunneledMark) }
        /// The time until TLS was established.
        public var secured: Duration? { elapsed(securedMark) }
        /// The time until a connection was acquired.
        public var leased: Duration? { elapsed(leasedMark) }
        /// The time until the head was sent; a small body is sent with it.
        public var headSent: Duration? { elapsed(headSentMark) ?? sent }
        /// The time until the request was sent; nil if the response came first.
        public var sent: Duration? { elapsed(sentMark) }
        /// The time until the first byte of the response.
        public var firstByte: Duration? { elapsed(firstByteMark) }
        /// The time until the head of the response was complete.
        public var headReceived: Duration? { elapsed(headMark) }
        /// The time until the end of the body, or until the attempt failed.
        public var ended: Duration? { elapsed(endMark) }

        package func elapsed(_ mark: Deadline) -> Duration? {
            guard mark != .never, startMark != .never else { return nil }
            return .nanoseconds(mark.nanoseconds - startMark.nanoseconds)
        }

        /// Records that bytes have arrived.
        package mutating func recordReceived(_ bytes: Int) {
            if firstByteMark == .never {
                firstByteMark = .now()
                firstRead = bytes
            }
            bytesReceived += bytes
        }

        /// Records that the head is complete; usually it arrives with the first byte.
        package mutating func recordHead() {
            headMark = bytesReceived == firstRead ? firstByteMark : .now()
        }
    }
}

// MARK: - Intervals

extension HTTPMetrics.Attempt {
    /// Returns the interval in which the attempt was in a phase.
    ///
    /// The phase in which the attempt failed ends with it. ``HTTPPhase/establish`` lasts from the
    /// end of queueing until a connection was acquired, ``HTTPPhase/total`` the whole attempt.
    ///
    /// - Returns: the interval, measured from the start of the call. It is nil for a phase that did
    ///   not happen, and for phases that are not part of an attempt.
    public func interval(of phase: HTTPPhase) -> Range<Duration>? {
        let unqueued = dequeuedMark == .never ? beginMark : dequeuedMark
        let way = tunneledMark == .never ? connectedMark : tunneledMark
        let headOut = headSentMark == .never ? sentMark : headSentMark
        switch phase {
        case .queue: return range(beginMark, dequeuedMark, phase)
        case .resolve: return range(unqueued, resolvedMark, phase)
        case .connect: return range(connectMark, connectedMark, phase)
        case .proxyHandshake: return range(connectedMark, tunneledMark, phase)
        case .tlsHandshake: return range(way, securedMark, phase)
        case .establish: return connectMark == .never ? nil : range(unqueued, leasedMark, phase)
        case .sending: return range(leasedMark, headOut, phase)
        case .sendingBody: return range(headSentMark, sentMark, phase)
        case .responseHead: return range(sentMark, headMark, phase)
        case .body: return range(headMark, endMark, phase)
        case .total: return range(beginMark, endMark, phase)
        default: return nil
        }
    }

    private func range(
        _ start: Deadline,
        _ end: Deadline,
        _ phase: HTTPPhase
    ) -> Range<Duration>? {
        let isLast = ending == .failed || ending == .lost
        let end = end == .never && isLast && details?.phase == phase ? endMark : end
        guard let from = elapsed(start), let to = elapsed(end) else { return nil }
        return from..<max(from, to)
    }
}

// MARK: - JSON

extension HTTPMetrics.Attempt {
    /// The metrics as an object of ``HTTPMetrics/json``.
    package var json: HTTPJSON {
        .object(identity + marks + counts + [.init("connectAttempts", .array(attempts))])
    }

    private var identity: [HTTPJSON.Member] {
        var phase: HTTPJSON = .null
        if case .failed(_, let found) = outcome { phase = .string("\(found)") }
        return [
            .init("reason", .string(reason.name)),
            .init("outcome", .string(outcome.word)),
            .init("error", HTTPJSON(outcome.kind.map { $0.publicReason ?? $0.label })),
            .init("phase", phase),
            .init("connectionID", .unsigned(UInt(connectionID))),
            .init("priorUses", .integer(priorUses)),
            .init("remoteAddress", HTTPJSON(remoteAddress)),
            .init("remotePort", HTTPJSON(remotePort.map { Int($0) })),
            .init("localAddress", HTTPJSON(localAddress)),
            .init("localPort", HTTPJSON(localPort.map { Int($0) })),
            .init("tls", tls.map(Self.json) ?? .null),
        ]
    }

    private var marks: [HTTPJSON.Member] {
        let marks: [(String, Duration?)] = [
            ("began", began), ("dequeued", dequeued), ("resolved", resolved),
            ("connected", connected), ("tunneled", tunneled), ("secured", secured),
            ("leased", leased), ("headSent", headSent), ("sent", sent), ("firstByte", firstByte),
            ("headReceived", headReceived), ("ended", ended),
        ]
        return marks.map { .init($0.0, .milliseconds($0.1)) }
    }

    private var counts: [HTTPJSON.Member] {
        let counts = [
            ("bytesSent", bytesSent), ("headBytesSent", headBytesSent),
            ("bodyBytesSent", bodyBytesSent), ("bytesReceived", bytesReceived),
            ("headBytesReceived", headBytesReceived), ("bodyBytesReceived", bodyBytesReceived),
            ("bodyBytesDecoded", bodyBytesDecoded),
        ]
        return counts.map { .init($0.0, .integer($0.1)) }
    }

    private var attempts: [HTTPJSON] {
        connectAttempts.map { entry in
            let outcome: (String, HTTPJSON) =
                switch entry.outcome {
                case .connected: ("connected", .null)
                case .failed(let failure): ("failed", .string(failure.reason))
                case .abandoned: ("abandoned", .null)
                }
            return [
                "address": .string(entry.address), "start": .milliseconds(entry.start),
                "end": .milliseconds(entry.end), "outcome": .string(outcome.0),
                "reason": outcome.1,
            ]
        }
    }

    private static func json(_ tls: TLSSessionInfo) -> HTTPJSON {
        [
            "version": HTTPJSON(tls.version?.name), "cipher": .string(tls.cipher),
            "applicationProtocol": HTTPJSON(tls.applicationProtocol),
            "serverName": HTTPJSON(tls.serverName), "isResumed": .bool(tls.isResumed),
            "isVerified": .bool(tls.isVerified),
        ]
    }
}

extension HTTPMetrics.Attempt.Outcome {
    /// The name of the case, without associated values.
    fileprivate var word: String {
        switch self {
        case .lost: "lost"
        case .failed: "failed"
        default: name
        }
    }
}

extension HTTPJSON {
    /// A time in milliseconds; null for none.
    package static func milliseconds(_ time: Duration?) -> HTTPJSON {
        HTTPJSON(time.map { Double($0.wholeNanoseconds) / 1e6 })
    }
}

// MARK: - Recording

extension HTTPMetrics.Attempt {
    /// All addresses that were tried, in order; empty if the connection was already open.
    ///
    /// With a proxy, they are the proxy's addresses.
    public var connectAttempts: [HTTPMetrics.ConnectAttempt] {
        if let details, !details.attempts.isEmpty { return details.attempts }
        return onlyAttempt.map { [$0] } ?? []
    }

    /// The single connect attempt of most attempts, derived from the recorded times.
    private var onlyAttempt: HTTPMetrics.ConnectAttempt? {
        guard let start = elapsed(connectMark), let end = elapsed(connectedMark) else { return nil }
        return HTTPMetrics.ConnectAttempt(
            address: peer?.description ?? "unix",
            start: start,
            end: end,
            outcome: .connected
        )
    }

    /// Records the results of connecting; a single success needs no extra memory.
    package mutating func record(_ attempts: [ConnectAttempt]) {
        let before = connectAttempts
        if let won = attempts.first(where: { $0.outcome == .connected }) {
            connectedMark = won.end
            peer = won.address
        }
        guard let first = attempts.min(by: { $0.start < $1.start }) else { return }
        if connectMark == .never { connectMark = first.start }
        guard before.count + attempts.count > 1 || first.outcome != .connected else { return }
        let new = attempts.sorted { $0.start < $1.start }.map { entry in
            HTTPMetrics.ConnectAttempt(entry, from: startMark)
        }
        details = Details(before + new, details?.kind, details?.phase ?? .connect, deviations)
    }

    /// Records a connect failure without a socket address, as with a Unix domain socket.
    package mutating func record(
        _ failure: HTTPError.FailedAddress,
        since start: Deadline,
        at now: Deadline
    ) {
        if connectMark == .never { connectMark = start }
        guard let from = elapsed(start), let to = elapsed(now) else { return }
        let entry = HTTPMetrics.ConnectAttempt(
            address: failure.address,
            start: from,
            end: to,
            outcome: .failed(failure)
        )
        details = Details(
            connectAttempts + [entry],
            details?.kind,
            details?.phase ?? .connect,
            deviations
        )
    }

    /// Records the error that ended the attempt.
    package mutating func fail(_ kind: HTTPError.Kind, in phase: HTTPPhase, at now: Deadline) {
        endMark = now
        ending = .failed
        details = Details(details?.attempts ?? [], kind, phase, deviations)
    }

    /// Appends accepted deviations.
    package mutating func record(_ deviations: [HTTPResponse.Deviation]) {
        details = Details(
            details?.attempts ?? [],
            details?.kind,
            details?.phase ?? .connect,
            self.deviations + deviations
        )
    }

    /// The deviations from RFC 9110 and RFC 9112 that were accepted in the received data.
    public var deviations: [HTTPResponse.Deviation] { details?.deviations ?? [] }
}

extension HTTPMetrics {
    /// The result of trying one address (RFC 8305 §5).
    public struct ConnectAttempt: Sendable, Hashable {
        /// The outcome of a connect attempt.
        @nonexhaustive public enum Outcome: Sendable, Hashable {
            /// The connection was established and used.
            case connected
            /// The attempt failed, or the connect timeout expired.
            case failed(HTTPError.FailedAddress)
            /// Another address was connected first, or the call was canceled.
            case abandoned
        }

        /// The address and port, such as `127.0.0.1:80`.
        ///
        /// For a Unix domain socket it is `unix`, or the socket's name if the attempt failed.
        public let address: String
        /// The time from the start of the call until the attempt began.
        public let start: Duration
        /// The time from the start of the call until the attempt ended.
        public let end: Duration
        /// The outcome of the attempt.
        public let outcome: Outcome

        package init(address: String, start: Duration, end: Duration, outcome: Outcome) {
            self.address = address
            self.start = start
            self.end = end
            self.outcome = outcome
        }

        package init(_ entry: SocketTransport.ConnectAttempt, from callStart: Deadline) {
            address = entry.address.description
            start = .nanoseconds(entry.start.nanoseconds - callStart.nanoseconds)
            end = .nanoseconds(entry.end.nanoseconds - callStart.nanoseconds)
            switch entry.outcome {
            case .connected: outcome = .connected
            case .failed(let errno, _):
                outcome = .failed(HTTPError.FailedAddress(errno, at: entry.address.description))
            case .abandoned: outcome = .abandoned
            }
        }
    }
}
