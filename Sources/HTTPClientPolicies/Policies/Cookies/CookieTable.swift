internal import Wire

// To change which cookies are stored or sent, change this file; a new reason for a rejection is a case in `Cookie`. The
// test is a row of `CookieTableTests`, without clock and lock.

/// A table of cookies with the rules of RFC 6265bis §5.7 and §5.8, without clock, lock or file.
///
/// `now` is in seconds since 1970 everywhere.
package struct CookieTable: Sendable {
    struct Entry {
        var cookie: Cookie
        /// The sequence number of the cookie; a replacement keeps the number.
        let number: UInt64
        /// A counter that orders uses within the same second.
        var use: UInt64
    }

    package let limits: CookieJar.Limits
    /// The cookies by domain; no list is empty.
    var entries: [String: [Entry]] = [:] {
        didSet { recent = nil }
    }
    /// The total number of cookies, including expired ones that were not removed yet.
    package internal(set) var count = 0
    private var ticks: UInt64 = 0
    /// The last Cookie value, while it is still valid.
    private var recent: Recent?

    /// The Cookie value for a URL, reused by requests within the same second.
    ///
    /// Within that second no cookie expires, and the last access of its cookies is the same.
    private struct Recent {
        let scheme: Origin.Scheme
        let host: String
        /// The path of the URL; nil when all cookies of the host match every path.
        let path: String?
        let now: Int
        let field: [UInt8]?
    }

    package init(limits: CookieJar.Limits = CookieJar.Limits()) {
        self.limits = limits
    }

    // MARK: - Storing

    /// Stores one line of Set-Cookie (§5.7).
    ///
    /// - Parameters:
    ///   - line: the line that the server sent.
    ///   - url: the URL of the request.
    ///   - now: the time.
    ///   - suffixes: returns the suffix list; called only when the line names a domain.
    /// - Returns: the reason why nothing was stored; nil also when the line removed a cookie.
    package mutating func add(
        _ line: SetCookie,
        from url: URI,
        now: Int,
        suffixes: () -> PublicSuffixList
    ) -> Cookie.RejectionReason? {
        guard let origin = url.origin, !origin.host.isEmpty else { return .unsupportedScheme }
        let scope: String?
        switch Self.scope(line.domain, host: origin.host, suffixes) {
        case .success(let domain): scope = domain
        case .failure(let error): return error.reason
        }
        let target = CookieRules.path(of: url)
        let cookie = Cookie(
            pair: CookieText(line.pair),
            domain: scope ?? origin.host,
            isHostOnly: scope == nil,
            path: line.path ?? CookieRules.defaultPath(target),
            expires: expiry(of: line, now: now),
            isSecure: line.isSecure,
            isHTTPOnly: line.isHTTPOnly,
            sameSite: line.sameSite
        )
        guard size(of: cookie) <= limits.maxPairBytes else { return .tooLarge }
        if origin.scheme != .https {
            guard !cookie.isSecure else { return .secureOverHTTP }
            guard !shadowsSecureCookie(cookie, now: now) else { return .shadowsSecureCookie }
        }
        guard CookieRules.satisfiesNamePrefix(cookie, isRooted: line.path == "/") else {
            return .invalidPrefix
        }
        insert(cookie, now: now)
        return nil
    }

    /// Stores a cookie of the user or from a file.
    package mutating func add(
        _ cookie: Cookie,
        now: Int,
        suffixes: () -> PublicSuffixList
    ) -> Cookie.RejectionReason? {
        guard size(of: cookie) <= limits.maxPairBytes else { return .tooLarge }
        var cookie = cookie
        if !cookie.isHostOnly, suffixes().isPublicSuffix(cookie.domain) {
            // As in Set-Cookie, a public suffix without a dot may still be a host, such as `localhost`.
            guard !cookie.domain.utf8.contains(UInt8(ascii: ".")) else { return .publicSuffix }
            cookie = cookie.hostOnlyCopy
        }
        guard CookieRules.satisfiesNamePrefix(cookie, isRooted: cookie.path == "/") else {
            return .invalidPrefix
        }
        insert(cookie.expiring(by: latest(now)), now: now)
        return nil
    }

    private struct ScopeError: Error {
        let reason: Cookie.RejectionReason
    }

    /// Returns the scope of a cookie: nil for the exact host, else a domain that contains the host.
    private static func scope(
        _ domain: String?,
        host: String,
        _ suffixes: () -> PublicSuffixList
    ) -> Result<String?, ScopeError> {
        guard let domain else { return .success(nil) }
        guard domain.utf8.allSatisfy({ $0 < 0x80 }) else {
            return .failure(ScopeError(reason: .nonASCIIDomain))
        }
        if domain == host {
            // A public suffix may still be a host, and an address has no hosts below it.
            let isAlone = CookieRules.isAddress(host) || suffixes().isPublicSuffix(host)
            return .success(isAlone ? nil : domain)
        }
        // A domain that cannot match needs no suffix list.
        guard CookieRules.matches(host, domain: domain) else {
            return .failure(ScopeError(reason: .domainMismatch))
        }
        // The domain may be as wide as the registered domain of the host, and no wider.
        let bare = domain.utf8.last == UInt8(ascii: ".") ? String(domain.dropLast()) : domain
        guard let owned = suffixes().registrableDomain(of: host),
            CookieRules.matches(bare, domain: owned)
        else { return .failure(ScopeError(reason: .publicSuffix)) }
        return .success(domain)
    }

    /// Returns the expiry of a cookie: Max-Age before Expires, and neither beyond the limit.
    private func expiry(of line: SetCookie, now: Int) -> Int? {
        if let age = line.maxAge {
            guard age > 0 else { return .min }
            return Self.sum(now, min(age, limits.maxLifetime))
        }
        return line.expires.map { min($0.secondsSince1970, latest(now)) }
    }

    private func latest(_ now: Int) -> Int {
        Self.sum(now, limits.maxLifetime)
    }

    private static func sum(_ left: Int, _ right: Int) -> Int {
        let sum = left.addingReportingOverflow(right)
        return sum.overflow ? .max : sum.partialValue
    }

    private func size(of cookie: Cookie) -> Int {
        cookie.text.count
    }

    /// Returns whether a cookie from http would be sent in place of a Secure one, or before it.
    private func shadowsSecureCookie(_ cookie: Cookie, now: Int) -> Bool {
        entries.contains { domain, list in
            // Few cookies are Secure and have that name; only for them the domains are compared.
            let isLike = list.contains { entry in
                entry.cookie.isSecure && !entry.cookie.isExpired(now: now)
                    && entry.cookie.text.hasSameName(as: cookie.text)
                    && CookieRules.matches(cookie.path, path: entry.cookie.path)
            }
            return isLike
                && (CookieRules.matches(domain, domain: cookie.domain)
                    || CookieRules.matches(cookie.domain, domain: domain))
        }
    }

    private mutating func insert(_ cookie: Cookie, now: Int) {
        let domain = cookie.domain
        let place = entries[domain]?.firstIndex { $0.cookie.replaces(cookie) }
        if cookie.isExpired(now: now) {
            if let place { drop(place, in: domain) }
            return
        }
        var new = cookie
        if new.creation == 0 { new.creation = now }
        if new.lastAccess == 0 { new.lastAccess = now }
        if let place, let old = entries[domain]?[place] {
            new.creation = old.cookie.creation
            let use = tick()
            entries[domain]?[place] = Entry(cookie: new, number: old.number, use: use)
            return
        }
        let number = tick()
        entries[domain, default: []].append(Entry(cookie: new, number: number, use: number))
        count += 1
        makeRoom(in: domain, now: now)
    }

    private mutating func tick() -> UInt64 {
        ticks += 1
        return ticks
    }

    // MARK: - Sending

    /// A matching cookie with its position and the properties that determine its order.
    private struct Match {
        let domain: String
        let index: Int
        let cookie: Cookie
        let number: UInt64

        /// Orders longer paths first, then earlier creation (§5.8.3).
        static func isBefore(_ left: Match, _ right: Match) -> Bool {
            let lengths = (left.cookie.path.utf8.count, right.cookie.path.utf8.count)
            if lengths.0 != lengths.1 { return lengths.0 > lengths.1 }
            if left.cookie.creation != right.cookie.creation {
                return left.cookie.creation < right.cookie.creation
            }
            return left.number < right.number
        }
    }

    /// Returns the value of Cookie and marks its cookies as used; nil when no cookie matches.
    package mutating func fieldBytes(for url: URI, now: Int) -> [UInt8]? {
        guard let origin = url.origin else { return nil }
        if let recent, recent.now == now, recent.scheme == origin.scheme,
            recent.host == origin.host,
            recent.path == nil || recent.path == CookieRules.path(of: url)
        {
            return recent.field
        }
        let found = matches(for: url, now: now)
        var field: [UInt8] = []
        for match in found {
            let use = tick()
            entries[match.domain]?[match.index].use = use
            entries[match.domain]?[match.index].cookie.lastAccess = now
            match.cookie.append(to: &field)
        }
        let result = found.isEmpty ? nil : field
        // Set this after marking the cookies, because each mark resets it.
        recent = Recent(
            scheme: origin.scheme,
            host: origin.host,
            path: hasPaths(origin.host) ? CookieRules.path(of: url) : nil,
            now: now,
            field: result
        )
        return result
    }

    /// Returns whether the path of a URL affects which cookies its host gets.
    private func hasPaths(_ host: String) -> Bool {
        CookieRules.domains(matching: host).contains { domain in
            entries[domain]?.contains { $0.cookie.path != "/" } ?? false
        }
    }

    /// Returns the cookies that would be sent, in that order, without marking them.
    package func cookies(for url: URI, now: Int) -> [Cookie] {
        matches(for: url, now: now).map(\.cookie)
    }

    private func matches(for url: URI, now: Int) -> [Match] {
        guard let origin = url.origin else { return [] }
        var found: [Match] = []
        // Most hosts have no cookies, and then the path is not needed.
        var path: String?
        for domain in CookieRules.domains(matching: origin.host) {
            guard let list = entries[domain] else { continue }
            let target = path ?? CookieRules.path(of: url)
            path = target
            let isHost = domain == origin.host
            for (index, entry) in list.enumerated() {
                let cookie = entry.cookie
                guard isHost || !cookie.isHostOnly, !cookie.isSecure || origin.scheme == .https,
                    !cookie.isExpired(now: now), CookieRules.matches(target, path: cookie.path)
                else { continue }
                found.append(
                    Match(domain: domain, index: index, cookie: cookie, number: entry.number)
                )
            }
        }
        return withinHeaderLimit(found.count > 1 ? found.sorted(by: Match.isBefore) : found)
    }

    /// Returns the first cookies, up to the maximum length of the field.
    private func withinHeaderLimit(_ found: [Match]) -> [Match] {
        var bytes = 0
        let end = found.firstIndex { match in
            // Includes the equals sign and the separator between two cookies.
            bytes += size(of: match.cookie) + 3
            return bytes > limits.maxHeaderBytes
        }
        return end.map { Array(found[..<$0]) } ?? found
    }

    // MARK: - Reading

    /// Returns all cookies that have not expired, in order of creation.
    package func cookies(now: Int) -> [Cookie] {
        let all = entries.values.joined().filter { !$0.cookie.isExpired(now: now) }
        return all.sorted { left, right in
            left.cookie.creation == right.cookie.creation
                ? left.number < right.number : left.cookie.creation < right.cookie.creation
        }
        .map(\.cookie)
    }
}

