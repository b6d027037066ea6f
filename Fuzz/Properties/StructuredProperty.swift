internal import Wire

/// Checks every parser of field values on the same text.
///
/// A value that a parser accepts is parsed as an equal value after it was formatted.
package func checkStructured(_ input: FuzzInput) {
    let text = input.text
    let now = HTTPDate(secondsSince1970: 1_800_000_000)
    check(text, { HTTPDate($0, now: now) }, { HTTPDate($0) }, { RetryAfter($0, now: now) })
    check(text, { EntityTag($0) }, { EntityTag.Condition($0) }, { RangeHeader($0) })
    check(text, { ContentRange($0) }, { MediaType($0) }, { MediaRange($0) }, { QualityValue($0) })
    check(text, { AcceptHeader($0) }, { CacheControl($0) }, { Challenge($0) })
    check(text, { ContentDisposition($0) }, { AcceptHeader(AcceptHeader($0)?.byPreference ?? []) })
    // The descriptions of cookies and links are for logs: they escape and mask.
    if let link = WebLink(text) {
        precondition(WebLink(link.text) == link, "the formatted link is parsed differently")
    }
    if let cookie = SetCookie(text) {
        precondition(SetCookie(cookie.text) == cookie, "the formatted cookie is parsed differently")
    }
    check(text, { HTTPDate(cookieDate: $0) }, { StructuredDictionary($0) })
    let (challenges, links) = (Challenge.list([text]), WebLink.list([text]))
    precondition(Challenge.list([challenges.map { "\($0)" }.joined(separator: ",")]) == challenges)
    precondition(WebLink.list([links.map(\.text).joined(separator: ",")]) == links)
    checkCookies(text)
    checkFileName(text)
}

private func check<each V: Equatable>(_ text: String, _ parse: repeat (String) -> (each V)?) {
    for parse in repeat each parse {
        if let value = parse(text) {
            precondition(parse("\(value)") == value, "the formatted value is parsed differently")
        }
    }
}

/// Checks that stored cookies are within their limits, and that pairs survive a round trip.
private func checkCookies(_ text: String) {
    let pairs = CookiePair.list([text])
    // A value without a name that contains "=" is parsed with a name the next time.
    let stable = pairs.filter { !$0.name.isEmpty || !$0.value.utf8.contains(UInt8(ascii: "=")) }
    precondition(CookiePair.list([stable.map(\.text).joined(separator: "; ")]) == stable)
    for pair in pairs + [SetCookie(text)?.pair].compactMap({ $0 }) {
        precondition(1...4096 ~= pair.name.utf8.count + pair.value.utf8.count)
        precondition(!pair.value.utf8.contains(UInt8(ascii: ";")) && !pair.name.contains("="))
        if let strict = CookiePair(pair.name, pair.value) { precondition(strict == pair) }
    }
    if let cookie = SetCookie(text) {
        precondition(cookie.path.map { $0.utf8.first == UInt8(ascii: "/") } ?? true)
        precondition(cookie.domain != "")
    }
    // The parser of cookie dates searches the parts anywhere, so it must find those of an HTTP
    // date.
    if let date = HTTPDate(text), let loose = HTTPDate(cookieDate: text) {
        precondition(date == loose, "the two date parsers disagree")
    }
}

/// Checks that a safe name is short, contains no slash or control byte, and is safe again as itself.
private func checkFileName(_ text: String) {
    guard let safe = ContentDisposition("a", fileName: text)?.safeFileName else { return }
    precondition(1...255 ~= safe.utf8.count && safe.utf8.allSatisfy { $0 >= 32 && $0 != 47 })
    precondition(ContentDisposition("a", fileName: safe)?.safeFileName == safe)
}
