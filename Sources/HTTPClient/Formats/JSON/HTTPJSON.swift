/// Holds a JSON value, with its members in their order: written as a literal, or read from text.
///
///     request.body = .json(["title": "foo", "userId": 1, "tags": ["a", "b"], "due": nil])
///     let name = try response.json()["user"]["name"].string
///
/// `.json(…)` takes literals with variables as well (``Literal``); elsewhere write `HTTPJSON(["title": title])`.
public enum HTTPJSON: Sendable, Hashable {
    /// One member of an object.
    public struct Member: Sendable, Hashable {
        /// The name; unique in an object that is to be sent, though perhaps not in one that was read.
        public var name: String
        /// The value.
        public var value: HTTPJSON

        /// Makes a member.
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
    /// A number without a fraction that an `Int` may not hold.
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
    /// Makes an object of the members in their order.
    public init(dictionaryLiteral members: (String, HTTPJSON)...) {
        self = .object(members.map { Member($0.0, $0.1) })
    }

    /// Makes an array.
    public init(arrayLiteral elements: HTTPJSON...) {
        self = .array(elements)
    }

    /// Makes a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Makes a number.
    public init(integerLiteral value: Int) {
        self = .integer(value)
    }

    /// Makes a number.
    public init(floatLiteral value: Double) {
        self = .number(value)
    }

    /// Makes `true` or `false`.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// Makes `null`.
    public init(nilLiteral: ()) {
        self = .null
    }
}

extension HTTPJSON {
    /// Makes a string, or `null`.
    public init(_ value: String?) {
        self = value.map { .string($0) } ?? .null
    }

    /// Makes a number, or `null`.
    public init(_ value: Int?) {
        self = value.map { .integer($0) } ?? .null
    }

    /// Makes a number, or `null`.
    public init(_ value: Double?) {
        self = value.map { .number($0) } ?? .null
    }

    /// Makes `true`, `false` or `null`.
    public init(_ value: Bool?) {
        self = value.map { .bool($0) } ?? .null
    }

    /// Makes an array.
    public init(_ values: [HTTPJSON]) {
        self = .array(values)
    }
}

extension HTTPBody {
    /// A JSON value (RFC 8259), without needless spaces.
    ///
    /// A value that is not JSON makes a request that cannot be sent: sending it throws
    /// `.invalidRequest(.body(reason:))`, which names the path of the value: infinity, NaN, two
    /// members of the same name, and more than 512 levels.
    public static func json(_ value: HTTPJSON) -> HTTPBody {
        do throws(JSONEncoding.EncodeError) {
            return HTTPBody(content: .bytes(try JSONEncoding.encode(value)), contentType: .json)
        } catch {
            return HTTPBody(content: .invalid(.body(reason: error.description)), contentType: .json)
        }
    }

    /// A JSON literal with variables in it, its members in the order written.
    ///
    ///     request.body = .json(["title": title, "author": ["id": user.id, "name": user.name]])
    ///
    /// - Parameter literal: optional so that an empty literal is an ``HTTPJSON``; nil is `null`.
    /// - Returns: a body of known length that can be sent again.
    public static func json(_ literal: HTTPJSON.Literal?) -> HTTPBody {
        .json(literal?.json ?? .null)
    }
}

extension HTTPJSON {
    /// Reads JSON text, strictly as RFC 8259 says.
    ///
    ///     let json = try HTTPJSON(parsing: #"{"user": {"name": "Ada"}}"#)
    ///     print(json["user"]["name"].string ?? "nobody")
    ///
    /// Nothing is repaired: no comments, no trailing commas, no byte order mark, nothing behind the
    /// value, no bytes that are not UTF-8, and no half of a surrogate pair, as it is no character.
    ///
    /// Whole numbers become ``integer(_:)`` or ``unsigned(_:)`` where they fit. All others, those with a
    /// fraction or an exponent and `-0` too, become the nearest ``number(_:)``; one that is larger than
    /// any `Double` is refused. Members keep their order, and those that share a name are all kept, as
    /// the standard leaves to readers which of them counts.
    ///
    /// - Parameters:
    ///   - bytes: the whole text, in UTF-8.
    ///   - maxDepth: how many arrays and objects may lie within each other. Default 128: more than
    ///     what people design, and little enough for code that walks the value recursively. Counts up
    ///     to 512, which is also what can be written.
    /// - Throws: what is wrong with the text, and at which byte.
    public init(parsing bytes: Span<UInt8>, maxDepth: Int = 128) throws(HTTPJSONError) {
        self = try JSONParser.parse(bytes, maxDepth: maxDepth)
    }

    /// Reads JSON text; as ``init(parsing:maxDepth:)-(Span<UInt8>,_)``.
    public init(parsing bytes: [UInt8], maxDepth: Int = 128) throws(HTTPJSONError) {
        self = try JSONParser.parse(bytes.span, maxDepth: maxDepth)
    }

