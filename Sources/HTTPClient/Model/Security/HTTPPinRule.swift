/// Says which pins a host must show one of.
///
/// The rule is decided in the handshake, before a request is sent, on full and on resumed sessions.
public struct HTTPPinRule: Sendable, Hashable {
    /// Says whether a rule holds for names below its host too.
    public enum Subdomains: Sendable, Hashable {
        /// The host alone.
        case excluded
        /// The host and every name below it, however deep.
        case included
    }

    /// Says which certificates may fit.
    public enum Scope: Sendable, Hashable {
        /// Any of the verified chain, from the peer's own to the trusted root.
        ///
        /// Certificates that a peer sends besides do not count: anyone can send those. Where
        /// verification is off there is no such chain, and only the peer's own counts.
        case chain
        /// The peer's own.
        case leaf
    }

    /// Says what follows when none fits.
    public enum Mode: Sendable, Hashable {
        /// The handshake fails: `.tlsFailed(.pinMismatch)`.
        case enforce
        /// ``HTTPSecurity/pinReporter`` is told, and the connection is used: to try pins out.
        case audit
    }

    /// The name or address; nil for every host.
    ///
    /// A name that is not ASCII needs the package trait `IDN`. Without it, for a name that has no form in
    /// ASCII, and for text that is no host (a URL, a port, a wildcard), connections to every host fail with
    /// `.pinSettings`: such a rule would match nothing, and its host would stay unpinned.
    public var host: String?

    /// Whether names below it are meant too.
    ///
    /// Default no. An address has none.
    public var subdomains: Subdomains

    /// What the host must show, at least one of them.
    public var pins: [HTTPPin]

    /// Which certificates may fit.
    ///
    /// Default any of the chain.
    public var scope: Scope

    /// What follows when none fits.
    ///
    /// Default failure.
    public var mode: Mode

    /// Makes a rule.
    ///
    /// - Parameters:
    ///   - host: a name or an address; nil for every host.
    ///   - subdomains: whether names below it are meant too.
    ///   - pins: at least one, better two: see ``HTTPPin``. Without any, connections to every host
    ///     fail with `.pinSettings`.
    ///   - scope: which certificates may fit.
    ///   - mode: what follows when none fits.
    public init(
        host: String?,
        subdomains: Subdomains = .excluded,
        pins: [HTTPPin],
        scope: Scope = .chain,
        mode: Mode = .enforce
    ) {
        self.host = host
        self.subdomains = subdomains
        self.pins = pins
        self.scope = scope
        self.mode = mode
    }
}

/// Tells somebody of hosts that showed nothing pinned.
///
/// Copies of a reporter are equal, and so can be the settings that hold them.
public struct HTTPPinReporter: Sendable, Hashable {
    /// Holds what is reported.
    public struct Mismatch: Sendable {
        /// The name or address of the peer.
        public let host: String
        /// The rule that was not met.
        public let rule: HTTPPinRule
        /// What the peer showed: the verified chain, its own certificate first.
        public let certificates: [HTTPCertificate]
        /// Whether an earlier session was taken up.
        public let isResumed: Bool
    }

    let report: @Sendable (Mismatch) -> Void
    private let identity = Identity()

    private final class Identity: Sendable {}

    /// Makes a reporter.
    ///
    /// - Parameter report: runs on Swift's concurrent pool, not on the client's loop; the handshake
    ///   does not wait for it, and calls may overlap.
    public init(_ report: @escaping @Sendable (Mismatch) -> Void) {
        self.report = report
    }

    /// Compares by origin: a copy is equal.
    public static func == (left: HTTPPinReporter, right: HTTPPinReporter) -> Bool {
        left.identity === right.identity
    }

    /// Hashes the origin.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(identity))
    }
}
