extension SecretNames {
    /// Returns the value of a header field, or the mask in place of a secret.
    package func redacted(_ value: String, of name: FieldName) -> String {
        if others.contains(Self.normalized(name.rawName[...])) { return Self.mask }
        if name == .authorization || name == .proxyAuthorization {
            // The authentication scheme is not a secret.
            let scheme = value.utf8.firstIndex(of: UInt8(ascii: " ")).map { value[..<$0] }
            return scheme.map { "\($0) \(Self.mask)" } ?? Self.mask
        }
        return isSecret(name.rawName, in: .field) ? Self.mask : redacted(urls: value)
    }

    /// Returns the value of a header field with only its secrets replaced.
    ///
    /// Cookies keep their names, and URLs keep everything but their secrets.
    package func shown(_ value: String, of name: FieldName) -> String {
        if others.contains(Self.normalized(name.rawName[...])) { return Self.mask }
        switch name {
        case .setCookie:
            // Search bytes, because one of these delimiters can be part of a longer `Character`.
            let end = value.utf8.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
            return "\(Self.cookie(value[..<end]))\(value[end...])"
        case .cookie:
            return value.utf8.split(separator: UInt8(ascii: ";"))
                .map { Self.cookie(Substring($0)) }.joined(separator: ";")
        default: return redacted(value, of: name)
        }
    }

    /// Redacts a cookie pair; without `=`, all of it is the value (RFC 6265bis §5.6).
    private static func cookie(_ pair: Substring) -> String {
        let equals = pair.utf8.firstIndex(of: UInt8(ascii: "="))
        return "\(equals.map { pair[...$0] } ?? "")\(mask)"
    }
}
