/// Formatting of JSON strings (RFC 8259 §7).
package enum JSONText {
    /// Quotes bytes; those that are not valid UTF-8 become U+FFFD.
    package static func quoted(_ bytes: [UInt8]) -> String {
        var text = "\""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{8}": text += "\\b"
            case "\u{C}": text += "\\f"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// Formats an object with each name in lowercase and the values of all its lines, in order of appearance.
    package static func object(of fields: [(name: String, value: [UInt8])]) -> String {
        var rows: [(name: String, values: [String])] = []
        for (name, value) in fields {
            let name = String(
                decoding: name.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 },
                as: UTF8.self
            )
            if let index = rows.firstIndex(where: { $0.name == name }) {
                rows[index].values.append(quoted(value))
            } else {
                rows.append((name, [quoted(value)]))
            }
        }
        let lines = rows.map { row in
            "\(quoted(Array(row.name.utf8))):[\(row.values.joined(separator: ","))]"
        }
        return "{" + lines.joined(separator: ",\n") + "\n}"
    }
}
