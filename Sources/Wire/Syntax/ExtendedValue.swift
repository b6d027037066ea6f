/// A codec for parameter values outside ASCII, such as `UTF-8'en'%C2%A3` (RFC 8187 §3.2).
enum ExtendedValue {
    /// Decodes a value and ignores its language.
    ///
    /// Returns nil for a charset other than UTF-8 and ISO-8859-1, and for bytes that are invalid in the
    /// charset. After the second apostrophe, only triplets and the bytes of ``isBare(_:)`` are allowed.
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

    /// Encodes any text as UTF-8 without a language.
    static func encode(_ text: String) -> String {
        // The bytes that percent-encoding leaves unchanged, the unreserved ones, are all attr-char.
        "UTF-8''" + PercentCoding.encode(text)
    }

    /// Returns whether a value can be written without quotes, which the standard does not allow around it.
    static func isWritable(_ text: String) -> Bool {
        !ByteClass.contains(Byte.comma, in: text) && decode(text) != nil
    }

    private static func isCoded(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            if PercentCoding.byte(ofTripletAt: index, in: bytes) != nil {
                index += 3
            } else if isBare(bytes[index]) {
                index += 1
            } else {
                return false
            }
        }
        return true
    }

    /// Returns whether a value may contain a byte that is not part of a triplet.
    ///
    /// The standard allows only attr-char (§3.2.1). Senders also leave what encodeURIComponent leaves,
    /// such as `(`, `)`, `*` and `'`, and encodeURI leaves more. As in browsers, all visible characters
    /// of ASCII stand for themselves, except those that end or escape a value.
    static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case Byte.percent, Byte.quote, Byte.semicolon, Byte.backslash: false
        default: ByteClass.isVisible(byte)
        }
    }

    private static let apostrophe = UInt8(ascii: "'")
}
