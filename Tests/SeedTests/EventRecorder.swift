import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// A record of the values passed to closures, for which a test can wait.
final class EventRecorder<Note: Sendable>: Sendable {
    private let kept = Locked<[Note]>([])
    private let (signals, signal) = AsyncStream<Void>.makeStream(
        bufferingPolicy: .bufferingNewest(1)
    )

    var all: [Note] { kept.withLock { $0 } }

    func add(_ note: Note) {
        kept.withLock { $0.append(note) }
        signal.yield()
    }

    /// Waits until there are `count` values and returns them; only one task may wait at a time.
    @discardableResult
    func first(_ count: Int) async -> [Note] {
        await until { $0.count >= count }
        return Array(all.prefix(count))
    }

    /// Waits for a value that satisfies the condition and returns it; only one task may wait at a time.
    func first(where isWanted: (Note) -> Bool) async -> Note? {
        await until { $0.contains(where: isWanted) }
        return all.first(where: isWanted)
    }

    private func until(_ isEnough: ([Note]) -> Bool) async {
        var signals = signals.makeAsyncIterator()
        while !isEnough(all) {
            guard await signals.next() != nil else { return }
        }
    }
}

/// Starts a server that echoes each request in its response.
func echoServer() async throws -> HTTPTestServer {
    try await HTTPTestServer.start { .echo($0) }
}

/// Starts a server that sends these responses in order to any requests, and repeats the last one.
func serverAnswering(_ answers: [HTTPTestServer.Response]) async throws -> HTTPTestServer {
    let left = Locked(answers)
    return try await HTTPTestServer.start { _ in
        left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
}

/// Runs an operation that must fail and returns its `HTTPError`; records an issue if it succeeds.
func failure<Value>(
    _ operation: () async throws -> Value,
    at location: SourceLocation = #_sourceLocation
) async -> HTTPError? {
    do {
        _ = try await operation()
        Issue.record("nothing was thrown", sourceLocation: location)
    } catch let error as HTTPError {
        return error
    } catch {
        Issue.record("not an HTTPError: \(error)", sourceLocation: location)
    }
    return nil
}

/// Runs a closure on a thread that runs no task, like a program without concurrency.
func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
) async throws -> Value? {
    let (values, value) = AsyncStream<Value>.makeStream()
    let thread = try WorkerThread {
        value.yield(body())
        value.finish()
    }
    var found: Value?
    for await value in values { found = value }
    thread.join()
    return found
}
