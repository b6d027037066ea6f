/// A parser for comma-separated lists and parameters (RFC 9110 §5.6.1, §5.6.4 and §5.6.6).
///
/// Commas and semicolons inside a quoted-string are not separators. No function fails: text outside
/// the grammar is returned unchanged, and the caller decides.
package enum ListSyntax {
    /// Returns the range of the next element of a list.
    ///
    /// Elements may be empty: "a,,b" has three. The grammar forbids this for senders and tolerates it for
    /// recipients, so the caller chooses.
    ///
    /// - Parameters:
    ///   - bytes: the whole field value.
    ///   - position: the offset to continue from, initially 0. After the last element it is
    ///     `bytes.count + 1`.
    /// - Returns: the element without surrounding whitespace; nil at the end of the list.
    static func nextElement(in bytes: Span<UInt8>, at position: inout Int) -> Range<Int>? {
        guard position <= bytes.count else { return nil }
        let start = position
        let end = separator(Byte.comma, in: bytes, from: start)
        position = end + 1
        return trim(start..<end, of: bytes)
    }

    /// Splits one field value into its elements, and omits empty ones.
    package static func elements(of value: String) -> [String] {
        split(value, at: Byte.comma).filter { !$0.isEmpty }
    }

    /// Splits a value with parameters, such as `text/html; charset="utf-8"`.
    ///
    /// A parameter without "=" has an empty value. Quotes are removed. Names keep their case.
    package static func parameters(of text: String) -> ParameterizedValue {
        let parts = split(text, at: Byte.semicolon)
        var result = ParameterizedValue(value: parts.first ?? "", parameters: [])
        for part in parts.dropFirst() where !part.isEmpty {
            let pair = part.utf8.split(
                separator: Byte.equals,
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let name = trimmed(String(decoding: pair[0], as: UTF8.self))
            let raw = pair.count > 1 ? trimmed(String(decoding: pair[1], as: UTF8.self)) : ""
            result.parameters.append(.init(name: name, value: unquoted(raw)))
        }
        return result
    }

    /// Removes the quotes and backslashes of a quoted-string; returns other text unchanged.
    package static func unquoted(_ text: String) -> String {
        let bytes = text.utf8.span
        guard bytes.count >= 2, bytes[0] == Byte.quote, bytes[bytes.count - 1] == Byte.quote
        else { return text }
        var output: [UInt8] = []
        var index = 1
        while index < bytes.count - 1 {
            if bytes[index] == Byte.backslash, index + 1 < bytes.count - 1 { index += 1 }
            output.append(bytes[index])
            index += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns `range` without the whitespace at its ends.
    static func trim(_ range: Range<Int>, of bytes: Span<UInt8>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, ByteClass.isSpace(bytes[start]) { start += 1 }
        while end > start, ByteClass.isSpace(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func trimmed(_ text: String) -> String {
        let bytes = text.utf8.span
        let range = trim(0..<bytes.count, of: bytes)
        guard range.count < bytes.count else { return text }
        return String(
            decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count),
            as: UTF8.self
        )
    }

    private static func split(_ text: String, at mark: UInt8) -> [String] {
        let bytes = text.utf8.span
        var parts: [String] = []
        var start = 0
        while start <= bytes.count {
            let end = separator(mark, in: bytes, from: start)
            let range = trim(start..<end, of: bytes)
            let part = text.utf8.dropFirst(range.lowerBound).prefix(range.count)
            parts.append(String(decoding: part, as: UTF8.self))
            start = end + 1
        }
        return parts
    }

    /// Returns the offset of the next `mark` outside quotes, or the end.
    private static func separator(_ mark: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int {
        var isQuoted = false
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if isQuoted, byte == Byte.backslash {
                index += 1
            } else if byte == Byte.quote {
                isQuoted.toggle()
            } else if byte == mark, !isQuoted {
                return index
            }
            index += 1
        }
        return bytes.count
    }
}

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

/// A value and the parameters that follow it (RFC 9110 §5.6.6).
package struct ParameterizedValue: Sendable, Hashable {
    /// One `name=value` pair, without quotes.
    package struct Parameter: Sendable, Hashable {
        package var name: String
        package var value: String
    }

    package var value: String
    /// The parameters in the order of the text, repeats included.
    package var parameters: [Parameter]

    /// The value of the first parameter with the given name, compared without regard to ASCII case.
    package subscript(name: String) -> String? {
        parameters.first {
            ByteClass.equalsIgnoringCase($0.name.utf8.span, name.utf8.span)
        }?.value
    }
}
