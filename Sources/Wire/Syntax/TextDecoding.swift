/// Conversions of received bytes to text and values.
package enum TextDecoding {
    /// Decodes bytes as UTF-8; nil if they are malformed.
    package static func validUTF8(_ bytes: Span<UInt8>) -> String? {
        guard let valid = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: valid)
    }

    /// Decodes bytes as UTF-8, and replaces malformed parts with U+FFFD.
    package static func repairedUTF8(_ bytes: Span<UInt8>) -> String {
        validUTF8(bytes) ?? String(decoding: [UInt8](copying: bytes), as: UTF8.self)
    }

    /// Decodes bytes as UTF-8 if they are valid, otherwise as Latin-1, which maps every byte.
    static func text(_ bytes: Span<UInt8>) -> String {
        validUTF8(bytes) ?? latin1(bytes)
    }

    /// Decodes each byte as the character with the same number, so that no byte is lost (ISO 8859-1).
    static func latin1(_ bytes: Span<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count * 2)
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x80 {
                output.append(byte)
            } else {
                output.append(0xc0 | byte >> 6)
                output.append(0x80 | byte & 0x3f)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Replaces each fold and the whitespace around it, and each other CR, with one space.
    ///
    /// - Returns: the value without surrounding whitespace; never longer than `bytes`.
    static func unfolded(_ bytes: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case Byte.carriageReturn where index < bytes.count && bytes[index] == Byte.lineFeed:
                continue
            case Byte.lineFeed:
                while let last = output.last, ByteClass.isSpace(last) { output.removeLast() }
                while index < bytes.count, ByteClass.isSpace(bytes[index]) { index += 1 }
                output.append(Byte.space)
            case Byte.carriageReturn:
                output.append(Byte.space)
            default:
                output.append(byte)
            }
        }
        let range = ListSyntax.trim(0..<output.count, of: output.span)
        return Array(output[range])
    }
}
