internal import SocketTransport

/// The source of a streamed body.
enum ResponseBodySource: Sendable {
    case streaming(StreamingBody)
    case buffered(BufferedBody)

    nonisolated(nonsending) func next() async throws(HTTPError) -> [UInt8] {
        switch self {
        case .streaming(let source): try await source.next()
        case .buffered(let body): body.next()
        }
    }

    var head: ResponseHead {
        switch self {
        case .streaming(let source): source.head
        case .buffered(let body): body.response.head
        }
    }

    /// The method of the request.
    var method: HTTPMethod {
        switch self {
        case .streaming(let source): source.attempt.plan.head.method
        case .buffered(let body): body.response.method
        }
    }

    /// The URL of the request, without credentials.
    var publicURL: String {
        switch self {
        case .streaming(let source): source.attempt.plan.publicURL
        case .buffered(let body): body.response.url.publicText
        }
    }

    /// The coders of the client for reading JSON.
    var coders: (any AnyObject & Sendable)? {
        switch self {
        case .streaming(let source): source.attempt.plan.coders
        case .buffered(let body): body.response.coders
        }
    }

    var engine: Engine {
        switch self {
        case .streaming(let source): source.engine
        case .buffered(let body): body.engine
        }
    }
}

/// A body that no server sent: an interceptor created the response.
final class BufferedBody: Sendable {
    let response: HTTPResponse
    /// The engine of the client that made the call.
    let engine: Engine
    private let rest: Locked<[UInt8]>

    init(_ response: HTTPResponse, _ engine: Engine) {
        self.response = response
        self.engine = engine
        rest = Locked(response.body)
    }

    /// Returns the whole body the first time, and an empty array after that.
    func next() -> [UInt8] {
        rest.withLock { rest in
            defer { rest = [] }
            return rest
        }
    }
}
