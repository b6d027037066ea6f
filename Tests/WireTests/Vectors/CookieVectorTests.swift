import Testing
import Wire

/// The smallest cookie jar that can run the cases of the http-state working group.
///
/// Where RFC 6265 and RFC 6265bis differ, it follows RFC 6265: a cookie without a name is dropped.
private struct MinimalCookieJar {
    private struct StoredCookie {
        let cookie: SetCookie
        let domain: String
        let path: String
    }

    private var stored: [StoredCookie] = []
    private let now = HTTPDate("Sat, 01 Jan 2011 00:00:00 GMT")!

    mutating func receive(_ line: String) {
        guard let cookie = SetCookie(line), !cookie.name.isEmpty else { return }
        let domain = cookie.domain ?? "home.example.org"
        guard Self.host("home.example.org", belongsTo: domain), domain.contains(".") else {
            return
        }
        let new = StoredCookie(
            cookie: cookie,
            domain: cookie.domain ?? "=home.example.org",
            path: cookie.path ?? "/"
        )
        let old = stored.firstIndex {
            $0.cookie.name == cookie.name && $0.domain == new.domain && $0.path == new.path
        }
        if isExpired(cookie) {
            if let old { stored.remove(at: old) }
        } else if let old {
            stored[old] = new
        } else {
            stored.append(new)
        }
    }

    /// Returns the Cookie field: longest paths first, then oldest first.
    func sent(to host: String, _ path: String) -> String {
        stored.filter { stored in
            let isHost =
                stored.domain.hasPrefix("=")
                ? stored.domain.dropFirst() == host : Self.host(host, belongsTo: stored.domain)
            let isBelow =
                path == stored.path || path.hasPrefix(stored.path) && stored.path.hasSuffix("/")
                || path.hasPrefix(stored.path + "/")
            return isHost && isBelow && !stored.cookie.isSecure
        }
        .enumerated()
        .sorted { ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset) }
        .map { $0.element.cookie.pair.text }.joined(separator: "; ")
    }

    private func isExpired(_ cookie: SetCookie) -> Bool {
        if let seconds = cookie.maxAge { return seconds <= 0 }
        return cookie.expires.map { $0 <= now } ?? false
    }

    private static func host(_ host: String, belongsTo domain: String) -> Bool {
        host == domain || host.hasSuffix("." + domain)
    }
}

@Suite struct CookieVectorTests {
    /// Expectations that differ from the case's own.
    ///
    /// RFC 6265 left this choice to clients, hence the name. By RFC 6265bis §5.7 the last Domain applies
    /// even if it is empty, so the cookie belongs to the host that sent it.
    private static let changed = ["OPTIONAL_DOMAIN0042": "foo=bar"]

    @Test(.tags(.rfc6265), arguments: cookieVectors.indices)
    func `http-state: received cookies are sent back`(index: Int) throws {
        let row = cookieVectors[index]
        var jar = MinimalCookieJar()
        for line in row.received { jar.receive(line) }
        var (host, path) = ("home.example.org", "/cookie-parser-result")
        if let to = row.to {
            let uri = try URI(to)
            host = uri.origin?.host ?? host
            path = uri.path
        }
        #expect(jar.sent(to: host, path) == Self.changed[row.name] ?? row.sent, "\(row.name)")
    }

    /// The case CHROMIUM0019, whose value is too long for a table.
    @Test(.tags(.rfc6265)) func `http-state: a cookie of 4095 bytes is kept`() {
        let cookie = "a=" + String(repeating: "a", count: 4094)
        var jar = MinimalCookieJar()
        jar.receive(cookie)
        #expect(jar.sent(to: "home.example.org", "/cookie-parser-result") == cookie)
    }

    @Test(.tags(.rfc6265), arguments: cookieDateVectors.indices)
    func `http-state: cookie dates are parsed`(index: Int) {
        let (text, expected) = cookieDateVectors[index]
        #expect(HTTPDate(cookieDate: text)?.description == expected, "\(text)")
    }
}
