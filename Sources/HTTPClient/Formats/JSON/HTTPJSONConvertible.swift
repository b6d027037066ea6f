internal import Synchronization

/// A type whose values can stand in a JSON literal, as variables or as results of expressions.
///
///     request.body = .json(["title": title, "tags": tags, "due": dueDate, "author": ["id": user.id]])
///
/// Text, numbers, Booleans, arrays and optionals of such values, and ``HTTPJSON`` conform; with the trait
/// Foundation so do `Date`, `UUID` and `URL`. An enum with raw values needs an empty extension, other types
/// one property:
///
///     extension Priority: HTTPJSONConvertible {}  // enum Priority: String
///     extension Point: HTTPJSONConvertible { var jsonValue: HTTPJSON { ["x": .number(x), "y": .number(y)] } }
public protocol HTTPJSONConvertible: Sendable {
    /// The value as JSON.
    var jsonValue: HTTPJSON { get }
}

extension HTTPJSON {
    /// A dictionary or array literal of values that are ``HTTPJSONConvertible``, in the order written.
    ///
    /// Literals inside keep their order too. Arrays inside have elements of one type: write
    /// `HTTPJSON([1, name])` for one that mixes variables of several.
    public struct Literal: Sendable, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
        let json: HTTPJSON

        /// Makes an object of the members in their order.
        public init(dictionaryLiteral members: (String, (any HTTPJSONConvertible)?)...) {
            json = .object(members.map { Member($0.0, $0.1?.jsonValue ?? .null) })
        }

        /// Makes an array.
        public init(arrayLiteral elements: (any HTTPJSONConvertible)?...) {
            json = .array(elements.map { $0?.jsonValue ?? .null })
        }
    }

    /// The name of a member in a literal that stands inside another.
    ///
    /// A dictionary forgets the order of its literal; this type numbers the names as they are written. Two
    /// are never equal, so that a name which is written twice becomes an error of sending and not a trap.
    public struct MemberName: Sendable, Hashable, ExpressibleByStringInterpolation {
        private static let count = Atomic<UInt64>(0)

        /// The name.
        public let name: String
        let position: UInt64

        /// Makes a name that follows all names made before.
        public init(_ name: String) {
            self.name = name
            position = Self.count.add(1, ordering: .relaxed).newValue
        }

        /// Makes a name that follows all names made before.
        public init(stringLiteral name: String) {
            self.init(name)
        }

        /// Compares where the names were written.
        public static func == (left: MemberName, right: MemberName) -> Bool {
            left.position == right.position
        }

        /// Feeds the position to the hasher.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(position)
        }
    }

    /// Makes an object or an array of a literal with variables in it.
    public init(_ literal: Literal) {
        self = literal.json
    }
}

extension HTTPJSON: HTTPJSONConvertible {
    /// The value itself.
    public var jsonValue: HTTPJSON { self }
}

extension String: HTTPJSONConvertible {
    /// Text.
    public var jsonValue: HTTPJSON { .string(self) }
}

extension Substring: HTTPJSONConvertible {
    /// Text.
    public var jsonValue: HTTPJSON { .string(String(self)) }
}

extension Bool: HTTPJSONConvertible {
    /// `true` or `false`.
    public var jsonValue: HTTPJSON { .bool(self) }
}

extension Double: HTTPJSONConvertible {
    /// A number; infinity and NaN cannot be sent.
    public var jsonValue: HTTPJSON { .number(self) }
}

extension Float: HTTPJSONConvertible {
    /// A number, in the digits of its description: 0.1 does not become 0.10000000149011612.
    public var jsonValue: HTTPJSON { .number(Double("\(self)") ?? Double(self)) }
}

extension HTTPJSONConvertible where Self: BinaryInteger {
    /// A number without a fraction.
    public var jsonValue: HTTPJSON {
        if let value = Int(exactly: self) { return .integer(value) }
        return UInt(exactly: self).map { .unsigned($0) } ?? .number(Double(self))
    }
}

extension Int: HTTPJSONConvertible {}
extension Int8: HTTPJSONConvertible {}
extension Int16: HTTPJSONConvertible {}
extension Int32: HTTPJSONConvertible {}
extension Int64: HTTPJSONConvertible {}
extension UInt: HTTPJSONConvertible {}
extension UInt8: HTTPJSONConvertible {}
extension UInt16: HTTPJSONConvertible {}
extension UInt32: HTTPJSONConvertible {}
extension UInt64: HTTPJSONConvertible {}

extension HTTPJSONConvertible where Self: RawRepresentable, RawValue: HTTPJSONConvertible {
    /// The raw value.
    public var jsonValue: HTTPJSON { rawValue.jsonValue }
}

extension Array: HTTPJSONConvertible where Element: HTTPJSONConvertible {
    /// An array.
    public var jsonValue: HTTPJSON { .array(map(\.jsonValue)) }
}

extension Optional: HTTPJSONConvertible where Wrapped: HTTPJSONConvertible {
    /// The wrapped value, or `null`.
    public var jsonValue: HTTPJSON { map(\.jsonValue) ?? .null }
}

/// A dictionary literal inside another literal; the keys keep the order in which it was written.
extension Dictionary: HTTPJSONConvertible
where Key == HTTPJSON.MemberName, Value == (any HTTPJSONConvertible)? {
    /// An object, its members in the order written.
    public var jsonValue: HTTPJSON {
        .object(
            sorted { $0.key.position < $1.key.position }
                .map { HTTPJSON.Member($0.key.name, $0.value?.jsonValue ?? .null) }
        )
    }
}
