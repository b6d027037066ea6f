internal import SocketTransport
internal import Wire

/// A cache of TLS contexts, one for each set of TLS settings.
///
/// A context contains the certificates read and the sessions, so that those of different settings
/// never mix.
///
/// Loop-confined.
final class TLSContexts {
    private let standard: HTTPSecurity
    private var standardContext: TLSContext?
    /// The contexts of requests with their own settings; the most recently used one is last.
    private var others: [(security: HashedSecurity, context: TLSContext)] = []
    /// The maximum number of `others`: keeping more does not help a program that creates new
    /// settings for every request.
    private static let capacity = 32

    /// Creates a cache.
    ///
    /// - Parameter security: the client's own settings.
    init(_ security: HTTPSecurity) {
        standard = security
    }

    /// Returns the context of the settings, and creates it if necessary.
    ///
    /// - Parameter security: the request's settings; nil for the client's.
    /// - Returns: the context with the sessions of these settings.
    /// - Throws: as `TLSContext.init(client:)`; the next call tries again.
    func context(for security: HashedSecurity?) throws(TLSError) -> TLSContext {
        guard let security else {
            if let standardContext { return standardContext }
            let made = try TLSContext(client: standard, hostName: Self.hostName)
            standardContext = made
            return made
        }
        if let place = others.lastIndex(where: { $0.security == security }) {
            let known = others.remove(at: place)
            others.append(known)
            return known.context
        }
        let made = try TLSContext(client: security.security, hostName: Self.hostName)
        if others.count >= Self.capacity { others.removeFirst() }
        others.append((security, made))
        return made
    }

    /// Returns a host of the settings in the form that TLS uses.
    private static func hostName(_ host: String) -> String {
        let plain = Origin(scheme: .https, host: host).host
        return plain.last == "." ? String(plain.dropLast()) : plain
    }
}
