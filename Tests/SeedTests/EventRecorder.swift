import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Collects what closures are told, for a test that waits for it.
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

    /// Returns the first of them, as soon as there are that many; one waits at a time.
    @discardableResult
    func first(_ count: Int) async -> [Note] {
        await until { $0.count >= count }
        return Array(all.prefix(count))
    }

    /// Returns the first of which something is true, as soon as there is one; one waits at a time.
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

/// Starts a server that answers each request with what it saw of it.
func echoServer() async throws -> HTTPTestServer {
    try await HTTPTestServer.start { .echo($0) }
}

/// Starts a server that gives these answers in turn, whatever it is asked, and the last for ever.
func serverAnswering(_ answers: [HTTPTestServer.Response]) async throws -> HTTPTestServer {
    let left = Locked(answers)
    return try await HTTPTestServer.start { _ in
        left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
}

/// Runs what must fail with an `HTTPError` and returns that; records an issue when it does not.
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

/// Runs a closure on a thread that is no task's, as a program without concurrency would.
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
