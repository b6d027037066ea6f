/// A parser of the parts of structured fields (RFC 9651 §4.2).
///
/// It reads ASCII bytes from left to right; every step takes time linear in the bytes it reads.
struct StructuredItemParser {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { index == bytes.count }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Consumes `byte` if it is next, and returns whether it was.
    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    /// Skips spaces, which are allowed around a field, in an inner list and before parameters.
    mutating func skipSpaces() {
        while next == Byte.space { index += 1 }
    }

    /// Skips spaces and tabs, which are allowed around commas.
    mutating func skipOptionalSpaces() {
        while let byte = next, ByteClass.isSpace(byte) { index += 1 }
    }

    /// Reads a key (§4.2.3.3).
    mutating func key() -> String? {
        guard let first = next, Self.isLowercase(first) || first == Byte.asterisk else {
            return nil
        }
        let start = index
        while let byte = next, Self.isKey(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Skips parameters (§4.2.3.2), and returns false if one is malformed.
    mutating func skipParameters() -> Bool {
        while take(Byte.semicolon) {
            skipSpaces()
            guard key() != nil else { return false }
            if take(Byte.equals), bareItem() == nil { return false }
        }
        return true
    }

    /// Reads an item without its parameters, or an inner list (§4.2.1.1); nil if it is malformed.
    mutating func itemOrList() -> StructuredDictionary.Value? {
        guard take(UInt8(ascii: "(")) else { return bareItem() }
        while true {
            skipSpaces()
            if take(UInt8(ascii: ")")) { return .other }
            guard bareItem() != nil, skipParameters() else { return nil }
            guard next == Byte.space || next == UInt8(ascii: ")") else { return nil }
        }
    }

    /// Reads a bare item (§4.2.3.1); nil if it is malformed.
    private mutating func bareItem() -> StructuredDictionary.Value? {
        guard let first = next else { return nil }
        return switch first {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number()
        case Byte.quote: string() ? .other : nil
        case Byte.colon: byteSequence().map { .bytes($0) }
        case Byte.question: boolean() ? .other : nil
        case Byte.at: date() ? .other : nil
        case Byte.percent: displayString() ? .other : nil
        case Byte.asterisk, UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            token()
        default: nil
        }
    }

    /// Reads an integer of at most 15 digits, or a decimal of 12 and 3 digits (§4.2.4).
    private mutating func number() -> StructuredDictionary.Value? {
        let isNegative = take(UInt8(ascii: "-"))
        let start = index
        while let byte = next, ByteClass.isDigit(byte) { index += 1 }
        let count = index - start
        guard case .value(let value) = Digits.decimal(bytes.span.extracting(start..<index)),
            count <= 15
        else { return nil }
        guard take(Byte.dot) else { return .integer(isNegative ? -value : value) }
        let fraction = index
        while let byte = next, ByteClass.isDigit(byte) { index += 1 }
        return count <= 12 && 1...3 ~= index - fraction ? .other : nil
    }

    /// Skips a quoted string of visible ASCII and spaces (§4.2.5).
    private mutating func string() -> Bool {
        index += 1
        while let byte = next {
            index += 1
            switch byte {
            case Byte.quote: return true
            case Byte.backslash:
                guard next == Byte.quote || next == Byte.backslash else { return false }
                index += 1
            case Byte.space..<Byte.delete: continue
            default: return false
            }
        }
        return false
    }

    /// Skips a token (§4.2.6), whose first byte was checked.
    private mutating func token() -> StructuredDictionary.Value {
        while let byte = next,
            ByteClass.isToken(byte) || byte == Byte.colon || byte == Byte.slash
        {
            index += 1
        }
        return .other
    }

    private mutating func boolean() -> Bool {
        index += 1
        return take(UInt8(ascii: "0")) || take(UInt8(ascii: "1"))
    }

    /// Skips a date: `@` and an integer (§4.2.9).
    private mutating func date() -> Bool {
        index += 1
        if case .integer = number() { return true }
        return false
    }

    /// Skips a display string: `%`, and quoted ASCII with percent-encoded UTF-8 (§4.2.10).
    private mutating func displayString() -> Bool {
        index += 1
        guard take(Byte.quote) else { return false }
        var text: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case Byte.quote: return String(validating: text, as: UTF8.self) != nil
            case Byte.percent:
                guard let high = lowercaseHexDigit(), let low = lowercaseHexDigit() else {
                    return false
                }
                text.append(high << 4 | low)
            case Byte.space..<Byte.delete: text.append(byte)
            default: return false
            }
        }
        return false
    }

    private mutating func lowercaseHexDigit() -> UInt8? {
        guard let byte = next, ByteClass.lowercase(byte) == byte else { return nil }
        index += 1
        return Digits.hexadecimal(byte)
    }

    /// Reads base64 between colons (§4.2.7).
    private mutating func byteSequence() -> [UInt8]? {
        index += 1
        let start = index
        while let byte = next, byte != Byte.colon { index += 1 }
        let text = bytes[start..<index]
        return take(Byte.colon) ? Self.decodeBase64(text) : nil
    }

    private static func isLowercase(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }

    private static func isKey(_ byte: UInt8) -> Bool {
        isLowercase(byte) || ByteClass.isDigit(byte) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "-") || byte == Byte.dot || byte == Byte.asterisk
    }
}

extension StructuredItemParser {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    /// Decodes base64; missing padding and unused bits are accepted, as §4.2.7 recommends.
    static func decodeBase64(_ text: some Collection<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var (held, letters, padding) = (0, 0, 0)
        for byte in text {
            if byte == Byte.equals {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: byte) else { return nil }
            letters += 1
            bits = (bits << 6 | value) & 0xffff
            held += 6
            if held >= 8 {
                held -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        // One letter alone is no byte; padding, if there is any, completes the group.
        guard letters % 4 != 1, padding == 0 || (padding <= 2 && (letters + padding) % 4 == 0)
        else { return nil }
        return output
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) + 4
        case UInt8(ascii: "+"): 62
        case Byte.slash: 63
        default: nil
        }
    }

    /// Returns bytes as base64 with padding (RFC 4648 §4).
    static func base64(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var start = 0
        while start < bytes.count {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= 8 * UInt32(3 - group.count)
            for place in 0..<4 {
                let letter = alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)]
                output.append(place <= group.count ? letter : Byte.equals)
            }
            start += 3
        }
        return String(decoding: output, as: UTF8.self)
    }
}
