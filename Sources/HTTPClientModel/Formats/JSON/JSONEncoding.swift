/// A writer of JSON text (RFC 8259).
package enum JSONEncoding {
    /// A value that JSON cannot represent, and its path.
    package struct EncodeError: Error, Hashable, CustomStringConvertible {
        /// The path of the value, such as `$.users[2].age`.
        package let path: String
        /// The reason, such as `NaN is not a JSON number`.
        package let reason: String

        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }

        package var description: String { "\(reason) at \(path)" }
    }

    /// The maximum nesting; deeper values would exhaust the stack of recursive readers.
    package static let maxDepth = 512

    /// The treatment of members that share a name.
    package enum DuplicateNames {
        case rejected
        /// Written as they were parsed.
        case allowed
    }

    /// Encodes a value without unnecessary whitespace.
    package static func encode(_ value: HTTPJSON) throws(EncodeError) -> [UInt8] {
        try encode(value, duplicates: .rejected)
    }

    package static func encode(
        _ value: HTTPJSON,
        duplicates: DuplicateNames
    ) throws(EncodeError) -> [UInt8] {
        var encoder = Encoder(duplicates: duplicates)
        try encoder.append(value)
        return encoder.output
    }

    /// Formats the path of a value.
    package static func path(_ steps: [Step]) -> String {
        steps.reduce(into: "$") { text, step in
            switch step {
            case .index(let index): text += "[\(index)]"
            case .name(let name): text += ".\(name)"
            }
        }
    }

    package enum Step {
        case index(Int)
        case name(String)
    }

    private struct Encoder {
        private let duplicates: DuplicateNames
        private(set) var output: [UInt8] = []
        private var steps: [Step] = []

        init(duplicates: DuplicateNames) {
            self.duplicates = duplicates
        }

        mutating func append(_ value: HTTPJSON) throws(EncodeError) {
            switch value {
            case .null: output += Array("null".utf8)
            case .bool(let value): output += Array((value ? "true" : "false").utf8)
            case .integer(let value): output += Array(String(value).utf8)
            case .unsigned(let value): output += Array(String(value).utf8)
            case .number(let value):
                // Swift prints the shortest text that parses as the same number.
                guard value.isFinite else { throw failure("\(value) is not a JSON number") }
                output += Array(value.description.utf8)
            case .string(let text): append(text)
            case .array(let elements): try append(elements)
            case .object(let members): try append(members)
            }
        }

        private mutating func append(_ elements: [HTTPJSON]) throws(EncodeError) {
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                try append(element, at: .index(index))
            }
            output.append(UInt8(ascii: "]"))
        }

        private mutating func append(_ members: [HTTPJSON.Member]) throws(EncodeError) {
            var names: Set<[UInt8]> = []
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                // Compare bytes, as receivers do: Swift treats canonically equivalent strings as equal.
                guard duplicates == .allowed || names.insert(Array(member.name.utf8)).inserted
                else {
                    throw failure("another member has the name \(member.name.debugDescription)")
                }
                if index > 0 { output.append(UInt8(ascii: ",")) }
                append(member.name)
                output.append(UInt8(ascii: ":"))
                try append(member.value, at: .name(member.name))
            }
            output.append(UInt8(ascii: "}"))
        }

        private mutating func append(_ value: HTTPJSON, at step: Step) throws(EncodeError) {
            guard steps.count < JSONEncoding.maxDepth else {
                throw failure("more than \(JSONEncoding.maxDepth) levels")
            }
            steps.append(step)
            try append(value)
            steps.removeLast()
        }

        /// Escapes only what RFC 8259 §7 requires, and writes everything else as UTF-8.
        private mutating func append(_ text: String) {
            output.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    output.append(UInt8(ascii: "\\"))
                    output.append(byte)
                case 0x08: output += [UInt8(ascii: "\\"), UInt8(ascii: "b")]
                case 0x09: output += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
                case 0x0A: output += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
                case 0x0C: output += [UInt8(ascii: "\\"), UInt8(ascii: "f")]
                case 0x0D: output += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
                case 0..<0x20:
                    let digits = Array("0123456789abcdef".utf8)
                    output += Array("\\u00".utf8)
                    output += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
                default: output.append(byte)
                }
            }
            output.append(UInt8(ascii: "\""))
        }

        private func failure(_ reason: String) -> EncodeError {
            EncodeError(path: JSONEncoding.path(steps), reason: reason)
        }
    }
}
