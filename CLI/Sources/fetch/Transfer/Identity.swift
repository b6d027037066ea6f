internal import HTTPClient

/// The cookies and credentials of the command line.
struct Identity {
    /// The cookie jar; nil when cookies are not kept.
    let jar: CookieJar?
    /// The file that the cookies are written to at the end; nil for none.
    let jarFile: String?
    /// Whether the file must not be overwritten, because part of it could not be read.
    private let preservesJarFile: Bool
    /// The cookies of the command line, sent in addition to the jar's; nil for none.
    let cookies: [UInt8]?
    /// The authentication of the client; nil when the credentials are in the request's head.
    let authentication: HTTPAuthentication?
    /// How a user in the URL is authenticated; nil for Basic, sent without a challenge.
    private let urlRule: URLRule?
    /// Whether `--user` is sent in the head, without a challenge.
    let sendsUser: Bool

    /// How a user in the URL is authenticated, when that is not Basic.
    private enum URLRule {
        /// The user in the URL is ignored, because other credentials apply.
        case ignored
        /// Uses this policy.
        ///
        /// The password comes from the netrc when the URL has none, or when the netrc
        /// `takesPrecedence`.
        case answers(HTTPAuthentication.Policy, HTTPNetrc?, takesPrecedence: Bool)
    }

    /// Reads the files that the command line names.
    init(_ command: FetchCommand, _ console: Console) throws(FetchError) {
        let options = command.identity
        let texts = options.cookie.map(\.bytes).filter { $0.contains(UInt8(ascii: "=")) }
        let files = options.cookie.map(\.bytes).filter { !$0.contains(UInt8(ascii: "=")) }
        guard !texts.joined().contains(where: HeaderLine.isLineBreaking) else {
            throw .usage("cookies must not contain CR, LF or NUL")
        }
        cookies = texts.isEmpty ? nil : Array(texts.joined(separator: Array("; ".utf8)))
        jarFile = options.cookieJar
        var preservesJarFile = false
        if files.isEmpty, jarFile == nil {
            jar = nil
        } else {
            let jar = CookieJar()
            for file in files where !file.isEmpty {
                let path = String(decoding: file, as: UTF8.self)
                let isRead = Self.load(path, into: jar, for: Self.hosts(command), console)
                if !isRead, path == jarFile { preservesJarFile = true }
            }
            if options.junkSessionCookies { jar.remove { $0.expires == nil } }
            self.jar = jar
        }
        self.preservesJarFile = preservesJarFile
        (authentication, urlRule, sendsUser) = try Self.authentication(command)
    }

    /// Returns the authentication for a URL with a user, unless Basic credentials are in the head.
    ///
    /// - Returns: nil when the URL has no user, or when its user is sent in the head.
    func authentication(for url: TargetURL) -> HTTPAuthentication? {
        guard let urlRule, let named = url.credentials else { return nil }
        switch urlRule {
        case .ignored: return authentication
        case .answers(let policy, let netrc, let takesPrecedence):
            var password = named.password
            if password == nil || takesPrecedence, let netrc {
                let user = String(decoding: named.user, as: UTF8.self)
                let kept = netrc.credentials(host: url.origin.host, user: user)
                password = kept?.password ?? password
            }
            let credentials = HTTPCredentials(user: named.user, password: password ?? [])
            return .credentials(credentials, policy: policy)
        }
    }

    /// Returns the hosts of the URLs; of a glob, those of its first 1000 URLs.
    private static func hosts(_ command: FetchCommand) -> [String] {
        var hosts: Set<String> = []
        for text in command.urls {
            guard let glob = command.globoff ? URLGlob(literal: text) : try? URLGlob(text) else {
                continue
            }
            for match in glob.prefix(1000) {
                if let url = try? TargetURL(match.url) { hosts.insert(url.origin.host) }
            }
        }
        return Array(hosts)
    }

    /// Loads cookies from a file.
    ///
    /// A missing file, or lines that are not cookies, do not prevent the transfer.
    ///
    /// - Returns: false when the file has content that was not read.
    private static func load(
        _ path: String,
        into jar: CookieJar,
        for hosts: [String],
        _ console: Console
    ) -> Bool {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try SystemFile.read(path)
        } catch {
            console.warning("could not read cookies from \(path): \(error.reason)")
            return path == "-" || !SystemFile.exists(path)
        }
        do throws(HTTPError) {
            let lines = try CookieFileParser(bytes, requestedHosts: hosts, now: SystemFile.now)
            let refusals = lines.cookies.count { jar.set($0) != nil }
            if lines.rejectedLines > 0 {
                console.warning(
                    "ignored \(lines.rejectedLines) lines of \(path) that are not cookies"
                )
            }
            if refusals > 0 {
                console.warning("ignored \(refusals) invalid cookies of \(path)")
            }
            // A file without a single valid cookie was probably named by mistake.
            return lines.rejectedLines == 0 || !lines.cookies.isEmpty
        } catch {
            console.warning("could not read cookies from \(path): \(error)")
            return false
        }
    }

    private static func authentication(
        _ command: FetchCommand
    ) throws(FetchError) -> (HTTPAuthentication?, URLRule?, sendsUser: Bool) {
        let options = command.identity
        if let token = options.bearer {
            guard !token.utf8.contains(where: HeaderLine.isLineBreaking) else {
                throw .usage("a token must not contain CR, LF or NUL")
            }
            return (.bearer(token), .ignored, false)
        }
        let policy: HTTPAuthentication.Policy =
            options.anyauth ? .any : options.digest ? .digest : .basic
        if let user = command.user {
            guard policy != .basic else { return (nil, nil, true) }
            let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            let password = parts.count > 1 ? String(parts[1]) : ""
            return (
                policy == .any
                    ? .any(user: name, password: password)
                    : .digest(user: name, password: password), .ignored, false
            )
        }
        guard let netrc = try netrc(options) else {
            return (
                nil, policy == .basic ? nil : .answers(policy, nil, takesPrecedence: false), true
            )
        }
        let rule = URLRule.answers(policy, netrc, takesPrecedence: !options.netrcOptional)
        return (.netrc(netrc, policy: policy), rule, true)
    }

    private static func netrc(_ options: IdentityOptions) throws(FetchError) -> HTTPNetrc? {
        guard options.netrc || options.netrcOptional || options.netrcFile != nil else {
            return nil
        }
        let path = options.netrcFile ?? (SystemFile.variable("HOME") ?? "") + "/.netrc"
        do {
            // The netrc may be a pipe.
            return try HTTPNetrc(bytes: SystemFile.read(path))
        } catch let systemError as SystemError {
            if options.netrcOptional { return nil }
            throw FetchError(.readFailed, "\(path): \(systemError.reason)")
        } catch {
            if options.netrcOptional { return nil }
            throw FetchError(.readFailed, "\(path): \(error)")
        }
    }

    /// Writes the cookies to their file; a failure prints only a warning.
    func save(_ console: Console) {
        guard let jar, let jarFile else { return }
        guard !preservesJarFile else {
            console.warning("did not write \(jarFile), because it could not be read completely")
            return
        }
        do {
            if jarFile == "-" || SystemFile.isSpecial(jarFile) {
                try Destination(jarFile).write(CookieJar.FileFormat.netscape.encode(jar.cookies))
            } else {
                try jar.save(to: jarFile, includeSessionCookies: true)
            }
        } catch {
            console.warning("could not write cookies to \(jarFile): \(error)")
        }
    }
}
