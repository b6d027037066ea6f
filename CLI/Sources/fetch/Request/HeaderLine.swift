internal import HTTPClient

/// Reads one value of `--header` (RFC 9112 §5, and curl's three forms of it).
package enum HeaderLine: Sendable, Hashable {
    /// `Name: value`, or `Name;` for an empty value.
    case field(name: String, value: [UInt8])
    /// `Name:`; removes what would be sent by default.
    case removal(name: String)

    /// Reads a line.
    ///
    /// - Returns: nil when the line has neither colon nor semicolon; it is not sent.
    /// - Throws: `.badUsage` for CR, LF and NUL: they could end the line and begin another.
    package static func parse(_ line: [UInt8]) throws(FetchError) -> HeaderLine? {
        guard !line.contains(where: isLineBreaking) else {
            throw .usage("a header may not hold CR, LF or NUL")
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

    /// Whether the line says something of this field.
    func names(_ name: FieldName) -> Bool {
        switch self {
        case .field(let text, _), .removal(let text): FieldName(text) == name
        }
    }

    /// Says whether the byte must not get into a head.
    package static func isLineBreaking(_ byte: UInt8) -> Bool {
        byte == 0x0D || byte == 0x0A || byte == 0
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Blanks before the colon would hide the name from whoever compares names.
    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = bytes
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
