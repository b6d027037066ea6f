internal import SocketTransport
internal import Wire

/// Knows what holds secrets by its name, and puts `***` in its place.
///
/// This is the one list: for logs, traces, archives, commands and cassettes. Names are compared without
/// ASCII case, `_` and `-`, and of `user[password]` or `db.password` the last part counts as well.
struct SecretNames: Sendable {
    /// Says what has the name.
    enum Location {
        /// A field of a head.
        case field
        /// An item of a query or a fragment, or a part of a form.
        case parameter
        /// A member of a JSON object.
        case member
    }

    static let mask = "***"

    /// Ends of names, wherever they stand.
    private static let endings = [
        "token", "secret", "password", "passwd", "pwd", "passphrase", "signature", "assertion",
        "credential", "authorization", "cookie", "apikey", "authkey", "accesskey", "secretkey",
        "privatekey", "sharedkey", "subscriptionkey", "secrets", "passwords", "credentials",
    ]
    /// What forms put behind the name of a password that is wanted twice.
    private static let repetitions = ["confirmation", "confirm", "again", "repeat", "repeated"]
    /// Whole names that are too short, or too common elsewhere, to be an end.
    private static let parameters: Set<String> = [
        "key", "code", "sig", "jwt", "otp", "pass", "codeverifier", "awsaccesskeyid",
        "samlresponse",
    ]
    private static let members: Set<String> = ["sig", "jwt", "otp", "pass", "codeverifier"]
    /// Ends of what only looks like a secret: a place in a list, a name for a repetition, a nonce.
    private static let harmless = [
        "pagetoken", "nexttoken", "continuationtoken", "idempotencykey", "secwebsocketkey",
    ]

    private let others: Set<String>

    /// - Parameter names: of fields, parameters and members that are secrets too.
    init(_ names: [String] = []) {
        others = Set(names.map { Self.normalized($0[...]) })
    }

    // MARK: - Names

    /// Whether what has that name is a secret.
    func isSecret(_ name: String, in location: Location) -> Bool {
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

    /// The name without a number behind it, or that of the field which it repeats.
    private static func stem(of name: String) -> String {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let bytes = name.utf8
        let end = bytes.lastIndex { !digits.contains($0) }
        let stem = end.map { String(name[...$0]) } ?? name
        let ending = repetitions.first { stem.hasSuffix($0) && stem.utf8.count > $0.utf8.count }
        return ending.map { String(stem.dropLast($0.count)) } ?? stem
    }

    private static func normalized(_ name: Substring) -> String {
        let kept = name.utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
        return String(decoding: kept, as: UTF8.self).lowercased()
    }

    // MARK: - Fields

    /// Returns the value of a field as it may be shown.
    func redacted(_ value: String, of name: FieldName) -> String {
        if others.contains(Self.normalized(name.rawName[...])) { return Self.mask }
        if name == .authorization || name == .proxyAuthorization {
            // Which scheme it is, everybody may know.
            let scheme = value.utf8.firstIndex(of: UInt8(ascii: " ")).map { value[..<$0] }
            return scheme.map { "\($0) \(Self.mask)" } ?? Self.mask
        }
        return isSecret(name.rawName, in: .field) ? Self.mask : value
    }

    /// Returns the value of a field with as much of it as may be shown: cookies keep their names, and
    /// URLs all but what is secret in them.
    func shown(_ value: String, of name: FieldName) -> String {
        if others.contains(Self.normalized(name.rawName[...])) { return Self.mask }
        switch name {
        case .setCookie:
            // By bytes: a character may be made of one of these signs and others.
            let end = value.utf8.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
            return "\(Self.cookie(value[..<end]))\(value[end...])"
        case .cookie:
            return value.utf8.split(separator: UInt8(ascii: ";"))
                .map { Self.cookie(Substring($0)) }.joined(separator: ";")
        case .location, .referer, .contentLocation:
            return redacted(try? URI(encoding: value), or: value)
        default: return redacted(value, of: name)
        }
    }

    /// Without `=` all of it is the value (RFC 6265bis §5.6).
    private static func cookie(_ pair: Substring) -> String {
        let equals = pair.utf8.firstIndex(of: UInt8(ascii: "="))
        return "\(equals.map { pair[...$0] } ?? "")\(mask)"
    }

    // MARK: - URLs and forms

    /// Returns a URL as it may be shown; text that is none keeps what it looks like.
    func redacted(_ uri: URI?, or text: String) -> String {
        var hidden = RedactionDigest()
        return redacted(uri, or: text, &hidden)
    }

    /// Returns a URL as it may be shown, and adds what is hidden.
    func redacted(_ uri: URI?, or text: String, _ hidden: inout RedactionDigest) -> String {
        var parts = uri.map { URLParts($0) } ?? URLParts(text)
        let (query, fragment) = (parts.query, parts.fragment)
        // Applications are handed tokens in fragments too.
        parts.query = query.map { redacted(query: $0, &hidden) }
        parts.fragment = fragment.map { redacted(query: $0, &hidden) }
        guard parts.userinfo != nil || parts.query != query || parts.fragment != fragment else {
            return text
        }
        if parts.userinfo != nil { parts.userinfo = Self.mask }
        return parts.text
    }

    /// Returns a raw target, which may be anything, as it may be shown.
    func redacted(target: String) -> String {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return target }
        let query = target.utf8.index(after: mark)
        var hidden = RedactionDigest()
        return "\(target[..<query])\(redacted(query: String(target[query...]), &hidden))"
    }

    private func redacted(query: String, _ hidden: inout RedactionDigest) -> String {
        String(decoding: redacted(form: Array(query.utf8), &hidden), as: UTF8.self)
    }

    /// Returns a query, or a form, as it may be shown; bytes that are no UTF-8 stay.
    func redacted(form: [UInt8], _ hidden: inout RedactionDigest) -> [UInt8] {
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

/// Collects what was hidden of a request, to know later whether it is the same again.
struct RedactionDigest: Sendable {
    private var values: [[UInt8]] = []

    /// Adds a value that ``SecretNames/mask`` stands for; one that is the mask already tells nothing.
    mutating func record(_ name: [UInt8], _ value: [UInt8]) {
        guard !value.elementsEqual(SecretNames.mask.utf8) else { return }
        // So that where the one ends and the other begins is clear.
        values.append(Array("\(name.count) ".utf8) + name + value)
    }

    /// Draws 16 bits of a digest from all values, in whatever order they were found.
    ///
    /// Enough to tell the requests of a recording apart, and so few that of any long list of passwords many
    /// fit. Of a short list just one may.
    ///
    /// - Returns: four hexadecimal digits; nil when nothing was hidden.
    func digest(salt: String) -> String? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted { $0.lexicographicallyPrecedes($1) }
        let message = sorted.reduce(into: Array(salt.utf8)) { message, value in
            message += Array(" \(value.count) ".utf8) + value
        }
        guard let hash = MessageDigest.sha256.hash(message) else { return nil }
        let number = Int(hash[0]) << 8 | Int(hash[1])
        return String(String(number + 0x10000, radix: 16).dropFirst())
    }
}
