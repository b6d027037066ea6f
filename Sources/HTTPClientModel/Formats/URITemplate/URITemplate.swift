internal import Wire

/// A template for URIs with expressions in braces (RFC 6570, all four levels).
///
///     let template = try URITemplate("https://api.example.com/users{/id}{?fields*}")
///     try template.expand(["id": 7, "fields": ["page": 2]])   // …/users/7?page=2
///
/// A template is parsed once and expanded any number of times. Expansion percent-encodes bytes outside
/// ASCII in the literal text, as the RFC requires.
///
/// ## Topics
/// ### Expanding and matching
/// - ``expand(_:)``
/// - ``match(_:)``
public struct URITemplate: Sendable, Hashable, CustomStringConvertible {
    /// The text of the template.
    public let text: String
    package let parts: [Part]

    /// Literal text, or an expression in braces.
    package enum Part: Sendable, Hashable {
        /// Text for the URI, already percent-encoded.
        case literal(String)
        case expression(Operator, [Variable])
    }

    /// One variable of an expression (§2.3, §2.4).
    package struct Variable: Sendable, Hashable {
        package let name: String
        package let modifier: Modifier
    }

    /// The modifier of a variable, which selects how its value is expanded.
    package enum Modifier: Sendable, Hashable {
        case none
        /// The first characters of the value, up to this number.
        case prefix(Int)
        /// Each member separately (`*`).
        case explode
    }

    /// An error in a template, or in a value for it.
    @nonexhaustive public enum TemplateError: Error, Sendable, Hashable {
        /// The byte is not allowed outside of braces: a space, a control, or one of `"<>\^|}` and
        /// the backtick (§2.1).
        case invalidLiteral(offset: Int)
        /// A `%` is not followed by two hexadecimal digits.
        case invalidPercentTriplet(offset: Int)
        /// The brace at `offset` is not closed.
        case unclosedExpression(offset: Int)
        /// There is nothing between the braces, or between two commas.
        case missingVariable(offset: Int)
        /// The operator is one of `=,!@|`, which are reserved for future use (§2.2).
        case reservedOperator(offset: Int)
        /// The byte is not allowed in the name of a variable (§2.3).
        case invalidVariableName(offset: Int)
        /// The prefix length is not a number from 1 to 9999 (§2.4.1).
        case invalidPrefix(offset: Int)
        /// The modifier is not followed by a comma or the closing brace.
        case invalidModifier(offset: Int)
        /// The variable has a prefix length, and its value is a list or an object (§2.4.1).
        case prefixOfComposite(variable: String)
        /// The value of the variable has a list or an object inside a list or an object.
        case nestedValue(variable: String)
        /// The value of the variable is a number or a date that cannot be written as text.
        case invalidValue(variable: String, HTTPParameters.EncodingError)
    }

    /// Parses a template as the public initializer does, with the error of this format.
    package init(parsing text: String) throws(TemplateError) {
        self.text = text
        var parser = URITemplateParser(text)
        parts = try parser.parts()
    }

    /// The names of the variables in the order they first occur.
    public var variables: [String] {
        var names: [String] = []
        for case .expression(_, let variables) in parts {
            for variable in variables where !names.contains(variable.name) {
                names.append(variable.name)
            }
        }
        return names
    }

    /// The text of the template.
    public var description: String { text }
}

extension URITemplate: RawRepresentable, Codable {
    /// The text of the template, by which it is encoded.
    public var rawValue: String { text }

    /// Parses a template; nil for text that is not a template.
    ///
    /// `init(_:)` throws the reason.
    public init?(rawValue: String) {
        guard let template = try? URITemplate(parsing: rawValue) else { return nil }
        self = template
    }

    /// Decodes a template from its text.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for text that is not a template; the underlying error is a
    ///   ``TemplateError``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do throws(TemplateError) {
            try self.init(parsing: text)
        } catch {
            let context = DecodingError.Context(
                codingPath: container.codingPath,
                debugDescription: "\(error)",
                underlyingError: error
            )
            throw DecodingError.dataCorrupted(context)
        }
    }
}

