extension CookieJar {
    /// Says what a file that is not there means.
    public enum MissingFilePolicy: Sendable, Hashable {
        /// Reading fails.
        case fail
        /// There are no cookies yet.
        case treatAsEmpty
    }

    /// Makes a jar of the cookies in a file; as ``load(from:onMissingFile:)``.
    ///
    /// - Parameters:
    ///   - path: a Netscape file or JSON.
    ///   - policy: what it means when there is no file.
    ///   - limits: how much the jar keeps.
    ///   - suffixes: the domains that no cookie may be for; nil stands for
    ///     ``PublicSuffixList/system``.
    /// - Throws: `.fileFailed`.
    public convenience init(
        contentsOf path: String,
        onMissingFile policy: MissingFilePolicy = .fail,
        limits: Limits = Limits(),
        suffixes: PublicSuffixList? = nil
    ) throws(HTTPError) {
        self.init(limits: limits, suffixes: suffixes)
        try load(from: path, onMissingFile: policy)
    }

    /// Takes the cookies of a file, besides those that are there; blocks while it reads.
    ///
    /// The format is seen from the file. Cookies that have ended, or break a rule, are passed over. A
    /// damaged file gives none: the jar stays as it was.
    ///
    /// - Parameters:
    ///   - path: a Netscape file or JSON, at most 64 MiB.
    ///   - policy: what it means when there is no file.
    /// - Throws: `.fileFailed`, whose reason names the line or the cookie that is damaged; then
    ///   ``HTTPError/underlying`` is a ``CookieFileError``.
    public func load(
        from path: String,
        onMissingFile policy: MissingFilePolicy = .fail
    ) throws(HTTPError) {
        if policy == .treatAsEmpty, FileContents.isMissing(path) { return }
        let bytes = try FileContents.read(path, limit: 64 << 20)
        do {
            set(try CookieFormat.decode(bytes))
        } catch {
            throw FileContents.error(path, .read, error.description, underlying: error)
        }
    }

    /// Writes the cookies into a file, in place of one that is there; blocks while it does.
    ///
    /// The new file has its name when it is complete and on the disk, so that nobody ever sees half of
    /// it. Only its owner may read it (mode 0600); a symbolic link is replaced, not followed.
    ///
    /// - Parameters:
    ///   - path: where the file is to be; its directory must exist.
    ///   - format: how it is written. Default: the format that curl reads.
    ///   - includeSessionCookies: whether those without an end are written. Default false: their
    ///     servers meant them to end with the program.
    /// - Throws: `.fileFailed`; a file that was there stays as it is.
    public func save(
        to path: String,
        as format: CookieFormat = .netscape,
        includeSessionCookies: Bool = false
    ) throws(HTTPError) {
        let kept = cookies.filter { includeSessionCookies || $0.expires != nil }
        try FileContents.replace(path, with: format.encode(kept))
    }
}

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
