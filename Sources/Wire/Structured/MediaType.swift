/// A media type, such as `text/html; charset=utf-8` (RFC 9110 §8.3.1).
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// The type, a token with its ASCII letters in lower case.
    public let type: String
    /// The subtype, a token with its ASCII letters in lower case.
    public let subtype: String
    /// The parameters in field order, including repeated ones.
    public let parameters: [FieldParameter]

    /// Creates a media type, or returns nil if type or subtype is not a token.
    public init?(_ type: String, _ subtype: String, parameters: [FieldParameter] = []) {
        guard QuotedString.isToken(type), QuotedString.isToken(subtype) else { return nil }
        self.init(parsed: type, subtype, parameters)
    }

    /// Parses the value of Content-Type.
    ///
    /// The result is nil unless type, slash and subtype are adjacent and each parameter is a token,
    /// "=", and a token or quoted-string, without whitespace between them (RFC 9110 §5.6.6). Empty
    /// parameters, such as after a final semicolon, are ignored.
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text) else { return nil }
        cursor.skipSpaces()
        guard let value = MediaType(&cursor) else { return nil }
        cursor.skipSpaces()
        guard cursor.isAtEnd else { return nil }
        self = value
    }

    /// Reads the next media type or range.
    init?(_ cursor: inout FieldCursor) {
        guard let type = cursor.token(), cursor.take(Byte.slash), let subtype = cursor.token(),
            let parameters = cursor.parameters()
        else { return nil }
        self.init(parsed: type, subtype, parameters)
    }

    init(parsed type: String, _ subtype: String, _ parameters: [FieldParameter]) {
        self.type = ByteClass.lowercase(type)
        self.subtype = ByteClass.lowercase(subtype)
        self.parameters = parameters
    }

    /// Returns the value of the first parameter with that name, ignoring ASCII case of the name.
    public subscript(parameter: String) -> String? {
        parameters.first(ByteClass.lowercase(parameter))
    }

    /// The charset in lower case, since its case does not matter (§8.3.2); nil if absent.
    public var charset: String? { self["charset"].map { ByteClass.lowercase($0) } }

    /// The delimiter of a multipart body (RFC 2046 §5.1.1), as spelled; nil if absent.
    public var boundary: String? { self["boundary"] }

    /// Type and subtype, without parameters.
    public var essence: String { "\(type)/\(subtype)" }

    /// The structured syntax of the subtype, such as "json" in `application/problem+json`.
    ///
    /// Nil if the subtype has no "+" (RFC 6838 §4.2.8).
    public var structuredSyntaxSuffix: String? {
        guard let plus = subtype.utf8.lastIndex(of: UInt8(ascii: "+")) else { return nil }
        return String(subtype[subtype.utf8.index(after: plus)...])
    }

    /// Returns whether both have the same type and subtype, ignoring parameters.
    public func isSameFormat(as other: MediaType) -> Bool {
        type == other.type && subtype == other.subtype
    }

    /// The field value.
    public var description: String { essence + parameters.suffix }
}
