internal import SocketTransport

/// The executor on which the observers of a call run.
///
///     call.onResult(on: .main) { result in … }
///     call.onProgress(on: HTTPCallbackExecutor { queue.async(execute: $0) }) { progress in … }
///
/// On every executor, each observer is called by one thread at a time and in order.
public struct HTTPCallbackExecutor: Sendable {
    let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates an executor that passes work to a closure, for example to a dispatch queue.
    ///
    /// - Parameter schedule: a closure that runs the given work once, soon, and returns without waiting for it.
    public init(_ schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.schedule = schedule
    }

    /// Calls observers immediately, on the thread that reports the event.
    ///
    /// That is a thread of Swift's concurrent pool, or the thread that adds an observer after the event. It is
    /// never the thread of the client's event loop. An observer must not block the thread.
    public static let inline = HTTPCallbackExecutor { $0() }

    /// Calls observers on the main actor; use `MainActor.assumeIsolated` to access its state.
    public static var main: HTTPCallbackExecutor { .actor(MainActor.shared) }

    /// Calls observers on an actor; use `assumeIsolated` to access its state.
    public static func actor(_ actor: any Actor) -> HTTPCallbackExecutor {
        HTTPCallbackExecutor { work in
            Task { await run(work, on: actor) }
        }
    }

    /// Calls observers on an executor.
    public static func executor(_ executor: any TaskExecutor) -> HTTPCallbackExecutor {
        HTTPCallbackExecutor { work in
            Task(executorPreference: executor) { work() }
        }
    }

    private static func run(_ work: () -> Void, on actor: isolated any Actor) {
        work()
    }
}

/// A token that identifies observers of a call for ``HTTPCall/removeObservers(_:)``.
public struct HTTPObserverToken: Sendable, Hashable {
    private let identity: Identity

    private final class Identity: Sendable, IdentityHashable {}

    /// Creates a token that equals no other.
    public init() {
        identity = Identity()
    }
}
