internal import Wire

/// Parses the text of a URI template (RFC 6570 §2).
struct URITemplateParser {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Reads all of it.
    mutating func parts() throws(URITemplate.TemplateError) -> [URITemplate.Part] {
        var parts: [URITemplate.Part] = []
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "{") {
                parts.append(try expression())
            } else {
                parts.append(.literal(try literal()))
            }
        }
        return parts
    }

    /// Reads up to the next brace (§2.1) and percent-encodes what is not ASCII.
    private mutating func literal() throws(URITemplate.TemplateError) -> String {
        var encoded = ""
        while index < bytes.count, bytes[index] != UInt8(ascii: "{") {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "%"):
                guard isTriplet(at: index) else { throw .invalidPercentTriplet(offset: index) }
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            case 0...0x20, 0x7f, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"),
                UInt8(ascii: "}"):
                throw .invalidLiteral(offset: index)
            case 0x80...0xff:
                encoded += triplet(byte)
            default:
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            }
            index += 1
        }
        return encoded
    }

    /// Reads from one brace to the other (§2.2).
    private mutating func expression() throws(URITemplate.TemplateError) -> URITemplate.Part {
        let start = index
        index += 1
        guard let first = next else { throw .unclosedExpression(offset: start) }
        var kind = URITemplate.Operator.simple
        if let named = URITemplate.Operator(first) {
            kind = named
            index += 1
        } else if "=,!@|".utf8.contains(first) {
            throw .reservedOperator(offset: index)
        }
        var variables: [URITemplate.Variable] = []
        repeat {
            let name = try name(start)
            variables.append(URITemplate.Variable(name: name, modifier: try modifier()))
        } while take(UInt8(ascii: ","))
        guard let end = next else { throw .unclosedExpression(offset: start) }
        guard end == UInt8(ascii: "}") else { throw .invalidModifier(offset: index) }
        index += 1
        return .expression(kind, variables)
    }

    /// Reads a name: letters, digits, underscores and triplets, with single dots between (§2.3).
    private mutating func name(_ brace: Int) throws(URITemplate.TemplateError) -> String {
        let start = index
        var isBehindDot = true
        loop: while let byte = next {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                index += 1
            case UInt8(ascii: "%"):
                guard isTriplet(at: index) else { throw .invalidPercentTriplet(offset: index) }
                index += 3
            case UInt8(ascii: ".") where !isBehindDot:
                index += 1
                isBehindDot = true
                continue loop
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: ":"), UInt8(ascii: "*"):
                break loop
            default: throw .invalidVariableName(offset: index)
            }
            isBehindDot = false
        }
        guard let byte = next else { throw .unclosedExpression(offset: brace) }
        if index == start {
            let isGap = byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}")
            throw isGap ? .missingVariable(offset: index) : .invalidVariableName(offset: index)
        }
        guard !isBehindDot else { throw .invalidVariableName(offset: index - 1) }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func modifier() throws(URITemplate.TemplateError) -> URITemplate.Modifier {
        if take(UInt8(ascii: "*")) { return .explode }
        guard take(UInt8(ascii: ":")) else { return .none }
        let start = index
        var length = 0
        while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte {
            length = length * 10 + Int(byte - UInt8(ascii: "0"))
            index += 1
            guard length > 0, length < 10_000 else { throw .invalidPrefix(offset: start) }
        }
        guard index > start else { throw .invalidPrefix(offset: start) }
        return .prefix(length)
    }

    // MARK: - Bytes

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private func isTriplet(at index: Int) -> Bool {
        index + 2 < bytes.count && URITemplate.isHexadecimal(bytes[index + 1])
            && URITemplate.isHexadecimal(bytes[index + 2])
    }

    private func triplet(_ byte: UInt8) -> String {
        let digits = Array("0123456789ABCDEF")
        return "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }
}

extension URITemplate {
    static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
