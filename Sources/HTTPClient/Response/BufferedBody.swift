internal import SocketTransport

/// Holds a body that came from no server: an interceptor made the response.
final class BufferedBody: Sendable {
    let response: HTTPResponse
    /// Of the client that was asked.
    let engine: Engine
    private let rest: Locked<[UInt8]>

    init(_ response: HTTPResponse, _ engine: Engine) {
        self.response = response
        self.engine = engine
        rest = Locked(response.body)
    }

    /// Gives all of it, once.
    func next() -> [UInt8] {
        rest.withLock { rest in
            defer { rest = [] }
            return rest
        }
    }
}
