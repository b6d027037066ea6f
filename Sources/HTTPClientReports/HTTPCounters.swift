public import HTTPClient
internal import SocketTransport

/// An observer that counts calls, attempts, bytes and durations.
///
///     let counters = HTTPCounters()
///     let client = HTTPClient().with { $0.observers.append(counters) }
///     …
///     print(counters.snapshot.retries)
///
/// One instance can observe several clients. A step costs one lock and a few additions.
public final class HTTPCounters: HTTPObserver {
    /// The counters at one moment.
    public struct Snapshot: Sendable, Hashable {
        /// Calls that began.
        public fileprivate(set) var calls = 0
        /// Calls in progress; a streamed call ends when its body ends.
        public fileprivate(set) var activeCalls: Int = 0
        /// Attempts to send a request.
        ///
        /// Attempts after a lost connection and answers to a proxy's challenge count too.
        public fileprivate(set) var attempts = 0
        /// Attempts on a connection that had already carried an exchange.
        public fileprivate(set) var connectionReuses = 0
        /// Requests that were retried.
        public fileprivate(set) var retries = 0
        /// Redirects that were followed.
        public fileprivate(set) var redirects = 0
        /// Failed calls, by the name of the error's kind, such as `connectFailed`.
        ///
        /// The name of a timeout includes its phase: `timedOut(connect)`.
        public fileprivate(set) var failures: [String: Int] = [:]
        /// Final responses of calls, by the first digit of their status: 2 for 2xx.
        public fileprivate(set) var statuses: [Int: Int] = [:]
        /// Bytes of heads and bodies sent.
        public fileprivate(set) var bytesSent = 0
        /// Bytes of heads, framing and encoded bodies received.
        public fileprivate(set) var bytesReceived = 0
        /// Time from the start of a call to the first byte of its last response.
        public fileprivate(set) var firstByte = Histogram()
        /// Time from the start of a call to its end; failed calls count too.
        public fileprivate(set) var total = Histogram()

        init() {}
    }

    private struct State {
        var snapshot = Snapshot()
        /// Bytes already counted of streamed calls in progress, which will have more at their end.
        var streamed: [UInt64: Bytes] = [:]
    }

    private let state = Locked(State())

    /// Creates counters that start at zero.
    public init() {}

    /// The current values, all of the same moment.
    public var snapshot: Snapshot { state.withLock(\.snapshot) }

    /// Counts a step.
    public func observe(_ step: HTTPStep, _ context: HTTPContext) {
        state.withLock { state in
            state.snapshot.take(step)
            let call = context.callID
            switch step {
            case .received(let response) where response.isStreamed:
                if state.streamed[call] == nil {
                    // Earlier attempts were counted when they failed, or with their responses.
                    let made = response.newAttempts
                    state.streamed[call] = Bytes(response.metrics.attempts[..<made.startIndex])
                }
                state.snapshot.take(Bytes(response.metrics), beyond: &state.streamed[call])
            case .failed(let error) where state.streamed[call] != nil:
                state.snapshot.take(Bytes(error.metrics), beyond: &state.streamed[call])
            case .received(let response):
                state.snapshot.take(Bytes(response.newAttempts))
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

/// The numbers of bytes sent and received.
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
        case .queued, .dequeued, .entered, .challenged, .prepared, .sending, .informational: break
        case .upgraded(let head, let metrics):
            take(metrics.latestExchange)
            take(Bytes(metrics.latestExchange))
            if let head { statuses[Int(head.status.code / 100), default: 0] += 1 }
            end(metrics, nil)
        case .received(let response): take(response.newAttempts)
        case .failed(let error): take(error.metrics.latestExchange)
        case .redirected: redirects += 1
        case .retrying: retries += 1
        case .ended(let result): end(result)
        case .streamed(let metrics, let error): end(metrics, error)
        }
    }

    /// Counts the attempts of one exchange.
    private mutating func take(_ made: ArraySlice<HTTPMetrics.Attempt>) {
        attempts += made.count
        for attempt in made where attempt.isReused { connectionReuses += 1 }
    }

    fileprivate mutating func take(_ bytes: Bytes) {
        bytesSent += bytes.sent
        bytesReceived += bytes.received
    }

    /// Adds the bytes of a whole call, minus those already counted.
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

extension HTTPResponse {
    /// The attempts that have received the response; none if the cache has answered.
    fileprivate var newAttempts: ArraySlice<HTTPMetrics.Attempt> {
        cacheStatus?.isAnswerOfCache == true ? metrics.attempts.suffix(0) : metrics.latestExchange
    }
}

extension HTTPMetrics {
    /// The attempts of the last exchange of a call.
    ///
    /// These are the last attempt and the attempts that it repeats because a connection was lost or a
    /// proxy sent a challenge.
    var latestExchange: ArraySlice<Attempt> {
        let attempts = attempts
        let start = attempts.lastIndex {
            $0.reason != .lostConnection && $0.reason != .proxyChallenge
        }
        return attempts[(start ?? 0)...]
    }
}

extension HTTPCounters {
    /// A histogram of durations with fixed buckets; each bound is twice the one before.
    ///
    /// The first bucket ends at 0.25 ms, the last but one at 131 s, and the last has no end. The buckets
    /// are fine enough to distinguish fast from slow, and few enough to be stored and sent anywhere. Two
    /// histograms can be added up at any time.
    public struct Histogram: Sendable, Hashable {
        /// The inclusive upper bound of each bucket but the last.
        public static let upperBounds: [Duration] = (0..<20).map { .microseconds(250 << $0) }

        /// The number of durations in each bucket; one more element than ``upperBounds`` has.
        public private(set) var counts: [Int]
        /// The sum of all durations.
        public private(set) var sum: Duration

        /// Creates an empty histogram.
        public init() {
            counts = Array(repeating: 0, count: Self.upperBounds.count + 1)
            sum = .zero
        }

        /// The number of durations.
        public var count: Int { counts.reduce(0, +) }

        /// The mean; nil when the histogram is empty.
        public var mean: Duration? {
            let count = count
            return count == 0 ? nil : sum / Double(count)
        }

        /// Adds a duration.
        public mutating func add(_ duration: Duration) {
            counts[Self.upperBounds.firstIndex { duration <= $0 } ?? Self.upperBounds.count] += 1
            sum += duration
        }

        /// Returns the upper bound of the bucket that contains a quantile.
        ///
        ///     histogram.upperBound(atQuantile: 0.99)  // 99 of 100 took no longer
        ///
        /// - Parameter quantile: a number from 0 to 1.
        /// - Returns: nil when the histogram is empty, or when the quantile is above all bounds.
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
}
