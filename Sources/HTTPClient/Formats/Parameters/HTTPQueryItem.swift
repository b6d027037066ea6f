internal import Wire

/// Holds one item of a query: what stands between two `&`.
///
/// It keeps the spelling it was read in, so that reading a query and setting it again changes nothing.
public struct HTTPQueryItem: Sendable, Hashable {
    /// The item as it stands in the query.
    public let encoded: String

    /// Makes an item of text, percent-encoded as needed (RFC 3986 §3.4).
    ///
    /// All but letters, digits and `-._~/?` is encoded: a space becomes `%20` and a plus `%2B`, which
    /// every reader of queries understands, and a byte that is encoded already is encoded again.
    ///
    /// - Parameters:
    ///   - name: may be empty.
    ///   - value: nil makes the name alone, without `=`.
    public init(_ name: String, _ value: String? = nil) {
        var text = ParameterSerializer.encoded(name)
        if let value { text += "=" + ParameterSerializer.encoded(value) }
        encoded = text
    }

    /// Makes an item of text that is encoded already.
    ///
    /// A `#` or `&` in it is encoded, as it would end the item.
    public init(encoded: String) {
        self.encoded = HTTPRequest.encoding("#&", in: encoded)
    }

    private init(read text: Substring) {
        encoded = String(text)
    }

    /// What stands before the first `=`, with triplets decoded.
    ///
    /// A plus stays a plus; readers of forms take it for a space.
    public var name: String {
        Self.decoded(encoded[..<(split ?? encoded.endIndex)])
    }

    /// What stands behind the first `=`, with triplets decoded; nil without `=`.
    public var value: String? {
        split.map { Self.decoded(encoded[encoded.utf8.index(after: $0)...]) }
    }

    private var split: String.Index? { encoded.utf8.firstIndex(of: UInt8(ascii: "=")) }

    /// Splits a query at each `&`; an empty query has no item.
    static func items(of query: String?) -> [HTTPQueryItem] {
        guard let query, !query.isEmpty else { return [] }
        return query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { HTTPQueryItem(read: Substring($0)) }
    }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentCoding.decode(String(text)), as: UTF8.self)
    }
}

extension HTTPQueryItem: CustomStringConvertible {
    /// The item as it stands in the query.
    public var description: String { encoded }
}
