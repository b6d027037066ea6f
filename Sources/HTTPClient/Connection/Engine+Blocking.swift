internal import SocketTransport

// Threads that wait for the loop of an engine.
extension Engine {
    /// Whether the calling thread may block: it runs neither a task nor the loop.
    var mayBlockThread: Bool { !isInsideTask() && !loop.isCurrent }

    /// Blocks the calling thread until an asynchronous operation has finished.
    ///
    /// - Parameters:
    ///   - request: the method and the URL of the request without credentials, for errors.
    ///   - operation: the operation. It must switch to its own executor.
    /// - Returns: the value of the operation.
    /// - Throws: `.invalidRequest(.blockingInsideTask)`; `.systemFailure` if no descriptor is available;
    ///   the error of the operation.
    func wait<Value: Sendable>(
        naming request: @autoclosure () -> (method: HTTPMethod, url: String),
        _ operation: @escaping @Sendable () async -> Result<Value, HTTPError>
    ) throws(HTTPError) -> Value {
        guard mayBlockThread else {
            let (method, url) = request()
            throw HTTPError(.invalidRequest(.blockingInsideTask), phase: .preparing)
                .naming(method, url)
        }
        let waiting = waitingLoops.take() ?? .callerDriven()
        defer { waitingLoops.put(waiting, sweepingOn: loop) }
        return try waiting.drive(naming: request(), operation)
    }
}

extension EventLoop {
    /// Runs an operation with the calling thread as the loop.
    func drive<Value: Sendable>(
        naming request: @autoclosure () -> (method: HTTPMethod, url: String),
        _ operation: @escaping @Sendable () async -> Result<Value, HTTPError>
    ) throws(HTTPError) -> Value {
        let result: Result<Value, HTTPError>
        do throws(TransportError) {
            result = try drive { await operation() }
        } catch {
            let (method, url) = request()
            throw HTTPError(HTTPError.Kind(error, phase: .preparing), phase: .preparing)
                .naming(method, url)
        }
        return try result.get()
    }
}