/// Removal and eviction (RFC 6265bis §5.7, at its end).
extension CookieTable {
    /// Removes a cookie.
    ///
    /// - Parameters:
    ///   - cookie: a cookie that would replace the one to remove.
    ///   - isExact: whether only a cookie of the same value is removed.
    /// - Returns: whether the table had such a cookie.
    package mutating func remove(_ cookie: Cookie, isExact: Bool = false) -> Bool {
        let place = entries[cookie.domain]?.firstIndex {
            $0.cookie.replaces(cookie) && (!isExact || $0.cookie.value == cookie.value)
        }
        guard let place else { return false }
        drop(place, in: cookie.domain)
        return true
    }

    /// Removes all cookies.
    package mutating func removeAll() {
        entries.removeAll()
        count = 0
    }

    /// Removes expired cookies.
    package mutating func removeExpired(now: Int) {
        for domain in Array(entries.keys) { removeExpired(in: domain, now: now) }
    }

    private mutating func removeExpired(in domain: String, now: Int) {
        guard let list = entries[domain], list.contains(where: { $0.cookie.isExpired(now: now) })
        else { return }
        let rest = list.filter { !$0.cookie.isExpired(now: now) }
        count -= list.count - rest.count
        entries[domain] = rest.isEmpty ? nil : rest
    }

