/// Encodes and decodes parameter values outside ASCII, such as `UTF-8'en'%C2%A3` (RFC 8187 §3.2).
enum ExtendedValue {
    /// Reads such a value, language left out.
    ///
    /// Nil for a charset other than UTF-8 and ISO-8859-1, for bytes that are not valid in it, and
    /// for anything but attr-char and triplets behind the second apostrophe.
    static func decode(_ text: String) -> String? {
        let parts = text.utf8.split(
            separator: apostrophe,
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        guard parts.count == 3 else { return nil }
        let charset = String(decoding: parts[0], as: UTF8.self)
        let coded = String(decoding: parts[2], as: UTF8.self)
        guard isCoded(coded.utf8.span) else { return nil }
        let bytes = PercentCoding.decode(coded)
        switch ByteClass.lowercase(charset) {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1":
            var text = String.UnicodeScalarView()
            for byte in bytes { text.append(Unicode.Scalar(byte)) }
            return String(text)
        default: return nil
        }
    }

    /// Writes any text, as UTF-8 without language.
    static func encode(_ text: String) -> String {
        // What percent coding leaves alone, the unreserved bytes, are all attr-char.
        "UTF-8''" + PercentCoding.encode(text)
    }

    private static func isCoded(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            if PercentCoding.byte(ofTripletAt: index, in: bytes) != nil {
                index += 3
            } else if isAttributeCharacter(bytes[index]) {
                index += 1
            } else {
                return false
            }
        }
        return true
    }

    /// attr-char: a tchar that is none of the marks of this syntax (§3.2.1).
    private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
        ByteClass.isToken(byte) && byte != apostrophe && byte != Byte.percent
            && byte != Byte.asterisk
    }

    private static let apostrophe = UInt8(ascii: "'")
}
