internal import HTTPClient

/// Holds who asks: cookies and credentials, as the command line says.
struct Identity {
    /// Where cookies are kept; nil for nowhere.
    let jar: CookieJar?
    /// Where they are written in the end; nil for nowhere.
    let jarFile: String?
    /// What is in that file could not be read, and is not to be lost.
    private let preservesJarFile: Bool
    /// Cookies to send besides; nil for none.
    let cookies: [UInt8]?
    /// What answers the server; nil leaves it to the head of the request.
    let authentication: HTTPAuthentication?
    /// How a user that the URL names is answered for; nil for Basic, unasked.
    private let urlRule: URLRule?
    /// Whether `--user` belongs into the head, unasked.
    let sendsUser: Bool

    /// Says what a user in the URL is for, when that is not Basic.
    private enum URLRule {
        /// Nothing: something else answers.
        case ignored
        /// Answers by this policy, with the password of the netrc when the URL has none, or when it
        /// `takesPrecedence`.
        case answers(HTTPAuthentication.Policy, HTTPNetrc?, takesPrecedence: Bool)
    }

    /// Reads the files that the command line names.
    init(_ command: FetchCommand, _ console: Console) throws(FetchError) {
        let options = command.identity
        let texts = options.cookie.map(\.bytes).filter { $0.contains(UInt8(ascii: "=")) }
        let files = options.cookie.map(\.bytes).filter { !$0.contains(UInt8(ascii: "=")) }
        guard !texts.joined().contains(where: HeaderLine.isLineBreaking) else {
            throw .usage("cookies may not hold CR, LF or NUL")
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

    /// Says who answers for a URL that names a user, where Basic does not do so unasked.
    ///
    /// - Returns: nil when the URL names nobody, or its user goes into the head.
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
            return switch policy {
            case .basic: .basic(credentials)
            case .digest: .digest(credentials)
            case .any: .any(credentials)
            }
        }
    }

    /// The hosts of the URLs; of a glob those of its first 1000.
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

    /// A file that is not there, or has other lines than cookies, is no reason not to ask.
    ///
    /// - Returns: false when there is something that was not read.
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
            console.warning("no cookies are read from \(path): \(error.reason)")
            return path == "-" || !SystemFile.exists(path)
        }
        do throws(CookieFileError) {
            let lines = try CookieFileParser(bytes, requestedHosts: hosts, now: SystemFile.now)
            let refusals = lines.cookies.count { jar.set($0) != nil }
            if lines.rejectedLines > 0 {
                console.warning(
                    "\(lines.rejectedLines) lines of \(path) are no cookies: passed over"
                )
            }
            if refusals > 0 {
                console.warning("\(refusals) cookies of \(path) break a rule: passed over")
            }
            // What is no file of cookies at all was named by mistake.
            return lines.rejectedLines == 0 || !lines.cookies.isEmpty
        } catch {
            console.warning("no cookies are read from \(path): \(error)")
            return false
        }
    }

    private static func authentication(
        _ command: FetchCommand
    ) throws(FetchError) -> (HTTPAuthentication?, URLRule?, sendsUser: Bool) {
        let options = command.identity
        if let token = options.bearer {
            guard !token.utf8.contains(where: HeaderLine.isLineBreaking) else {
                throw .usage("a token may not hold CR, LF or NUL")
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
            // A pipe is read as well as a file.
            return try HTTPNetrc(bytes: SystemFile.read(path))
        } catch let fault as SystemError {
            if options.netrcOptional { return nil }
            throw FetchError(.readFailed, "\(path): \(fault.reason)")
        } catch {
            if options.netrcOptional { return nil }
            throw FetchError(.readFailed, "\(path): \(error)")
        }
    }

    /// Writes the cookies where they are wanted; that this fails changes nothing of what was transferred.
    func save(_ console: Console) {
        guard let jar, let jarFile else { return }
        guard !preservesJarFile else {
            console.warning("\(jarFile) stays as it is: not all of it was read")
            return
        }
        do {
            if jarFile == "-" || SystemFile.isSpecial(jarFile) {
                try Destination(jarFile).write(CookieFormat.netscape.encode(jar.cookies))
            } else {
                try jar.save(to: jarFile, includeSessionCookies: true)
            }
        } catch {
            console.warning("no cookies are written to \(jarFile): \(error)")
        }
    }
}
