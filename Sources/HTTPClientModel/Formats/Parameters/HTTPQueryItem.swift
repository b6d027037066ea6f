internal import Wire

/// An item of a query: the text between two `&`.
///
/// An item keeps its original spelling, so that reading a query and setting it again changes nothing.
public struct HTTPQueryItem: Sendable, Hashable {
    /// The item as written in the query.
    public let encoded: String

    /// Creates an item from text, percent-encoded as needed (RFC 3986 §3.4).
    ///
    /// All bytes but letters, digits and `-._~/?` are encoded. A space becomes `%20` and a plus becomes
    /// `%2B`, which every query parser understands. Text that is already encoded is encoded again.
    ///
    /// - Parameters:
    ///   - name: the name, which may be empty.
    ///   - value: the value; nil creates the name alone, without `=`.
    public init(_ name: String, _ value: String? = nil) {
        var text = ParameterSerializer.encoded(name)
        if let value { text += "=" + ParameterSerializer.encoded(value) }
        encoded = text
    }

    /// Creates an item from text that is already encoded.
    ///
    /// A `#` or `&` in the text is encoded, because it would end the item.
    public init(encoded: String) {
        self.encoded = URLParts.encoding("#&", in: encoded)
    }

    private init(read text: Substring) {
        encoded = String(text)
    }

    /// The text before the first `=`, with percent-encoding decoded.
    ///
    /// A plus stays a plus, although form parsers read it as a space.
    public var name: String {
        Self.decoded(encoded[..<(split ?? encoded.endIndex)])
    }

    /// The text after the first `=`, with percent-encoding decoded; nil without `=`.
    public var value: String? {
        split.map { Self.decoded(encoded[encoded.utf8.index(after: $0)...]) }
    }

    private var split: String.Index? { encoded.utf8.firstIndex(of: UInt8(ascii: "=")) }

    /// Splits a query at each `&`; an empty query has no items.
    package static func items(of query: String?) -> [HTTPQueryItem] {
        guard let query, !query.isEmpty else { return [] }
        return query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { HTTPQueryItem(read: Substring($0)) }
    }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentCoding.decode(String(text)), as: UTF8.self)
    }
}

extension HTTPQueryItem: CustomStringConvertible, CustomReflectable {
    /// The item as written in the query, with `***` in place of a secret, such as the value of `access_token`.
    public var description: String { LogText.line(SecretNames.common.redacted(query: encoded)) }

    /// Only ``description``, so that dump(_:) shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}
