extension HTTPSecurity {
    /// A closure that completes the TLS settings before each new connection, for certificates and pins that change
    /// while the program runs, such as those of SPIFFE or Vault.
    ///
    ///     let certificates = Mutex(try await vault.certificates())   // another task replaces the value
    ///     security.provider = HTTPSecurity.Provider { security in
    ///         let current = certificates.withLock { $0 }
    ///         security.identity = .bytes(certificate: current.chain, key: current.key)
    ///         security.trust = .pem(current.authorities)
    ///     }
    ///
    /// The client calls the closure on its event loop, so it must return at once. If the settings differ from those of
    /// the last connection, new connections use the new ones, and older connections are closed after their exchange. If
    /// the closure throws, or the new settings cannot be used, new connections use the last ones that could be used,
    /// and the pool reports the reason to its observer. If there are none yet, connecting fails with `.tlsFailed`.
    ///
    /// Create an ``HTTPTrustEvaluator`` or an ``HTTPPin/Reporter`` outside the closure: a new one makes other settings,
    /// and so ends all connections.
    ///
    /// Copies of a provider are equal, so that settings with a provider can be equal too. Create one and keep it.
    public struct Provider: Sendable, Hashable {
        /// A closure that changes settings.
        ///
        /// It gets the client's own settings; what it sets for ``HTTPSecurity/provider`` has no effect.
        public typealias Provide = @Sendable (inout HTTPSecurity) throws -> Void

        private let box: Box

        private final class Box: Sendable, IdentityHashable {
            let provide: Provide

            init(_ provide: @escaping Provide) {
                self.provide = provide
            }
        }

        /// Creates a provider.
        public init(_ provide: @escaping Provide) {
            box = Box(provide)
        }

        /// Returns the settings for a new connection.
        ///
        /// - Throws: `.settings` if the closure throws.
        package func settings(from security: HTTPSecurity) throws(TLSError) -> HTTPSecurity {
            var settings = security
            do {
                try box.provide(&settings)
            } catch {
                throw .failed(.settings(reason: "the provider failed: \(error)"))
            }
            settings.provider = nil
            return settings
        }
    }
}
