/// Holds the value of If-Match or If-None-Match (RFC 9110 §13.1.1, §13.1.2).
public enum EntityTagCondition: Hashable, Sendable, CustomStringConvertible {
    /// An asterisk: any current representation.
    case any
    /// One of these tags.
    case oneOf([EntityTag])

    /// Parses a field value; several lines are to be joined with commas first.
    ///
    /// Empty list elements are passed over. Nil for a list without a tag and for one with anything
    /// else in it: a condition that is half understood must not be acted on.
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

    /// Says whether a tag of the condition matches the current representation.
    ///
    /// If-Match is true when this is, by strong comparison; If-None-Match is true when this is not,
    /// by weak comparison.
    ///
    /// - Parameters:
    ///   - current: the tag of the current representation; nil when it has none.
    ///   - comparison: which tags may match at all.
    /// - Returns: true for ``any``, whatever the tag; whether there is a representation at all is
    ///   for the caller to know.
    public func matches(_ current: EntityTag?, by comparison: EntityTag.Comparison) -> Bool {
        switch self {
        case .any: true
        case .oneOf(let tags):
            current.map { current in tags.contains { $0.matches(current, by: comparison) } }
                ?? false
        }
    }

    /// Formats the condition as a field value; empty without tags.
    public var description: String {
        switch self {
        case .any: "*"
        case .oneOf(let tags): tags.map(\.description).joined(separator: ", ")
        }
    }
}