    mutating func drop(_ index: Int, in domain: String) {
        entries[domain]?.remove(at: index)
        count -= 1
        if entries[domain]?.isEmpty == true { entries[domain] = nil }
    }

    /// Enforces the limits after a cookie was added.
    mutating func makeRoom(in domain: String, now: Int) {
        if let list = entries[domain], list.count > limits.maxPerDomain {
            removeExpired(in: domain, now: now)
            while let list = entries[domain], list.count > limits.maxPerDomain,
                let index = leastRecentlyUsed(of: list, .open) ?? leastRecentlyUsed(of: list, .any)
            {
                drop(index, in: domain)
            }
        }
        guard count > limits.maxTotal else { return }
        removeExpired(now: now)
        while count > limits.maxTotal, let (domain, index) = leastRecentlyUsed() {
            drop(index, in: domain)
        }
    }

    private enum Candidates {
        /// Cookies that are also sent over http.
        case open
        case any
    }

    private func leastRecentlyUsed(of list: [Entry], _ candidates: Candidates) -> Int? {
        var least: Int?
        for index in list.indices where candidates == .any || !list[index].cookie.isSecure {
            if let other = least, list[other].lastUse <= list[index].lastUse { continue }
            least = index
        }
        return least
    }

    private func leastRecentlyUsed() -> (String, Int)? {
        var least: (domain: String, index: Int)?
        var bound: (Int, UInt64)?
        for (domain, list) in entries {
            for index in list.indices {
                let use = list[index].lastUse
                if let bound, bound <= use { continue }
                (least, bound) = ((domain, index), use)
            }
        }
        return least.map { ($0.domain, $0.index) }
    }
}

extension CookieTable.Entry {
    fileprivate var lastUse: (Int, UInt64) { (cookie.lastAccess, use) }
}
