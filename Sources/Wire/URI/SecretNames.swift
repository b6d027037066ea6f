/// A list of the names of secrets, with functions that replace secret values with `***`.
///
/// Logs, traces, archives, commands and recordings all use this one list. Names are compared without
/// ASCII case, `_` and `-`. Of `user[password]` or `db.password` the last part is compared as well.
package struct SecretNames: Sendable {
    /// The kind of item that has a name.
    package enum Location {
        /// A header field.
        case field
        /// An item of a query or a fragment, or a part of a form.
        case parameter
        /// A member of a JSON object.
        case member
    }

    package static let mask = "***"

    /// Endings of secret names, in every location.
    private static let endings = [
        "token", "secret", "password", "passwd", "pwd", "passphrase", "signature", "assertion",
        "credential", "authorization", "cookie", "apikey", "authkey", "accesskey", "secretkey",
        "privatekey", "sharedkey", "subscriptionkey", "secrets", "passwords", "credentials",
    ]
    /// Suffixes of forms for the second input of a password.
    private static let repetitions = ["confirmation", "confirm", "again", "repeat", "repeated"]
    /// Whole names that are too short, or too common elsewhere, to be used as endings.
    private static let parameters: Set<String> = [
        "key", "code", "sig", "jwt", "otp", "pass", "codeverifier", "awsaccesskeyid",
        "samlresponse",
    ]
    private static let members: Set<String> = ["sig", "jwt", "otp", "pass", "codeverifier"]
    /// Endings of names that look like secrets but are not: list positions, retry keys and nonces.
    private static let harmless = [
        "pagetoken", "nexttoken", "continuationtoken", "idempotencykey", "secwebsocketkey",
    ]

    /// The list of the built-in names.
    package static let common = SecretNames()

    let others: Set<String>

    /// Creates a list of the built-in names and of additional ones.
    ///
    /// - Parameter names: additional names of secret fields, parameters and members.
    package init(_ names: [String] = []) {
        others = Set(names.map { Self.normalized($0[...]) })
    }

    // MARK: - Names

    /// Returns whether the value of that name is a secret.
    package func isSecret(_ name: String, in location: Location) -> Bool {
        let whole = Self.normalized(name[...])
        if others.contains(whole) { return true }
        if location == .field {
            return !Self.harmless.contains(whole)
                && (Self.endings.contains { whole.hasSuffix($0) }
                    || name.lowercased().hasSuffix("-key"))
        }
        let part = name.split { "[].".contains($0) }.last.map(Self.normalized) ?? whole
        if others.contains(part) { return true }
        if Self.harmless.contains(where: { part.hasSuffix($0) }) { return false }
        let stem = Self.stem(of: part)
        return (location == .parameter ? Self.parameters : Self.members).contains(stem)
            || Self.endings.contains { part.hasSuffix($0) || stem.hasSuffix($0) }
    }

    /// Returns the name without a trailing number, or without a confirmation suffix.
    private static func stem(of name: String) -> String {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let bytes = name.utf8
        let end = bytes.lastIndex { !digits.contains($0) }
        let stem = end.map { String(name[...$0]) } ?? name
        let ending = repetitions.first { stem.hasSuffix($0) && stem.utf8.count > $0.utf8.count }
        return ending.map { String(stem.dropLast($0.count)) } ?? stem
    }

    static func normalized(_ name: Substring) -> String {
        let kept = name.utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
        return String(decoding: kept, as: UTF8.self).lowercased()
    }

    // MARK: - URLs and forms

    /// Returns text without the secrets of the URLs in it: that of Referer, Location, Link, Refresh and others.
    func redacted(urls text: String) -> String {
        guard text.utf8.contains(where: { "?#@".utf8.contains($0) }) else { return text }
        // A URL ends at a space, a quote or an angle bracket, none of which it can contain.
        let ends = " \t\"<>".utf8
        var result = ""
        var rest = text[...]
        while !rest.isEmpty {
            let url = Substring(rest.utf8.prefix { !ends.contains($0) })
            result += redacted(try? URI(encoding: String(url)), or: String(url))
            rest = rest[url.endIndex...]
            let delimiters = Substring(rest.utf8.prefix { ends.contains($0) })
            result += delimiters
            rest = rest[delimiters.endIndex...]
        }
        return result
    }

    /// Returns a URL without its secrets; invalid text is split leniently.
    package func redacted(_ uri: URI?, or text: String) -> String {
        var hidden = RedactionDigest()
        return redacted(uri, or: text, &hidden)
    }

    /// Returns a URL without its secrets, and adds the replaced values to `hidden`.
    package func redacted(
        _ uri: URI?,
        or text: String,
        _ hidden: inout RedactionDigest
    ) -> String {
        var parts = uri.map { URLParts($0) } ?? URLParts(text)
        let (query, fragment) = (parts.query, parts.fragment)
        // Servers pass tokens to applications in fragments too.
        parts.query = query.map { redacted(query: $0, &hidden) }
        parts.fragment = fragment.map { redacted(query: $0, &hidden) }
        guard parts.userinfo != nil || parts.query != query || parts.fragment != fragment else {
            return text
        }
        if parts.userinfo != nil { parts.userinfo = Self.mask }
        return parts.text
    }

    /// Returns whether a URI has the mask in place of a secret, because it was made from a description.
    package func isRedacted(_ uri: URI) -> Bool {
        // Most URIs have neither, and few of the others an asterisk.
        guard uri.mayHaveSecrets, uri.text.utf8.contains(UInt8(ascii: "*")) else { return false }
        if uri.userinfo == Self.mask { return true }
        guard let query = uri.query else { return false }
        return query.utf8.split(separator: UInt8(ascii: "&")).contains { item in
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")),
                item[item.index(after: equals)...].elementsEqual(Self.mask.utf8)
            else { return false }
            let name = Self.decoded(ArraySlice(item[..<equals]))
            return isSecret(String(decoding: name, as: UTF8.self), in: .parameter)
        }
    }

    /// Returns a query, or one of its items, without its secrets.
    package func redacted(query: String) -> String {
        var hidden = RedactionDigest()
        return redacted(query: query, &hidden)
    }

    /// Returns a raw request target of any form without the secrets of its query.
    package func redacted(target: String) -> String {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return target }
        let query = target.utf8.index(after: mark)
        return "\(target[..<query])\(redacted(query: String(target[query...])))"
    }

    private func redacted(query: String, _ hidden: inout RedactionDigest) -> String {
        String(decoding: redacted(form: Array(query.utf8), &hidden), as: UTF8.self)
    }

    /// Returns a query or a form without its secrets; bytes that are not UTF-8 are kept.
    package func redacted(form: [UInt8], _ hidden: inout RedactionDigest) -> [UInt8] {
        let items = form.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let shown = items.map { item -> [UInt8] in
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return Array(item) }
            let name = Self.decoded(item[..<equals])
            guard isSecret(String(decoding: name, as: UTF8.self), in: .parameter) else {
                return Array(item)
            }
            hidden.record(name, Self.decoded(item[(equals + 1)...]))
            return item[...equals] + Array(Self.mask.utf8)
        }
        return Array(shown.joined(separator: [UInt8(ascii: "&")]))
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "%")),
            let text = String(validating: bytes, as: UTF8.self)
        else { return Array(bytes) }
        return PercentCoding.decode(text)
    }
}

/// The hidden values of a request, used to recognize the same request later.
package struct RedactionDigest: Sendable {
    package private(set) var values: [[UInt8]] = []

    package init() {}

    /// Adds a value that ``SecretNames/mask`` replaces; a value that is already the mask is ignored.
    package mutating func record(_ name: [UInt8], _ value: [UInt8]) {
        guard !value.elementsEqual(SecretNames.mask.utf8) else { return }
        // The length makes the boundary between name and value unambiguous.
        values.append(Array("\(name.count) ".utf8) + name + value)
    }
}
