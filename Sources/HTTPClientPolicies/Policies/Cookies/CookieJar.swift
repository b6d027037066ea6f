internal import SocketTransport
internal import Synchronization
internal import Wire

/// A store of cookies that reads Set-Cookie fields and writes Cookie fields (RFC 6265bis).
///
///     let jar = CookieJar()
///     let url = try URI("https://example.com/account")
///     jar.set("theme", "dark", for: url)
///     print(jar.cookies(for: url))
///
/// The jar stores the cookies that servers send, and ignores those that break a rule:
/// - a domain that does not match the host or is a public suffix (``PublicSuffixList``);
/// - a Secure cookie over http;
/// - a cookie over http that would hide a Secure one;
/// - a name that begins with `__Secure-` or `__Host-`, unless the cookie meets their requirements;
/// - a cookie larger than ``limits``.
///
/// Cookies are sent longest path first, then oldest first.
///
/// ## Design decisions
///
/// - **Sites.** The client shows no pages, so no request comes from another site. SameSite is kept,
///   shown and written to files, and every request counts as one that the user makes. No cookie is
///   withheld or rejected because of SameSite.
/// - **Scripts.** The client runs no scripts, so an HttpOnly cookie is kept and shown like any other.
/// - **Secure** means https, also on the local machine. There is no exception for `localhost`.
/// - **Ports** do not matter, as the RFC requires: two servers on one host share their cookies.
/// - **Trailing dots.** `example.com.` and `example.com` are different hosts, as in browsers.
/// - **Addresses** match only themselves, and so do names whose last label is a number.
/// - **Bytes** of a name or value that are not UTF-8 are shown as Latin-1 (``Cookie/isLatin1``) and sent
///   back as received.
///
/// Many threads and many clients can use one jar; the clients then share their cookies. A jar exists
/// only in memory, unless it was created by ``init(persistentAt:limits:suffixes:)``.
/// ``save(to:as:includeSessionCookies:)`` writes it to a file once.
public final class CookieJar: Sendable {
    /// The limits of the jar.
    public let limits: Limits
    /// The suffix list; nil for the system's list, which is loaded on demand.
    let chosenSuffixes: PublicSuffixList?
    /// A clock that returns the time in seconds since 1970.
    let now: @Sendable () -> Int
    private let store: Locked<CookieTable>
    /// The file of a persistent jar; set only before the jar is shared.
    private let file: CookieFile?
    /// The number of cookies in the store; read without its lock.
    private let count = Atomic<Int>(0)

    /// Creates an empty jar.
    ///
    /// - Parameters:
    ///   - limits: the limits of the jar.
    ///   - suffixes: the domains for which the jar accepts no cookies; nil means
    ///     ``PublicSuffixList/system``, which is loaded when the first cookie names a domain.
    public convenience init(limits: Limits = Limits(), suffixes: PublicSuffixList? = nil) {
        self.init(limits: limits, suffixes: suffixes) { WallClock.secondsSince1970 }
    }

    /// Creates an empty jar with a custom clock.
    ///
    /// - Parameters:
    ///   - limits: the limits of the jar.
    ///   - suffixes: the suffix list; nil for the system's.
    ///   - file: the file to write when the jar changes; nil for none.
    ///   - now: returns the time in seconds since 1970; it must not use the jar.
    init(
        limits: Limits = Limits(),
        suffixes: PublicSuffixList? = nil,
        file: CookieFile? = nil,
        now: @escaping @Sendable () -> Int
    ) {
        self.file = file
        self.limits = limits
        chosenSuffixes = suffixes
        self.now = now
        store = Locked(CookieTable(limits: limits))
    }

    // MARK: - Use by the client

    /// Whether there is certainly nothing to send; takes no lock.
    package var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// Returns the value of Cookie for a request; nil when no cookie matches.
    package func fieldBytes(for url: URI) -> [UInt8]? {
        guard !isEmpty else { return nil }
        let now = now()
        return store.withLock { $0.fieldBytes(for: url, now: now) }
    }

