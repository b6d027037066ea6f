/// A codec for percent triplets (RFC 3986 §2.1).
package enum PercentCoding {
    /// Replaces every byte that is not unreserved with its triplet, in upper-case digits.
    ///
    /// Letters, digits and `-._~` are unreserved. The result is valid in any part of a URI.
    package static func encode(_ text: String) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                output.append(byte)
            } else {
                appendTriplet(byte, to: &output)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Replaces every valid triplet with its byte; a lone "%" stays.
    ///
    /// The result is bytes, not text, because a triplet can encode any byte.
    package static func decode(_ text: String) -> [UInt8] {
        let bytes = text.utf8.span
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let byte = byte(ofTripletAt: index, in: bytes) {
                output.append(byte)
                index += 3
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }

    /// Returns the byte of the triplet that begins at `index`; nil if there is none.
    static func byte(ofTripletAt index: Int, in bytes: Span<UInt8>) -> UInt8? {
        guard bytes.count - index >= 3, bytes[index] == Byte.percent,
            let high = Digits.hexadecimal(bytes[index + 1]),
            let low = Digits.hexadecimal(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    static func appendTriplet(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(Byte.percent)
        output.append(digit(byte >> 4))
        output.append(digit(byte & 0x0f))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? Byte.zero + value : 0x41 + value - 10
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2d, Byte.dot, 0x5f, 0x7e: true
        default: ByteClass.isAlpha(byte) || ByteClass.isDigit(byte)
        }
    }
}
