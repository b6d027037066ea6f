/// Names formats that are acceptable, and how much so (RFC 9110 §12.5.1).
public struct MediaRange: Hashable, Sendable, CustomStringConvertible {
    /// The format, or a pattern: an asterisk stands for any subtype, or for any type and subtype.
    public let pattern: MediaType
    /// How much it is preferred; 0 for not at all.
    public let weight: QualityValue

    /// Creates a range; nil for the pattern `*/x`, and for one with a parameter named "q".
    public init?(_ pattern: MediaType, weight: QualityValue = .one) {
        guard pattern.type != "*" || pattern.subtype == "*", pattern["q"] == nil else { return nil }
        self.pattern = pattern
        self.weight = weight
    }

    /// Parses one range, such as `text/*;q=0.3`.
    ///
    /// The first parameter "q" is the weight, and what stands behind it is dropped. Nil for a
    /// malformed media type or weight.
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text) else { return nil }
        cursor.skipSpaces()
        guard let range = MediaRange(&cursor) else { return nil }
        cursor.skipSpaces()
        guard cursor.isAtEnd else { return nil }
        self = range
    }

    /// Reads the range that comes next.
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

    /// Says whether a format is meant: all parameters of the range must be among its own.
    ///
    /// Values of the parameter "charset" are compared without ASCII case, others byte by byte.
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

    /// How closely the range describes a format: by type, by subtype, by the number of parameters.
    var specificity: Int {
        let level = (pattern.type == "*" ? 0 : 1) + (pattern.subtype == "*" ? 0 : 1)
        return level == 2 ? 2 + pattern.parameters.count : level
    }

    /// Formats the range; the weight is left out when it is 1.
    public var description: String {
        weight == .one ? "\(pattern)" : "\(pattern); q=\(weight)"
    }
}
