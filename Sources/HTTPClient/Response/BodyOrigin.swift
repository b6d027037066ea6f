/// Says where a streamed body comes from.
enum BodyOrigin: Sendable {
    case open(OpenBody)
    case made(MadeBody)

    nonisolated(nonsending) func next() async throws(HTTPError) -> [UInt8] {
        switch self {
        case .open(let source): try await source.next()
        case .made(let body): body.next()
        }
    }

    var head: ResponseHead {
        switch self {
        case .open(let source): source.head
        case .made(let body): body.response.head
        }
    }

    /// Of the request that it answers.
    var method: HTTPMethod {
        switch self {
        case .open(let source): source.call.plan.head.method
        case .made(let body): body.response.method
        }
    }

    /// What was asked, without credentials.
    var publicURL: String {
        switch self {
        case .open(let source): source.call.plan.publicURL
        case .made(let body): body.response.url.publicText
        }
    }

    /// What the client reads JSON with.
    var coders: (any AnyObject & Sendable)? {
        switch self {
        case .open(let source): source.call.plan.coders
        case .made(let body): body.response.coders
        }
    }

    var engine: Engine {
        switch self {
        case .open(let source): source.engine
        case .made(let body): body.engine
        }
    }
}
