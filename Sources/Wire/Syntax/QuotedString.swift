/// A writer for words of field values: tokens unchanged, other text in quotes (RFC 9110 §5.6.4).
enum QuotedString {
    /// Returns whether `text` is a token: not empty, and only tchar (§5.6.2).
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(ByteClass.isToken)
    }

    /// Returns whether a quoted-string can contain `text`: no control byte other than a tab.
    static func canRepresent(_ text: String) -> Bool {
        text.utf8.allSatisfy(ByteClass.isFieldValue)
    }

    /// Puts `text` in quotes, with backslashes where they are needed.
    static func quoted(_ text: String) -> String {
        var output: [UInt8] = [Byte.quote]
        for byte in text.utf8 {
            if byte == Byte.quote || byte == Byte.backslash { output.append(Byte.backslash) }
            output.append(byte)
        }
        output.append(Byte.quote)
        return String(decoding: output, as: UTF8.self)
    }

    /// Puts `text` in quotes unless it is a token.
    static func quotedIfNeeded(_ text: String) -> String {
        isToken(text) ? text : quoted(text)
    }
}
