// Every text that programs log passes through here or through `SecretNames`: errors, descriptions, commands, archives
// and traces. `LoggedTextTests` has the table of these texts, of secrets and of line breaks.

/// Functions for text that programs log: one line, without secrets.
package enum LogText {
    /// Returns the text on one line: what breaks lines, controls a terminal or changes the direction of text is
    /// escaped, such as `\n` and `\u{1B}`.
    ///
    /// A log would otherwise have lines that the sender of the text wrote.
    package static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        var line = ""
        for scalar in text.unicodeScalars {
            line += isEscaped(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return line
    }

    /// Returns a URL on one line without its secrets; the text need not be a URL.
    package static func url(_ text: String) -> String {
        line(SecretNames.common.redacted(try? URI(encoding: text), or: text))
    }

    /// Returns a URL in quotes without its secrets; quotes and backslashes in it are escaped too.
    package static func quoted(url text: String) -> String {
        line(SecretNames.common.redacted(try? URI(encoding: text), or: text).debugDescription)
    }

    private static func isEscaped(_ scalar: UnicodeScalar) -> Bool {
        switch scalar.value {
        // Control characters, line and paragraph separators, and marks of direction.
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
