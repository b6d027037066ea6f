/// A URI or a relative reference, checked and split into its parts (RFC 3986, RFC 9110 §4.2).
///
/// Parsing is strict: text outside the grammar is refused and not repaired. Two parsers that repair
/// differently can send a request to the wrong server. For text typed by users, call
/// `init(percentEncoding:)`. Nothing is normalized: ``text`` is the text as given.
///
/// Two URIs are equal if their texts are equal: `http://a` and `http://a/` differ.
public struct URI: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The parsed URI, shared by all copies because every request and response carries a URI.
    private final class Content: Sendable {
        let text: String
        let origin: Origin?
        let requestTarget: String
        let parts: URIParts

        init(_ text: String, _ parts: URIParts, _ origin: Origin?, _ requestTarget: String) {
            self.text = text
            self.parts = parts
            self.origin = origin
            self.requestTarget = requestTarget
        }
    }

    private let content: Content

    /// The text as given.
    public var text: String { content.text }

    /// The origin; nil unless the scheme is http or https.
    public var origin: Origin? { content.origin }

    /// The path and query for a request line; "/" for an empty path, and without the fragment.
    ///
    /// It is useful only if ``origin`` is not nil (RFC 9112 §3.2.1).
    public var requestTarget: String { content.requestTarget }

    /// Parses a URI or a relative reference.
    ///
    /// - Parameter text: ASCII, at most 1 MiB. Bytes that the grammar does not allow must be
    ///   percent-encoded. An empty text is a reference to the document itself.
    /// - Throws: `.invalidURI` with the reason and the offset of the first byte at fault. In a program that
    ///   imports HTTPClient, an initializer of that module is called instead; it throws `HTTPError`.
    @_disfavoredOverload
    public init(_ text: String) throws(WireError) {
        try self.init(parsing: text)
    }

    /// Parses a URI or a relative reference, as `init(_:)` does, under a name unique to this module.
    package init(parsing text: String) throws(WireError) {
        try self.init(text, URIParts(parsing: text.utf8.span))
    }

    /// Parses text typed by a user, after percent-encoding what a URI cannot contain.
    ///
    /// After the host, spaces, non-ASCII characters and characters such as `"<>\^{|}` become triplets.
    /// So does a "%" that does not begin a triplet. Valid triplets stay, so encoded text is not encoded
    /// twice. Control characters are still refused.
    ///
    /// A host that is not ASCII becomes its `xn--` form, by UTS 46 with non-transitional processing:
    /// `http://bücher.example/` becomes `http://xn--bcher-kva.example/`. This needs the package trait `IDN`.
    /// A percent-encoded host is decoded first (RFC 3986 §3.2.2). A host that has no ASCII form, or that
    /// maps to a delimiter such as "/", is refused, so that host and port are those that the user reads.
    ///
    /// - Throws: `.invalidURI`, with an offset into the encoded text. Its reason is `.internationalHost` for
    ///   a host that cannot be converted; it names the trait if the trait is off. In a program that imports
    ///   HTTPClient, an initializer of that module is called instead; it throws `HTTPError`.
    @_disfavoredOverload
    public init(percentEncoding text: String) throws(WireError) {
        try self.init(encoding: text)
    }

    /// Parses typed text, as `init(percentEncoding:)` does, under a name unique to this module.
    package init(encoding text: String) throws(WireError) {
        let parts: URIParts?
        do throws(WireError) {
            parts = try URIParts(parsing: text.utf8.span)
        } catch {
            parts = nil
        }
        if let parts, !parts.isHostEncoded {
            // Most text is already a URI, so nothing has to be encoded.
            self.init(text, parts)
        } else {
            try self.init(parsing: URIParts.percentEncoded(text))
        }
    }

    private init(_ text: String, _ parts: URIParts) {
        let target = Self.slice(
            text,
            parts.path.lowerBound..<(parts.query ?? parts.path).upperBound
        )
        let isRooted = !parts.path.isEmpty && target.utf8.first == Byte.slash
        content = Content(
            text,
            parts,
            Self.origin(text, parts),
            isRooted ? target : "/" + target
        )
    }

    /// Returns the origin; nil unless the scheme is http or https.
    private static func origin(_ text: String, _ parts: URIParts) -> Origin? {
        guard let host = parts.host, let range = parts.scheme,
            let scheme = Origin.Scheme(rawValue: ByteClass.lowercase(slice(text, range)))
        else { return nil }
        let written = slice(text, host)
        return Origin(
            scheme: scheme,
            canonicalHost: parts.isHostEncoded
                ? CanonicalHost.text(written) : CanonicalHost.text(plain: written),
            port: parts.port
        )
    }

    // MARK: - Parts

    /// The scheme in lower case; nil for a relative reference.
    public var scheme: String? {
        content.parts.scheme.map { ByteClass.lowercase(Self.slice(text, $0)) }
    }

    /// The user information before "@", still percent-encoded; nil without "@".
    ///
    /// It is never sent as part of a request. Use it as credentials, or refuse it (RFC 9110 §4.2.4).
    public var userinfo: String? { part(content.parts.userinfo) }

    /// The host as written, with an IPv6 address without its brackets; nil without an authority.
    public var host: String? { part(content.parts.host) }

    /// Whether ``host`` was in brackets.
    public var isHostIPv6Literal: Bool { content.parts.isIPv6Literal }

    /// The port as written; nil if it is missing or empty.
    public var port: Int? { content.parts.port }

    /// The path, still percent-encoded; may be empty.
    public var path: String { Self.slice(text, content.parts.path) }

    /// The query after "?", still percent-encoded; nil without "?".
    public var query: String? { part(content.parts.query) }

    /// The fragment after "#", still percent-encoded; nil without "#".
    public var fragment: String? { part(content.parts.fragment) }

    /// Whether there is a user name or a query, without creating their texts.
    var mayHaveSecrets: Bool { content.parts.userinfo != nil || content.parts.query != nil }

    /// Whether the URI has a scheme and therefore needs no base.
    public var isAbsolute: Bool { content.parts.scheme != nil }

    /// The text with `***` in place of user name and password, and of the secrets of query and fragment, such as
    /// tokens.
    ///
    /// It is for logs. To send the URI, or to make another one from it, use ``text``.
    public var description: String { SecretNames.common.redacted(self, or: text) }

    /// Only ``description``, so that dump(_:) shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }

    /// Compares the texts.
    public static func == (left: URI, right: URI) -> Bool {
        left.content === right.content || left.text == right.text
    }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }

    private func part(_ range: Range<Int32>?) -> String? {
        range.map { Self.slice(text, $0) }
    }

    private static func slice(_ text: String, _ range: Range<Int32>) -> String {
        let bytes = text.utf8
        let start = bytes.index(bytes.startIndex, offsetBy: Int(range.lowerBound))
        return String(text[start..<bytes.index(start, offsetBy: range.count)])
    }
}