    /// Stores the cookies of every line of Set-Cookie; lines that break a rule are ignored.
    ///
    /// - Parameters:
    ///   - headers: the fields of a response, whatever its status.
    ///   - url: the URL of the request.
    package func store(_ headers: HTTPHeaders, from url: URI) {
        guard headers.contains(.setCookie) else { return }
        let lines = headers.valueBytes(.setCookie).compactMap { SetCookie(bytes: $0) }
        guard !lines.isEmpty else { return }
        change { store, now in
            for line in lines { _ = store.add(line, from: url, now: now, suffixes: suffixes) }
        }
    }

    /// Returns the value of Cookie for a request that is only displayed; no cookie counts as used.
    package func peekFieldBytes(for url: URI) -> [UInt8]? {
        let cookies = cookies(for: url)
        guard !cookies.isEmpty else { return nil }
        var field: [UInt8] = []
        for cookie in cookies { cookie.append(to: &field) }
        return field
    }

    // MARK: - Reading

    /// All cookies that have not expired, in order of creation.
    public var cookies: [Cookie] {
        let now = now()
        return store.withLock { $0.cookies(now: now) }
    }

    /// Returns the cookies that a request for `url` would send, in that order.
    public func cookies(for url: URI) -> [Cookie] {
        let now = now()
        return store.withLock { $0.cookies(for: url, now: now) }
    }

    // MARK: - Changing

    /// Stores a cookie in place of the one that it replaces; an expired cookie removes that one.
    ///
    /// The lifetime is at most ``Limits/maxLifetime``.
    ///
    /// - Parameter cookie: a cookie of the user or of another jar.
    /// - Returns: the reason for the rejection; nil when the cookie was stored.
    @discardableResult
    public func set(_ cookie: Cookie) -> Cookie.RejectionReason? {
        change { store, now in store.add(cookie, now: now, suffixes: suffixes) }
    }

    /// Stores a line of Set-Cookie as if the server of `url` had sent it.
    ///
    /// - Parameters:
    ///   - line: the line of Set-Cookie.
    ///   - url: the URL of the request.
    /// - Returns: the reason for the rejection; nil when the cookie was stored.
    @discardableResult
    public func set(_ line: SetCookie, from url: URI) -> Cookie.RejectionReason? {
        change { store, now in store.add(line, from: url, now: now, suffixes: suffixes) }
    }

    /// Stores a session cookie for all paths of the host of `url`, and for no other host.
    ///
    /// For an https URL the cookie is Secure and is never sent over http.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - value: the value; encode any text other than visible ASCII first.
    ///   - url: the URL with the host; its path does not matter.
    /// - Returns: the reason for the rejection; nil when the cookie was stored.
    @discardableResult
    public func set(_ name: String, _ value: String, for url: URI) -> Cookie.RejectionReason? {
        guard let origin = url.origin else { return .unsupportedScheme }
        let isSecure = origin.scheme == .https
        let cookie = Cookie(name, value, domain: origin.host, isSecure: isSecure)
        guard let cookie else { return .malformed }
        return set(cookie)
    }

    /// Removes the cookie that this one would replace, whatever its value.
    ///
    /// - Parameter cookie: a cookie with the same identity; see ``Cookie/replaces(_:)``.
    /// - Returns: whether the jar had such a cookie.
    @discardableResult
    public func remove(_ cookie: Cookie) -> Bool {
        change { store, _ in store.remove(cookie) }
    }

    /// Removes the cookies for which `isUnwanted` returns true.
    ///
    ///     jar.remove { $0.expires == nil }   // as if the session had ended
    ///
    /// A cookie whose value changes in the meantime stays.
    ///
    /// - Parameter isUnwanted: a predicate that is called once per cookie; it may use the jar.
    public func remove(where isUnwanted: (Cookie) -> Bool) {
        let unwanted = cookies.filter(isUnwanted)
        guard !unwanted.isEmpty else { return }
        change { store, _ in
            for cookie in unwanted { _ = store.remove(cookie, isExact: true) }
        }
    }

    /// Removes all cookies.
    public func removeAll() {
        change { store, _ in store.removeAll() }
    }

    /// Stores several cookies at once; those that break a rule are ignored.
    func set(_ cookies: [Cookie]) {
        change { store, now in
            for cookie in cookies { _ = store.add(cookie, now: now, suffixes: suffixes) }
        }
    }

