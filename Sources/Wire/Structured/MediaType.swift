/// Names the format of content, such as `text/html; charset=utf-8` (RFC 9110 §8.3.1).
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// The type, a token, ASCII letters in lower case.
    public let type: String
    /// The subtype, a token, ASCII letters in lower case.
    public let subtype: String
    /// The parameters in their order, repeats included.
    public let parameters: [FieldParameter]

    /// Creates a media type; nil when type or subtype is no token.
    public init?(_ type: String, _ subtype: String, parameters: [FieldParameter] = []) {
        guard QuotedString.isToken(type), QuotedString.isToken(subtype) else { return nil }
        self.init(parsed: type, subtype, parameters)
    }

    /// Parses the value of Content-Type.
    ///
    /// Nil unless type, slash and subtype stand together and each parameter is a token, "=", and a
    /// token or a quoted-string, without whitespace between (RFC 9110 §5.6.6). Empty parameters, as
    /// behind a last semicolon, are passed over.
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text) else { return nil }
        cursor.skipSpaces()
        guard let value = MediaType(&cursor) else { return nil }
        cursor.skipSpaces()
        guard cursor.isAtEnd else { return nil }
        self = value
    }

    /// Reads the media type or range that comes next.
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

    /// Finds the value of the first parameter of that name; ASCII case of the name does not matter.
    public subscript(parameter: String) -> String? {
        parameters.first(ByteClass.lowercase(parameter))
    }

    /// The charset in lower case, as its case does not matter (§8.3.2); nil when none is said.
    public var charset: String? { self["charset"].map { ByteClass.lowercase($0) } }

    /// The delimiter of a multipart (RFC 2046 §5.1.1), as spelled; nil when none is said.
    public var boundary: String? { self["boundary"] }

    /// Type and subtype, without parameters.
    public var essence: String { "\(type)/\(subtype)" }

    /// The format that a subtype is built on, such as "json" in `application/problem+json`.
    ///
    /// Nil when the subtype has no "+" (RFC 6838 §4.2.8).
    public var structuredSyntaxSuffix: String? {
        guard let plus = subtype.utf8.lastIndex(of: UInt8(ascii: "+")) else { return nil }
        return String(subtype[subtype.utf8.index(after: plus)...])
    }

    /// Says whether both have the same type and subtype; parameters do not matter.
    public func isSameFormat(as other: MediaType) -> Bool {
        type == other.type && subtype == other.subtype
    }

    /// Formats the field value.
    public var description: String { essence + parameters.suffix }
}
