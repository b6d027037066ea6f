/// Formatting of bytes in the style of curl's `--trace` and `--trace-ascii`.
package enum DumpText {
    /// The format in which bytes are shown.
    package enum Style: Sendable, Hashable {
        /// In hexadecimal and as text, 16 bytes per line.
        case hexadecimal
        /// As text, 64 bytes per line, with a new line after each CRLF.
        case text
    }

    /// Formats one block: a line with the title and the size, then the bytes, each line with its offset.
    package static func block(_ title: String, _ bytes: [UInt8], _ style: Style) -> String {
        var text = "\(title), \(bytes.count) bytes (0x\(String(bytes.count, radix: 16)))\n"
        var offset = 0
        while offset < bytes.count {
            let digits = String(offset, radix: 16)
            text += String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits + ": "
            switch style {
            case .hexadecimal: offset = hexadecimalLine(bytes, offset, &text)
            case .text: offset = textLine(bytes, offset, &text)
            }
            text += "\n"
        }
        return text
    }

    /// Splits a head after each LF.
    package static func lines(of head: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = 0
        for index in head.indices where head[index] == 0x0A || index == head.count - 1 {
            lines.append(Array(head[start...index]))
            start = index + 1
        }
        return lines
    }

    /// - Returns: the offset of the next line.
    private static func hexadecimalLine(
        _ bytes: [UInt8],
        _ offset: Int,
        _ text: inout String
    ) -> Int {
        let end = min(offset + 16, bytes.count)
        for byte in bytes[offset..<end] {
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16) + " "
        }
        text += String(repeating: "   ", count: offset + 16 - end)
        for byte in bytes[offset..<end] { text.unicodeScalars.append(shown(byte)) }
        return end
    }

    /// - Returns: the offset of the next line.
    private static func textLine(_ bytes: [UInt8], _ offset: Int, _ text: inout String) -> Int {
        let end = min(offset + 64, bytes.count)
        var index = offset
        while index < end, !isLineEnd(bytes, index) {
            text.unicodeScalars.append(shown(bytes[index]))
            index += 1
        }
        return isLineEnd(bytes, index) ? index + 2 : index
    }

    private static func isLineEnd(_ bytes: [UInt8], _ index: Int) -> Bool {
        index + 1 < bytes.count && bytes[index] == 0x0D && bytes[index + 1] == 0x0A
    }

    private static func shown(_ byte: UInt8) -> UnicodeScalar {
        (0x20..<0x7F).contains(byte) ? UnicodeScalar(byte) : "."
    }
}
