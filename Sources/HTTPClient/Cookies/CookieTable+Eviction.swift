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
