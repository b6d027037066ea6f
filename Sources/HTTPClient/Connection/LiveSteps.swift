internal import SocketTransport
internal import Wire

// To add a step that happens while an attempt runs: report it with `report` below. This file passes the steps
// on. `CallDriver+Attempts`, `FirstAttempt` and `SingleExchange` connect it with observers and the closure of the
// request, `RecordedHeads` with a started call. The tests are `InterimResponseTests` and `LiveStepTests`.

/// An observer of the steps that happen while an attempt runs.
///
/// The attempt calls it on the loop, so it must not call code of the user.
protocol LiveObserver: AnyObject, Sendable {
    /// Whether it is notified of ``HTTPStep/entered(_:_:)``.
    var watchesPhases: Bool { get }

    /// Is notified of a step: a 1xx response except 101, a phase, or a challenge.
    func step(_ step: HTTPStep, of attempt: RequestAttempt)

    /// Is notified of the head of the final response, which no replay can replace any more.
    func finalHead(_ head: ResponseHead, of attempt: RequestAttempt)
}

/// An observer that passes the steps of one attempt to a closure, off the loop.
///
/// A task on Swift's concurrent pool calls the closure with one step after the other, in order. The attempt does not
/// wait for it. ``WireLimits/informationalCount`` limits the number of 1xx responses, and the other steps are few.
final class LiveSteps: LiveObserver {
    private struct State: Sendable {
        var deliver: (@Sendable (HTTPStep) -> Void)?
        var pending: [HTTPStep] = []
        /// The task that calls the closure; nil while no step is pending.
        var delivery: Task<Void, Never>?
    }

    let watchesPhases: Bool
    private let state: Locked<State>

    init(watchesPhases: Bool, _ deliver: @escaping @Sendable (HTTPStep) -> Void) {
        self.watchesPhases = watchesPhases
        state = Locked(State(deliver: deliver))
    }

    func step(_ step: HTTPStep, of attempt: RequestAttempt) {
        state.withLock { state in
            // A streamed attempt continues after `finish()`.
            guard state.deliver != nil else { return }
            state.pending.append(step)
            if state.delivery == nil { state.delivery = Task { self.deliverPending() } }
        }
    }

    func finalHead(_ head: ResponseHead, of attempt: RequestAttempt) {}

    /// Waits until the closure has returned for every step, and releases the closure.
    ///
    /// Call it after the attempt, so that no other step can happen. The order of the steps of a call depends on this
    /// wait: all steps within the attempt come before the final response.
    func finish() async {
        if let delivery = state.withLock({ $0.delivery }) { await delivery.value }
        // The closure may refer to the owner of the attempt, which refers to this object.
        state.withLock { $0.deliver = nil }
    }

    private func deliverPending() {
        while let (deliver, step) = takeFirst() { deliver(step) }
    }

    private func takeFirst() -> (@Sendable (HTTPStep) -> Void, HTTPStep)? {
        state.withLock { state in
            guard !state.pending.isEmpty, let deliver = state.deliver else {
                state.delivery = nil
                return nil
            }
            return (deliver, state.pending.removeFirst())
        }
    }
}

extension RequestAttempt {
    /// Calls a closure with each step that happens while the attempt runs; call it before the attempt begins.
    ///
    /// - Parameters:
    ///   - watchesPhases: whether to call it with phases.
    ///   - body: the closure.
    /// - Returns: the observer. Call ``LiveSteps/finish()`` after the attempt.
    func onStep(watchesPhases: Bool, _ body: @escaping @Sendable (HTTPStep) -> Void) -> LiveSteps {
        let steps = LiveSteps(watchesPhases: watchesPhases, body)
        liveObserver = steps
        return steps
    }

    /// Reports a step to the observer, if there is one.
    func report(_ step: @autoclosure () -> HTTPStep) {
        guard let liveObserver else { return }
        trace.hasReported = true
        liveObserver.step(step(), of: self)
    }
}
