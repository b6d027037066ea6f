internal import SocketTransport

/// Adds up what happens: an observer for the figures of a program.
///
///     let counters = HTTPCounters()
///     let client = HTTPClient().with { $0.observers.append(counters) }
///     …
///     print(counters.snapshot.retries)
///
/// One may watch several clients. A step costs one lock and some additions.
public final class HTTPCounters: HTTPObserver {
    /// The figures at one moment.
    public struct Snapshot: Sendable, Hashable {
        /// Calls that began.
        public fileprivate(set) var calls = 0
        /// Calls that are not over; a streamed one is when its body is.
        public fileprivate(set) var activeCalls: Int = 0
        /// Requests that went out, or were to: also those that replaced a lost connection or answered a
        /// proxy.
        public fileprivate(set) var attempts = 0
        /// Attempts on a connection that had carried an exchange before.
        public fileprivate(set) var connectionReuses = 0
        /// Times that somebody had a request sent again.
        public fileprivate(set) var retries = 0
        /// Redirects that were followed.
        public fileprivate(set) var redirects = 0
        /// Calls that failed, by the name of the error's kind: `connectFailed`; of a time-out with its
        /// phase: `timedOut(connect)`.
        public fileprivate(set) var failures: [String: Int] = [:]
        /// Final responses of calls, by the hundreds of their status: 2 for 2xx.
        public fileprivate(set) var statuses: [Int: Int] = [:]
        /// Bytes of heads and bodies that were sent.
        public fileprivate(set) var bytesSent = 0
        /// Bytes of heads, framing and coded bodies that were received.
        public fileprivate(set) var bytesReceived = 0
        /// From the start of a call to the first byte of its last response.
        public fileprivate(set) var firstByte = HTTPHistogram()
        /// From the start of a call to its end; those that failed as well.
        public fileprivate(set) var total = HTTPHistogram()

        init() {}
    }

    private struct State {
        var snapshot = Snapshot()
        /// Bytes that were counted of streamed calls under way, which are more in the end.
        var streamed: [UInt64: Bytes] = [:]
    }

    private let state = Locked(State())

    /// Makes counters that stand at zero.
    public init() {}

    /// The figures of now, all of the same moment.
    public var snapshot: Snapshot { state.withLock(\.snapshot) }

    /// Counts a step.
    public func observe(_ step: HTTPStep, _ context: HTTPContext) {
        state.withLock { state in
            state.snapshot.take(step)
            let call = context.callID
            switch step {
            case .received(let response) where response.isStreamed:
                if state.streamed[call] == nil {
                    // Those before were counted when they failed, or with their responses.
                    let made = response.metrics.latestExchange
                    state.streamed[call] = Bytes(response.metrics.attempts[..<made.startIndex])
                }
                state.snapshot.take(Bytes(response.metrics), beyond: &state.streamed[call])
            case .failed(let error) where state.streamed[call] != nil:
                state.snapshot.take(Bytes(error.metrics), beyond: &state.streamed[call])
            case .received(let response):
                state.snapshot.take(Bytes(response.metrics.latestExchange))
            case .failed(let error): state.snapshot.take(Bytes(error.metrics.latestExchange))
            case .streamed(let metrics, _):
                state.snapshot.take(Bytes(metrics), beyond: &state.streamed[call])
                state.streamed[call] = nil
            case .ended(.success(let response)) where response.isStreamed: break
            case .ended(.success(let response)) where state.streamed[call] != nil:
                state.snapshot.take(Bytes(response.metrics), beyond: &state.streamed[call])
                state.streamed[call] = nil
            case .ended(.failure(let error)) where state.streamed[call] != nil:
                state.snapshot.take(Bytes(error.metrics), beyond: &state.streamed[call])
                state.streamed[call] = nil
            default: break
            }
        }
    }
}

/// How many went out and came in.
private struct Bytes {
    var sent = 0
    var received = 0

    init(_ attempts: some Sequence<HTTPMetrics.Attempt>) {
        for attempt in attempts {
            sent += attempt.bytesSent
            received += attempt.bytesReceived
        }
    }

    init(_ metrics: HTTPMetrics) { self.init(metrics.attempts) }
}

