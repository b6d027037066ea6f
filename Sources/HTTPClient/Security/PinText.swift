/// Reads and writes digests as pins are written down: `sha256//` and base64.
enum PinText {
    /// Writes a digest.
    static func text(_ digest: [UInt8]) -> String {
        "sha256//" + BasicAuthentication.base64(digest)
    }

    /// Reads 32 octets; nil for anything else.
    static func digest(_ text: String) -> [UInt8]? {
        var rest = text.utf8[...]
        for prefix in ["sha256//", "sha256/"] where text.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.utf8.count)
            break
        }
        // 43 characters hold 32 octets and two bits that must be zero (RFC 4648 §3.5).
        guard rest.count == 44, rest.last == UInt8(ascii: "=") else { return nil }
        var octets: [UInt8] = []
        var bits: UInt32 = 0
        var held = 0
        for character in rest.dropLast() {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | value
            held += 6
            guard held >= 8 else { continue }
            held -= 8
            octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            bits &= (1 << UInt32(held)) - 1
        }
        return bits == 0 ? octets : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
