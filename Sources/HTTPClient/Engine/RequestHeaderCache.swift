internal import SocketTransport
internal import Wire

/// Keeps the header section of requests that bring no field of their own.
///
/// It depends on the client and the origin alone, so that consecutive requests to one origin share
/// it instead of each building the same. Nobody waits for it: who finds it in use builds its own.
final class RequestHeaderCache: Sendable {
    private let last = Locked<(origin: Origin, headers: HTTPHeaders)?>(nil)

    /// The section that was kept last, if it is for that origin.
    func headers(for origin: Origin) -> HTTPHeaders? {
        let found = last.withLockIfAvailable { last -> HTTPHeaders? in
            guard let last, last.origin == origin else { return nil }
            return last.headers
        }
        return found ?? nil
    }

    /// Keeps the section of a request to that origin.
    func store(_ headers: HTTPHeaders, for origin: Origin) {
        _ = last.withLockIfAvailable { $0 = (origin, headers) }
    }
}
