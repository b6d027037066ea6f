/// The value of If-Match or If-None-Match (RFC 9110 §13.1.1, §13.1.2).
public enum EntityTagCondition: Hashable, Sendable, CustomStringConvertible {
    /// An asterisk, which matches any current representation.
    case any
    /// A list of tags, of which one must match.
    case oneOf([EntityTag])

    /// Parses a field value.
    ///
    /// Join several field lines with commas first. Empty list elements are ignored. The result is
    /// nil if the list has no tag or contains anything else, because a partly understood condition
    /// must not be evaluated.
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text) else { return nil }
        guard cursor.skipToElement() else { return nil }
        if cursor.take(Byte.asterisk) {
            cursor.skipSpaces()
            guard cursor.isAtEnd else { return nil }
            self = .any
            return
        }
        var tags: [EntityTag] = []
        repeat {
            guard let tag = EntityTag(&cursor), cursor.isAtElementEnd() else { return nil }
            tags.append(tag)
        } while cursor.skipToElement()
        self = .oneOf(tags)
    }

    /// Returns whether a tag of the condition matches the current representation.
    ///
    /// If-Match holds if the result is true with strong comparison. If-None-Match holds if the
    /// result is false with weak comparison.
    ///
    /// - Parameters:
    ///   - current: the tag of the current representation, or nil if it has none.
    ///   - comparison: the rule for comparing tags.
    /// - Returns: always true for ``any``. The caller must check whether a representation exists.
    public func matches(_ current: EntityTag?, by comparison: EntityTag.Comparison) -> Bool {
        switch self {
        case .any: true
        case .oneOf(let tags):
            current.map { current in tags.contains { $0.matches(current, by: comparison) } }
                ?? false
        }
    }

    /// The field value; empty if there are no tags.
    public var description: String {
        switch self {
        case .any: "*"
        case .oneOf(let tags): tags.map(\.description).joined(separator: ", ")
        }
    }
}
