/// Says why bytes are not JSON text (RFC 8259), and where.
public struct HTTPJSONError: Error, Sendable, Hashable {
    /// Says what is wrong.
    @nonexhaustive public enum Reason: Sendable, Hashable {
        /// The text ends before its value does; so does an empty one.
        case unexpectedEnd
        /// A byte that may not stand there.
        case unexpectedByte(UInt8)
        /// Something follows the value.
        case trailingBytes
        /// The text begins with a byte order mark, which may not be sent (RFC 8259 §8.1).
        case byteOrderMark
        /// A string holds bytes that are not UTF-8.
        case invalidUTF8
        /// A string holds a control character that is not escaped, such as a line break.
        case controlCharacter(UInt8)
        /// A backslash is followed by something that is no escape.
        case invalidEscape
        /// An escape is one half of a pair that has no other, and so no character.
        case loneSurrogate
        /// A number is not spelled as JSON does, such as `01`, `1.` or `+1`.
        case malformedNumber
        /// A number is larger than any `Double`.
        case numberTooLarge
        /// Arrays and objects are nested deeper than so many levels.
        case tooDeep(limit: Int)
    }

    /// What is wrong.
    public let reason: Reason

    /// Counts the bytes before the fault.
    public let offset: Int

    /// Where in the value it is, such as `$.users[2].age`; `$` is the whole.
    public let path: String

    init(_ reason: Reason, offset: Int, path: String) {
        self.reason = reason
        self.offset = offset
        self.path = path
    }
}

extension HTTPJSONError: CustomStringConvertible {
    /// One line: what is wrong, and where.
    public var description: String { "\(reason) (byte \(offset), at \(path))" }
}

extension HTTPJSONError.Reason: CustomStringConvertible {
    /// What is wrong, in a few words.
    public var description: String {
        switch self {
        case .unexpectedEnd: "it ends before the value does"
        case .unexpectedByte(let byte) where byte > 0x20 && byte < 0x7F:
            "a \"\(Character(UnicodeScalar(byte)))\" may not stand there"
        case .unexpectedByte(let byte): "the byte \(byte) may not stand there"
        case .trailingBytes: "something follows the value"
        case .byteOrderMark: "it begins with a byte order mark"
        case .invalidUTF8: "a string is not UTF-8"
        case .controlCharacter(let byte):
            "a string holds the control character \(byte), which must be escaped"
        case .invalidEscape: "a backslash is followed by something that is no escape"
        case .loneSurrogate: "half a surrogate pair is no character"
        case .malformedNumber: "a number is not spelled as JSON does"
        case .numberTooLarge: "a number is larger than a Double can be"
        case .tooDeep(let limit): "it has more than \(limit) levels"
        }
    }
}
