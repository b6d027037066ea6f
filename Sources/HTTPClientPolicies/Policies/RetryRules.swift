package import SocketTransport
internal import Synchronization
package import Wire

// To change whether a request may be sent again, change this file; for which failures and statuses that is tried, see
// `HTTPResponseValidator`, for the errors of a lost connection `Engine`, and for the delays
// `HTTPRetryOptions+Strategy`. `RetryRulesTests` needs no socket.

/// The rules for sending a request again: whether it may be sent, how often, and after which delay.
///
/// One value for each call. It has no clock, no randomness and no I/O: times and the random number generator are
/// arguments, and the caller withdraws from the retry budget.
package struct RetryRules: Sendable {
    /// The outcome of an attempt, as far as retries depend on it.
    package enum Outcome: Sendable {
        /// A response, and whether the method of its request is idempotent.
        case response(isIdempotent: Bool, HTTPStatus)
        /// A failure: whether ``HTTPError/isRetrySafe`` is true, whether the method of the attempt is idempotent,
        /// and whether the call was canceled.
        case failure(isRetrySafe: Bool, isIdempotent: Bool, isCancellation: Bool = false)
    }

    /// The request that would be sent again.
    package struct Candidate: Sendable {
        package var method: HTTPMethod
        /// Whether the body can be sent again.
        package var isReplayable = true
        /// Whether the request has an Idempotency-Key header field.
        package var hasIdempotencyKey = false
        /// The request's own limit; nil for the limit of the options.
        package var maxRetries: Int?

        package init(method: HTTPMethod) {
            self.method = method
        }
    }

    /// The number of retries so far.
    package private(set) var retries = 0
    /// The number of retries since the call began or made progress; the limit is for these.
    private var retriesInRow = 0
    /// Whether an attempt may have had a side effect that must not happen twice.
    package private(set) var mayHaveSideEffects = false

    package init() {}

    /// Records the outcome of an attempt.
    package mutating func record(_ outcome: Outcome) {
        switch outcome {
        case .response(let isIdempotent, let status):
            // 307 and 308 mean that this server did not process the request.
            if !isIdempotent, status.code != 307, status.code != 308,
                !Self.impliesNoSideEffects(status)
            {
                mayHaveSideEffects = true
            }
        case .failure(let isRetrySafe, let isIdempotent, _):
            // An idempotent request can be sent again even if its response had begun.
            if !isRetrySafe, !isIdempotent { mayHaveSideEffects = true }
        }
    }

    /// Records that a retry begins; returns its number, counted from 1.
    package mutating func beginRetry() -> Int {
        retries += 1
        retriesInRow += 1
        return retries
    }

    /// Records that a lost body has brought new bytes of a file, so that the limit counts from zero again.
    package mutating func recordProgress() {
        retriesInRow = 0
    }

    /// Returns the grant for a retry; nil if the request must not be sent again.
    ///
    /// - Parameters:
    ///   - strategy: the requested strategy.
    ///   - outcome: the outcome of the last attempt.
    ///   - retryAfter: the delay that the server requested; nil for none.
    ///   - candidate: the request that would be sent again.
    ///   - options: the retry options of the call.
    ///   - deadline: the total deadline of the call.
    ///   - now: the current time.
    ///   - random: the random number generator for the jitter of the delay.
    /// - Returns: the delay, and whether the budget is charged; nil without a retry.
    package func grant(
        _ strategy: HTTPRetryOptions.Strategy,
        after outcome: Outcome,
        retryAfter: Duration?,
        for candidate: Candidate,
        _ options: HTTPRetryOptions,
        until deadline: Deadline,
        now: Deadline,
        random: inout some RandomNumberGenerator
    ) -> RetryGrant? {
        let number = retriesInRow + 1
        guard number <= candidate.maxRetries ?? options.maxRetries,
            allows(candidate, options, after: outcome)
        else { return nil }
        var delay = strategy.delay(before: number, &random)
        if case .response(_, let status) = outcome, strategy.onlyDelays,
            let wait = options.statusDelays[status]
        {
            delay = max(wait, .zero)
        }
        if let retryAfter {
            guard retryAfter <= options.maxRetryAfter else { return nil }
            delay = max(delay, retryAfter)
        }
        guard now.advanced(by: delay) < deadline else { return nil }
        return RetryGrant(
            delay: delay,
            chargesBudget: strategy.onlyDelays && options.budget != nil
        )
    }

    /// Whether the request can be sent again without the risk of a duplicate side effect.
    private func allows(
        _ candidate: Candidate,
        _ options: HTTPRetryOptions,
        after outcome: Outcome
    ) -> Bool {
        if case .failure(_, _, isCancellation: true) = outcome { return false }
        guard candidate.isReplayable else { return false }
        if options.retriesUnsafeRequests || candidate.hasIdempotencyKey { return true }
        // This covers all attempts: the last one may be the GET that a POST was redirected to.
        guard !mayHaveSideEffects else { return false }
        switch outcome {
        case .response(_, let status):
            return candidate.method.isIdempotent || Self.impliesNoSideEffects(status)
        case .failure(let isRetrySafe, let isIdempotent, _):
            // A response may have begun; an error of an interceptor is not known to be harmless.
            return isRetrySafe || isIdempotent && candidate.method.isIdempotent
        }
    }

    /// Whether a server that sends this status has rejected the request before it did anything about it (RFC
    /// 9110 §15.5.2, §15.5.4, §15.5.8, §15.5.20; RFC 8470 §5.2).
    private static func impliesNoSideEffects(_ status: HTTPStatus) -> Bool {
        status == .unauthorized || status == .forbidden || status == .proxyAuthenticationRequired
            || status == .misdirectedRequest || status == .tooEarly
    }
}

