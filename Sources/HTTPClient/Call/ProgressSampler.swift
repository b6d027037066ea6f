internal import SocketTransport
internal import Wire

/// Looks now and then how many bytes of a call have moved.
///
/// Nothing is counted besides what the metrics count anyway, so a call that nobody watches costs
/// nothing more.
final class ProgressSampler: Sendable {
    private let call: Attempt
    private let engine: Engine
    private let directions: [HTTPProgress.Direction]

    /// - Parameters:
    ///   - call: is about to begin.
    ///   - engine: carries it out.
    ///   - directions: what to look at.
    init(
        _ call: Attempt,
        on engine: Engine,
        _ directions: [HTTPProgress.Direction] = [.upload, .download]
    ) {
        self.call = call
        self.engine = engine
        self.directions = directions
    }

    /// Looks again and again until the task is cancelled; never on the loop's time for long, and
    /// tells elsewhere.
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

    /// Tells where a call stands, for the last time; on the loop, unless that has nothing to do with
    /// it any more.
    func last() -> [HTTPProgress] {
        sample(isLast: true)
    }

    /// On the loop while the call is under way.
    private func sample(isLast: Bool) -> [HTTPProgress] {
        var news: [HTTPProgress] = []
        let metrics = call.metrics
        let fields = call.plan.head.headers
        let hasContent = fields.contains(.transferEncoding) || (Self.length(fields) ?? 0) > 0
        if directions.contains(.upload), hasContent {
            news.append(
                HTTPProgress(
                    .upload,
                    completed: metrics.bodyBytesSent,
                    total: Self.length(fields),
                    // Before the answer begins the whole request may have to be sent again.
                    isFinal: isLast || (metrics.sentMark != .never && call.head != nil)
                )
            )
        }
        if directions.contains(.download), isLast || call.head != nil {
            news.append(
                HTTPProgress(
                    .download,
                    completed: metrics.bodyBytesReceived,
                    total: call.head.flatMap { Self.length($0.headers) },
                    isFinal: isLast
                )
            )
        }
        return news
    }

    /// The bytes that Content-Length announces; nil for a body in chunks.
    private static func length(_ headers: HTTPHeaders) -> Int? {
        guard !headers.contains(.transferEncoding), let text = headers[.contentLength],
            case .value(let length) = Digits.decimal(text)
        else { return nil }
        return length
    }
}
