internal import HTTPClient

/// Holds who asks: cookies and credentials, as the command line says.
struct Identity {
    /// Where cookies are kept; nil for nowhere.
    let jar: CookieJar?
    /// Where they are written in the end; nil for nowhere.
    let jarFile: String?
    /// Cookies to send besides; nil for none.
    let cookies: [UInt8]?
    /// What answers the server; nil leaves it to the head of the request.
    let authentication: HTTPAuthentication?
    /// Whether `--user` belongs into the head, unasked.
    let sendsUser: Bool

    /// Reads the files that the command line names.
    init(_ command: FetchCommand, _ console: Console) throws(Failure) {
        let options = command.identity
        let texts = options.cookie.map(\.bytes).filter { $0.contains(UInt8(ascii: "=")) }
        let files = options.cookie.map(\.bytes).filter { !$0.contains(UInt8(ascii: "=")) }
        guard !texts.joined().contains(where: HeaderLine.isLineBreaking) else {
            throw .usage("cookies may not hold CR, LF or NUL")
        }
        cookies = texts.isEmpty ? nil : Array(texts.joined(separator: Array("; ".utf8)))
        jarFile = options.cookieJar
        if files.isEmpty, jarFile == nil {
            jar = nil
        } else {
            let jar = CookieJar()
            for file in files where !file.isEmpty {
                Self.load(String(decoding: file, as: UTF8.self), into: jar, console)
            }
            if options.junkSessionCookies { jar.remove { $0.expires == nil } }
            self.jar = jar
        }
        (authentication, sendsUser) = try Self.authentication(command)
    }

    /// A file that is not there, or is none of cookies, is no reason not to ask.
    private static func load(_ path: String, into jar: CookieJar, _ console: Console) {
        do throws(HTTPError) {
            try jar.load(from: path)
        } catch {
            console.warning("no cookies are read: \(error.kind.description)")
        }
    }

    private static func authentication(
        _ command: FetchCommand
    ) throws(Failure) -> (HTTPAuthentication?, sendsUser: Bool) {
        let options = command.identity
        if let token = options.bearer {
            guard !token.utf8.contains(where: HeaderLine.isLineBreaking) else {
                throw .usage("a token may not hold CR, LF or NUL")
            }
            return (.bearer(token), false)
        }
        if let user = command.user {
            guard options.digest || options.anyauth else { return (nil, true) }
            let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            let password = parts.count > 1 ? String(parts[1]) : ""
            return (
                options.anyauth
                    ? .any(user: name, password: password)
                    : .digest(user: name, password: password), false
            )
        }
        guard options.netrc || options.netrcOptional || options.netrcFile != nil else {
            return (nil, true)
        }
        let path = options.netrcFile ?? (SystemFile.variable("HOME") ?? "") + "/.netrc"
        do throws(HTTPNetrcFault) {
            let policy: HTTPAuthentication.Policy =
                options.anyauth ? .any : options.digest ? .digest : .basic
            return (.netrc(try HTTPNetrc(contentsOf: path), policy: policy), true)
        } catch {
            if options.netrcOptional { return (nil, true) }
            throw Failure(.readFailed, "\(path): \(error)")
        }
    }

    /// Writes the cookies where they are wanted; that this fails changes nothing of what was transferred.
    func save(_ console: Console) {
        guard let jar, let jarFile else { return }
        do {
            if jarFile == "-" {
                try Destination("-").write(CookieFormat.netscape.encode(jar.cookies))
            } else {
                try jar.save(to: jarFile, includeSessionCookies: true)
            }
        } catch {
            console.warning("no cookies are written to \(jarFile): \(error)")
        }
    }
}
