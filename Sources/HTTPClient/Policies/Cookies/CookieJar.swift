internal import SocketTransport
internal import Synchronization
internal import Wire

/// Keeps cookies between requests: takes those of Set-Cookie, and gives those for a URL (RFC 6265bis).
///
///     let jar = CookieJar()
///     let url = try URI("https://example.com/account")
///     jar.set("theme", "dark", for: url)
///     print(jar.cookies(for: url))
///
/// What a server sends is taken or, when it breaks a rule, ignored: a domain that is not the host's
/// or belongs to many (``PublicSuffixList``), a Secure cookie over http, one over http that would
/// hide a Secure one, a name that begins with `__Secure-` or `__Host-` without what that promises,
/// and what is larger than ``limits``. Cookies are sent longest path first, then oldest first.
///
/// ## What is decided here
///
/// - **Sites.** A client of services shows no page, so there is no other site that a request could
///   come from: SameSite is kept, shown and written to files, and every request is like one that the
///   user makes. Nothing is withheld or refused because of it.
/// - **Scripts.** There are none to hide an HttpOnly cookie from; it is kept and shown.
/// - **Secure** means https, on the own machine, too. There is no exception for `localhost`.
/// - **Ports** do not matter, as the RFC has it: two servers on one host share their cookies.
/// - **Dots at the end.** `example.com.` is another host than `example.com`, as for browsers.
/// - **Addresses** match only themselves, and so do names whose last label is a number.
/// - **Bytes** of a name or value that are not UTF-8 are shown as Latin-1 (``Cookie/isLatin1``) and sent
///   back as they came.
///
/// A jar may be used from many threads, and by many clients, whose cookies then are the same.
/// It is in memory alone, unless it was made by ``init(persistentAt:limits:suffixes:)``;
/// ``save(to:as:includeSessionCookies:)`` writes it into a file once.
public final class CookieJar: Sendable {
    /// How much the jar keeps.
    public let limits: Limits
    /// Nil for the system's, which is loaded when it is needed.
    let chosenSuffixes: PublicSuffixList?
    /// The time in seconds since 1970.
    let now: @Sendable () -> Int
    private let store: Locked<CookieTable>
    /// What is kept like the jar; set before anybody else has the jar, and only then.
    private let file: CookieFile?
    /// As many as are in the store; read without its lock.
    private let count = Atomic<Int>(0)

    /// Makes an empty jar.
    ///
    /// - Parameters:
    ///   - limits: how much it keeps.
    ///   - suffixes: the domains that no cookie may be for; nil stands for
    ///     ``PublicSuffixList/system``, which is loaded when the first cookie names a domain.
    public convenience init(limits: Limits = Limits(), suffixes: PublicSuffixList? = nil) {
        self.init(limits: limits, suffixes: suffixes) { WallClock.secondsSince1970 }
    }

    /// Makes an empty jar with a clock of its own.
    ///
    /// - Parameters:
    ///   - limits: how much it keeps.
    ///   - suffixes: nil for the system's.
    ///   - file: what is written when the jar changes; nil for none.
    ///   - now: gives the time in seconds since 1970; it must not use the jar.
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

    // MARK: - For the client

    /// Whether there surely is nothing to send; takes no lock.
    package var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// Makes the value of Cookie for a request; nil when no cookie is for it.
    package func fieldBytes(for url: URI) -> [UInt8]? {
        guard !isEmpty else { return nil }
        let now = now()
        return store.withLock { $0.fieldBytes(for: url, now: now) }
    }

    /// Takes every line of Set-Cookie; those that break a rule are ignored.
    ///
    /// - Parameters:
    ///   - headers: of a response, whatever its status.
    ///   - url: what the request was for.
    package func store(_ headers: HTTPHeaders, from url: URI) {
        guard headers.contains(.setCookie) else { return }
        let lines = headers.valueBytes(.setCookie).compactMap { SetCookie(bytes: $0) }
        guard !lines.isEmpty else { return }
        change { store, now in
            for line in lines { _ = store.add(line, from: url, now: now, suffixes: suffixes) }
        }
    }

