internal import SocketTransport
internal import Wire

/// A cache of TLS contexts, one for each set of TLS settings.
///
/// A context contains the certificates read and the sessions, so that those of different settings
/// never mix. It is replaced when its files have changed, or when the provider of the settings returns others.
///
/// Loop-confined.
final class TLSContexts {
    private let standard: HTTPSecurity
    private var standardContext: RotatingContext?
    /// The contexts of requests with their own settings; the most recently used one is last.
    private var others: [(security: HashedSecurity, context: RotatingContext)] = []
    /// The maximum number of `others`: keeping more does not help a program that creates new
    /// settings for every request.
    private static let capacity = 32
    /// What happened to contexts since ``takeEvents()``.
    private var events: [RotatingContext.Event] = []

    /// Creates a cache.
    ///
    /// - Parameter security: the client's own settings.
    init(_ security: HTTPSecurity) {
        standard = security
    }

    /// Returns the context of the settings for a new connection, and creates it if necessary.
    ///
    /// - Parameters:
    ///   - security: the request's settings; nil for the client's.
    ///   - now: the current time.
    /// - Returns: the context with the sessions of these settings.
    /// - Throws: as `TLSContext.init(client:)`; the next call tries again.
    func context(
        for security: HashedSecurity?,
        at now: Deadline = .now()
    ) throws(TLSError) -> TLSContext {
        guard let security else {
            if let standardContext { return current(of: standardContext, at: now) }
            let made = try RotatingContext(standard, hostName: Self.hostName, at: now)
            standardContext = made
            return made.context
        }
        if let place = others.lastIndex(where: { $0.security == security }) {
            let known = others.remove(at: place)
            others.append(known)
            return current(of: known.context, at: now)
        }
        let made = try RotatingContext(
            security.security,
            hostName: Self.hostName,
            at: now
        )
        if others.count >= Self.capacity { others.removeFirst() }
        others.append((security, made))
        return made.context
    }

    /// Returns what happened since the last call, so that the pool can act on it.
    func takeEvents() -> [RotatingContext.Event] {
        defer { events = [] }
        return events
    }

    private func current(of context: RotatingContext, at now: Deadline) -> TLSContext {
        if let event = context.refresh(at: now) { events.append(event) }
        return context.context
    }

    /// Returns a host of the settings in the form that TLS uses.
    private static func hostName(_ host: String) -> String {
        let plain = Origin(scheme: .https, host: host).host
        return plain.last == "." ? String(plain.dropLast()) : plain
    }
}
