public import SocketTransport

/// The metrics of a call: the times of its steps, byte counts and connections.
///
/// A call has one attempt, plus another for each time the request was sent again. The values are
/// those of the last attempt unless stated otherwise; ``attempts`` has all of them.
///
/// Times are durations of the monotonic clock since the start of the call. A time is nil if the
/// step did not happen, such as resolving a name for an open connection. Byte counts are measured
/// above TLS, and exclude the exchange with a proxy that opens a tunnel.
///
/// Metrics are always collected. They are stored inline in the response and allocate memory only
/// for unusual events, such as a second attempt.
///
/// ## Topics
/// ### The whole call
/// - ``attempts``
/// - ``replays``
/// - ``total``
/// - ``bytesSent``
/// - ``bytesReceived``
public struct HTTPMetrics: Sendable, Hashable {
    /// What few calls have: attempts before the last one, and the part of the cache.
    package final class Extras: Sendable, Hashable {
        package let attempts: [Attempt]
        fileprivate let cacheStatus: HTTPResponse.CacheStatus?

        package init(_ attempts: [Attempt], _ cacheStatus: HTTPResponse.CacheStatus? = nil) {
            self.attempts = attempts
            self.cacheStatus = cacheStatus
        }

        package static func == (left: Extras, right: Extras) -> Bool {
            left.attempts == right.attempts && left.cacheStatus == right.cacheStatus
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(attempts)
        }
    }

    private var last: Attempt
    // A variable would cost each response a copy of its metrics.
    private let extras: Extras?

    package init(_ last: Attempt = Attempt(), with extras: Extras? = nil) {
        self.last = last
        self.extras = extras
    }

    /// Returns the metrics of a call that made more attempts, some of them at the same time.
    ///
    /// The attempts are in the order in which they began, except that the one that ended last is the last.
    ///
    /// - Parameter others: attempts of this call, whose times are measured from another start.
    /// - Returns: the metrics of all attempts, measured from the start of the call.
    package func merging(_ others: [Attempt]) -> HTTPMetrics {
        guard !others.isEmpty, let start = attempts.first?.startMark else { return self }
        var all =
            attempts
            + others.map { other in
                var other = other
                other.startMark = start
                return other
            }
        all.sort { $0.beginMark < $1.beginMark }
        let ended = all.indices.filter { all[$0].endMark != .never }
        let index = ended.max { all[$0].endMark < all[$1].endMark }
        let last = all.remove(at: index ?? all.count - 1)
        return HTTPMetrics(last, with: Extras(all))
    }

    /// Records that the response of the last attempt was a proxy's challenge, which another attempt answers.
    package mutating func recordProxyChallenge() {
        last.ending = .challenged
    }

    /// Records the number of bytes that a stage after the connection decoded.
    package mutating func recordDecodedBytes(_ count: Int) {
        last.bodyBytesDecoded = count
    }

    // MARK: - The whole call

    /// The part that the client's cache had in the last response; nil for a client without a cache.
    public package(set) var cacheStatus: HTTPResponse.CacheStatus? {
        get { extras?.cacheStatus }
        set {
            self = HTTPMetrics(last, with: Extras(extras?.attempts ?? [], newValue))
        }
    }

    /// All attempts, in order.
    ///
    /// Empty if nothing was attempted, for example because the request was invalid.
    public var attempts: [Attempt] {
        guard last.hasBegun else { return [] }
        return (extras?.attempts ?? []) + [last]
    }

    /// The number of times the request was sent again on a new connection because a reused one was
    /// lost.
    ///
    /// The connection was lost before any byte of the response arrived. The metrics of the
    /// preceding attempt show the details; see ``Attempt/Outcome/lost(_:)``.
    public var replays: Int {
        guard let extras else { return 0 }
        let isLast = last.reason == .lostConnection ? 1 : 0
        return isLast + extras.attempts.count { $0.reason == .lostConnection }
    }

    /// The time until the end of the body, or until the call failed.
    public var total: Duration? { last.ended }

    /// The number of bytes of head and body that were sent, in all attempts.
    public var bytesSent: Int { sum(\.bytesSent) }
    /// The number of bytes of heads, framing and encoded body that were received, in all attempts.
    public var bytesReceived: Int { sum(\.bytesReceived) }

    private func sum(_ bytes: (Attempt) -> Int) -> Int {
        guard let extras else { return bytes(last) }
        return extras.attempts.reduce(bytes(last)) { $0 + bytes($1) }
    }

    // MARK: - The last attempt

    /// The number of body bytes received, without chunked framing and before content decoding.
    public var bodyBytesReceived: Int { last.bodyBytesReceived }
    /// The number of body bytes delivered, after content decoding.
    public var bodyBytesDecoded: Int { last.bodyBytesDecoded }
    /// The connection's number in its client; 0 if none was acquired.
    public var connectionID: UInt64 { last.connectionID }
    /// The number of exchanges that the connection had carried before this one.
    public var priorUses: Int { last.priorUses }
    /// Whether the connection had carried an exchange before.
    public var isReused: Bool { last.isReused }
    /// The TLS session of the connection; nil for plain http.
    ///
    /// After a failed handshake, it has the values negotiated so far.
    public var tls: TLSSessionInfo? { last.tls }
    /// The peer's address without the port.
    public var remoteAddress: String? { last.remoteAddress }
    /// The peer's port.
    public var remotePort: Int? { last.remotePort }
    /// The local address without the port.
    public var localAddress: String? { last.localAddress }
    /// The local port.
    public var localPort: Int? { last.localPort }

    /// The time until the name was resolved.
    public var resolved: Duration? { last.resolved }
    /// The time until TCP was connected.
    public var connected: Duration? { last.connected }
    /// The time until a proxy had opened a tunnel to the origin; the peer's address is then the
    /// proxy's.
    public var tunneled: Duration? { last.tunneled }
    /// The time until TLS was established.
    public var secured: Duration? { last.secured }
    /// The deviations from RFC 9110 and RFC 9112 that were accepted in the response.
    public var deviations: [HTTPResponse.Deviation] { last.deviations }

    /// The time until a connection was acquired.
    public var leased: Duration? { last.leased }
    /// The time until the request was sent.
    public var sent: Duration? { last.sent }
    /// The time until the first byte of the response.
    public var firstByte: Duration? { last.firstByte }
    /// The time until the head of the response was complete.
    public var headReceived: Duration? { last.headReceived }
}

extension HTTPMetrics {
    /// All metrics as JSON.
    ///
    /// It is an object with `total`, `bytesSent`, `bytesReceived`, `replays`, `attempts` and `cacheStatus`. The
    /// members of the attempts have the names of those of ``Attempt``. Times are milliseconds since
    /// the start of the call, with nanosecond precision. Null means that a step did not happen.
    ///
    /// `error` is the error of a failed attempt, and `phase` its phase. For failures of custom
    /// code, `error` is the ``HTTPError/Kind/label``. The JSON contains no secrets: it has
    /// addresses, but neither URLs nor header fields.
    public var json: HTTPJSON {
        [
            "total": .milliseconds(total), "bytesSent": .integer(bytesSent),
            "bytesReceived": .integer(bytesReceived), "replays": .integer(replays),
            "attempts": .array(attempts.map(\.json)),
            "cacheStatus": HTTPJSON(cacheStatus?.description),
        ]
    }
}
