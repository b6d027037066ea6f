internal import SocketTransport

/// Work that runs once for all concurrent callers, with state that decides whether it runs.
///
/// The cancellation of a caller ends its wait, but not the work. `HostResolver` shares lookups in another
/// way: its waits belong to event loops, and a lookup without callers is canceled.
final class SingleFlight<State: Sendable, End: Sendable>: Sendable {
    /// The decision about one caller.
    enum Step: Sendable {
        /// The caller has its result.
        case end(End)
        /// The caller waits for the work in progress.
        case wait
        /// The caller starts the work and waits for it; no work is in progress.
        case run(Work)
    }

    /// A function that does the work.
    ///
    /// It returns a function that records the result in the state, and returns it for all callers.
    typealias Work = @Sendable () async -> @Sendable (inout State) -> End

    private struct Contents: Sendable {
        var state: State
        var waiters: [ResultWaiter<End>] = []
    }

    private let contents: Locked<Contents>

    init(_ state: State) {
        contents = Locked(Contents(state: state))
    }

    /// The number of callers that wait for the work in progress.
    var waiting: Int { contents.withLock { $0.waiters.count } }

    /// Reads or changes the state; `isRunning` is whether the work is in progress.
    func withState<Value>(
        _ body: (_ state: inout State, _ isRunning: Bool) -> Value
    ) -> Value {
        contents.withLock { body(&$0.state, !$0.waiters.isEmpty) }
    }

    /// Returns the result for one caller, after the work in progress if necessary.
    ///
    /// - Parameters:
    ///   - cancelled: the result if the task of the caller is canceled.
    ///   - decide: returns the decision, under the lock; `isRunning` is whether the work is in progress.
    /// - Returns: the result.
    func end(
        ifCancelled cancelled: End,
        _ decide: (_ state: inout State, _ isRunning: Bool) -> Step
    ) async -> End {
        let waiter = ResultWaiter<End>()
        let step = contents.withLock { contents in
            let step = decide(&contents.state, !contents.waiters.isEmpty)
            if case .end = step { return step }
            contents.waiters.append(waiter)
            return step
        }
        switch step {
        case .end(let end): return end
        case .wait: break
        case .run(let work): start(work)
        }
        return await waiter.value(ifCancelled: cancelled)
    }

    /// Runs the work in a new task, which the cancellation of a caller does not reach.
    private func start(_ work: @escaping Work) {
        Task { [self] in
            let record = await work()
            let (waiters, end) = contents.withLock { contents in
                defer { contents.waiters = [] }
                return (contents.waiters, record(&contents.state))
            }
            for waiter in waiters { waiter.finish(end) }
        }
    }
}

/// A wait for a result, which also ends when the waiting task is canceled.
package final class ResultWaiter<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case idle
        case waiting(CheckedContinuation<Value, Never>)
        case over(Value)
    }

    private let state = Locked(State.idle)

    package init() {}

    /// Waits for ``finish(_:)``.
    ///
    /// It can be called only once.
    ///
    /// - Parameter cancelled: the result if the task is canceled.
    /// - Returns: the result.
    package func value(ifCancelled cancelled: Value) async -> Value {
        await withTaskCancellationHandler {
            await value()
        } onCancel: {
            finish(cancelled)
        }
    }

    private func value() async -> Value {
        await withCheckedContinuation { continuation in
            let early: Value? = state.withLock { state in
                if case .over(let value) = state { return value }
                state = .waiting(continuation)
                return nil
            }
            if let early { continuation.resume(returning: early) }
        }
    }

    /// Ends the wait with a result; only the first call has an effect.
    package func finish(_ value: Value) {
        let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
            defer { if case .over = state {} else { state = .over(value) } }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: value)
    }
}