    /// Makes the value of Cookie for a request that is only shown: no cookie counts as used.
    func peekFieldBytes(for url: URI) -> [UInt8]? {
        let cookies = cookies(for: url)
        guard !cookies.isEmpty else { return nil }
        var field: [UInt8] = []
        for cookie in cookies { cookie.append(to: &field) }
        return field
    }

    // MARK: - Looking

    /// All cookies that have not ended, in the order they were made.
    public var cookies: [Cookie] {
        let now = now()
        return store.withLock { $0.cookies(now: now) }
    }

    /// Lists what a request for `url` would send, in that order.
    public func cookies(for url: URI) -> [Cookie] {
        let now = now()
        return store.withLock { $0.cookies(for: url, now: now) }
    }

    // MARK: - Changing

    /// Takes a cookie, in place of one that it replaces; one that has ended removes that.
    ///
    /// It lives no longer than ``Limits/maxLifetime``.
    ///
    /// - Parameter cookie: what a user made, or another jar has.
    /// - Returns: why it was not taken; nil when it was.
    @discardableResult
    public func set(_ cookie: Cookie) -> CookieRejectionReason? {
        change { store, now in store.add(cookie, now: now, suffixes: suffixes) }
    }

    /// Takes a line of Set-Cookie as if the server of `url` had sent it.
    ///
    /// - Parameters:
    ///   - line: what it says.
    ///   - url: who says it.
    /// - Returns: why it was not taken; nil when it was.
    @discardableResult
    public func set(_ line: SetCookie, from url: URI) -> CookieRejectionReason? {
        change { store, now in store.add(line, from: url, now: now, suffixes: suffixes) }
    }

    /// Makes a session cookie for all of the host of `url`, and for no other.
    ///
    /// For a URL of https it is Secure, and never sent over http.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - value: its value; encode any other text than visible ASCII first.
    ///   - url: whom it is for; its path does not matter.
    /// - Returns: why it was not taken; nil when it was.
    @discardableResult
    public func set(_ name: String, _ value: String, for url: URI) -> CookieRejectionReason? {
        guard let origin = url.origin else { return .unsupportedScheme }
        let isSecure = origin.scheme == .https
        let cookie = Cookie(name, value, domain: origin.host, isSecure: isSecure)
        guard let cookie else { return .malformed }
        return set(cookie)
    }

    /// Removes the cookie that this one would replace, whatever its value.
    ///
    /// - Parameter cookie: one that is like it; see ``Cookie/replaces(_:)``.
    /// - Returns: whether there was one.
    @discardableResult
    public func remove(_ cookie: Cookie) -> Bool {
        change { store, _ in store.remove(cookie) }
    }

    /// Removes the cookies that `isUnwanted` picks.
    ///
    ///     jar.remove { $0.expires == nil }   // as if the session had ended
    ///
    /// One that gets another value meanwhile stays.
    ///
    /// - Parameter isUnwanted: is asked about each cookie once; it may use the jar.
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

    /// Frees the memory of cookies that have ended, which are neither shown nor sent in any case.
    public func removeExpired() {
        change { store, now in store.removeExpired(now: now) }
    }

    /// Takes several cookies at once; those that break a rule are ignored.
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
    /// Makes a jar with a clock of its own.
    package convenience init(
        limits: Limits = Limits(),
        suffixes: PublicSuffixList? = nil,
        now: @escaping @Sendable () -> Int
    ) {
        self.init(limits: limits, suffixes: suffixes, file: nil, now: now)
    }

    // MARK: - The jar's own file

