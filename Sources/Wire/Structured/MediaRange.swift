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
