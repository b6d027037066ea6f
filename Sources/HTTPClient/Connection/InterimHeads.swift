internal import SocketTransport
internal import Wire

// To change how 1xx responses are reported: this file passes them on. `CallDriver+Attempts` and `FirstAttempt` connect
// it with observers and the closure of the request, `RecordedHeads` with a started call. The test is
// `InterimResponseTests`.

/// An observer of the response heads of an attempt.
///
/// The attempt calls it on the loop, so it must not call code of the user.
protocol HeadObserver: AnyObject, Sendable {
    /// Is notified of a 1xx response except 101, when its head has arrived.
    func interimHead(_ head: ResponseHead, of attempt: RequestAttempt)

    /// Is notified of the head of the final response, which no replay can replace any more.
    func finalHead(_ head: ResponseHead, of attempt: RequestAttempt)
}

/// A head observer that passes the 1xx responses of one attempt to a closure, off the loop.
///
/// A task on Swift's concurrent pool calls the closure with one head after the other, in order. The
/// attempt does not wait for it. ``WireLimits/informationalCount`` limits the number of heads.
final class InterimHeads: HeadObserver {
    private struct State: Sendable {
        var deliver: (@Sendable (ResponseHead) -> Void)?
        var pending: [ResponseHead] = []
        /// The task that calls the closure; nil while no head is pending.
        var delivery: Task<Void, Never>?
    }

    private let state: Locked<State>

    init(_ deliver: @escaping @Sendable (ResponseHead) -> Void) {
        state = Locked(State(deliver: deliver))
    }

    func interimHead(_ head: ResponseHead, of attempt: RequestAttempt) {
        state.withLock { state in
            state.pending.append(head)
            if state.delivery == nil { state.delivery = Task { self.deliverPending() } }
        }
    }

    func finalHead(_ head: ResponseHead, of attempt: RequestAttempt) {}

    /// Waits until the closure has returned for every head, and releases the closure.
    ///
    /// Call it after the attempt, so that no other head can arrive. The order of the steps of a call
    /// depends on this wait: all 1xx responses come before the final response.
    func finish() async {
        if let delivery = state.withLock({ $0.delivery }) { await delivery.value }
        // The closure may refer to the owner of the attempt, which refers to this object.
        state.withLock { $0.deliver = nil }
    }

    private func deliverPending() {
        while let (deliver, head) = takeFirst() { deliver(head) }
    }

    private func takeFirst() -> (@Sendable (ResponseHead) -> Void, ResponseHead)? {
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
    /// Calls a closure with each 1xx response; call it before the attempt begins.
    ///
    /// - Parameter body: the closure; nil to call none.
    /// - Returns: the observer, if there is a closure. Call ``InterimHeads/finish()`` after the attempt.
    @discardableResult
    func onInterimHead(_ body: (@Sendable (ResponseHead) -> Void)?) -> InterimHeads? {
        guard let body else { return nil }
        let heads = InterimHeads(body)
        headObserver = heads
        return heads
    }
}
