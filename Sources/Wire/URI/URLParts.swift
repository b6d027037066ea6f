/// The parts of a URL under construction, which need not be a valid URL yet.
///
/// Any text has parts (RFC 3986 appendix B), so the parts of a URL can be set one by one and in any
/// order. ``uri()`` validates the result.
package struct URLParts: Sendable {
    package var scheme: String?
    package var userinfo: String?
    /// The host, with the brackets of an IPv6 address; nil without an authority.
    package var host: String?
    package var port: String?
    package var path = ""
    package var query: String?
    package var fragment: String?

    /// Splits text that need not be a URL.
    package init(_ text: String) {
        var rest = text[...]
        if let colon = rest.utf8.firstIndex(where: Self.endsScheme),
            rest.utf8[colon] == UInt8(ascii: ":"), colon > rest.startIndex
        {
            scheme = String(rest[..<colon])
            rest = rest[rest.utf8.index(after: colon)...]
        }
        fragment = Self.split(&rest, after: UInt8(ascii: "#"))
        query = Self.split(&rest, after: UInt8(ascii: "?"))
        if rest.utf8.starts(with: "//".utf8) {
            let authority = rest.utf8.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
            rest = rest[authority.endIndex...]
            splitAuthority(Substring(authority))
        }
        path = String(rest)
    }

    /// Returns text without the credentials of its URL; the text need not be a URL.
    package static func withoutCredentials(_ text: String) -> String {
        var parts = URLParts(text)
        guard parts.userinfo != nil else { return text }
        parts.userinfo = nil
        return parts.text
    }

    /// Splits a URI into its parts.
    package init(_ uri: URI) {
        scheme = uri.scheme
        userinfo = uri.userinfo
        host = uri.host.map { uri.isHostIPv6Literal ? "[\($0)]" : $0 }
        port = uri.port.map { "\($0)" }
        path = uri.path
        query = uri.query
        fragment = uri.fragment
    }

    private mutating func splitAuthority(_ authority: Substring) {
        var rest = authority
        if let at = rest.utf8.firstIndex(of: UInt8(ascii: "@")) {
            userinfo = String(rest[..<at])
            rest = rest[rest.utf8.index(after: at)...]
        }
        // The colons of an IPv6 address precede its closing bracket.
        let bracket = rest.utf8.lastIndex(of: UInt8(ascii: "]")) ?? rest.startIndex
        if let colon = rest.utf8[bracket...].lastIndex(of: UInt8(ascii: ":")) {
            port = String(rest[rest.utf8.index(after: colon)...])
            rest = rest[..<colon]
        }
        host = String(rest)
    }

    /// Sets host and port from text.
    ///
    /// Anything else in the text becomes a part of the host, which ``uri()`` rejects.
    package mutating func setAuthority(_ text: String) {
        let bracket = text.utf8.lastIndex(of: UInt8(ascii: "]")) ?? text.startIndex
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        if let colon = text.utf8[bracket...].lastIndex(of: UInt8(ascii: ":")),
            text.utf8[colon...].dropFirst().allSatisfy(isDigit)
        {
            (host, port) = (String(text[..<colon]), String(text[colon...].dropFirst()))
        } else {
            (host, port) = (text, nil)
        }
    }

    private static func endsScheme(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
            || byte == UInt8(ascii: "#")
    }

    /// Removes and returns the text after the first `mark`; the mark is removed too.
    private static func split(_ text: inout Substring, after mark: UInt8) -> String? {
        guard let index = text.utf8.firstIndex(of: mark) else { return nil }
        let tail = String(text[text.utf8.index(after: index)...])
        text = text[..<index]
        return tail
    }

    // MARK: - Composing

    /// The text of all parts; a path is separated from what precedes it.
    package var text: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        if authority != nil {
            if !path.isEmpty, path.utf8.first != UInt8(ascii: "/") { text += "/" }
        } else if path.utf8.starts(with: "//".utf8) {
            // The path must not be read as a host (RFC 3986 §4.2), nor a segment as a scheme.
            text += "/."
        } else if scheme == nil, firstSegmentHasColon {
            text += "./"
        }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    private var authority: String? {
        guard host != nil || userinfo != nil || port != nil else { return nil }
        var text = ""
        if let userinfo { text += userinfo + "@" }
        text += host ?? ""
        if let port { text += ":" + port }
        return text
    }

    private var firstSegmentHasColon: Bool {
        path.utf8.prefix { $0 != UInt8(ascii: "/") }.contains(UInt8(ascii: ":"))
    }

    /// Returns the URI of the parts; bytes that a part cannot contain are percent-encoded.
    ///
    /// - Throws: `.invalidURI`, also when a part contains the delimiter of another part.
    package func uri() throws(WireError) -> URI {
        if let scheme, !Self.isScheme(scheme) { throw .invalidURI(.invalidScheme, offset: 0) }
        if let host, let index = Self.invalidDelimiter(in: host) {
            let before = (scheme.map { $0.utf8.count + 1 } ?? 0) + 2
            let offset = before + (userinfo.map { $0.utf8.count + 1 } ?? 0) + index
            throw .invalidURI(.forbiddenByte, offset: offset)
        }
        return try URI(encoding: text)
    }

    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: isLetter(byte)
            }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Returns the index of a byte that would end the host early; brackets may contain colons.
    private static func invalidDelimiter(in host: String) -> Int? {
        let isBracketed = host.utf8.first == UInt8(ascii: "[")
        return host.utf8.enumerated().first { entry in
            switch entry.element {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"): true
            case UInt8(ascii: ":"): !isBracketed
            default: false
            }
        }?.offset
    }
}

extension URLParts {
    /// Percent-encodes delimiters that would end a part of the URL early.
    package static func encoding(_ delimiters: String, in text: String) -> String {
        guard text.utf8.contains(where: { delimiters.utf8.contains($0) }) else { return text }
        var encoded = ""
        for character in text.unicodeScalars {
            if delimiters.unicodeScalars.contains(character) {
                encoded += PercentCoding.encode(String(character))
            } else {
                encoded.unicodeScalars.append(character)
            }
        }
        return encoded
    }
}

extension URI {
    /// The same without user name and password.
    package var withoutUserinfo: URI {
        guard userinfo != nil else { return self }
        var parts = URLParts(self)
        parts.userinfo = nil
        // A URI without its credentials is still a URI.
        return (try? parts.uri()) ?? self
    }
}
