extension RequestTarget {
    /// Returns whether a request with the given method may have a target of this form (RFC 9112 §3.2).
    ///
    /// A recipient would parse a target in the wrong form as another form, or refuse it.
    func isValid(for method: HTTPMethod) -> Bool {
        switch form {
        case .origin: method != .connect
        case .absolute: method != .connect && Self.hasSchemePrefix(text)
        case .authority: method == .connect && !text.utf8.contains(Byte.slash)
        case .asterisk: method == .options
        }
    }

    /// Returns whether the text begins with a scheme and "://".
    private static func hasSchemePrefix(_ text: String) -> Bool {
        guard let first = text.utf8.first, ByteClass.isAlpha(first),
            let colon = text.utf8.firstIndex(of: Byte.colon)
        else { return false }
        return text.utf8[colon...].starts(with: "://".utf8)
    }
}
