internal import SocketTransport

/// The delivery of the progress of one call to the closure of its request.
///
/// A task calls the closure with one progress after the other. Newer progress replaces older progress of
/// the same direction that the closure has not seen.
final class RequestProgress: Sendable {
    /// The reporter of the call.
    let reporter: ProgressReporter
    private let queue: EventQueue<HTTPProgress>
    private let delivery: DeliveryTask

    /// Creates a delivery and begins to watch.
    ///
    /// - Parameters:
    ///   - body: the closure of the request.
    ///   - loop: the loop that runs the attempts.
    init(_ body: @escaping @Sendable (HTTPProgress) -> Void, on loop: EventLoop) {
        reporter = ProgressReporter(on: loop, [.upload, .download])
        queue = EventQueue(.inline, supersedes: { $0.direction == $1.direction }, body)
        delivery = DeliveryTask(on: loop.simulatedExecutor)
        reporter.watch { self.deliver($0) }
    }

    /// Reports the final progress; the closure has returned for it when this function returns.
    func finish() async {
        end()
        await delivery.finish()
    }

    /// Reports the final progress, without waiting for the closure.
    func end() {
        reporter.end()
        for last in reporter.finish() { deliver(last) }
    }

    private func deliver(_ progress: HTTPProgress) {
        queue.put(progress)
        delivery.request { [queue] in queue.deliver() }
    }
}

extension CallDriver {
    /// Reports the final progress of a call; of a streamed response, when its body has ended.
    func finish(_ progress: RequestProgress, _ response: HTTPResponse) async {
        let body = shared.withLock { $0.bodies[response.serial] }
        guard response.isStreamed, let body else { return await progress.finish() }
        body.onEnd { progress.end() }
    }
}