extension URITemplate {
    /// The operator of an expression, with its row in the table of RFC 6570 appendix A.
    package enum Operator: Sendable, Hashable {
        case simple
        case reserved
        case fragment
        case label
        case path
        case parameter
        case query
        case continuation

        package init?(_ byte: UInt8) {
            switch byte {
            case UInt8(ascii: "+"): self = .reserved
            case UInt8(ascii: "#"): self = .fragment
            case UInt8(ascii: "."): self = .label
            case UInt8(ascii: "/"): self = .path
            case UInt8(ascii: ";"): self = .parameter
            case UInt8(ascii: "?"): self = .query
            case UInt8(ascii: "&"): self = .continuation
            default: return nil
            }
        }

        /// The text before the first value.
        package var first: String {
            switch self {
            case .simple, .reserved: ""
            case .fragment: "#"
            case .label: "."
            case .path: "/"
            case .parameter: ";"
            case .query: "?"
            case .continuation: "&"
            }
        }

        /// The text between values.
        package var separator: String {
            switch self {
            case .simple, .reserved, .fragment: ","
            case .label: "."
            case .path: "/"
            case .parameter: ";"
            case .query, .continuation: "&"
            }
        }

        /// Whether each value is preceded by its name.
        package var isNamed: Bool {
            switch self {
            case .parameter, .query, .continuation: true
            default: false
            }
        }

        /// The text between a name and an empty value.
        var beforeEmpty: String { self == .parameter ? "" : "=" }

        /// Whether reserved characters and triplets are kept as they are.
        var allowsReserved: Bool { self == .reserved || self == .fragment }
    }
}

extension URITemplate.TemplateError: CustomStringConvertible {
    /// One line that describes what to change.
    public var description: String {
        switch self {
        case .invalidLiteral(let offset):
            "the byte at \(offset) is not allowed in a template: percent-encode it"
        case .invalidPercentTriplet(let offset):
            "the % at \(offset) is not followed by two hexadecimal digits"
        case .unclosedExpression(let offset): "the brace at \(offset) is not closed"
        case .missingVariable(let offset): "a variable is missing at \(offset)"
        case .reservedOperator(let offset): "the operator at \(offset) is reserved (RFC 6570)"
        case .invalidVariableName(let offset):
            "the byte at \(offset) is not allowed in the name of a variable"
        case .invalidPrefix(let offset):
            "the prefix length at \(offset) is not a number from 1 to 9999"
        case .invalidModifier(let offset): "a comma or a closing brace is expected at \(offset)"
        case .prefixOfComposite(let variable):
            "\"\(variable)\" is a list or an object: remove its prefix modifier"
        case .nestedValue(let variable): "\"\(variable)\" contains a nested list or object"
        case .invalidValue(let variable, let reason): "\"\(variable)\" cannot be used: \(reason)"
        }
    }
}

extension URITemplate {
    /// Expands the template as ``expand(_:)`` does, with the error of this format.
    func expanding(
        _ variables: [String: any HTTPParameters.Convertible]
    ) throws(TemplateError) -> String {
        var result = ""
        for part in parts {
            switch part {
            case .literal(let text): result += text
            case .expression(let kind, let wanted):
                var isFirst = true
                for variable in wanted {
                    guard let given = variables[variable.name]?.parameterValue else { continue }
                    let value = try Plain(given, of: variable.name)
                    guard let text = try Self.expansion(of: variable, value, kind) else { continue }
                    result += (isFirst ? kind.first : kind.separator) + text
                    isFirst = false
                }
            }
        }
        return result
    }

    /// A value as the RFC defines values (§2.3), without members that have no value.
    private enum Plain {
        case undefined
        case text(String)
        case list([String])
        case object([(name: String, value: String)])

        init(_ value: HTTPParameters.ParameterValue, of variable: String) throws(TemplateError) {
            switch value {
            case .array(let elements):
                var list: [String] = []
                for element in elements {
                    if let text = try Self.text(element, of: variable) { list.append(text) }
                }
                self = list.isEmpty ? .undefined : .list(list)
            case .object(let members):
                var object: [(name: String, value: String)] = []
                for member in members {
                    guard let text = try Self.text(member.value, of: variable) else { continue }
                    object.append((member.name, text))
                }
                self = object.isEmpty ? .undefined : .object(object)
            default:
                let text = try Self.text(value, of: variable)
                self = text.map { .text($0) } ?? .undefined
            }
        }