    /// Makes a jar that keeps its cookies in a file, and takes those that are in it; blocks while it
    /// reads.
    ///
    /// The file is written 0.2 s after a change, together with what changed meanwhile; it is complete
    /// and on the disk before it has its name, and only its owner may read it. Session cookies are not
    /// in it. Whoever ends the program sooner calls ``flush()`` first.
    ///
    /// Several processes may use the same file: each writes only what it has changed itself, under a lock
    /// (flock(2)) of the hidden file `.NAME.lock` beside it. Sending a cookie is no change: one that another
    /// process has set or removed meanwhile stays so. If two set the same cookie, the later one counts. While
    /// another process holds the lock, the jar tries again for about a minute. A jar does not see the changes of other
    /// processes until it is made again.
    ///
    /// - Parameters:
    ///   - path: where the file is, or will be; its directory must exist.
    ///   - limits: how much the jar keeps.
    ///   - suffixes: the domains that no cookie may be for; nil stands for
    ///     ``PublicSuffixList/system``.
    /// - Throws: `.fileFailed` when the file is there, but cannot be read or is damaged.
    public convenience init(
        persistentAt path: String,
        limits: Limits = Limits(),
        suffixes: PublicSuffixList? = nil
    ) throws(HTTPError) {
        try self.init(persistentAt: path, limits: limits, suffixes: suffixes) {
            WallClock.secondsSince1970
        }
    }

    /// Makes a jar with a file and the given clock.
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

    /// Makes an empty jar without a file, with the same clock, limits and suffixes.
    func emptyCopy() -> CookieJar {
        CookieJar(limits: limits, suffixes: chosenSuffixes, file: nil, now: now)
    }

    /// Writes the jar's own file now, if it is not up to date; blocks while it does.
    ///
    /// - Throws: `.fileFailed`; the file stays as it was, and the next change tries again. Nothing for a
    ///   jar without a file of its own.
    public func flush() throws(HTTPError) {
        try file?.write(self)
    }

    /// Why the jar's own file could not be written the last time; nil when it could.
    public var lastWriteError: HTTPError? { file?.lastError }
}

extension CookieJar: CustomStringConvertible {
    /// How many cookies there are.
    public var description: String { "\(cookies.count) cookies" }
}

extension CookieJar {
    /// Bounds what a jar keeps; the defaults are what RFC 6265bis asks of clients.
    public struct Limits: Sendable, Hashable {
        /// Bytes of name and value together; a larger cookie is not taken.
        ///
        /// Default 4096 (§5.6), which is also the most.
        public let maxPairBytes: Int
        /// Cookies of one domain.
        ///
        /// Default 50, the least that servers may count on (§6.1). Of more, those that have ended go first, then those that are not Secure, then all others;
        /// among equals the one that was not used for longest.
        public let maxPerDomain: Int
        /// Cookies in all.
        ///
        /// Default 3000 (§6.1). Of more, those that have ended go first, then the one that was not used for longest.
        public let maxTotal: Int
        /// Seconds that a cookie lives at most, whatever its server asks for.
        ///
        /// Default 400 days (§5.5).
        public let maxLifetime: Int
        /// Bytes of one Cookie field that the jar makes.
        ///
        /// Default 8192: servers refuse requests whose head is much longer. Of more, the cookies that
        /// would come last are left out.
        public let maxHeaderBytes: Int

        /// Makes bounds; a negative one counts as 0.
        ///
        /// - Parameters:
        ///   - maxPairBytes: bytes of name and value together, at most 4096.
        ///   - maxPerDomain: cookies of one domain.
        ///   - maxTotal: cookies in all.
        ///   - maxLifetime: seconds that a cookie lives at most; session cookies have no such bound.
        ///   - maxHeaderBytes: bytes of one Cookie field.
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
    /// The value of Cookie for a request as text; bytes that are not UTF-8 are replaced.
    package func field(for url: URI) -> String? {
        fieldBytes(for: url).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension CookieTable {
    /// The value of Cookie as text; bytes that are not UTF-8 are replaced.
    package mutating func field(for url: URI, now: Int) -> String? {
        fieldBytes(for: url, now: now).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Where a client keeps cookies.
public enum CookieStorage: Sendable {
    /// The client stores no cookies and sends none, except those of your own Cookie fields.
    case disabled
    /// The client makes a jar in memory; ``HTTPClient/cookies`` returns it.
    ///
    /// Clients derived from this one (``HTTPClient/with(_:)``) share the jar.
    case automatic
    /// The client uses this jar, which other clients may use as well.
    case jar(CookieJar)
}