    private func suffixes() -> PublicSuffixList {
        chosenSuffixes ?? .system
    }

    private func change<Result: Sendable>(
        _ body: (inout CookieTable, _ now: Int) -> Result
    ) -> Result {
        let now = now()
        defer { file?.scheduleWrite(of: self) }
        return store.withLock { store in
            let result = body(&store, now)
            count.store(store.count, ordering: .releasing)
            return result
        }
    }
}

extension CookieJar {
    /// Creates a jar with a custom clock.
    package convenience init(
        limits: Limits = Limits(),
        suffixes: PublicSuffixList? = nil,
        now: @escaping @Sendable () -> Int
    ) {
        self.init(limits: limits, suffixes: suffixes, file: nil, now: now)
    }

    // MARK: - Persistence

    /// Creates a jar that loads its cookies from a file and keeps them there; blocks while it reads.
    ///
    /// The jar writes the file 0.2 s after a change, with all changes made until then. The new file
    /// replaces the old one only when it is complete and on disk. Only its owner can read it. It has no
    /// session cookies. A program that ends sooner must call ``flush()`` first.
    ///
    /// Several processes may use the same file. Each writes only its own changes, under a lock (flock(2)) of
    /// the hidden file `.NAME.lock` in the same directory. Sending a cookie is not a change: if another process
    /// has set or removed the cookie in the meantime, the file keeps that. If two processes set the same
    /// cookie, the later one wins. While another process holds the lock, the jar tries again for about a
    /// minute. A jar does not see the changes of other processes until it is created again.
    ///
    /// - Parameters:
    ///   - path: the path of the file, which may be missing; its directory must exist.
    ///   - limits: the limits of the jar.
    ///   - suffixes: the domains for which the jar accepts no cookies; nil means
    ///     ``PublicSuffixList/system``.
    /// - Throws: `.fileFailed` when the file exists but cannot be read or is damaged.
    public convenience init(
        persistentAt path: String,
        limits: Limits = Limits(),
        suffixes: PublicSuffixList? = nil
    ) throws(HTTPError) {
        try self.init(persistentAt: path, limits: limits, suffixes: suffixes) {
            WallClock.secondsSince1970
        }
    }

    /// Creates a jar with a file and the given clock.
    package convenience init(
        persistentAt path: String,
        limits: Limits = Limits(),
        suffixes: PublicSuffixList? = nil,
        now: @escaping @Sendable () -> Int
    ) throws(HTTPError) {
        self.init(limits: limits, suffixes: suffixes, file: CookieFile(path), now: now)
        try load(from: path, onMissingFile: .treatAsEmpty)
        file?.markSynchronized(with: self)
    }

    /// Returns an empty jar without a file, with the same clock, limits and suffixes.
    func emptyCopy() -> CookieJar {
        CookieJar(limits: limits, suffixes: chosenSuffixes, file: nil, now: now)
    }

    /// Writes the file of a persistent jar now, if it is out of date; blocks while it writes.
    ///
    /// If another process holds the lock of the file, the method waits up to two seconds for it.
    ///
    /// - Throws: `.fileFailed`; the file stays unchanged, and the next change tries again. A jar without a
    ///   file throws nothing.
    public func flush() throws(HTTPError) {
        try file?.write(self)
    }

    /// The error of the last write of the jar's file; nil when it succeeded.
    public var lastWriteError: HTTPError? { file?.lastError }
}

extension CookieJar: CustomStringConvertible {
    /// The number of cookies.
    public var description: String { "\(cookies.count) cookies" }
}

extension CookieJar {
    /// The limits of a jar; the defaults are those that RFC 6265bis requires of clients.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of bytes of name and value together; a larger cookie is rejected.
        ///
        /// Default 4096 (§5.6), which is also the largest allowed value.
        public let maxPairBytes: Int
        /// The maximum number of cookies of one domain.
        ///
        /// Default 50, the minimum that servers can rely on (§6.1). Beyond the limit, expired cookies are
        /// evicted first, then those that are not Secure, then all others. Among equals, the least recently
        /// used cookie is evicted first.
        public let maxPerDomain: Int
        /// The maximum number of cookies in total.
        ///
        /// Default 3000 (§6.1). Beyond the limit, expired cookies are evicted first, then the least recently
        /// used.
        public let maxTotal: Int
        /// The maximum lifetime of a cookie in seconds, whatever its server requests.
        ///
        /// Default 400 days (§5.5).
        public let maxLifetime: Int
        /// The maximum number of bytes of one Cookie field that the jar writes.
        ///
        /// Default 8192, because servers reject requests with a much larger head. Beyond the limit, the
        /// cookies that would come last are left out.
        public let maxHeaderBytes: Int

