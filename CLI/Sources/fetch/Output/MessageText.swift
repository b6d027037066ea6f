/// Functions for the texts of messages, which name arguments and values of peers.
package enum MessageText {
    /// Returns the text on one line: what breaks lines, controls a terminal or changes the direction of text is
    /// escaped, such as `\n` and `\u{1B}`.
    ///
    /// Without this, an argument with a line break adds a line to the terminal or to a log.
    package static func line(_ text: some StringProtocol) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            line += isEscaped(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return line
    }

    private static func isEscaped(_ scalar: UnicodeScalar) -> Bool {
        switch scalar.value {
        // Control characters, line and paragraph separators, and marks of direction.
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
