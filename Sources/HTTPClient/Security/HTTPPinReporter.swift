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