extension URI {
    /// Resolves a reference against this URI as its base (RFC 3986 §5.2 and §5.3).
    ///
    /// The result has the fragment of the reference, never that of the base. Dot segments are removed
    /// from its path.
    ///
    /// - Parameter reference: a relative reference; for an absolute URI, only dot segments are removed.
    /// - Returns: an absolute URI if this URI or the reference is absolute.
    public func resolve(_ reference: URI) -> URI {
        var result = Components()
        result.fragment = reference.fragment
        if let scheme = reference.scheme {
            result.scheme = scheme
            result.authority = reference.authorityText
            result.path = Self.removingDotSegments(reference.path, isAbsolute: true)
            result.query = reference.query
        } else {
            result.scheme = scheme
            let isAbsolute = scheme != nil
            if let authority = reference.authorityText {
                result.authority = authority
                result.path = Self.removingDotSegments(reference.path, isAbsolute: isAbsolute)
                result.query = reference.query
            } else {
                result.authority = authorityText
                if reference.path.isEmpty {
                    result.path = path
                    result.query = reference.query ?? query
                } else {
                    let path = merged(with: reference.path)
                    result.path = Self.removingDotSegments(path, isAbsolute: isAbsolute)
                    result.query = reference.query
                }
            }
        }
        // Valid parts form a valid URI, so the fallback is unreachable.
        return (try? URI(result.text)) ?? reference
    }

    /// The parts of the resolved URI.
    private struct Components {
        var scheme: String?
        var authority: String?
        var path = ""
        var query: String?
        var fragment: String?

        var text: String {
            var text = ""
            if let scheme { text += scheme + ":" }
            if let authority { text += "//" + authority }
            // Without an authority, the path must not begin with "//", nor its first segment contain a colon.
            if authority == nil, path.utf8.starts(with: "//".utf8) { text += "/." }
            if authority == nil, scheme == nil,
                path.utf8.prefix(while: { $0 != Byte.slash }).contains(Byte.colon)
            {
                text += "./"
            }
            text += path
            if let query { text += "?" + query }
            if let fragment { text += "#" + fragment }
            return text
        }
    }

    /// The text between "//" and the path; nil without "//".
    private var authorityText: String? {
        guard let host else { return nil }
        var text = ""
        if let userinfo { text += userinfo + "@" }
        text += isHostIPv6Literal ? "[" + host + "]" : host
        if let port { text += ":\(port)" }
        return text
    }

    /// Appends a relative path to this URI's path after its last "/" (RFC 3986 §5.2.3).
    private func merged(with path: String) -> String {
        if path.utf8.first == Byte.slash { return path }
        if host != nil, self.path.isEmpty { return "/" + path }
        guard let slash = self.path.utf8.lastIndex(of: Byte.slash) else { return path }
        return String(self.path[...slash]) + path
    }

    /// Removes "." and ".." segments in linear time, with a stack of segments (RFC 3986 §5.2.4).
    ///
    /// In an absolute URI, as in the RFC's algorithm, ".." removes a first segment but keeps its slash:
    /// `urn:a/../x` becomes `urn:/x`. A relative path stays relative.
    private static func removingDotSegments(_ path: String, isAbsolute: Bool) -> String {
        var isRooted = path.utf8.first == Byte.slash
        let segments = path.utf8.dropFirst(isRooted ? 1 : 0)
            .split(separator: Byte.slash, omittingEmptySubsequences: false)
        var kept: [Substring.UTF8View] = []
        var endsInDots = false
        for segment in segments {
            endsInDots = false
            switch segment.count {
            case 1 where segment.first == Byte.dot:
                endsInDots = true
            case 2 where segment.allSatisfy({ $0 == Byte.dot }):
                isRooted = isRooted || isAbsolute && kept.count == 1
                _ = kept.popLast()
                endsInDots = true
            default:
                kept.append(segment)
            }
        }
        var output: [UInt8] = isRooted ? [Byte.slash] : []
        for (index, segment) in kept.enumerated() {
            if index > 0 { output.append(Byte.slash) }
            output.append(contentsOf: segment)
        }
        if endsInDots, !kept.isEmpty { output.append(Byte.slash) }
        return String(decoding: output, as: UTF8.self)
    }
}
