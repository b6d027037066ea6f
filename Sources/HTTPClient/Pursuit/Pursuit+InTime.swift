internal import SocketTransport

extension Pursuit {
    /// When a call that begins now must be over.
    func totalDeadline(of request: HTTPRequest) -> Deadline {
        let common = client.configuration.settings.timeouts
        let total = (request.optionsBox?.settings.timeouts(of: common) ?? common).total
        return total.map { Deadline.now().advanced(by: $0) } ?? .never
    }

    /// Lets a call work until its total bound, then cancels it and waits for its end.
    ///
    /// An attempt ends at the bound by itself; this is for what stands around attempts: interceptors,
    /// validators, credentials and alternates, which the bound would else not reach.
    func inTime(
        _ deadline: Deadline,
        _ work: @escaping @Sendable () async -> Result<HTTPResponse, HTTPError>
    ) async -> Result<HTTPResponse, HTTPError> {
        guard deadline != .never else { return await work() }
        return await withTaskGroup { group in
            group.addTask { Optional(await work()) }
            group.addTask {
                let left = deadline.nanoseconds - Deadline.now().nanoseconds
                try? await Task.sleep(for: .nanoseconds(max(left, 0)))
                return nil
            }
            var isOver = false
            while let end = await group.next() {
                guard let end else {
                    // The wait ends early as well, when it is the caller who gives up.
                    isOver = !Task.isCancelled
                    group.cancelAll()
                    continue
                }
                group.cancelAll()
                return isOver ? end.mapError(\.asTimedOut) : end
            }
            return .failure(HTTPError(.timedOut(.total), phase: .validating))
        }
    }
}

extension HTTPError {
    /// The same, when it was the total bound that cancelled the call.
    fileprivate var asTimedOut: HTTPError {
        isCancellation ? changed { $0.kind = .timedOut(.total) } : self
    }
}
