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