        private static func text(
            _ value: HTTPParameters.ParameterValue,
            of variable: String
        ) throws(TemplateError) -> String? {
            do throws(HTTPParameters.EncodingError) {
                return try ParameterSerializer.scalarText(
                    value,
                    HTTPParameters.Style(bool: .literals)
                )
            } catch .nestedInCommaList {
                throw .nestedValue(variable: variable)
            } catch {
                throw .invalidValue(variable: variable, error)
            }
        }
    }

    /// Expands one variable, without separators; returns nil when it has no value.
    private static func expansion(
        of variable: Variable,
        _ value: Plain,
        _ kind: Operator
    ) throws(TemplateError) -> String? {
        let isExploded = variable.modifier == .explode
        switch value {
        case .undefined: return nil
        case .text(let text):
            var text = text
            if case .prefix(let length) = variable.modifier {
                text = prefix(of: text, length, kind)
            }
            return named(variable.name, encoded(text, kind), kind)
        case .list, .object:
            if case .prefix = variable.modifier {
                throw .prefixOfComposite(variable: variable.name)
            }
        }
        switch value {
        case .list(let list) where isExploded:
            return list.map { named(variable.name, encoded($0, kind), kind) }
                .joined(separator: kind.separator)
        case .list(let list):
            let joined = list.map { encoded($0, kind) }.joined(separator: ",")
            return named(variable.name, joined, kind)
        case .object(let members) where isExploded:
            return members.map { member in
                let name = encoded(member.name, kind)
                let value = encoded(member.value, kind)
                return kind.isNamed ? named(name, value, kind) : "\(name)=\(value)"
            }.joined(separator: kind.separator)
        case .object(let members):
            let joined = members.map { "\(encoded($0.name, kind)),\(encoded($0.value, kind))" }
                .joined(separator: ",")
            return named(variable.name, joined, kind)
        case .undefined, .text: return nil
        }
    }

    private static func named(_ name: String, _ value: String, _ kind: Operator) -> String {
        guard kind.isNamed else { return value }
        return value.isEmpty ? name + kind.beforeEmpty : "\(name)=\(value)"
    }

    /// Returns the first `length` characters; a triplet that is kept as it is counts as one (§2.4.1).
    private static func prefix(of text: String, _ length: Int, _ kind: Operator) -> String {
        let scalars = text.unicodeScalars
        var end = scalars.startIndex
        var count = 0
        while end < scalars.endIndex, count < length {
            let isWhole = kind.allowsReserved && isTriplet(scalars[end...])
            end = scalars.index(end, offsetBy: isWhole ? 3 : 1)
            count += 1
        }
        return String(scalars[..<end])
    }

    private static func isTriplet(_ scalars: Substring.UnicodeScalarView) -> Bool {
        let next = Array(scalars.prefix(3))
        return next.count == 3 && next[0] == "%"
            && next[1...].allSatisfy { $0.isASCII && isHexadecimal(UInt8($0.value)) }
    }

    /// Percent-encodes all characters but unreserved ones.
    ///
    /// Reserved characters and triplets are kept too where the operator allows them (§3.2.1).
    private static func encoded(_ text: String, _ kind: Operator) -> String {
        guard kind.allowsReserved else { return PercentCoding.encode(text) }
        var result = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            if isTriplet(rest) {
                result.unicodeScalars.append(contentsOf: rest.prefix(3))
                rest = rest.dropFirst(3)
                continue
            }
            if isReserved(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += PercentCoding.encode(String(scalar))
            }
            rest = rest.dropFirst()
        }
        return result
    }

    static func isReserved(_ scalar: Unicode.Scalar) -> Bool {
        ":/?#[]@!$&'()*+,;=".unicodeScalars.contains(scalar)
    }
}

/// A parser of URI templates (RFC 6570 §2).
struct URITemplateParser {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Parses the whole text.
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

    /// Reads literal text up to the next brace (§2.1), and percent-encodes what is not ASCII.
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

    /// Reads an expression with its braces (§2.2).
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

    /// Reads a variable name: letters, digits, underscores and triplets, separated by single dots (§2.3).
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
    package static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
