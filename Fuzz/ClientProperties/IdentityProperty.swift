package import FuzzProperties
internal import HTTPClient
internal import Wire

/// Checks that an origin's cookies and credentials are not sent to other origins.
///
/// Input: a byte that selects the policy, then lines. The first line is an Authentication-Info,
/// lines that begin with "!" are challenges, and the others are values of Set-Cookie.
package func checkIdentity(_ input: FuzzInput) {
    var input = input
    let policy = input.pick([HTTPAuthentication.Policy.any, .digest])
    let bytes = input.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    checkCookies(bytes.dropFirst().filter { $0.first != UInt8(ascii: "!") }.map(Array.init))
    let lines = input.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let challenges = lines.filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) }
    checkCredentials(challenges, next: lines.first ?? "", policy)
}

private func url(_ text: String) -> URI { try! URI(text) }

/// Whether a string is valid as the value of a field (RFC 9110 §5.5).
private func isSendable(_ value: String) -> Bool {
    value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
}

private func checkCookies(_ lines: [[UInt8]]) {
    let jar = CookieJar(limits: CookieJar.Limits(maxPerDomain: 8, maxTotal: 16), suffixes: .builtIn)
    var headers = HTTPHeaders()
    for line in lines { headers.append(.setCookie, bytes: line) }
    let origin = url("http://shop.example.co.uk/cart/1")
    jar.store(headers, from: origin)
    let kept = jar.cookies
    for cookies in Dictionary(grouping: kept, by: \.domain).values {
        precondition(cookies.count <= 8, "the domain has more cookies than its limit")
    }
    for cookie in kept {
        let reach = ["example.co.uk", "shop.example.co.uk"]
        precondition(
            reach.contains(cookie.domain),
            "a cookie for the wrong domain \(cookie.domain)"
        )
        precondition(!cookie.isSecure, "a Secure cookie was set without TLS")
        // The bytes of the cookie occur in a received line, except for whitespace around the equals
        // sign.
        let value = Array(
            cookie.pairBytes.suffix(
                cookie.isLatin1 ? cookie.value.unicodeScalars.count : cookie.value.utf8.count
            )
        )
        precondition(
            value.isEmpty || lines.contains { $0.contains(value) },
            "the cookie value differs from the field"
        )
        precondition(cookie.pairBytes.count <= jar.limits.maxPairBytes + 1)
    }
    for text in [
        "http://co.uk/", "http://notexample.co.uk/cart/1", "http://example.co.uk.evil.test/cart/1",
        "http://127.0.0.1/cart/1", "http://uk/cart/1",
    ] {
        precondition(jar.field(for: url(text)) == nil, "\(text) receives a cookie")
    }
    if let field = jar.fieldBytes(for: origin) {
        precondition(
            field.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 },
            "it cannot be sent"
        )
    }
}

private func checkCredentials(
    _ texts: [String],
    next: String,
    _ policy: HTTPAuthentication.Policy
) {
    let password = "Zq5-s3cret-Wk9"
    let credentials = HTTPCredentials(user: "ada", password: password)
    let origin = url("http://example.com/").origin!
    let subject = AuthenticationTarget(
        url: url("http://example.com/dir/index.html"),
        initialOrigin: origin,
        method: .get,
        target: "/dir/index.html",
        body: []
    )!.request
    var memory = AuthenticationState()
    var sent = SentCredentials.nothing
    for text in texts {
        let choices = SupportedChallenge.rankedByStrength(
            ChallengeParser.parse([text]),
            allowing: policy
        )
        guard let best = choices.first else { continue }
        if case .final = memory.decide(best, sentWith: sent) { break }
        guard
            let proof = memory.answer(
                choices,
                with: credentials,
                subject,
                sentWith: sent,
                failures: 0,
                clientNonce: "c"
            )
        else { continue }
        precondition(isSendable(proof.value), "the field value contains invalid bytes")
        precondition(!proof.value.contains(password), "the field value contains the password")
        if policy == .digest { precondition(proof.value.hasPrefix("Digest ")) }
        sent = proof.sent
        // The nonce passes the parser first, which rejects values that no field may contain.
        if let nonce = Challenge("Digest " + next)?["nextnonce"] {
            memory.updateNonce(to: nonce, after: sent)
        }
        if let again = memory.preempt(subject) {
            precondition(isSendable(again.value))
            // Each count of a nonce is sent once (RFC 7616 §3.4), if the server requires counts.
            if withoutQuotes(again.value).contains("nc=") {
                precondition(again.value != proof.value)
            }
        }
    }
}

/// Removes quoted strings.
private func withoutQuotes(_ value: String) -> String {
    var text = ""
    var (isQuoted, isEscaped) = (false, false)
    for character in value {
        if !isEscaped, character == "\"" {
            isQuoted.toggle()
        } else if !isQuoted {
            text.append(character)
        }
        isEscaped = isQuoted && !isEscaped && character == "\\"
    }
    return text
}