extension HTTPCounters.Snapshot {
    fileprivate mutating func take(_ step: HTTPStep) {
        switch step {
        case .began:
            calls += 1
            activeCalls += 1
        case .prepared, .sending: break
        case .received(let response): take(response.metrics)
        case .failed(let error): take(error.metrics)
        case .redirected: redirects += 1
        case .retrying: retries += 1
        case .ended(let result): end(result)
        case .streamed(let metrics, let error): end(metrics, error)
        }
    }

    /// Takes the attempts of one exchange.
    private mutating func take(_ metrics: HTTPMetrics) {
        let made = metrics.latestExchange
        attempts += made.count
        for attempt in made where attempt.isReused { connectionReuses += 1 }
    }

    fileprivate mutating func take(_ bytes: Bytes) {
        bytesSent += bytes.sent
        bytesReceived += bytes.received
    }

    /// Takes the bytes of a whole call that were not counted yet.
    fileprivate mutating func take(_ bytes: Bytes, beyond counted: inout Bytes?) {
        bytesSent += bytes.sent - min(counted?.sent ?? 0, bytes.sent)
        bytesReceived += bytes.received - min(counted?.received ?? 0, bytes.received)
        counted = bytes
    }

    private mutating func end(_ result: Result<HTTPResponse, HTTPError>) {
        switch result {
        case .success(let response):
            statuses[Int(response.status.code / 100), default: 0] += 1
            if !response.isStreamed { end(response.metrics, nil) }
        case .failure(let error): end(error.metrics, error)
        }
    }

    private mutating func end(_ metrics: HTTPMetrics, _ error: HTTPError?) {
        activeCalls -= 1
        if let error { failures[error.kind.name, default: 0] += 1 }
        if let mark = metrics.firstByte { firstByte.add(mark) }
        if let mark = metrics.total { total.add(mark) }
    }
}

extension HTTPMetrics {
    /// The attempts of the last exchange of a call: the last, and those before it that it repeats because
    /// a connection was lost or a proxy asked for credentials.
    var latestExchange: ArraySlice<Attempt> {
        let attempts = attempts
        let start = attempts.lastIndex {
            $0.reason != .lostConnection && $0.reason != .proxyChallenge
        }
        return attempts[(start ?? 0)...]
    }
}

/// Counts durations in buckets that are fixed: each reaches twice as far as the one before.
///
/// The first reaches to 0.25 ms, the last but one to 131 s, and the last has no end: fine enough to tell
/// fast from slow, few enough to be kept and sent anywhere, and two can be added up at any time.
public struct HTTPHistogram: Sendable, Hashable {
    /// How far each bucket but the last reaches; the end belongs to it.
    public static let upperBounds: [Duration] = (0..<20).map { .microseconds(250 << $0) }

    /// How many durations fell into each bucket; one more than there are ``upperBounds``.
    public private(set) var counts: [Int]
    /// The sum of all of them.
    public private(set) var sum: Duration

    /// Makes an empty one.
    public init() {
        counts = Array(repeating: 0, count: Self.upperBounds.count + 1)
        sum = .zero
    }

    /// How many durations there are.
    public var count: Int { counts.reduce(0, +) }

    /// The mean; nil when there is nothing.
    public var mean: Duration? {
        let count = count
        return count == 0 ? nil : sum / Double(count)
    }

    /// Counts a duration.
    public mutating func add(_ duration: Duration) {
        counts[Self.upperBounds.firstIndex { duration <= $0 } ?? Self.upperBounds.count] += 1
        sum += duration
    }

    /// Finds the end of the bucket in which a part of all durations is reached.
    ///
    ///     histogram.upperBound(atQuantile: 0.99)  // 99 of 100 took no longer
    ///
    /// - Parameter quantile: from 0 to 1.
    /// - Returns: nil when there is nothing, and when that part takes longer than all bounds.
    public func upperBound(atQuantile quantile: Double) -> Duration? {
        let wanted = max(1, (min(max(quantile, 0), 1) * Double(count)).rounded(.up))
        var seen = 0.0
        for (bound, count) in zip(Self.upperBounds, counts) {
            seen += Double(count)
            if seen >= wanted { return bound }
        }
        return nil
    }
}
