import HTTPClient
import OpenCombine
import Synchronization

/// A subscriber that requests a given number of values and records what it receives.
final class Recorder<Input: Sendable>: Subscriber, Sendable {
    typealias Failure = HTTPError

    enum Note: Sendable {
        case value(Input)
        case finished
        case failed(HTTPError)
    }

    private struct State: @unchecked Sendable {
        var notes: [Note] = []
        // `@unchecked Sendable`: any thread may call a subscription, but the protocol does not say so.
        var subscription: (any Subscription)?
    }

    private let state = Mutex(State())
    private let (signals, signal) = AsyncStream<Void>.makeStream(
        bufferingPolicy: .bufferingNewest(1)
    )
    private let first: Int
    private let afterEach: Int

    /// Creates a subscriber.
    ///
    /// - Parameters:
    ///   - first: The number of values to request at the start.
    ///   - afterEach: The number of values to request after each value.
    init(first: Int, afterEach: Int = 0) {
        self.first = first
        self.afterEach = afterEach
    }

    var notes: [Note] { state.withLock { $0.notes } }

    var values: [Input] {
        notes.compactMap { if case .value(let value) = $0 { value } else { nil } }
    }

    func receive(subscription: any Subscription) {
        let kept = State(subscription: subscription)
        state.withLock { $0.subscription = kept.subscription }
        if first > 0 { subscription.request(.max(first)) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        record(.value(input))
        return .max(afterEach)
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        switch completion {
        case .finished: record(.finished)
        case .failure(let error): record(.failed(error))
        }
    }

    func request(_ count: Int) { held.subscription?.request(.max(count)) }

    func cancel() { held.subscription?.cancel() }

    /// Suspends until the condition is true; only one task may wait at a time.
    func until(_ isTrue: ([Note]) -> Bool) async {
        var signals = signals.makeAsyncIterator()
        while !isTrue(notes) {
            guard await signals.next() != nil else { return }
        }
    }

    /// Suspends until the completion is received; returns its error, if any.
    func end() async -> HTTPError? {
        await until { notes in
            if case .value = notes.last { false } else { !notes.isEmpty }
        }
        if case .failed(let error) = notes.last { return error }
        return nil
    }

    private var held: State { state.withLock { $0 } }

    private func record(_ note: Note) {
        state.withLock { $0.notes.append(note) }
        signal.yield()
    }
}
