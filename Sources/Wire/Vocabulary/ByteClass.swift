/// Tests for the grammar productions that may contain a byte, each by one table lookup.
///
/// Sources: token and field-value of RFC 9110 §5.5 and §5.6.2, and the URI productions of RFC 3986
/// §2 and §3. No URI class contains the percent sign: ``PercentCoding`` checks triplets instead.
package enum ByteClass {
    /// Returns whether a byte is a tchar: letters, digits and ``!#$%&'*+-.^_`|~``.
    package static func isToken(_ byte: UInt8) -> Bool {
        byteClasses[Int(byte)] & 0x01 != 0
    }

    /// Returns whether a byte is allowed in a field value: HTAB, SP, visible ASCII and 0x80 to 0xFF.
    static func isFieldValue(_ byte: UInt8) -> Bool {
        byteClasses[Int(byte)] & 0x02 != 0
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        byteClasses[Int(byte)] & 0x04 != 0
    }

    /// Returns whether a byte is allowed in a request target: 0x21 to 0x7E.
    static func isVisible(_ byte: UInt8) -> Bool {
        byteClasses[Int(byte)] & 0x08 != 0
    }

    /// Returns whether a byte is in reg-name without percent signs: unreserved and sub-delims.
    static func isHost(_ byte: UInt8) -> Bool {
        byteClasses[Int(byte)] & 0x10 != 0
    }

    /// Returns whether a byte is a pchar without percent signs, or "/".
    static func isPath(_ byte: UInt8) -> Bool {
        byteClasses[Int(byte)] & 0x20 != 0
    }

    /// Returns whether a byte is in a query or fragment without percent signs: ``isPath(_:)`` or "?".
    static func isQuery(_ byte: UInt8) -> Bool {
        byteClasses[Int(byte)] & 0x40 != 0
    }

    /// Returns whether a byte is in userinfo without percent signs: ``isHost(_:)`` or ":".
    static func isUserinfo(_ byte: UInt8) -> Bool {
        byteClasses[Int(byte)] & 0x80 != 0
    }

    package static func isDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10
    }

    static func isAlpha(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26
    }

    /// Returns whether a byte is SP or HTAB: the optional whitespace of RFC 9110 §5.6.3.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == Byte.space || byte == Byte.tab
    }

    /// Returns the lower-case form of "A" to "Z", and every other byte unchanged.
    static func lowercase(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Returns `text` with its ASCII letters in lower case; other characters are unchanged.
    static func lowercase(_ text: String) -> String {
        let bytes = text.utf8.span
        for index in bytes.indices where bytes[index] &- 0x41 < 26 {
            return String(decoding: text.utf8.map { lowercase($0) }, as: UTF8.self)
        }
        return text
    }

    /// Returns whether `text` contains `byte`, in a tenth of the instructions of `text.utf8.contains(_:)`.
    static func contains(_ byte: UInt8, in text: String) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices where bytes[index] == byte { return true }
        return false
    }

    /// Returns whether the bytes are equal without regard to ASCII case.
    package static func equalsIgnoringCase(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices {
            let (one, other) = (left[index], right[index])
            // In most cases both have the same spelling.
            if one != other, lowercase(one) != lowercase(other) { return false }
        }
        return true
    }
}

extension Sequence<UInt8> {
    /// The bytes with ASCII letters in lower case; other bytes stay.
    package var lowercasedASCII: [UInt8] { map { ByteClass.lowercase($0) } }
}

extension String {
    /// The same text with ASCII letters in lower case; other characters stay.
    package var lowercasedASCII: String { ByteClass.lowercase(self) }
}

/// The classes of each byte, 16 bytes per line; the functions above test the bits.
private let byteClasses: InlineArray<256, UInt8> = [
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x02, 0xfb, 0x0a, 0x0b, 0xfb, 0x0b, 0xfb, 0xfb, 0xfa, 0xfa, 0xfb, 0xfb, 0xfa, 0xfb, 0xfb, 0x6a,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xea, 0xfa, 0x0a, 0xfa, 0x0a, 0x4a,
    0x6a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb,
    0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0x0a, 0x0a, 0x0a, 0x0b, 0xfb,
    0x0b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb,
    0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0xfb, 0x0a, 0x0b, 0x0a, 0xfb, 0x00,
    0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02,
    0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02,
    0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02,
    0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02,
    0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02,
    0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02,
    0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02,
    0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02,
]

/// The bytes that have a meaning in the grammar of HTTP/1.1.
package enum Byte {
    static let tab: UInt8 = 0x09
    package static let lineFeed: UInt8 = 0x0a
    package static let carriageReturn: UInt8 = 0x0d
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let hash: UInt8 = 0x23
    static let percent: UInt8 = 0x25
    static let asterisk: UInt8 = 0x2a
    static let comma: UInt8 = 0x2c
    static let dot: UInt8 = 0x2e
    static let slash: UInt8 = 0x2f
    static let zero: UInt8 = 0x30
    static let colon: UInt8 = 0x3a
    static let semicolon: UInt8 = 0x3b
    static let equals: UInt8 = 0x3d
    static let question: UInt8 = 0x3f
    static let at: UInt8 = 0x40
    static let leftBracket: UInt8 = 0x5b
    static let backslash: UInt8 = 0x5c
    static let rightBracket: UInt8 = 0x5d
    static let leftBrace: UInt8 = 0x7b
    static let rightBrace: UInt8 = 0x7d
    static let delete: UInt8 = 0x7f
}
