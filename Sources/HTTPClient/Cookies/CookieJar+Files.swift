extension CookieJar {
    /// Says what a file that is not there means.
    public enum MissingFile: Sendable, Hashable {
        /// Reading fails.
        case fails
        /// There are no cookies yet.
        case isEmpty
    }

    /// Makes a jar of the cookies in a file; as ``load(from:whenMissing:)``.
    ///
    /// - Parameters:
    ///   - path: a Netscape file or JSON.
    ///   - missing: what it means when there is no file.
    ///   - limits: how much the jar keeps.
    ///   - suffixes: the domains that no cookie may be for; nil stands for
    ///     ``PublicSuffixList/system``.
    /// - Throws: `.fileFailed`.
    public convenience init(
        contentsOf path: String,
        whenMissing missing: MissingFile = .fails,
        limits: Limits = Limits(),
        suffixes: PublicSuffixList? = nil
    ) throws(HTTPError) {
        self.init(limits: limits, suffixes: suffixes)
        try load(from: path, whenMissing: missing)
    }

    /// Takes the cookies of a file, besides those that are there; blocks while it reads.
    ///
    /// The format is seen from the file. Cookies that have ended, or break a rule, are passed over. A
    /// damaged file gives none: the jar stays as it was.
    ///
    /// - Parameters:
    ///   - path: a Netscape file or JSON, at most 64 MiB.
    ///   - missing: what it means when there is no file.
    /// - Throws: `.fileFailed`, whose reason names the line or the cookie that is damaged; then
    ///   ``HTTPError/underlying`` is a ``CookieFileFault``.
    public func load(
        from path: String,
        whenMissing missing: MissingFile = .fails
    ) throws(HTTPError) {
        if missing == .isEmpty, WholeFile.isMissing(path) { return }
        let octets = try WholeFile.read(path, limit: 64 << 20)
        do {
            set(try CookieFormat.decode(octets))
        } catch {
            throw WholeFile.fault(path, .read, error.description, underlying: error)
        }
    }

    /// Writes the cookies into a file, in place of one that is there; blocks while it does.
    ///
    /// The new file has its name when it is complete and on the disk, so that nobody ever sees half of
    /// it. Only its owner may read it (mode 0600); a symbolic link is replaced, not followed.
    ///
    /// - Parameters:
    ///   - path: where the file is to be; its folder must exist.
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
        try WholeFile.replace(path, with: format.encode(kept))
    }
}
