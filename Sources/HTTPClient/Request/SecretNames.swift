internal import Wire

/// Knows which fields and parameters hold secrets, by their names, and puts `***` in their place.
struct SecretNames: Sendable {
    private static let fields: Set<String> = ["cookie", "x-api-key", "api-key"]
    private static let parameters: Set<String> = [
        "access_token", "api_key", "apikey", "token", "key", "secret", "password", "signature",
    ]
    static let mask = "***"

    /// In lower case.
    private let others: Set<String>

    /// - Parameter names: of fields and parameters that are secrets too.
    init(_ names: [String]) {
        others = Set(names.map { $0.lowercased() })
    }

    /// Returns the value of a field as it may be shown.
    func redacted(_ value: String, of name: FieldName) -> String {
        let lower = name.rawName.lowercased()
        if name == .authorization || name == .proxyAuthorization {
            // Which scheme it is, everybody may know.
            let scheme = value.utf8.firstIndex(of: UInt8(ascii: " ")).map { value[..<$0] }
            return scheme.map { "\($0) \(Self.mask)" } ?? Self.mask
        }
        let isSecret =
            Self.fields.contains(lower) || lower.hasSuffix("-token") || lower.hasSuffix("-secret")
            || others.contains(lower)
        return isSecret ? Self.mask : value
    }

    /// Returns a URL as it may be shown; text that is none keeps what it looks like.
    func redacted(_ uri: URI?, or text: String) -> String {
        var parts = uri.map { URLParts($0) } ?? URLParts(text)
        let (query, fragment) = (parts.query, parts.fragment)
        // Applications are handed tokens in fragments too.
        parts.query = query.map { redacted(query: $0) }
        parts.fragment = fragment.map { redacted(query: $0) }
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
        return "\(target[..<query])\(redacted(query: String(target[query...])))"
    }

    /// Whether one of the names that were given besides is meant.
    func hasOther(_ name: String) -> Bool { others.contains(name.lowercased()) }

    /// Returns a query, or a form, as it may be shown.
    func redacted(query: String) -> String {
        HTTPQueryItem.items(of: query).map { item in
            let name = item.name.lowercased()
            let isSecret = Self.parameters.contains(name) || others.contains(name)
            guard isSecret, item.value != nil else { return item.encoded }
            let shown = item.encoded.utf8.prefix { $0 != UInt8(ascii: "=") }
            return "\(Substring(shown))=\(Self.mask)"
        }
        .joined(separator: "&")
    }
}
