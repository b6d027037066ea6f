/// Describes many URIs by one text with gaps (RFC 6570, all four levels).
///
///     let template = try URITemplate("https://api.example.com/users{/id}{?fields*}")
///     try template.expand(["id": 7, "fields": ["page": 2]])   // …/users/7?page=2
///
/// Parsed once, it expands without parsing again. Bytes outside ASCII in the text between the gaps
/// are percent-encoded when it is expanded, as the RFC says.
///
/// ## Topics
/// ### Both ways
/// - ``expand(_:)``
/// - ``match(_:)``
public struct URITemplate: Sendable, Hashable, CustomStringConvertible {
    /// The text given.
    public let text: String
    let parts: [Part]

    /// What stands between two braces, or between two such.
    enum Part: Sendable, Hashable {
        /// As it goes into the URI, percent-encoded.
        case literal(String)
        case expression(Operator, [Variable])
    }

    /// One variable of an expression (§2.3, §2.4).
    struct Variable: Sendable, Hashable {
        let name: String
        let modifier: Modifier
    }

    /// Says what of a value is taken, and how.
    enum Modifier: Sendable, Hashable {
        case none
        /// So many characters at the beginning.
        case prefix(Int)
        /// Each member for itself.
        case explode
    }

    /// Says what is wrong with a template, or with a value for it.
    @nonexhaustive public enum TemplateError: Error, Sendable, Hashable {
        /// The byte may not stand outside of braces: a space, a control, or one of `"<>\^|}` and
        /// the backtick (§2.1).
        case invalidLiteral(offset: Int)
        /// A `%` is not followed by two hexadecimal digits.
        case invalidPercentTriplet(offset: Int)
        /// The brace that is opened there is not closed.
        case unclosedExpression(offset: Int)
        /// There is nothing between the braces, or between two commas.
        case missingVariable(offset: Int)
        /// The operator is one of `=,!@|`, which are kept for later (§2.2).
        case reservedOperator(offset: Int)
        /// The byte stands in no name of a variable (§2.3).
        case invalidVariableName(offset: Int)
        /// What follows the colon is no number from 1 to 9999 (§2.4.1).
        case invalidPrefix(offset: Int)
        /// Something follows the modifier that is neither a comma nor the brace.
        case invalidModifier(offset: Int)
        /// The variable is cut by a prefix, and its value is a list or an object (§2.4.1).
        case prefixOfComposite(variable: String)
        /// The value of the variable has a list or an object inside a list or an object.
        case nestedValue(variable: String)
        /// The value of the variable is a number, or a date, that no text stands for.
        case invalidValue(variable: String, HTTPParameterError)
    }

    /// Parses a template.
    ///
    /// - Throws: the first fault, with its offset in bytes from the beginning.
    public init(_ text: String) throws(TemplateError) {
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

    /// The text given.
    public var description: String { text }

    /// Compares the text.
    public static func == (left: URITemplate, right: URITemplate) -> Bool {
        left.text == right.text
    }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension URITemplate {
    /// Says how an expression expands: the table of RFC 6570 appendix A.
    enum Operator: Sendable, Hashable {
        case simple
        case reserved
        case fragment
        case label
        case path
        case parameter
        case query
        case continuation

        init?(_ byte: UInt8) {
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

        /// What stands before the first value.
        var first: String {
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

        /// What stands between values.
        var separator: String {
            switch self {
            case .simple, .reserved, .fragment: ","
            case .label: "."
            case .path: "/"
            case .parameter: ";"
            case .query, .continuation: "&"
            }
        }

        /// Whether each value has its name.
        var isNamed: Bool {
            switch self {
            case .parameter, .query, .continuation: true
            default: false
            }
        }

        /// What stands between a name and an empty value.
        var beforeEmpty: String { self == .parameter ? "" : "=" }

        /// Whether reserved characters and triplets go through as they are.
        var allowsReserved: Bool { self == .reserved || self == .fragment }
    }
}

extension URITemplate.TemplateError: CustomStringConvertible {
    /// What to change, in one line.
    public var description: String {
        switch self {
        case .invalidLiteral(let offset):
            "the byte at \(offset) may not stand in a template: percent-encode it"
        case .invalidPercentTriplet(let offset):
            "the % at \(offset) is not followed by two hexadecimal digits"
        case .unclosedExpression(let offset): "the brace at \(offset) is not closed"
        case .missingVariable(let offset): "a variable is missing at \(offset)"
        case .reservedOperator(let offset): "the operator at \(offset) has no meaning yet"
        case .invalidVariableName(let offset):
            "the byte at \(offset) may not stand in the name of a variable"
        case .invalidPrefix(let offset): "no number from 1 to 9999 stands at \(offset)"
        case .invalidModifier(let offset): "a comma or a closing brace is wanted at \(offset)"
        case .prefixOfComposite(let variable):
            "\"\(variable)\" is a list or an object, of which there is no prefix: leave it out"
        case .nestedValue(let variable): "\"\(variable)\" has a list or an object within another"
        case .invalidValue(let variable, let fault): "\"\(variable)\" cannot be used: \(fault)"
        }
    }
}
