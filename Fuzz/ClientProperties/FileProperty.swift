package import FuzzProperties
internal import HTTPClient

/// Checks every file parser on the same bytes.
///
/// A value that a parser accepts is parsed as an equal value after it was formatted.
package func checkFile(_ input: FuzzInput) {
    let (bytes, text) = (input.bytes, input.text)
    checkCookies(bytes)
    checkNetrc(text)
    checkJSON(bytes)
    if let state = try? HTTPResumeData(text) {
        precondition(
            (try? HTTPResumeData(state.text)) == state,
            "the resume data is parsed differently"
        )
    }
    checkSuffixes(text)
}

private func checkCookies(_ bytes: [UInt8]) {
    guard let cookies = try? CookieJar.FileFormat.decode(bytes) else { return }
    let json = try! CookieJar.FileFormat.decode(CookieJar.FileFormat.json.encode(cookies))
    precondition(json == cookies, "the JSON form changes the cookies")
    let netscape = try! CookieJar.FileFormat.decode(CookieJar.FileFormat.netscape.encode(cookies))
    // The Netscape format cannot represent a tab.
    precondition(netscape.count <= cookies.count)
    for cookie in netscape {
        let same = cookies.contains { other in
            other.name == cookie.name && other.value == cookie.value
                && other.isLatin1 == cookie.isLatin1 && other.pairBytes == cookie.pairBytes
                && other.domain == cookie.domain && other.path == cookie.path
                && other.isHostOnly == cookie.isHostOnly && other.isSecure == cookie.isSecure
                && other.isHTTPOnly == cookie.isHTTPOnly
        }
        precondition(same, "the Netscape form changes a cookie")
    }
}

private func checkNetrc(_ text: String) {
    guard let netrc = try? HTTPNetrc(text: text) else { return }
    for host in ["example.com", "EXAMPLE.com", ""] {
        let first = netrc.credentials(host: host)
        let user = first.map { String(decoding: $0.user, as: UTF8.self) }
        // If a user name is not valid UTF-8, its text is a different name.
        if let first, let user, Array(user.utf8) == first.user, !user.isEmpty {
            precondition(netrc.credentials(host: host, user: user)?.user == first.user)
        }
    }
    precondition(netrc == (try? HTTPNetrc(text: text)))
}

private func checkJSON(_ bytes: [UInt8]) {
    guard let value = try? HTTPJSON(parsing: bytes), !hasRepetition(value) else { return }
    precondition(
        (try? HTTPJSON(parsing: "\(value)")) == value,
        "the formatted value is parsed differently"
    )
}

/// Whether an object has two members with the same name, which can be parsed but not formatted.
private func hasRepetition(_ value: HTTPJSON) -> Bool {
    switch value {
    case .array(let elements): return elements.contains(where: hasRepetition)
    case .object(let members):
        let names = Set(members.map(\.name))
        return names.count < members.count || members.contains { hasRepetition($0.value) }
    default: return false
    }
}

private func checkSuffixes(_ text: String) {
    let list = PublicSuffixList(parsing: text)
    for name in text.split(separator: "\n").prefix(8) + ["a.example.com"] {
        let domain = list.registrableDomain(of: String(name))
        precondition(
            domain.map { !list.isPublicSuffix($0) } ?? true,
            "a public suffix is a registrable domain"
        )
    }
}
