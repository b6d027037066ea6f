internal import HTTPClient

/// The parsed value of one `--header` (RFC 9112 §5, and curl's three forms).
package enum HeaderLine: Sendable, Hashable {
    /// `Name: value`, or `Name;` for an empty value.
    case field(name: String, value: [UInt8])
    /// `Name:`, which removes a default header field.
    case removal(name: String)

    /// Parses a line.
    ///
    /// - Returns: nil when the line has neither colon nor semicolon; it is not sent.
    /// - Throws: `.badUsage` for CR, LF and NUL, which could end the line and start another.
    package static func parse(_ line: [UInt8]) throws(FetchError) -> HeaderLine? {
        guard !line.contains(where: isLineBreaking) else {
            throw .usage("a header must not contain CR, LF or NUL")
        }
        if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let name = name(line[..<colon])
            let value = line[(colon + 1)...].drop(while: isBlank)
            return value.isEmpty ? .removal(name: name) : .field(name: name, value: Array(value))
        }
        guard let semicolon = line.firstIndex(of: UInt8(ascii: ";")),
            line[(semicolon + 1)...].allSatisfy(isBlank)
        else { return nil }
        return .field(name: name(line[..<semicolon]), value: [])
    }

    /// Whether the line sets or removes this header field.
    func names(_ name: FieldName) -> Bool {
        switch self {
        case .field(let text, _), .removal(let text): FieldName(text) == name
        }
    }

    /// Whether the byte is CR, LF or NUL, which must not be in a head.
    package static func isLineBreaking(_ byte: UInt8) -> Bool {
        byte == 0x0D || byte == 0x0A || byte == 0
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Returns the name without whitespace before the colon, which would break comparisons of names.
    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = bytes
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
