internal import SocketTransport

/// Tells when each step of a call ended and what it ran on.
///
/// A call has one attempt, and another one whenever the request had to be sent again. The facts here
/// are those of the last attempt, unless they say otherwise; ``attempts`` has them all.
///
/// Marks are durations of the monotonic clock from the start of the call on; nil means that the step
/// did not happen, such as resolving a name for a connection that was open already. Bytes are
/// counted above TLS, and what is spoken with a proxy before it opens a tunnel is not counted.
///
/// Always collected, and kept beside the response without memory of its own: only what is unusual,
/// such as a second attempt, takes some.
///
/// ## Topics
/// ### The whole call
/// - ``attempts``
/// - ``replays``
/// - ``total``
/// - ``bytesSent``
/// - ``bytesReceived``
public struct HTTPMetrics: Sendable, Hashable {
    /// Keeps the attempts before the last one.
    final class EarlierAttempts: Sendable, Hashable {
        let attempts: [Attempt]

        init(_ attempts: [Attempt]) {
            self.attempts = attempts
        }

        static func == (left: EarlierAttempts, right: EarlierAttempts) -> Bool {
            left.attempts == right.attempts
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(attempts)
        }
    }

    private let last: Attempt
    private let earlier: EarlierAttempts?

    init(_ last: Attempt = Attempt(), after earlier: EarlierAttempts? = nil) {
        self.last = last
        self.earlier = earlier
    }

    // MARK: - The whole call

    /// Every attempt, in order.
    ///
    /// Empty when nothing was attempted, as with a request that cannot be sent.
    public var attempts: [Attempt] {
        guard last.hasBegun else { return [] }
        return (earlier?.attempts ?? []) + [last]
    }

    /// How often the request was sent again on a fresh connection, because a reused one turned out
    /// to be closed before a single byte of response.
    ///
    /// The attempt before tells what is known of that: see ``Attempt/Outcome/lost(_:)``.
    public var replays: Int {
        guard let earlier else { return 0 }
        let isLast = last.reason == .lostConnection ? 1 : 0
        return isLast + earlier.attempts.count { $0.reason == .lostConnection }
    }

    /// Until the end of the body, or until the call failed.
    public var total: Duration? { last.ended }

    /// Bytes of head and body that were sent, in all attempts.
    public var bytesSent: Int { sum(\.bytesSent) }
    /// Bytes of heads, framing and coded body that were received, in all attempts.
    public var bytesReceived: Int { sum(\.bytesReceived) }

    private func sum(_ bytes: (Attempt) -> Int) -> Int {
        guard let earlier else { return bytes(last) }
        return earlier.attempts.reduce(bytes(last)) { $0 + bytes($1) }
    }

    // MARK: - The last attempt

    /// Bytes of the body as the peer framed it, before content decoding.
    public var bodyBytesReceived: Int { last.bodyBytesReceived }
    /// Bytes of the body that were delivered, after content decoding.
    public var bodyBytesDecoded: Int { last.bodyBytesDecoded }
    /// Identifies the connection within its client; 0 when none was leased.
    public var connectionID: UInt64 { last.connectionID }
    /// How many exchanges the connection had carried before this one.
    public var priorUses: Int { last.priorUses }
    /// Whether the connection had carried an exchange before.
    public var isReused: Bool { last.isReused }
    /// What the TLS handshake of the connection settled; nil for plain http.
    ///
    /// Of a handshake that failed it tells how far that came.
    public var tls: TLSSessionInfo? { last.tls }
    /// The peer's address without the port.
    public var remoteAddress: String? { last.remoteAddress }
    /// The peer's port.
    public var remotePort: Int? { last.remotePort }
    /// Our address without the port.
    public var localAddress: String? { last.localAddress }
    /// Our port.
    public var localPort: Int? { last.localPort }

    /// Until the name was resolved.
    public var resolved: Duration? { last.resolved }
    /// Until TCP was connected.
    public var connected: Duration? { last.connected }
    /// Until a proxy had opened a tunnel to the origin; the peer's address is the proxy's then.
    public var tunneled: Duration? { last.tunneled }
    /// Until TLS was established.
    public var secured: Duration? { last.secured }
    /// The deviations from RFC 9110 and RFC 9112 that were accepted in the response.
    public var deviations: [HTTPDeviation] { last.deviations }

    /// Until a connection was ours.
    public var leased: Duration? { last.leased }
    /// Until the request was sent.
    public var sent: Duration? { last.sent }
    /// Until the first byte of the response.
    public var firstByte: Duration? { last.firstByte }
    /// Until the head of the response was complete.
    public var headReceived: Duration? { last.headReceived }
}

extension HTTPMetrics {
    /// All that was measured, as JSON.
    ///
    /// An object with `total`, `bytesSent`, `bytesReceived`, `replays` and `attempts`, whose members are
    /// called as those of ``Attempt``. Times are milliseconds from the start of the call on, exact to the
    /// nanosecond; null stands for what did not happen. `error` is what an attempt failed with, `phase`
    /// when; of failures of your own code it is the ``HTTPError/Kind/label``. Nothing in it is secret: it
    /// has addresses, and neither URLs nor fields.
    public var json: HTTPJSON {
        [
            "total": milliseconds(total), "bytesSent": .bytes(bytesSent),
            "bytesReceived": .bytes(bytesReceived), "replays": .integer(replays),
            "attempts": .array(attempts.map(\.json)),
        ]
    }
}

extension HTTPMetrics.Attempt {
    fileprivate var json: HTTPJSON {
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
        return marks.map { .init($0.0, milliseconds($0.1)) }
    }

    private var counts: [HTTPJSON.Member] {
        let counts = [
            ("bytesSent", bytesSent), ("headBytesSent", headBytesSent),
            ("bodyBytesSent", bodyBytesSent), ("bytesReceived", bytesReceived),
            ("headBytesReceived", headBytesReceived), ("bodyBytesReceived", bodyBytesReceived),
            ("bodyBytesDecoded", bodyBytesDecoded),
        ]
        return counts.map { .init($0.0, .bytes($0.1)) }
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
                "address": .string(entry.address), "start": milliseconds(entry.start),
                "end": milliseconds(entry.end), "outcome": .string(outcome.0),
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
    /// The name of the case alone.
    fileprivate var word: String {
        switch self {
        case .lost: "lost"
        case .failed: "failed"
        default: name
        }
    }
}

extension HTTPJSON {
    fileprivate static func bytes(_ count: Int) -> HTTPJSON { .integer(count) }
}

private func milliseconds(_ time: Duration?) -> HTTPJSON {
    HTTPJSON(time.map { Double($0.wholeNanoseconds) / 1e6 })
}
