/// Names how cookies are written into a file.
@nonexhaustive public enum CookieFormat: Sendable, Hashable {
    /// The cookie file of Netscape, which curl, wget and many others read and write.
    ///
    /// It says nothing of SameSite, and not when a cookie was made and used: those read from it are as
    /// new as the reading. A cookie with a tab in it has no place there and is left out.
    case netscape
    /// JSON, with all that there is to know of a cookie.
    case json

    /// Writes cookies.
    ///
    /// - Parameter cookies: in the order of their making; those without an end are written as well.
    /// - Returns: the bytes of a whole file.
    public func encode(_ cookies: [Cookie]) -> [UInt8] {
        switch self {
        case .netscape: NetscapeCookieFormat.encode(cookies)
        case .json: JSONCookieFormat.encode(cookies)
        }
    }

    /// Reads what either format has; what begins with a brace is JSON.
    ///
    /// - Parameter bytes: a whole file; an empty one has no cookies.
    /// - Returns: the cookies in their order, those that have ended as well.
    /// - Throws: what is damaged, and where.
    public static func decode(_ bytes: [UInt8]) throws(CookieFileError) -> [Cookie] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]
        let first = text.first { $0 > 0x20 }
        return first == UInt8(ascii: "{")
            ? try JSONCookieFormat.decode(Array(text)) : try NetscapeCookieFormat.decode(text)
    }
}
