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

/// A media type or pattern that is acceptable, with a weight (RFC 9110 §12.5.1).
public struct MediaRange: Hashable, Sendable, CustomStringConvertible {
    /// The media type or pattern; an asterisk matches any subtype, or any type and subtype.
    public let pattern: MediaType
    /// The preference; 0 means not acceptable.
    public let weight: QualityValue

    /// Creates a range, or returns nil for the pattern `*/x` and for a parameter named "q".
    public init?(_ pattern: MediaType, weight: QualityValue = .one) {
        guard pattern.type != "*" || pattern.subtype == "*", pattern["q"] == nil else { return nil }
        self.pattern = pattern
        self.weight = weight
    }

    /// Parses one range, such as `text/*;q=0.3`.
    ///
    /// The first parameter "q" is the weight; parameters after it are dropped. The result is nil
    /// for a malformed media type or weight.
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text) else { return nil }
        cursor.skipSpaces()
        guard let range = MediaRange(&cursor) else { return nil }
        cursor.skipSpaces()
        guard cursor.isAtEnd else { return nil }
        self = range
    }

    /// Reads the next range.
    init?(_ cursor: inout FieldCursor) {
        guard let read = MediaType(&cursor) else { return nil }
        guard let end = read.parameters.firstIndex(where: { $0.name == "q" }) else {
            self.init(read)
            return
        }
        guard let weight = QualityValue(read.parameters[end].value) else { return nil }
        let parameters = Array(read.parameters[..<end])
        self.init(MediaType(parsed: read.type, read.subtype, parameters), weight: weight)
    }

    /// Returns whether the range matches a format, which must have all parameters of the range.
    ///
    /// Values of the parameter "charset" are compared ignoring ASCII case, others byte by byte.
    public func matches(_ format: MediaType) -> Bool {
        guard pattern.type == "*" || pattern.type == format.type,
            pattern.subtype == "*" || pattern.subtype == format.subtype
        else { return false }
        return pattern.parameters.allSatisfy { wanted in
            format.parameters.contains { offered in
                wanted == offered
                    || (wanted.name == "charset" && offered.name == "charset"
                        && ByteClass.lowercase(wanted.value) == ByteClass.lowercase(offered.value))
            }
        }
    }

    /// The specificity of the range: by type, by subtype, and by the number of parameters.
    var specificity: Int {
        let level = (pattern.type == "*" ? 0 : 1) + (pattern.subtype == "*" ? 0 : 1)
        return level == 2 ? 2 + pattern.parameters.count : level
    }

    /// The range, without the weight if it is 1.
    public var description: String {
        weight == .one ? "\(pattern)" : "\(pattern); q=\(weight)"
    }
}
