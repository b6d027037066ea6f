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
