/// Writes words of field values: tokens as they are, other text in quotes (RFC 9110 §5.6.4).
enum QuotedString {
    /// Says whether `text` is a token: not empty, tchar only (§5.6.2).
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(ByteClass.isToken)
    }

    /// Says whether a quoted-string can hold `text`: no control byte but a tab.
    static func canRepresent(_ text: String) -> Bool {
        text.utf8.allSatisfy(ByteClass.isFieldValue)
    }

    /// Puts quotes around `text`, and backslashes where they are needed.
    static func quoted(_ text: String) -> String {
        var output: [UInt8] = [Byte.quote]
        for byte in text.utf8 {
            if byte == Byte.quote || byte == Byte.backslash { output.append(Byte.backslash) }
            output.append(byte)
        }
        output.append(Byte.quote)
        return String(decoding: output, as: UTF8.self)
    }

    /// Quotes `text` unless it is a token.
    static func quotedIfNeeded(_ text: String) -> String {
        isToken(text) ? text : quoted(text)
    }
}
