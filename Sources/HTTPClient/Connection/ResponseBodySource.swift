internal import SocketTransport

/// Says where a streamed body comes from.
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

    /// Of the request that it answers.
    var method: HTTPMethod {
        switch self {
        case .streaming(let source): source.call.plan.head.method
        case .buffered(let body): body.response.method
        }
    }

    /// What was asked, without credentials.
    var publicURL: String {
        switch self {
        case .streaming(let source): source.call.plan.publicURL
        case .buffered(let body): body.response.url.publicText
        }
    }

    /// What the client reads JSON with.
    var coders: (any AnyObject & Sendable)? {
        switch self {
        case .streaming(let source): source.call.plan.coders
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
