/// Holds a URI or a relative reference, checked and taken apart (RFC 3986, RFC 9110 §4.2).
///
/// Strict: what the grammar does not allow is refused, not repaired, because two readers that
/// repair differently are how requests end up somewhere else. Text typed by people goes through
/// `init(percentEncoding:)`. Nothing is normalised: ``text`` is what was given.
///
/// Equality is that of the text: `http://a` and `http://a/` differ.
public struct URI: Sendable, Hashable, CustomStringConvertible {
    /// What was read, shared by all copies: a URI goes with every request and response.
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

    /// Who answers for it; nil unless the scheme is http or https.
    public var origin: Origin? { content.origin }

    /// Path and query as a request line wants them; an empty path is "/", the fragment is left out.
    ///
    /// Of use only when ``origin`` is not nil (RFC 9112 §3.2.1).
    public var requestTarget: String { content.requestTarget }

    /// Reads a URI or a relative reference.
    ///
    /// - Parameter text: ASCII, at most 1 MiB; every byte that the grammar reserves must be
    ///   percent-encoded. An empty text is a reference to the document itself.
    /// - Throws: `.invalidURI` with the reason and the offset of the first byte at fault. In a program that
    ///   imports HTTPClient, an initializer of that module is called instead; it throws `HTTPError`.
    @_disfavoredOverload
    public init(_ text: String) throws(WireError) {
        try self.init(parsing: text)
    }

    /// The same under a name that no other module has.
    package init(parsing text: String) throws(WireError) {
        try self.init(text, URIParts(parsing: text.utf8.span))
    }

    /// Reads text that a person typed: what a URI cannot hold is percent-encoded first.
    ///
    /// Spaces, non-ASCII characters and such marks as `"<>\^{|}` become triplets behind the host,
    /// and so does a "%" that begins none. Valid triplets stay, so text that is encoded already is
    /// not encoded twice. Controls are still refused.
    ///
    /// A host that is not ASCII becomes its `xn--` form, by UTS 46 with non-transitional processing:
    /// `http://bücher.example/` is `http://xn--bcher-kva.example/`. That needs the package trait `IDN`. A
    /// percent-encoded host is decoded first (RFC 3986 §3.2.2). What has no form in ASCII, or maps to a
    /// delimiter such as "/", is refused, so that host and port are those a person reads.
    ///
    /// - Throws: `.invalidURI`, with an offset into the encoded text; `.internationalHost` with the reason
    ///   for a host that cannot be converted, which names the trait when it is off. In a program that imports
    ///   HTTPClient, an initializer of that module is called instead; it throws `HTTPError`.
    @_disfavoredOverload
    public init(percentEncoding text: String) throws(WireError) {
        try self.init(encoding: text)
    }

    /// The same under a name that no other module has.
    package init(encoding text: String) throws(WireError) {
        let parts: URIParts?
        do throws(WireError) {
            parts = try URIParts(parsing: text.utf8.span)
        } catch {
            parts = nil
        }
        if let parts, !parts.isHostEncoded {
            // Most text is a URI already, and then nothing in it is encoded.
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

    /// Finds who answers; nil unless the scheme is http or https.
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

    /// The scheme in lower case; nil in a relative reference.
    public var scheme: String? {
        content.parts.scheme.map { ByteClass.lowercase(Self.slice(text, $0)) }
    }

    /// What precedes "@", still encoded; nil without "@".
    ///
    /// It is never sent as part of a request; use it as credentials or refuse it (RFC 9110 §4.2.4).
    public var userinfo: String? { part(content.parts.userinfo) }

    /// The host as written, an IPv6 address without its brackets; nil without an authority.
    public var host: String? { part(content.parts.host) }

    /// Says whether ``host`` stood in brackets.
    public var isHostIPv6Literal: Bool { content.parts.isIPv6Literal }

    /// The port as written; nil when there is none or it is empty.
    public var port: Int? { content.parts.port }

    /// The path, still encoded; may be empty.
    public var path: String { Self.slice(text, content.parts.path) }

    /// What follows "?", still encoded; nil without "?".
    public var query: String? { part(content.parts.query) }

    /// What follows "#", still encoded; nil without "#".
    public var fragment: String? { part(content.parts.fragment) }

    /// Says whether there is a scheme, so that the URI needs no base.
    public var isAbsolute: Bool { content.parts.scheme != nil }

    /// Spells the URI as given.
    public var description: String { text }

    /// Compares the text.
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
