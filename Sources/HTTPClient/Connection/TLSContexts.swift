internal import SocketTransport

/// Makes one TLS context for each settings and keeps it: with it go the certificates read and the
/// sessions, so that those of different settings never mix.
///
/// Loop-confined.
final class TLSContexts {
    private let standard: TLSConfiguration
    private var standardContext: TLSContext?
    /// Those of requests with settings of their own, the one used last at the end.
    private var others: [(security: HashedSecurity, context: TLSContext)] = []
    /// A program that makes up new settings for every request gains nothing by keeping them.
    private static let capacity = 32

    /// - Parameter security: the client's own settings.
    init(_ security: HTTPSecurity) {
        standard = security.transport
    }

    /// Finds or makes the context.
    ///
    /// - Parameter security: a request's settings; nil for the client's.
    /// - Returns: the context that holds the sessions of these settings.
    /// - Throws: as `TLSContext.init(client:)`; it is tried again the next time.
    func context(for security: HashedSecurity?) throws(TLSError) -> TLSContext {
        guard let security else {
            if let standardContext { return standardContext }
            let made = try TLSContext(client: standard)
            standardContext = made
            return made
        }
        if let place = others.lastIndex(where: { $0.security == security }) {
            let known = others.remove(at: place)
            others.append(known)
            return known.context
        }
        let made = try TLSContext(client: security.security.transport)
        if others.count >= Self.capacity { others.removeFirst() }
        others.append((security, made))
        return made
    }
}
