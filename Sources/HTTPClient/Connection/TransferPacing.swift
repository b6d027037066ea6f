internal import SocketTransport

// To change how rate limits or pauses work: `TokenBucket` has the rates, this file the allowance of an attempt,
// `PauseGate` the pause of a call, and `ClientConnection+Pacing` the waits. `TokenBucketTests` has no clock, and
// `RateLimitTests` and `PauseTests` run in simulated time.

/// The pacing of one attempt: how many bytes may move now, because of rate limits and pauses.
///
/// Loop-confined. Code that moves bytes asks ``allowance(_:at:)`` first, and calls ``moved(_:_:)``
/// afterwards. The limiters are charged in advance, with the bytes of one read or write.
final class TransferPacing {
    /// What may move.
    enum Allowance: Equatable {
        /// At most this number of bytes; `Int.max` without a limit.
        case bytes(Int)
        /// Nothing before this time.
        case wait(until: Deadline)
    }

    /// Bytes that were taken from the limiters and have not moved.
    private struct Credit {
        var bytes = 0
        var due = Deadline(nanoseconds: 0)
    }

    /// The pause of the call; nil if it cannot be paused.
    let gate: PauseGate?
    private let limiters: [RateLimiter]
    private let uploadQuantum: Int
    private let downloadQuantum: Int
    private var upload = Credit()
    private var download = Credit()

    init(_ limiters: RateLimiters?, _ gate: PauseGate? = nil) {
        self.gate = gate
        self.limiters = [limiters?.call, limiters?.client].compactMap { $0 }
        uploadQuantum = self.limiters.compactMap { $0.quantum(.upload) }.min() ?? .max
        downloadQuantum = self.limiters.compactMap { $0.quantum(.download) }.min() ?? .max
    }

    deinit {
        putBack(.upload)
        putBack(.download)
    }

    /// Whether the call is paused.
    var isPaused: Bool { gate?.isPaused ?? false }

    /// Whether the download has a limit.
    var limitsDownload: Bool { downloadQuantum != .max }

    /// Whether the upload has a limit.
    var limitsUpload: Bool { uploadQuantum != .max }

    /// Whether the upload has a limit or is paused, so that its bytes must be counted.
    var delaysUpload: Bool { limitsUpload || isPaused }

    /// Returns how many bytes may move now in a direction, and takes them from the limiters.
    func allowance(_ direction: HTTPProgress.Direction, at now: Deadline) -> Allowance {
        let quantum = direction == .upload ? uploadQuantum : downloadQuantum
        guard quantum != .max else { return .bytes(.max) }
        var credit = direction == .upload ? upload : download
        if credit.bytes <= 0 {
            // The slowest limiter decides.
            let due = limiters.map { $0.take(quantum, direction, at: now) }.max() ?? now
            credit = Credit(bytes: quantum, due: due)
            if direction == .upload { upload = credit } else { download = credit }
        }
        return credit.due <= now ? .bytes(credit.bytes) : .wait(until: credit.due)
    }

    /// Records bytes that have moved; more than the allowance delay the next ones.
    func moved(_ bytes: Int, _ direction: HTTPProgress.Direction) {
        let quantum = direction == .upload ? uploadQuantum : downloadQuantum
        guard quantum != .max, bytes > 0 else { return }
        let credit = direction == .upload ? upload.bytes : download.bytes
        if bytes > credit {
            let now = Deadline.now()
            for limiter in limiters { _ = limiter.take(bytes - credit, direction, at: now) }
        }
        let rest = max(credit - bytes, 0)
        if direction == .upload { upload.bytes = rest } else { download.bytes = rest }
    }

    private func putBack(_ direction: HTTPProgress.Direction) {
        let credit = direction == .upload ? upload.bytes : download.bytes
        guard credit > 0 else { return }
        for limiter in limiters { limiter.putBack(credit, direction) }
    }
}
