internal import Wire

/// Keeps cookies by the rules of RFC 6265bis §5.7 and §5.8: no clock, no lock, no file.
///
/// `now` is in seconds since 1970 everywhere.
package struct CookieTable: Sendable {
    struct Entry {
        var cookie: Cookie
        /// Counts cookies as they come; a replaced one keeps its number.
        let number: UInt64
        /// Counts uses, for those of the same second.
        var use: UInt64
    }

    package let limits: CookieJar.Limits
    /// By their domain; no list is empty.
    var entries: [String: [Entry]] = [:] {
        didSet { recent = nil }
    }
    /// Cookies in all, those that have ended and were not found out included.
    package internal(set) var count = 0
    private var ticks: UInt64 = 0
    /// What was sent last, while that still holds.
    private var recent: Recent?

    /// Keeps the value that was made for a URL, for requests that follow within the same second: their
    /// cookies are as old as its own, and none has ended meanwhile.
    private struct Recent {
        let scheme: Origin.Scheme
        let host: String
        /// nil when all cookies of the host are for every path.
        let path: String?
        let now: Int
        let field: [UInt8]?
    }

    package init(limits: CookieJar.Limits = CookieJar.Limits()) {
        self.limits = limits
    }

    // MARK: - Storing

    /// Takes one line of Set-Cookie (§5.7).
    ///
    /// - Parameters:
    ///   - line: what the server said.
    ///   - url: what it answered to.
    ///   - now: the time.
    ///   - suffixes: asked for only when the line names a domain.
    /// - Returns: why nothing was stored; nil also when it removed a cookie.
    package mutating func add(
        _ line: SetCookie,
        from url: URI,
        now: Int,
        suffixes: () -> PublicSuffixList
    ) -> CookieRejectionReason? {
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

    /// Takes a cookie that its user made, or that comes from a file.
    package mutating func add(
        _ cookie: Cookie,
        now: Int,
        suffixes: () -> PublicSuffixList
    ) -> CookieRejectionReason? {
        guard size(of: cookie) <= limits.maxPairBytes else { return .tooLarge }
        var cookie = cookie
        if !cookie.isHostOnly, suffixes().isPublicSuffix(cookie.domain) {
            // As in Set-Cookie, one that nobody owns may still be a host: `localhost` is.
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
        let reason: CookieRejectionReason
    }

    /// Settles whose cookie it is: nil for the very host, else a domain that holds it.
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
            // One that nobody owns may still be a host, and an address has nothing below it.
            let isAlone = CookieRules.isAddress(host) || suffixes().isPublicSuffix(host)
            return .success(isAlone ? nil : domain)
        }
        // What cannot match needs no list.
        guard CookieRules.matches(host, domain: domain) else {
            return .failure(ScopeError(reason: .domainMismatch))
        }
        // It may be as wide as what the host's owner has registered, and no wider.
        let bare = domain.utf8.last == UInt8(ascii: ".") ? String(domain.dropLast()) : domain
        guard let owned = suffixes().registrableDomain(of: host),
            CookieRules.matches(bare, domain: owned)
        else { return .failure(ScopeError(reason: .publicSuffix)) }
        return .success(domain)
    }

    /// Settles when a cookie ends: Max-Age counts before Expires, and neither beyond the limit.
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

    /// Whether a cookie that came over http would be sent in place of a Secure one, or before it.
    private func shadowsSecureCookie(_ cookie: Cookie, now: Int) -> Bool {
        entries.contains { domain, list in
            // Few are Secure and of that name; only for them the domains are compared.
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

    /// Where a cookie is, and what its place among others depends on.
    private struct Match {
        let domain: String
        let index: Int
        let cookie: Cookie
        let number: UInt64

        /// Longer paths first, then those that were made earlier (§5.8.3).
        static func isBefore(_ left: Match, _ right: Match) -> Bool {
            let lengths = (left.cookie.path.utf8.count, right.cookie.path.utf8.count)
            if lengths.0 != lengths.1 { return lengths.0 > lengths.1 }
            if left.cookie.creation != right.cookie.creation {
                return left.cookie.creation < right.cookie.creation
            }
            return left.number < right.number
        }
    }

    /// Makes the value of Cookie and marks what is in it as used; nil when there is none.
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
        // Behind the marks, which are changes as well.
        recent = Recent(
            scheme: origin.scheme,
            host: origin.host,
            path: hasPaths(origin.host) ? CookieRules.path(of: url) : nil,
            now: now,
            field: result
        )
        return result
    }

    /// Whether the path of a URL matters to the cookies that its host gets.
    private func hasPaths(_ host: String) -> Bool {
        CookieRules.domains(matching: host).contains { domain in
            entries[domain]?.contains { $0.cookie.path != "/" } ?? false
        }
    }

    /// Lists what would be sent, in that order, and marks nothing.
    package func cookies(for url: URI, now: Int) -> [Cookie] {
        matches(for: url, now: now).map(\.cookie)
    }

    private func matches(for url: URI, now: Int) -> [Match] {
        guard let origin = url.origin else { return [] }
        var found: [Match] = []
        // Most hosts have no cookies, and then the path is not looked at.
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

    /// Leaves out the last ones of a value that would be too long.
    private func withinHeaderLimit(_ found: [Match]) -> [Match] {
        var bytes = 0
        let end = found.firstIndex { match in
            // With what stands between two of them.
            bytes += size(of: match.cookie) + 3
            return bytes > limits.maxHeaderBytes
        }
        return end.map { Array(found[..<$0]) } ?? found
    }

    // MARK: - Looking

    /// All that have not ended, in the order they were made.
    package func cookies(now: Int) -> [Cookie] {
        let all = entries.values.joined().filter { !$0.cookie.isExpired(now: now) }
        return all.sorted { left, right in
            left.cookie.creation == right.cookie.creation
                ? left.number < right.number : left.cookie.creation < right.cookie.creation
        }
        .map(\.cookie)
    }
}

/// What goes, and in which order (RFC 6265bis §5.7, at its end).
extension CookieTable {
    /// Removes a cookie.
    ///
    /// - Parameters:
    ///   - cookie: the one that it would replace goes.
    ///   - isExact: whether only one of the same value goes.
    /// - Returns: whether there was one.
    package mutating func remove(_ cookie: Cookie, isExact: Bool = false) -> Bool {
        let place = entries[cookie.domain]?.firstIndex {
            $0.cookie.replaces(cookie) && (!isExact || $0.cookie.value == cookie.value)
        }
        guard let place else { return false }
        drop(place, in: cookie.domain)
        return true
    }

    /// Removes all.
    package mutating func removeAll() {
        entries.removeAll()
        count = 0
    }

    /// Removes what has ended.
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

    /// Keeps the limits after one cookie more.
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
        /// Those that are sent over http, too.
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
