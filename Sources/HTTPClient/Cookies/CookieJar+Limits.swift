extension CookieJar {
    /// Bounds what a jar keeps; the defaults are what RFC 6265bis asks of clients.
    public struct Limits: Sendable, Hashable {
        /// Bytes of name and value together; a larger cookie is not taken.
        ///
        /// Default 4096 (§5.6), which is also the most.
        public let maxPairBytes: Int
        /// Cookies of one domain.
        ///
        /// Default 50, the least that servers may count on (§6.1). Of more, those that have ended go first, then those that are not Secure, then all others;
        /// among equals the one that was not used for longest.
        public let maxPerDomain: Int
        /// Cookies in all.
        ///
        /// Default 3000 (§6.1). Of more, those that have ended go first, then the one that was not used for longest.
        public let maxTotal: Int
        /// Seconds that a cookie lives at most, whatever its server asks for.
        ///
        /// Default 400 days (§5.5).
        public let maxLifetime: Int
        /// Bytes of one Cookie field that the jar makes.
        ///
        /// Default 8192: servers refuse requests whose head is much longer. Of more, the cookies that
        /// would come last are left out.
        public let maxHeaderBytes: Int

        /// Makes bounds; a negative one counts as 0.
        ///
        /// - Parameters:
        ///   - maxPairBytes: bytes of name and value together, at most 4096.
        ///   - maxPerDomain: cookies of one domain.
        ///   - maxTotal: cookies in all.
        ///   - maxLifetime: seconds that a cookie lives at most; session cookies have no such bound.
        ///   - maxHeaderBytes: bytes of one Cookie field.
        public init(
            maxPairBytes: Int = 4096,
            maxPerDomain: Int = 50,
            maxTotal: Int = 3000,
            maxLifetime: Int = 400 * 86_400,
            maxHeaderBytes: Int = 8192
        ) {
            self.maxPairBytes = min(max(maxPairBytes, 0), CookieRules.maxPairBytes)
            self.maxPerDomain = max(maxPerDomain, 0)
            self.maxTotal = max(maxTotal, 0)
            self.maxLifetime = max(maxLifetime, 0)
            self.maxHeaderBytes = max(maxHeaderBytes, 0)
        }
    }
}
