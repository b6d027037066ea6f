/// Says where the observers of a call are called.
///
///     call.onResult(on: .main) { result in … }
///     call.onProgress(on: HTTPCallbackExecutor { queue.async(execute: $0) }) { progress in … }
///
/// Wherever that is, each observer is called by one thread at a time, and in order.
public struct HTTPCallbackExecutor: Sendable {
    let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Calls observers where a closure of yours runs work, such as a dispatch queue.
    ///
    /// - Parameter schedule: runs the work that it gets, soon and once, and returns without waiting.
    public init(_ schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.schedule = schedule
    }

    /// Calls observers at once, on the thread that brings the news.
    ///
    /// That is one of Swift's concurrent pool, or the one that adds an observer of something that
    /// has happened already. An observer must not block it; it is never the client's loop.
    public static let inline = HTTPCallbackExecutor { $0() }

    /// Calls observers on the main actor, whose state `MainActor.assumeIsolated` reaches.
    public static var main: HTTPCallbackExecutor { .actor(MainActor.shared) }

    /// Calls observers on an actor, whose state `assumeIsolated` reaches.
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

/// Names observers of a call, to remove them with ``HTTPCall/removeObservers(_:)``.
public struct HTTPObserverToken: Sendable, Hashable {
    private let id: ObjectIdentifier
    /// Keeps the identifier from being given to another one.
    private let identity: Identity

    private final class Identity: Sendable {}

    /// Makes a name that no other observer has.
    public init() {
        identity = Identity()
        id = ObjectIdentifier(identity)
    }

    /// Compares the names.
    public static func == (left: HTTPObserverToken, right: HTTPObserverToken) -> Bool {
        left.id == right.id
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}
