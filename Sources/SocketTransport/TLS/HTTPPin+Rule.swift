extension HTTPPin {
    /// A rule that requires a host to present one of several pins.
    ///
    /// The client checks the rule during the handshake, before it sends application data. It applies to full
    /// handshakes and to resumed sessions.
    public struct Rule: Sendable, Hashable {
        /// Whether a rule also applies to subdomains of its host.
        public enum Subdomains: Sendable, Hashable {
            /// The rule applies to the host only.
            case excluded
            /// The rule applies to the host and to all its subdomains, at any depth.
            case included
        }

        /// The certificates that a pin may match.
        public enum Scope: Sendable, Hashable {
            /// Any certificate of the verified chain, from the peer's own to the trusted root.
            ///
            /// Other certificates that the peer sends do not count, because anyone can send those. If
            /// verification is off, there is no verified chain, and only the peer's own certificate
            /// counts.
            case chain
            /// The peer's own certificate.
            case leaf
        }

        /// The action when no pin matches.
        public enum Mode: Sendable, Hashable {
            /// The handshake fails with `.tlsFailed(.pinMismatch)`.
            case enforce
            /// The mismatch is reported to ``HTTPSecurity/pinReporter`` and the connection is used. Use
            /// this to test pins.
            case audit
        }

        /// The host name or address; nil for every host.
        ///
        /// A name that is not ASCII needs the package trait `IDN`. Connections to every host fail with
        /// `.pinSettings` without the trait, and for a name without an ASCII form. They also fail for
        /// text that is not a host, such as a URL, a port or a wildcard. Such a rule would match
        /// nothing and leave its host unpinned.
        public var host: String?

        /// Whether the rule also applies to subdomains.
        ///
        /// Default: it does not. An address has no subdomains.
        public var subdomains: Subdomains

        /// The pins, of which the host must present at least one.
        public var pins: [HTTPPin]

        /// The certificates that a pin may match.
        ///
        /// Default: any certificate of the chain.
        public var scope: Scope

        /// The action when no pin matches.
        ///
        /// Default: the handshake fails.
        public var mode: Mode

        /// Creates a rule.
        ///
        /// - Parameters:
        ///   - host: a name or an address; nil for every host.
        ///   - subdomains: whether the rule also applies to subdomains.
        ///   - pins: at least one pin, better two; see ``HTTPPin``. Without pins, connections to every
        ///     host fail with `.pinSettings`.
        ///   - scope: the certificates that a pin may match.
        ///   - mode: the action when no pin matches.
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
}

extension HTTPPin {
    /// A callback that reports pin mismatches.
    ///
    /// Copies of a reporter are equal, so that settings with a reporter can be equal too.
    public struct Reporter: Sendable, Hashable {
        /// A pin mismatch.
        public struct Mismatch: Sendable {
            /// The peer's name or address.
            public let host: String
            /// The rule that did not match.
            public let rule: Rule
            /// The verified chain, the peer's own certificate first.
            ///
            /// If the chain was not verified, the certificates that the peer sent.
            public let certificates: [HTTPCertificate]
            /// Whether the connection resumed an earlier session.
            public let isResumed: Bool
        }

        private let box: Box

        private final class Box: Sendable, IdentityHashable {
            let report: @Sendable (Mismatch) -> Void

            init(_ report: @escaping @Sendable (Mismatch) -> Void) {
                self.report = report
            }
        }

        /// Creates a reporter.
        ///
        /// - Parameter report: the callback. It runs on Swift's concurrent pool, not on the client's
        ///   event loop. The handshake does not wait for it, and calls may overlap.
        public init(_ report: @escaping @Sendable (Mismatch) -> Void) {
            box = Box(report)
        }

        /// Reports a mismatch, without waiting.
        func notify(_ mismatch: Mismatch) {
            let box = box
            Task(executorPreference: globalConcurrentExecutor) { box.report(mismatch) }
        }
    }
}
