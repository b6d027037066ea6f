internal import SocketTransport

/// Holds a body that came from nowhere: an interceptor made the response.
final class MadeBody: Sendable {
    private let rest: Locked<[UInt8]>
    let response: HTTPResponse

    init(_ response: HTTPResponse) {
        self.response = response
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
}
