/// A JSON value with ordered members, written as a literal or parsed from text.
///
///     request.body = .json(["title": "foo", "userId": 1, "tags": ["a", "b"], "due": nil])
///     let name = try response.json()["user"]["name"].string
///
/// `.json(…)` also accepts literals with variables (``Literal``); elsewhere write `HTTPJSON(["title": title])`.
public enum HTTPJSON: Sendable, Hashable {
    /// One member of an object.
    public struct Member: Sendable, Hashable {
        /// The name; unique in an object that is to be sent, but perhaps not in a parsed one.
        public var name: String
        /// The value.
        public var value: HTTPJSON

        /// Creates a member.
        public init(_ name: String, _ value: HTTPJSON) {
            self.name = name
            self.value = value
        }
    }

    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number without a fraction.
    case integer(Int)
    /// A number without a fraction that may exceed the range of `Int`.
    case unsigned(UInt)
    /// Any other number; infinity and NaN cannot be sent.
    case number(Double)
    /// Text.
    case string(String)
    /// Values in order.
    case array([HTTPJSON])
    /// Members in order; two of the same name cannot be sent.
    case object([Member])
}

extension HTTPJSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Creates an object of the members in their order.
    public init(dictionaryLiteral members: (String, HTTPJSON)...) {
        self = .object(members.map { Member($0.0, $0.1) })
    }

    /// Creates an array.
    public init(arrayLiteral elements: HTTPJSON...) {
        self = .array(elements)
    }

    /// Creates a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Creates a number.
    public init(integerLiteral value: Int) {
        self = .integer(value)
    }

    /// Creates a number.
    public init(floatLiteral value: Double) {
        self = .number(value)
    }

    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// Creates `null`.
    public init(nilLiteral: ()) {
        self = .null
    }
}

extension HTTPJSON {
    /// Creates a string, or `null`.
    public init(_ value: String?) {
        self = value.map { .string($0) } ?? .null
    }

    /// Creates a number, or `null`.
    public init(_ value: Int?) {
        self = value.map { .integer($0) } ?? .null
    }

    /// Creates a number, or `null`.
    public init(_ value: Double?) {
        self = value.map { .number($0) } ?? .null
    }

    /// Creates `true`, `false` or `null`.
    public init(_ value: Bool?) {
        self = value.map { .bool($0) } ?? .null
    }

    /// Creates an array.
    public init(_ values: [HTTPJSON]) {
        self = .array(values)
    }
}

extension HTTPJSON {
    /// Parses JSON text as the public initializers do, with the error of this format.
    package init(reading bytes: Span<UInt8>, maxDepth: Int = 128) throws(ParsingError) {
        self = try JSONParser.parse(bytes, maxDepth: maxDepth)
    }

    /// Parses JSON text as the public initializers do, with the error of this format.
    package init(reading bytes: [UInt8], maxDepth: Int = 128) throws(ParsingError) {
        self = try JSONParser.parse(bytes.span, maxDepth: maxDepth)
    }
}

/// The subscripts and accessors never fail: a missing value is null, and a value of another kind is
/// nil.
extension HTTPJSON {
    /// The member of that name; ``null`` when there is none or this is not an object.
    ///
    /// Names are compared byte by byte. If several members have that name, the last one is returned, as
    /// most parsers do; ``members`` has all of them.
    public subscript(name: String) -> HTTPJSON { member(name) ?? .null }

    /// The element at that index, counted from 0; ``null`` when there is none or this is not an array.
    public subscript(index: Int) -> HTTPJSON {
        guard case .array(let elements) = self, elements.indices.contains(index) else {
            return .null
        }
        return elements[index]
    }

    /// Returns the member of that name; nil, not ``null``, when there is none or this is not an object.
    public func member(_ name: String) -> HTTPJSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// Whether this is `null`, which a subscript also returns when it finds nothing.
    public var isNull: Bool { self == .null }

