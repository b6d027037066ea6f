internal import Wire

extension HTTPRequestProtocol {
    /// Returns a copy that sends these cookies too, after those of its Cookie field (RFC 6265 §5.4).
    ///
    ///     request.cookies([Cookie("session", id, domain: "example.com")].compactMap { $0 })
    ///
    /// Only names and values matter: the request sends the cookies to its URL whatever their domain, path and
    /// expiration. A cookie replaces an earlier one with the same name, and the one of the client's jar
    /// (``HTTPClientSettings/cookies``). After a redirect to another origin they are not sent.
    public func cookies(_ cookies: [Cookie]) -> Self {
        with { request in
            var pairs: [(name: [UInt8], bytes: [UInt8])] = []
            for pair in request.headers.valueBytes(.cookie).flatMap(CookiePairs.list) {
                pairs.append((CookiePairs.name(of: pair), Array(pair)))
            }
            for cookie in cookies {
                let bytes = cookie.pairBytes
                let name = CookiePairs.name(of: bytes[...])
                pairs.removeAll { $0.name == name }
                pairs.append((name, bytes))
            }
            guard !pairs.isEmpty else { return }
            request.headers.replace(.cookie, with: CookiePairs.joined(pairs.map(\.bytes)))
        }
    }
}