        /// Creates limits; a negative value counts as 0.
        ///
        /// - Parameters:
        ///   - maxPairBytes: the maximum number of bytes of name and value together, at most 4096.
        ///   - maxPerDomain: the maximum number of cookies of one domain.
        ///   - maxTotal: the maximum number of cookies in total.
        ///   - maxLifetime: the maximum lifetime in seconds; session cookies have no such limit.
        ///   - maxHeaderBytes: the maximum number of bytes of one Cookie field.
        public init(
            maxPairBytes: Int = 4096,
            maxPerDomain: Int = 50,
            maxTotal: Int = 3000,
            maxLifetime: Int = 400 * 86_400,
            maxHeaderBytes: Int = 8192
        ) {
            self.maxPairBytes = min(max(maxPairBytes, 0), CookieRules.maxPairBytes)
            self.maxPerDomain = max(maxPerDomain, 0)
            self.maxTotal = max(maxTotal, 0)
            self.maxLifetime = max(maxLifetime, 0)
            self.maxHeaderBytes = max(maxHeaderBytes, 0)
        }
    }
}

extension CookieJar {
    /// Returns the value of Cookie for a request as text; bytes that are not UTF-8 are replaced.
    package func field(for url: URI) -> String? {
        fieldBytes(for: url).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension CookieTable {
    /// Returns the value of Cookie as text; bytes that are not UTF-8 are replaced.
    package mutating func field(for url: URI, now: Int) -> String? {
        fieldBytes(for: url, now: now).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension CookieJar {
    /// The cookie storage of a client.
    public enum Storage: Sendable {
        /// The client stores no cookies and sends none, except those of your own Cookie fields.
        case disabled
        /// The client creates a jar in memory; ``HTTPClient/cookies`` returns it.
        ///
        /// Clients derived from this one (``HTTPClient/with(_:)``) share the jar.
        case automatic
        /// The client uses this jar, which other clients may use too.
        case jar(CookieJar)
    }
}

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
    ///   ``HTTPError/underlying`` is a ``CookieJar/FileError``.
    public func load(
        from path: String,
        onMissingFile policy: MissingFilePolicy = .fail
    ) throws(HTTPError) {
        if policy == .treatAsEmpty, FileContents.isMissing(path) { return }
        let bytes = try FileContents.read(path, limit: 64 << 20)
        do {
            set(try FileFormat.cookies(in: bytes))
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
        as format: FileFormat = .netscape,
        includeSessionCookies: Bool = false
    ) throws(HTTPError) {
        let kept = cookies.filter { includeSessionCookies || $0.expires != nil }
        try FileContents.replace(path, with: format.encode(kept))
    }
}

extension CookieJar {
    /// A file format for cookies.
    @nonexhaustive public enum FileFormat: Sendable, Hashable {
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
        /// - Throws: `.invalidRequest(.cookieFile(reason))` with the position of the error; ``HTTPError/underlying`` is
        ///   the ``CookieJar/FileError``.
        public static func decode(_ bytes: [UInt8]) throws(HTTPError) -> [Cookie] {
            do throws(FileError) {
                return try cookies(in: bytes)
            } catch {
                throw HTTPError(invalid: .cookieFile(reason: error.description), error)
            }
        }

        /// Decodes either format as ``decode(_:)`` does, with the error of the format.
        package static func cookies(in bytes: [UInt8]) throws(FileError) -> [Cookie] {
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            let text = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]
            let first = text.first { $0 > 0x20 }
            return first == UInt8(ascii: "{")
                ? try JSONCookieFormat.decode(Array(text)) : try NetscapeCookieFormat.decode(text)
        }
    }
}
