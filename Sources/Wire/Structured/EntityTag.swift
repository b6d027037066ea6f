/// Names one state of a resource (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// Says what an equal tag promises.
    public enum Strength: Hashable, Sendable {
        /// The representations are the same, byte by byte.
        case strong
        /// They mean the same, and are no base for ranges.
        case weak
    }

    /// Says which tags may match at all (§8.8.3.2).
    public enum Comparison: Hashable, Sendable {
        /// Both tags must be strong; for If-Match and If-Range.
        case strong
        /// Strength does not matter; for If-None-Match.
        case weak
    }

    /// What stands between the quotes; backslashes have no meaning in it.
    public let opaque: String
    /// What the tag promises.
    public let strength: Strength

    /// Creates a tag; nil when `opaque` holds a space, a quote or a control character.
    public init?(opaque: String, _ strength: Strength = .strong) {
        guard opaque.utf8.allSatisfy(Self.isOpaque) else { return nil }
        self.opaque = opaque
        self.strength = strength
    }

    /// Parses one tag, such as `"xyzzy"` or `W/"xyzzy"`; nil for any other text.
    ///
    /// The "W" is a capital letter, and tags without quotes are refused (§8.8.3).
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text), let tag = EntityTag(&cursor), cursor.isAtEnd else {
            return nil
        }
        self = tag
    }

    /// Reads the tag that comes next.
    init?(_ cursor: inout FieldCursor) {
        strength = cursor.take("W/") ? .weak : .strong
        guard cursor.take(Byte.quote) else { return nil }
        opaque = cursor.run(while: Self.isOpaque)
        guard cursor.take(Byte.quote) else { return nil }
    }

    /// Says whether both name the same state (§8.8.3.2).
    public func matches(_ other: EntityTag, by comparison: Comparison) -> Bool {
        guard opaque.utf8.elementsEqual(other.opaque.utf8) else { return false }
        return comparison == .weak || (strength == .strong && other.strength == .strong)
    }

    /// Compares strength and bytes; to compare as HTTP does, ask ``matches(_:by:)``.
    public static func == (left: EntityTag, right: EntityTag) -> Bool {
        left.strength == right.strength && left.matches(right, by: .weak)
    }

    /// Hashes strength and bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(strength)
        for byte in opaque.utf8 { hasher.combine(byte) }
    }

    /// Formats the tag as it stands in a field.
    public var description: String { strength == .weak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    private static func isOpaque(_ byte: UInt8) -> Bool {
        byte > Byte.space && byte != Byte.quote && byte != Byte.delete
    }
}
