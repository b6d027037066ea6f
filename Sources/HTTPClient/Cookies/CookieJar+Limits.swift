extension CookieJar {
    /// Bounds what a jar keeps; the defaults are what RFC 6265bis asks of clients.
    public struct Limits: Sendable, Hashable {
        /// Octets of name and value together; a larger cookie is not taken.
        ///
        /// Default 4096 (§5.6), which is also the most.
        public let pairOctets: Int
        /// Cookies of one domain.
        ///
        /// Default 50, the least that servers may count on (§6.1). Of more, those that have ended go first, then those that are not Secure, then all others;
        /// among equals the one that was not used for longest.
        public let perDomain: Int
        /// Cookies in all.
        ///
        /// Default 3000 (§6.1). Of more, those that have ended go first, then the one that was not used for longest.
        public let total: Int
        /// Seconds that a cookie lives at most, whatever its server asks for.
        ///
        /// Default 400 days (§5.5).
        public let lifetime: Int
        /// Octets of one Cookie field that the jar makes.
        ///
        /// Default 8192: servers refuse requests whose head is much longer. Of more, the cookies that
        /// would come last are left out.
        public let fieldOctets: Int

        /// Makes bounds; a negative one counts as 0.
        ///
        /// - Parameters:
        ///   - pairOctets: octets of name and value together, at most 4096.
        ///   - perDomain: cookies of one domain.
        ///   - total: cookies in all.
        ///   - lifetime: seconds that a cookie lives at most; session cookies have no such bound.
        ///   - fieldOctets: octets of one Cookie field.
        public init(
            pairOctets: Int = 4096,
            perDomain: Int = 50,
            total: Int = 3000,
            lifetime: Int = 400 * 86_400,
            fieldOctets: Int = 8192
        ) {
            self.pairOctets = min(max(pairOctets, 0), CookieRules.longestPair)
            self.perDomain = max(perDomain, 0)
            self.total = max(total, 0)
            self.lifetime = max(lifetime, 0)
            self.fieldOctets = max(fieldOctets, 0)
        }
    }
}
