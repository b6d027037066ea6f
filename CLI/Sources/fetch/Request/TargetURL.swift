package import HTTPClient

/// A URL of the command line, ready for a request.
package struct TargetURL: Sendable, Hashable {
    /// The text as given.
    package let original: String
    /// The URL with a scheme, a path, and the query of `--get`; dot segments are removed.
    package let uri: URI
    /// The origin of the URL.
    package let origin: Origin

    /// Parses a URL as people type it; without a scheme it means http.
    ///
    /// - Parameters:
    ///   - given: the text of the command line.
    ///   - query: appended to the query, percent-encoded where a URL requires it.
    ///   - pathAsIs: whether to keep `.` and `..` in the path.
    /// - Throws: `.malformedURL`, `.unsupportedScheme`.
    package init(_ given: String, query: [UInt8]? = nil, pathAsIs: Bool = false) throws(FetchError)
    {
        self.original = given
        var text = Self.hasScheme(given) ? given : "http://" + given
        if let hash = text.firstIndex(of: "#") { text = String(text[..<hash]) }
        if let query {
            text += (text.contains("?") ? "&" : "?") + Self.encoded(query)
        }
        var uri: URI
        do {
            uri = try URI(percentEncoding: text)
        } catch {
            throw FetchError(.malformedURL, "URL rejected: \(given): \(Self.reason(error))")
        }
        if !pathAsIs { uri = uri.resolve(uri) }
        guard let origin = uri.origin, !origin.host.isEmpty else {
            guard let scheme = uri.scheme, scheme != "http", scheme != "https" else {
                throw FetchError(.malformedURL, "URL rejected: \(given): no host")
            }
            throw FetchError(.unsupportedScheme, "Protocol \"\(scheme)\" not supported")
        }
        self.uri = uri
        self.origin = origin
    }

    /// The URL with its path, which is at least "/".
    package var text: String {
        guard uri.path.isEmpty else { return uri.text }
        let end = uri.text.firstIndex(of: "?") ?? uri.text.endIndex
        return uri.text[..<end] + "/" + uri.text[end...]
    }

    /// The user and the password in the URL; nil when it has no user.
    package var credentials: (user: [UInt8], password: [UInt8]?)? {
        guard let userinfo = uri.userinfo else { return nil }
        let parts = userinfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (
            PercentEncoding.decode(String(parts[0])),
            parts.count > 1 ? PercentEncoding.decode(String(parts[1])) : nil
        )
    }

    /// The value of an Authorization field for `user:password@`; nil when the URL has no user.
    package var authorization: String? {
        guard let (user, password) = credentials else { return nil }
        return "Basic " + Base64.encode(user + [UInt8(ascii: ":")] + (password ?? []))
    }

    /// The URL without user and password.
    package var anonymousURI: URI {
        let text = uri.text
        guard let userinfo = uri.userinfo, let at = text.firstIndex(of: "@"),
            let start = text.utf8.index(
                at,
                offsetBy: -userinfo.utf8.count,
                limitedBy: text.startIndex
            ), text[start..<at] == userinfo, text[..<start].hasSuffix("//")
        else { return uri }
        // A URI without its user is still valid.
        return (try? URI(String(text[..<start]) + text[text.index(after: at)...])) ?? uri
    }

    /// Whether the text has a scheme.
    ///
    /// Unlike the colon of `host:port`, that of a scheme precedes a slash.
    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            text.utf8[text.utf8.index(after: colon)...].first == UInt8(ascii: "/"),
            let first = text.utf8.first, isLetter(first)
        else { return false }
        return text.utf8[..<colon].allSatisfy { byte in
            isLetter(byte) || Decimal.isDigit(byte) || Array("+-.".utf8).contains(byte)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Keeps the characters of form data and encodes all that could end the query or the line.
    private static func encoded(_ query: [UInt8]) -> String {
        var text = ""
        for byte in query {
            if byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "#") {
                let digits = String(byte, radix: 16, uppercase: true)
                text += (byte < 16 ? "%0" : "%") + digits
            } else {
                text.unicodeScalars.append(UnicodeScalar(byte))
            }
        }
        return text
    }

    private static func text(of reason: InternationalHostError) -> String {
        switch reason {
        case .invalidUTF8: "the host is not UTF-8"
        case .forbiddenCharacter: "the host has a character that is not allowed in a host name"
        case .misplacedCharacter: "the host has a hyphen, mark or joiner where it is not allowed"
        case .mixedDirections: "the host mixes left-to-right and right-to-left text"
        case .invalidALabel: "a label of the host begins with xn-- but is not an encoded name"
        case .emptyLabel: "the host has an empty label"
        case .labelTooLong: "a label of the host is longer than 63 bytes"
        case .nameTooLong: "the host is longer than 253 bytes"
        default: "the host cannot be converted to ASCII: \(reason)"
        }
    }

    private static func reason(_ error: HTTPError) -> String {
        guard case .invalidRequest(.url(_, .invalidURI(let reason, let offset))) = error.kind else {
            return "\(error)"
        }
        return switch reason {
        case .tooLong: "it is too long"
        case .forbiddenByte: "a character is not allowed (byte \(offset))"
        case .nonASCII: "a character is not ASCII (byte \(offset))"
        case .invalidPercentTriplet: "a % is not followed by two hexadecimal digits"
        case .missingHost: "no host"
        case .invalidIPv6Literal: "the text in brackets is not an IPv6 address"
        case .invalidPort: "the port is not a number from 0 to 65535"
        case .invalidScheme: "the scheme is malformed"
        case .internationalHost(let reason): text(of: reason)
        }
    }
}
