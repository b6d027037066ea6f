internal import SocketTransport

/// Does a piece of work once for all who need it at the same time, and remembers what came of it.
///
/// Whoever needs it says when he began: work that ended after that is the news he had not heard of, and
/// is not done again for him.
final class SingleFlight<Value: Sendable>: Sendable {
    typealias End = Result<Value, any Error>

    private struct State: Sendable {
        /// How the last work ended, and when.
        var last: (end: End, time: Deadline)?
        /// Who waits for the work under way; nil when there is none.
        var waits: [SingleFlightWaiter<End>]?
        var count = 0
    }

    /// How often the work is done, until ``reset()``; nil for as often as it is needed.
    let limit: Int?
    private let state = Locked(State())

    init(limit: Int?) {
        self.limit = limit
    }

    /// Whether it may be waited for; if not, it was done as often as it may be.
    func isAvailable(since begin: Deadline) -> Bool {
        state.withLock { state in
            state.waits != nil || state.last.map { $0.time > begin } ?? false
                || state.count < limit ?? .max
        }
    }

    /// Counts from 0 again, and forgets what came of the last work.
    func reset() {
        state.withLock { state in
            state.count = 0
            state.last = nil
        }
    }

    /// Waits for the work, and has it done if need be.
    ///
    /// - Parameters:
    ///   - begin: when the attempt began that showed the need.
    ///   - work: goes on when those who wait are cancelled.
    /// - Returns: what came of it.
    /// - Throws: what `work` threw; `CancellationError` when the task at hand was cancelled.
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
