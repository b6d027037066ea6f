/// A merge of the changes of one jar into a cookie file that other processes change too.
///
/// Cookies are compared by their content (value, expiry, flags), not by creation and last access. Each
/// request changes the last access, which is not a change of the cookie.
struct CookieMerge {
    /// The identity of a cookie, of which a jar keeps only one; see ``Cookie/replaces(_:)``.
    private struct Identity: Hashable {
        let domain: String
        let isHostOnly: Bool
        let name: [UInt8]
        let path: [UInt8]

        init(_ cookie: Cookie) {
            domain = cookie.domain
            isHostOnly = cookie.isHostOnly
            name = cookie.text.bytes(cookie.name)
            path = Array(cookie.path.utf8)
        }
    }

    private let before: [Identity: Cookie]
    private let current: [(Identity, Cookie)]

    /// Creates a merge of the difference between two states of a jar.
    ///
    /// - Parameters:
    ///   - before: the jar's cookies when it last matched the file.
    ///   - current: the jar's cookies now.
    init(from before: [Cookie], to current: [Cookie]) {
        self.before = Dictionary(before.map { (Identity($0), $0) }) { $1 }
        self.current = current.map { (Identity($0), $0) }
    }

    /// Returns the cookies that the file must have after the merge.
    ///
    /// A cookie that the jar has set replaces that of the file. A cookie that the jar has removed is removed
    /// if the file has the same value; otherwise another process has set it again. All other cookies stay as
    /// the file has them, and cookies that the file no longer has do not come back. The later last access
    /// counts.
    ///
    /// - Parameters:
    ///   - stored: the cookies of the file.
    ///   - now: the time in seconds since 1970, because a cookie that expired in the jar was not removed.
    /// - Returns: the cookies, those of the file first.
    func applied(to stored: [Cookie], now: Int) -> [Cookie] {
        let own = Dictionary(current) { $1 }
        var result: [Cookie] = []
        var found: Set<Identity> = []
        for cookie in stored {
            let identity = Identity(cookie)
            found.insert(identity)
            if let new = own[identity] {
                result.append(merged(cookie, new, isChanged: isChanged(identity, new)))
                continue
            }
            if let old = before[identity], !old.isExpired(now: now), old.hasSameValue(as: cookie) {
                continue
            }
            result.append(cookie)
        }
        for (identity, cookie) in current
        where isChanged(identity, cookie) && !found.contains(identity) {
            result.append(cookie)
        }
        return result
    }

    private func isChanged(_ identity: Identity, _ cookie: Cookie) -> Bool {
        guard let old = before[identity] else { return true }
        return !old.hasSameContent(as: cookie)
    }

    private func merged(_ stored: Cookie, _ own: Cookie, isChanged: Bool) -> Cookie {
        var result = isChanged ? own : stored
        result.creation = stored.creation
        result.lastAccess = max(stored.lastAccess, own.lastAccess)
        return result
    }
}

extension Cookie {
    /// Returns whether the values are the same bytes.
    fileprivate func hasSameValue(as other: Cookie) -> Bool {
        text.bytes(value) == other.text.bytes(other.value)
    }

    /// Returns whether a server that sets either cookie means the same.
    fileprivate func hasSameContent(as other: Cookie) -> Bool {
        hasSameValue(as: other) && expires == other.expires && isSecure == other.isSecure
            && isHTTPOnly == other.isHTTPOnly && sameSite == other.sameSite
    }
}
