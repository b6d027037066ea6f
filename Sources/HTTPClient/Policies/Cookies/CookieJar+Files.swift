extension CookieJar {
    /// The treatment of a missing file.
    public enum MissingFilePolicy: Sendable, Hashable {
        /// Reading fails.
        case fail
        /// The file counts as empty.
        case treatAsEmpty
    }

    /// Creates a jar with the cookies of a file; see ``load(from:onMissingFile:)``.
    ///
    /// - Parameters:
    ///   - path: the path of a Netscape or JSON file.
    ///   - policy: the treatment of a missing file.
    ///   - limits: the limits of the jar.
    ///   - suffixes: the domains for which the jar accepts no cookies; nil means
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

    /// Adds the cookies of a file to those of the jar; blocks while it reads.
    ///
    /// The format is detected from the content. Cookies that have expired or break a rule are skipped. A
    /// damaged file adds no cookies: the jar stays as it was.
    ///
    /// - Parameters:
    ///   - path: the path of a Netscape or JSON file of at most 64 MiB.
    ///   - policy: the treatment of a missing file.
    /// - Throws: `.fileFailed`. For a damaged file, the reason names the line or the cookie, and
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

    /// Writes the cookies to a file and replaces an existing one; blocks while it writes.
    ///
    /// The new file replaces the old one only when it is complete and on disk, so that readers never see a
    /// partial file. Only its owner can read it (mode 0600). A symbolic link is replaced, not followed.
    ///
    /// - Parameters:
    ///   - path: the path of the file; its directory must exist.
    ///   - format: the format of the file. Default: the format that curl reads.
    ///   - includeSessionCookies: whether cookies without an expiry are written. Default false, because
    ///     their servers meant them to end with the program.
    /// - Throws: `.fileFailed`; an existing file stays unchanged.
    public func save(
        to path: String,
        as format: CookieFormat = .netscape,
        includeSessionCookies: Bool = false
    ) throws(HTTPError) {
        let kept = cookies.filter { includeSessionCookies || $0.expires != nil }
        try FileContents.replace(path, with: format.encode(kept))
    }
}

/// A file format for cookies.
@nonexhaustive public enum CookieFormat: Sendable, Hashable {
    /// The Netscape cookie file, which curl, wget and many others read and write.
    ///
    /// The format has no SameSite, no creation and no last access; cookies read from it get the time of
    /// reading. The format cannot represent a cookie that contains a tab, so such a cookie is left out.
    case netscape
    /// JSON, with all properties of a cookie.
    case json

    /// Encodes cookies.
    ///
    /// - Parameter cookies: the cookies in order of creation; session cookies are written too.
    /// - Returns: the bytes of a whole file.
    public func encode(_ cookies: [Cookie]) -> [UInt8] {
        switch self {
        case .netscape: NetscapeCookieFormat.encode(cookies)
        case .json: JSONCookieFormat.encode(cookies)
        }
    }

    /// Decodes either format; a file that begins with a brace is JSON.
    ///
    /// - Parameter bytes: a whole file; an empty one has no cookies.
    /// - Returns: the cookies in their order, including expired ones.
    /// - Throws: the error and its position.
    public static func decode(_ bytes: [UInt8]) throws(CookieFileError) -> [Cookie] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]
        let first = text.first { $0 > 0x20 }
        return first == UInt8(ascii: "{")
            ? try JSONCookieFormat.decode(Array(text)) : try NetscapeCookieFormat.decode(text)
    }
}
