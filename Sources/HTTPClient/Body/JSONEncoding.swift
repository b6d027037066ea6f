/// Writes JSON text (RFC 8259).
package enum JSONEncoding {
    /// Says what is no JSON, and where.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        /// Such as `$.users[2].age`.
        package let path: String
        /// Such as `NaN is no JSON number`.
        package let reason: String

        package var description: String { "\(reason) at \(path)" }
    }

    /// Deeper values would exhaust the stack of who reads them.
    package static let mostLevels = 512

    /// Says what becomes of members that share a name.
    enum Repeats {
        case refused
        /// As they were read.
        case kept
    }

    /// Encodes a value without needless spaces.
    package static func encode(_ value: HTTPJSON) throws(Fault) -> [UInt8] {
        try encode(value, repeats: .refused)
    }

    static func encode(_ value: HTTPJSON, repeats: Repeats) throws(Fault) -> [UInt8] {
        var encoder = Encoder(repeats: repeats)
        try encoder.append(value)
        return encoder.output
    }

    /// Spells the path of a value.
    static func path(_ steps: [Step]) -> String {
        steps.reduce(into: "$") { text, step in
            switch step {
            case .index(let index): text += "[\(index)]"
            case .name(let name): text += ".\(name)"
            }
        }
    }

    enum Step {
        case index(Int)
        case name(String)
    }

    private struct Encoder {
        private let repeats: Repeats
        private(set) var output: [UInt8] = []
        private var steps: [Step] = []

        init(repeats: Repeats) {
            self.repeats = repeats
        }

        mutating func append(_ value: HTTPJSON) throws(Fault) {
            switch value {
            case .null: output += Array("null".utf8)
            case .bool(let value): output += Array((value ? "true" : "false").utf8)
            case .integer(let value): output += Array(String(value).utf8)
            case .unsigned(let value): output += Array(String(value).utf8)
            case .number(let value):
                // Swift writes the shortest text that reads back as the same number.
                guard value.isFinite else { throw fault("\(value) is no JSON number") }
                output += Array(value.description.utf8)
            case .string(let text): append(text)
            case .array(let elements): try append(elements)
            case .object(let members): try append(members)
            }
        }

        private mutating func append(_ elements: [HTTPJSON]) throws(Fault) {
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                try append(element, at: .index(index))
            }
            output.append(UInt8(ascii: "]"))
        }

        private mutating func append(_ members: [HTTPJSON.Member]) throws(Fault) {
            var names: Set<[UInt8]> = []
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                // Octet by octet, as receivers compare: Swift takes more texts for equal.
                guard repeats == .kept || names.insert(Array(member.name.utf8)).inserted else {
                    throw fault("another member is called \(member.name.debugDescription)")
                }
                if index > 0 { output.append(UInt8(ascii: ",")) }
                append(member.name)
                output.append(UInt8(ascii: ":"))
                try append(member.value, at: .name(member.name))
            }
            output.append(UInt8(ascii: "}"))
        }

        private mutating func append(_ value: HTTPJSON, at step: Step) throws(Fault) {
            guard steps.count < JSONEncoding.mostLevels else {
                throw fault("more than \(JSONEncoding.mostLevels) levels")
            }
            steps.append(step)
            try append(value)
            steps.removeLast()
        }

        /// Escapes what must be (RFC 8259 §7), and leaves all else as UTF-8.
        private mutating func append(_ text: String) {
            output.append(UInt8(ascii: "\""))
            for octet in text.utf8 {
                switch octet {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    output.append(UInt8(ascii: "\\"))
                    output.append(octet)
                case 0x08: output += [UInt8(ascii: "\\"), UInt8(ascii: "b")]
                case 0x09: output += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
                case 0x0A: output += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
                case 0x0C: output += [UInt8(ascii: "\\"), UInt8(ascii: "f")]
                case 0x0D: output += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
                case 0..<0x20:
                    let digits = Array("0123456789abcdef".utf8)
                    output += Array("\\u00".utf8)
                    output += [digits[Int(octet >> 4)], digits[Int(octet & 15)]]
                default: output.append(octet)
                }
            }
            output.append(UInt8(ascii: "\""))
        }

        private func fault(_ reason: String) -> Fault {
            Fault(path: JSONEncoding.path(steps), reason: reason)
        }
    }
}
