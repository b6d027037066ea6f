/// The TLS context of some settings, which is replaced when their files or their provider change.
///
/// Loop-confined.
package final class RotatingContext {
    /// A change that ``refresh(at:)`` has found.
    package enum Event: Sendable, Hashable {
        /// The context was replaced; the connections of the old one should end soon.
        case replaced
        /// The new files or settings cannot be used; the old context stays.
        case kept(TLSError)
    }

    /// The context for new connections.
    package private(set) var context: TLSContext
    private let security: HTTPSecurity
    private let hostName: (String) -> String
    /// The settings of ``context``, and the state of their files.
    private var used: (settings: HTTPSecurity, stamps: SecurityFileStamps)
    /// The settings that could not be used, and the reason, which is reported once.
    private var failed: (settings: HTTPSecurity, error: TLSError)?
    /// The last error of the provider, which is reported once.
    private var providerError: TLSError?
    private var examinedAt: Deadline
    /// The time in which files are examined at most once: a burst of new connections costs one examination.
    private static let interval = Duration.seconds(1)

    /// Creates the context.
    ///
    /// - Parameters:
    ///   - security: the settings.
    ///   - hostName: as in ``TLSContext/init(client:applicationProtocols:hostName:)``.
    ///   - now: the current time.
    /// - Throws: as that initializer; `.settings` if the provider throws.
    package init(
        _ security: HTTPSecurity,
        hostName: @escaping (String) -> String = { $0 },
        at now: Deadline
    ) throws(TLSError) {
        self.security = security
        self.hostName = hostName
        let settings = try Self.settings(security)
        // Examined before they are read, so that a later change is noticed.
        used = (settings, SecurityFileStamps(of: settings))
        examinedAt = now
        context = try TLSContext(client: settings, hostName: hostName)
    }

    /// Replaces the context if its files or settings have changed.
    ///
    /// - Parameter now: the current time.
    /// - Returns: what happened; nil if nothing has changed, or if the failure was already reported.
    package func refresh(at now: Deadline) -> Event? {
        let settings: HTTPSecurity
        do throws(TLSError) {
            settings = try Self.settings(security)
            providerError = nil
        } catch {
            guard providerError != error else { return nil }
            providerError = error
            return .kept(error)
        }
        let isOther = security.provider != nil && settings != used.settings
        guard isOther || !used.stamps.isEmpty else {
            failed = nil
            return nil
        }
        if !isOther || failed?.settings == settings {
            guard examinedAt.advanced(by: Self.interval) <= now else { return nil }
        }
        examinedAt = now
        let stamps = SecurityFileStamps(of: settings)
        if !isOther, stamps == used.stamps {
            failed = nil
            return nil
        }
        return replace(settings, stamps)
    }

    /// Replaces the context if the settings can be used; they are tried again at the next examination.
    private func replace(_ settings: HTTPSecurity, _ stamps: SecurityFileStamps) -> Event? {
        do throws(TLSError) {
            let new = try TLSContext(client: settings, hostName: hostName)
            // Authorities that are added to the system's would otherwise be read by the next handshake only.
            try new.prepareTrust()
            context.markReplaced()
            context = new
            used = (settings, stamps)
            failed = nil
            return .replaced
        } catch {
            let isKnown = failed.map { $0.settings == settings && $0.error == error } ?? false
            failed = (settings, error)
            return isKnown ? nil : .kept(error)
        }
    }

    private static func settings(_ security: HTTPSecurity) throws(TLSError) -> HTTPSecurity {
        guard let provider = security.provider else { return security }
        return try provider.settings(from: security)
    }
}
