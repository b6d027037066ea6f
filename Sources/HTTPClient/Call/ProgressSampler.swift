internal import SocketTransport
internal import Wire

/// A sampler that periodically reads how many bytes an attempt has sent and received.
///
/// It reads the counters of the metrics, so a call without observers has no extra cost.
final class ProgressSampler: Sendable {
    private let attempt: RequestAttempt
    private let engine: Engine
    private let directions: [HTTPProgress.Direction]

    /// Creates a sampler.
    ///
    /// - Parameters:
    ///   - attempt: the attempt, which has not begun.
    ///   - engine: the engine that runs the attempt.
    ///   - directions: the directions to report.
    init(
        _ attempt: RequestAttempt,
        on engine: Engine,
        _ directions: [HTTPProgress.Direction] = [.upload, .download]
    ) {
        self.attempt = attempt
        self.engine = engine
        self.directions = directions
    }

    /// Samples periodically until the task is canceled.
    ///
    /// It uses the loop only to read the counters, and calls `notify` off the loop.
    func run(_ notify: (HTTPProgress) -> Void) async {
        var throttles = [ProgressThrottle](repeating: ProgressThrottle(), count: directions.count)
        while true {
            do {
                try await Task.sleep(for: .nanoseconds(ProgressThrottle.interval))
            } catch {
                return
            }
            let sample = await onLoop(engine.loop) { .success(self.sample(isLast: false)) }
            guard let news = try? sample.get(), !Task.isCancelled else { return }
            let now = Deadline.now()
            for (index, direction) in directions.enumerated() {
                guard let progress = news.first(where: { $0.direction == direction }) else {
                    continue
                }
                let isWorthReporting =
                    progress.completed > 0
                    && throttles[index].shouldReport(progress.completed, at: now)
                if progress.isFinal || isWorthReporting { notify(progress) }
            }
        }
    }

    /// Returns the final progress of the attempt.
    ///
    /// Call it when the attempt has ended: with its body, or with its head if only the upload is reported.
    /// A server may respond early, while the loop still sends content, so the loop owns such an attempt.
    func last() async -> [HTTPProgress] {
        guard directions == [.upload] else { return sample(isLast: true) }
        let news = await onLoop(engine.loop) { .success(self.sample(isLast: true)) }
        // A loop that cannot be started does not use the attempt.
        return (try? news.get()) ?? sample(isLast: true)
    }

    /// Returns the current progress; call on the loop while the attempt runs.
    private func sample(isLast: Bool) -> [HTTPProgress] {
        var news: [HTTPProgress] = []
        let metrics = attempt.metrics
        let fields = attempt.plan.head.headers
        let hasContent = fields.contains(.transferEncoding) || (fields.bodyLength ?? 0) > 0
        if directions.contains(.upload), hasContent {
            news.append(
                HTTPProgress(
                    .upload,
                    completed: metrics.bodyBytesSent,
                    total: fields.bodyLength,
                    // Until the response begins, the whole request may have to be sent again.
                    isFinal: isLast || (metrics.sentMark != .never && attempt.head != nil)
                )
            )
        }
        if directions.contains(.download), isLast || attempt.head != nil {
            news.append(
                HTTPProgress(
                    .download,
                    completed: metrics.bodyBytesReceived,
                    total: attempt.head?.headers.bodyLength,
                    isFinal: isLast
                )
            )
        }
        return news
    }
}