    /// The Boolean; nil when this is of another kind.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number; nil unless an `Int` represents it exactly, as it does `7`, `7.0` and `7e2`.
    public var int: Int? {
        switch self {
        case .integer(let value): value
        case .unsigned(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number; nil unless a `UInt` represents it exactly.
    public var uint: UInt? {
        switch self {
        case .integer(let value): UInt(exactly: value)
        case .unsigned(let value): value
        case .number(let value): UInt(exactly: value)
        default: nil
        }
    }

    /// The number; nil when this is of another kind.
    ///
    /// Whole numbers beyond 2⁵³ are rounded to the nearest `Double`.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The text; nil when this is not a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements; nil when this is not an array.
    public var array: [HTTPJSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members in their order; nil when this is not an object.
    public var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension HTTPJSON: CustomStringConvertible {
    /// The value as JSON text without unnecessary whitespace; if it cannot be sent, the reason.
    public var description: String {
        do throws(JSONEncoding.EncodeError) {
            return String(decoding: try JSONEncoding.encode(self), as: UTF8.self)
        } catch {
            return "\(error)"
        }
    }
}

extension HTTPJSON {
    /// The reason why bytes are not JSON text (RFC 8259), and where.
    public struct ParsingError: Error, Sendable, Hashable {
        /// The kind of an error.
        @nonexhaustive public enum Reason: Sendable, Hashable {
            /// The text ends before its value does, or it is empty.
            case unexpectedEnd
            /// A byte is not allowed at its position.
            case unexpectedByte(UInt8)
            /// Something follows the value.
            case trailingBytes
            /// The text begins with a byte order mark, which must not be sent (RFC 8259 §8.1).
            case byteOrderMark
            /// A string holds bytes that are not UTF-8.
            case invalidUTF8
            /// A string holds a control character that is not escaped, such as a line break.
            case controlCharacter(UInt8)
            /// A backslash is not followed by a valid escape.
            case invalidEscape
            /// An escape is one half of a surrogate pair without the other half, and so not a character.
            case loneSurrogate
            /// A number does not follow the syntax of JSON, such as `01`, `1.` or `+1`.
            case malformedNumber
            /// A number is larger than any `Double`.
            case numberTooLarge
            /// Arrays and objects are nested deeper than this many levels.
            case tooDeep(limit: Int)
        }

        /// The kind of the error.
        public let reason: Reason

        /// The number of bytes before the error.
        public let offset: Int

        /// The path of the value with the error, such as `$.users[2].age`; `$` is the whole value.
        public let path: String

        package init(_ reason: Reason, offset: Int, path: String) {
            self.reason = reason
            self.offset = offset
            self.path = path
        }
    }
}

extension HTTPJSON.ParsingError: CustomStringConvertible {
    /// One line: the kind of error, and where it is.
    public var description: String { "\(reason) (byte \(offset), at \(path))" }
}

extension HTTPJSON.ParsingError.Reason: CustomStringConvertible {
    /// A short description of the error.
    public var description: String {
        switch self {
        case .unexpectedEnd: "the text ends before the value is complete"
        case .unexpectedByte(let byte) where byte > 0x20 && byte < 0x7F:
            "a \"\(Character(UnicodeScalar(byte)))\" is not allowed there"
        case .unexpectedByte(let byte): "the byte \(byte) is not allowed there"
        case .trailingBytes: "other bytes follow the value"
        case .byteOrderMark: "the text begins with a byte order mark"
        case .invalidUTF8: "a string is not UTF-8"
        case .controlCharacter(let byte):
            "a string contains the control character \(byte), which must be escaped"
        case .invalidEscape: "the text after a backslash is not an escape sequence"
        case .loneSurrogate: "an escaped surrogate is not part of a pair"
        case .malformedNumber: "a number does not have the form that JSON requires"
        case .numberTooLarge: "a number is too large for a Double"
        case .tooDeep(let limit): "it has more than \(limit) levels"
        }
    }
}

extension HTTPJSON: Codable {
    /// A coding key for the name of a member or the index of an element.
    private struct MemberKey: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(stringValue: String) {
            self.stringValue = stringValue
            intValue = nil
        }

        init(intValue: Int) {
            stringValue = String(intValue)
            self.intValue = intValue
        }
    }

    /// Decodes any value; the decoder determines the order of members.
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: MemberKey.self) {
            self = .object(
                try members.allKeys.map { key in
                    Member(key.stringValue, try members.decode(HTTPJSON.self, forKey: key))
                }
            )
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var array: [HTTPJSON] = []
            while !elements.isAtEnd { array.append(try elements.decode(HTTPJSON.self)) }
            self = .array(array)
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int.self) {
            self = .integer(integer)
        } else if let unsigned = try? value.decode(UInt.self) {
            self = .unsigned(unsigned)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else {
            self = .string(try value.decode(String.self))
        }
    }

    /// Encodes the value; the encoder determines the order of members.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: MemberKey.self)
            for member in members {
                try container.encode(member.value, forKey: MemberKey(stringValue: member.name))
            }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .integer(let value): try value.encode(to: encoder)
        case .unsigned(let value): try value.encode(to: encoder)
        case .number(let value): try value.encode(to: encoder)
        case .string(let value): try value.encode(to: encoder)
        }
    }
}
