import SocketTransport

/// A barrier that suspends tasks until a given number has arrived; later tasks pass.
final class Rendezvous: Sendable {
    private struct State: Sendable {
        var missing: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(of count: Int) {
        state = Locked(State(missing: count))
    }

    func join() async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.missing -= 1
                state.waiting.append(continuation)
                guard state.missing <= 0 else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in ready { waiter.resume() }
        }
    }
}
