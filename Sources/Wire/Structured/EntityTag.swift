/// An identifier of one version of a representation (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// The guarantee that equal tags give.
    public enum Strength: Hashable, Sendable {
        /// The representations are identical, byte by byte.
        case strong
        /// The representations are equivalent, but ranges of them cannot be combined.
        case weak
    }

    /// The rule for comparing two tags (§8.8.3.2).
    public enum Comparison: Hashable, Sendable {
        /// Both tags must be strong.
        ///
        /// If-Match and If-Range use this.
        case strong
        /// Strength is ignored.
        ///
        /// If-None-Match uses this.
        case weak
    }

    /// The text between the quotes.
    ///
    /// A backslash has no special meaning.
    public let opaque: String
    /// The guarantee that the tag gives.
    public let strength: Strength

    /// Creates a tag, or returns nil if `opaque` contains a space, a quote or a control character.
    public init?(opaque: String, _ strength: Strength = .strong) {
        guard opaque.utf8.allSatisfy(Self.isOpaque) else { return nil }
        self.opaque = opaque
        self.strength = strength
    }

    /// Parses one tag, such as `"xyzzy"` or `W/"xyzzy"`, or returns nil for any other text.
    ///
    /// The "W" must be upper case, and tags without quotes are rejected (§8.8.3).
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text), let tag = EntityTag(&cursor), cursor.isAtEnd else {
            return nil
        }
        self = tag
    }

    /// Reads the next tag.
    init?(_ cursor: inout FieldCursor) {
        strength = cursor.take("W/") ? .weak : .strong
        guard cursor.take(Byte.quote) else { return nil }
        opaque = cursor.run(while: Self.isOpaque)
        guard cursor.take(Byte.quote) else { return nil }
    }

    /// Returns whether both tags identify the same version (§8.8.3.2).
    public func matches(_ other: EntityTag, by comparison: Comparison) -> Bool {
        guard opaque.utf8.elementsEqual(other.opaque.utf8) else { return false }
        return comparison == .weak || (strength == .strong && other.strength == .strong)
    }

    /// Compares strength and bytes.
    ///
    /// To compare as HTTP does, use ``matches(_:by:)``.
    public static func == (left: EntityTag, right: EntityTag) -> Bool {
        left.strength == right.strength && left.matches(right, by: .weak)
    }

    /// Hashes strength and bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(strength)
        for byte in opaque.utf8 { hasher.combine(byte) }
    }

    /// The tag as written in a field.
    public var description: String { strength == .weak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    private static func isOpaque(_ byte: UInt8) -> Bool {
        byte > Byte.space && byte != Byte.quote && byte != Byte.delete
    }
}

extension EntityTag {
    /// The value of If-Match or If-None-Match (RFC 9110 §13.1.1, §13.1.2).
    public enum Condition: Hashable, Sendable, CustomStringConvertible {
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
}