    /// Reads JSON text; as ``init(parsing:maxDepth:)-(Span<UInt8>,_)``.
    public init(parsing text: String, maxDepth: Int = 128) throws(HTTPJSONError) {
        self = try JSONParser.parse(Array(text.utf8).span, maxDepth: maxDepth)
    }
}

/// What the subscripts and accessors find is never a reason to stop: what is not there is null, and
/// what is of another kind is nil.
extension HTTPJSON {
    /// The member of that name, ``null`` when there is none or this is no object.
    ///
    /// Names are compared byte by byte. Of several members with that name it is the last, as most
    /// readers do; ``members`` has all.
    public subscript(name: String) -> HTTPJSON { member(name) ?? .null }

    /// The element at that place, counted from 0; ``null`` when there is none or this is no array.
    public subscript(index: Int) -> HTTPJSON {
        guard case .array(let elements) = self, elements.indices.contains(index) else {
            return .null
        }
        return elements[index]
    }

    /// The member of that name; nil, and not ``null``, when there is none or this is no object.
    public func member(_ name: String) -> HTTPJSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// Whether this is `null`; a subscript that finds nothing gives it too.
    public var isNull: Bool { self == .null }

    /// The truth value, if it is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, if it is one that `Int` can be exactly, such as `7`, `7.0` and `7e2`.
    public var int: Int? {
        switch self {
        case .integer(let value): value
        case .unsigned(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number, if it is one that `UInt` can be exactly.
    public var uint: UInt? {
        switch self {
        case .integer(let value): UInt(exactly: value)
        case .unsigned(let value): value
        case .number(let value): UInt(exactly: value)
        default: nil
        }
    }

    /// The number, if it is one; whole numbers beyond 2⁵³ become the nearest `Double`.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The text, if it is a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, if it is an array.
    public var array: [HTTPJSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members in their order, if it is an object.
    public var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension HTTPJSON: CustomStringConvertible {
    /// The value as JSON text without needless spaces; of what cannot be sent, the reason.
    public var description: String {
        do throws(JSONEncoding.EncodeError) {
            return String(decoding: try JSONEncoding.encode(self), as: UTF8.self)
        } catch {
            return "\(error)"
        }
    }
}

/// Says why bytes are not JSON text (RFC 8259), and where.
public struct HTTPJSONError: Error, Sendable, Hashable {
    /// Says what is wrong.
    @nonexhaustive public enum Reason: Sendable, Hashable {
        /// The text ends before its value does; so does an empty one.
        case unexpectedEnd
        /// A byte that may not stand there.
        case unexpectedByte(UInt8)
        /// Something follows the value.
        case trailingBytes
        /// The text begins with a byte order mark, which may not be sent (RFC 8259 §8.1).
        case byteOrderMark
        /// A string holds bytes that are not UTF-8.
        case invalidUTF8
        /// A string holds a control character that is not escaped, such as a line break.
        case controlCharacter(UInt8)
        /// A backslash is followed by something that is no escape.
        case invalidEscape
        /// An escape is one half of a pair that has no other, and so no character.
        case loneSurrogate
        /// A number is not spelled as JSON does, such as `01`, `1.` or `+1`.
        case malformedNumber
        /// A number is larger than any `Double`.
        case numberTooLarge
        /// Arrays and objects are nested deeper than so many levels.
        case tooDeep(limit: Int)
    }

    /// What is wrong.
    public let reason: Reason

    /// Counts the bytes before the fault.
    public let offset: Int

    /// Where in the value it is, such as `$.users[2].age`; `$` is the whole.
    public let path: String

    init(_ reason: Reason, offset: Int, path: String) {
        self.reason = reason
        self.offset = offset
        self.path = path
    }
}

extension HTTPJSONError: CustomStringConvertible {
    /// One line: what is wrong, and where.
    public var description: String { "\(reason) (byte \(offset), at \(path))" }
}

extension HTTPJSONError.Reason: CustomStringConvertible {
    /// What is wrong, in a few words.
    public var description: String {
        switch self {
        case .unexpectedEnd: "it ends before the value does"
        case .unexpectedByte(let byte) where byte > 0x20 && byte < 0x7F:
            "a \"\(Character(UnicodeScalar(byte)))\" may not stand there"
        case .unexpectedByte(let byte): "the byte \(byte) may not stand there"
        case .trailingBytes: "something follows the value"
        case .byteOrderMark: "it begins with a byte order mark"
        case .invalidUTF8: "a string is not UTF-8"
        case .controlCharacter(let byte):
            "a string holds the control character \(byte), which must be escaped"
        case .invalidEscape: "a backslash is followed by something that is no escape"
        case .loneSurrogate: "half a surrogate pair is no character"
        case .malformedNumber: "a number is not spelled as JSON does"
        case .numberTooLarge: "a number is larger than a Double can be"
        case .tooDeep(let limit): "it has more than \(limit) levels"
        }
    }
}
