internal import SocketTransport

/// A single-flight task: concurrent callers share one run, and its result is kept.
///
/// A caller passes the time its attempt began. If a run ended after that time, the caller uses its
/// result and starts no other run.
final class SingleFlight<Value: Sendable>: Sendable {
    typealias End = Result<Value, any Error>

    private struct State: Sendable {
        /// The result of the last run, and the time it ended.
        var last: (end: End, time: Deadline)?
        /// The callers that wait for the current run; nil if there is none.
        var waits: [SingleFlightWaiter<End>]?
        var count = 0
    }

    /// The maximum number of runs until ``reset()``; nil for no limit.
    let limit: Int?
    private let state = Locked(State())

    init(limit: Int?) {
        self.limit = limit
    }

    /// Returns whether a caller can get a result; false if the limit of runs is reached.
    func isAvailable(since begin: Deadline) -> Bool {
        state.withLock { state in
            state.waits != nil || state.last.map { $0.time > begin } ?? false
                || state.count < limit ?? .max
        }
    }

    /// Resets the count of runs and discards the last result.
    func reset() {
        state.withLock { state in
            state.count = 0
            state.last = nil
        }
    }

    /// Returns the result of a run, and starts one if necessary.
    ///
    /// - Parameters:
    ///   - begin: the time the caller's attempt began.
    ///   - work: the task. It continues when waiting callers are canceled.
    /// - Returns: the value of the run.
    /// - Throws: the error of `work`; `CancellationError` if the current task is canceled.
    func value(
        since begin: Deadline,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let wait = SingleFlightWaiter<End>()
        let isFirst = state.withLock { state in
            if let last = state.last, last.time > begin, state.waits == nil {
                wait.finish(last.end)
                return false
            }
            state.waits = (state.waits ?? []) + [wait]
            guard state.waits?.count == 1 else { return false }
            state.count += 1
            return true
        }
        if isFirst { start(work) }
        let end = await withTaskCancellationHandler {
            await wait.end()
        } onCancel: {
            wait.finish(.failure(CancellationError()))
        }
        return try end.get()
    }

    private func start(_ work: @escaping @Sendable () async throws -> Value) {
        Task { [self] in
            let end: End
            do {
                end = .success(try await ActiveCredentialSources.withActive(self, work))
            } catch {
                end = .failure(error)
            }
            let waits = state.withLock { state in
                defer { state.waits = nil }
                state.last = (end, .now())
                return state.waits ?? []
            }
            for wait in waits { wait.finish(end) }
        }
    }
}
