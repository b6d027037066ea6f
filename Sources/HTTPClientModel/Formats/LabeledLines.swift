internal import Wire

/// Text of lines `name: value`, in which `%` and control characters are percent-encoded.
///
/// The format of resume data and of journals. It is pure.
enum LabeledLines {
    /// Returns a line without its line break.
    static func line(_ name: String, _ value: String) -> String {
        "\(name): \(encoded(value))"
    }

    /// Returns the lines of a text, without the empty one after the last line break.
    static func split(_ text: String) -> [String] {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Returns the values of the lines by their names.
    ///
    /// - Parameters:
    ///   - lines: the lines after the title, which is line 1.
    ///   - names: the known names.
    /// - Returns: the decoded values.
    /// - Throws: the number of the first line with another form, an unknown name or a repeated one.
    static func values(
        of lines: some Sequence<String>,
        _ names: Set<String>
    ) throws(MalformedLine) -> [String: String] {
        var values: [String: String] = [:]
        var number = 1
        for line in lines {
            number += 1
            guard let colon = line.firstIndex(of: ":"), line[colon...].hasPrefix(": "),
                let value = decoded(line[colon...].dropFirst(2)),
                names.contains(String(line[..<colon])),
                values.updateValue(value, forKey: String(line[..<colon])) == nil
            else { throw MalformedLine(number: number) }
        }
        return values
    }

    /// A line that cannot be parsed, counted from 1.
    struct MalformedLine: Error {
        let number: Int
    }

    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            guard byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(ascii: "%"))
            if byte < 0x10 { bytes.append(UInt8(ascii: "0")) }
            Digits.appendHexadecimal(Int(byte), to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reverses ``encoded(_:)``.
    ///
    /// Returns nil for a `%` without two hexadecimal digits, and for characters that should be
    /// encoded but are not.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte >= 0x20, byte != 0x7F else { return nil }
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap({ Digits.hexadecimal($0) }),
                let low = rest.popFirst().flatMap({ Digits.hexadecimal($0) })
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