extension RetryRules {
    /// An attempt whose connection was lost.
    package struct LostAttempt: Sendable {
        /// Whether the connection had carried a request before.
        package var isReused = true
        /// Whether the connection belongs to the caller and not to the pool.
        package var isDedicated = false
        /// How often the request was sent again because a connection was lost.
        package var replays = 0
        package var isIdempotent = true
        package var bytesSent = 0
        /// Whether a byte of a response had arrived, or an interim response.
        package var hasResponseBegun = false

        package init() {}
    }

    /// Whether the pool sends a request again, once, because the peer may have closed the connection just as the
    /// request was sent (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    ///
    /// No byte of a response had arrived, and the request was never sent or is idempotent.
    package static func replays(_ attempt: LostAttempt) -> Bool {
        attempt.isReused && !attempt.isDedicated && attempt.replays == 0
            && (attempt.isIdempotent || attempt.bytesSent == 0) && !attempt.hasResponseBegun
    }
}

extension RetryRules.Outcome {
    package init(_ error: HTTPError) {
        self = .failure(
            isRetrySafe: error.isRetrySafe,
            isIdempotent: error.info.isIdempotent,
            isCancellation: error.isCancellation
        )
    }
}

extension RetryRules.Candidate {
    package init(_ request: HTTPRequest) {
        self.init(method: request.method)
        isReplayable = request.body.isReplayable
        hasIdempotencyKey = request.headers.contains("Idempotency-Key")
        maxRetries = request.maxRetries
    }
}

/// A budget that limits retries to a small part of all calls; the clients of a pool share it.
///
/// It has no lock: every call makes a deposit, and most find the balance at its maximum.
package final class RetryBudget: Sendable {
    /// The initial balance, and the maximum balance, in retries.
    static let maxBalance = 10.0

    /// The bit pattern of the balance in retries.
    private let balance = Atomic<UInt64>(RetryBudget.maxBalance.bitPattern)

    package init() {}

    /// Deposits the share of one call.
    package func deposit(_ share: Double) {
        change { $0 < Self.maxBalance && share > 0 ? min($0 + share, Self.maxBalance) : nil }
    }

    /// Withdraws one retry; returns false when the balance is too small.
    package func withdraw() -> Bool {
        change { $0 >= 1 ? $0 - 1 : nil }
    }

    /// Changes the balance atomically.
    ///
    /// - Parameter next: returns the new balance for the current one; nil to leave it.
    /// - Returns: whether the balance was changed.
    @discardableResult private func change(_ next: (Double) -> Double?) -> Bool {
        var present = balance.load(ordering: .relaxed)
        while let value = next(Double(bitPattern: present)) {
            let (isDone, original) = balance.weakCompareExchange(
                expected: present,
                desired: value.bitPattern,
                ordering: .relaxed
            )
            if isDone { return true }
            present = original
        }
        return false
    }
}
