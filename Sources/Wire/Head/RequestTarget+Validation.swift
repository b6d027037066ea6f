extension RequestTarget {
    /// Says whether a request of that method may have a target of this form (RFC 9112 §3.2).
    ///
    /// A target in the wrong form would be read as one of another form, or not at all.
    func isValid(for method: HTTPMethod) -> Bool {
        switch form {
        case .origin: method != .connect
        case .absolute: method != .connect && Self.hasSchemePrefix(text)
        case .authority: method == .connect && !text.utf8.contains(Byte.slash)
        case .asterisk: method == .options
        }
    }

    /// Says whether the text begins with a scheme and "://".
    private static func hasSchemePrefix(_ text: String) -> Bool {
        guard let first = text.utf8.first, ByteClass.isAlpha(first),
            let colon = text.utf8.firstIndex(of: Byte.colon)
        else { return false }
        return text.utf8[colon...].starts(with: "://".utf8)
    }
}
