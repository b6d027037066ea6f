package import SocketTransport

/// A token bucket: a rate of bytes, with a small burst after a time without bytes.
///
/// It reads no clock: the time is an argument. Bytes are taken before they move, in the order of the
/// calls. So transfers that share a bucket, and each take the bytes of one read or write at a time, get
/// equal shares.
package struct TokenBucket: Sendable, Hashable {
    /// The time whose bytes may move at once after a pause, in nanoseconds.
    ///
    /// 20 ms, two timer ticks, so that a late timer does not lower the rate. The first of several users cannot take
    /// more than that from the others.
    package static let burst: Int64 = 20_000_000
    /// The time whose bytes are taken at once, in nanoseconds.
    ///
    /// 10 ms: a hundred transfers that share a bucket each get a turn every second.
    package static let turn: Int64 = 10_000_000
    /// The maximum number of bytes that are taken at once: one large read.
    static let maxQuantum = 64 << 10

    /// The rate in bytes per second; at least 1.
    package let bytesPerSecond: Int
    /// The time by which all taken bytes have earned their tokens, in nanoseconds; nil before the first.
    private var paidUntil: Int64?

    /// Creates a full bucket.
    ///
    /// - Parameter bytesPerSecond: the rate; numbers below 1 count as 1.
    package init(bytesPerSecond: Int) {
        self.bytesPerSecond = max(bytesPerSecond, 1)
    }

    /// The number of bytes to take at once: those of ``turn``, from 1 to ``maxQuantum``.
    package var quantum: Int {
        let bytes = Int128(bytesPerSecond) * Int128(Self.turn) / 1_000_000_000
        return min(max(Int(clamping: bytes), 1), Self.maxQuantum)
    }

    /// Takes bytes that are about to move.
    ///
    /// - Parameters:
    ///   - bytes: the number of bytes.
    ///   - now: the current time.
    /// - Returns: the time from which they may move; `now` or later.
    package mutating func take(_ bytes: Int, at now: Deadline) -> Deadline {
        let earliest = now.nanoseconds - Self.burst
        let paid = max(paidUntil ?? earliest, earliest).addingReportingOverflow(cost(of: bytes))
        let end = paid.overflow ? Int64.max - 1 : paid.partialValue
        paidUntil = end
        return Deadline(nanoseconds: max(end, now.nanoseconds))
    }

    /// Puts back bytes that were taken but did not move.
    package mutating func putBack(_ bytes: Int) {
        guard let paid = paidUntil else { return }
        paidUntil = max(paid - min(cost(of: bytes), paid), 0)
    }

    /// Returns the time in which the rate supplies `bytes`, rounded up to a nanosecond.
    private func cost(of bytes: Int) -> Int64 {
        let rate = Int128(bytesPerSecond)
        return Int64(clamping: (Int128(max(bytes, 0)) * 1_000_000_000 + rate - 1) / rate)
    }
}

/// The rate limit of one call or of one client, which transfers on several loops may share.
package final class RateLimiter: Sendable {
    private struct Buckets: Sendable {
        var upload: TokenBucket?
        var download: TokenBucket?
    }

    private let buckets: Locked<Buckets>
    /// A rate below 1, with which no request can be sent; nil if there is none.
    package let invalidRate: Int?

    /// Creates a limiter with full buckets.
    package init(_ limit: HTTPRateLimit) {
        invalidRate = [limit.upload, limit.download].compactMap { $0 }.first { $0 < 1 }
        buckets = Locked(
            Buckets(
                upload: limit.upload.map { TokenBucket(bytesPerSecond: $0) },
                download: limit.download.map { TokenBucket(bytesPerSecond: $0) }
            )
        )
    }

    /// The number of bytes to take at once; nil if the direction has no limit.
    package func quantum(_ direction: HTTPProgress.Direction) -> Int? {
        buckets.withLock { buckets in
            direction == .upload ? buckets.upload?.quantum : buckets.download?.quantum
        }
    }

    /// Takes bytes that are about to move.
    ///
    /// - Returns: the time from which they may move.
    package func take(
        _ bytes: Int,
        _ direction: HTTPProgress.Direction,
        at now: Deadline
    ) -> Deadline {
        buckets.withLock { buckets in
            switch direction {
            case .upload: buckets.upload?.take(bytes, at: now) ?? now
            case .download: buckets.download?.take(bytes, at: now) ?? now
            }
        }
    }

    /// Puts back bytes that were taken but did not move.
    package func putBack(_ bytes: Int, _ direction: HTTPProgress.Direction) {
        buckets.withLock { buckets in
            switch direction {
            case .upload: buckets.upload?.putBack(bytes)
            case .download: buckets.download?.putBack(bytes)
            }
        }
    }
}

/// The limiters that apply to an attempt: those of its call and of its client.
package final class RateLimiters: Sendable {
    package let call: RateLimiter?
    package let client: RateLimiter?

    /// Returns the limiters; nil if there are none.
    package init?(call: RateLimiter?, client: RateLimiter?) {
        guard call != nil || client != nil else { return nil }
        self.call = call
        self.client = client
    }

    /// A rate below 1, with which no request can be sent; nil if there is none.
    package var invalidRate: Int? { call?.invalidRate ?? client?.invalidRate }
}
