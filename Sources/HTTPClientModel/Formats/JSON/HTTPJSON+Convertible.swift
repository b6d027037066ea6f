internal import Synchronization

extension HTTPJSON {
    /// A type whose values can be used in a JSON literal, as variables or as results of expressions.
    ///
    ///     request.body = .json(["title": title, "tags": tags, "due": dueDate, "author": ["id": user.id]])
    ///
    /// Text, numbers, Booleans, arrays and optionals of such values conform, as does ``HTTPJSON``. With the trait
    /// Foundation, `Date`, `UUID` and `URL` conform too. An enum with raw values needs an empty extension; other
    /// types need one property:
    ///
    ///     extension Priority: HTTPJSON.Convertible {}  // enum Priority: String
    ///     extension Point: HTTPJSON.Convertible { var jsonValue: HTTPJSON { ["x": .number(x), "y": .number(y)] } }
    public protocol Convertible: Sendable {
        /// The value as JSON.
        var jsonValue: HTTPJSON { get }
    }
}

extension HTTPJSON {
    /// A dictionary or array literal of values that are ``HTTPJSON/Convertible``, in the order written.
    ///
    /// Nested literals keep their order too. All elements of a nested array have one type: write
    /// `HTTPJSON([1, name])` to mix variables of several types.
    public struct Literal: Sendable, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
        package let json: HTTPJSON

        /// Creates an object of the members in their order.
        public init(dictionaryLiteral members: (String, (any Convertible)?)...) {
            json = .object(members.map { Member($0.0, $0.1?.jsonValue ?? .null) })
        }

        /// Creates an array.
        public init(arrayLiteral elements: (any Convertible)?...) {
            json = .array(elements.map { $0?.jsonValue ?? .null })
        }
    }

    /// The name of a member in a nested literal.
    ///
    /// A dictionary does not keep the order of its literal, so this type numbers the names as they are written.
    /// No two names are equal, so that a repeated name causes an error on sending and not a trap.
    public struct MemberName: Sendable, Hashable, ExpressibleByStringInterpolation {
        private static let count = Atomic<UInt64>(0)

        /// The name.
        public let name: String
        package let position: UInt64

        /// Creates a name that sorts after all names created before.
        public init(_ name: String) {
            self.name = name
            position = Self.count.add(1, ordering: .relaxed).newValue
        }

        /// Creates a name that sorts after all names created before.
        public init(stringLiteral name: String) {
            self.init(name)
        }

        /// Compares the positions at which the names were written.
        public static func == (left: MemberName, right: MemberName) -> Bool {
            left.position == right.position
        }

        /// Hashes the position.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(position)
        }
    }

    /// Creates an object or an array from a literal with variables.
    public init(_ literal: Literal) {
        self = literal.json
    }
}

extension HTTPJSON: HTTPJSON.Convertible {
    /// The value itself.
    public var jsonValue: HTTPJSON { self }
}

extension String: HTTPJSON.Convertible {
    /// A JSON string.
    public var jsonValue: HTTPJSON { .string(self) }
}

extension Substring: HTTPJSON.Convertible {
    /// A JSON string.
    public var jsonValue: HTTPJSON { .string(String(self)) }
}

extension Bool: HTTPJSON.Convertible {
    /// `true` or `false`.
    public var jsonValue: HTTPJSON { .bool(self) }
}

extension Double: HTTPJSON.Convertible {
    /// A number; infinity and NaN cannot be sent.
    public var jsonValue: HTTPJSON { .number(self) }
}

extension Float: HTTPJSON.Convertible {
    /// A number with the digits of its description: 0.1 does not become 0.10000000149011612.
    public var jsonValue: HTTPJSON { .number(Double("\(self)") ?? Double(self)) }
}

extension HTTPJSON.Convertible where Self: BinaryInteger {
    /// A number without a fraction.
    public var jsonValue: HTTPJSON {
        if let value = Int(exactly: self) { return .integer(value) }
        return UInt(exactly: self).map { .unsigned($0) } ?? .number(Double(self))
    }
}

extension Int: HTTPJSON.Convertible {}
extension Int8: HTTPJSON.Convertible {}
extension Int16: HTTPJSON.Convertible {}
extension Int32: HTTPJSON.Convertible {}
extension Int64: HTTPJSON.Convertible {}
extension UInt: HTTPJSON.Convertible {}
extension UInt8: HTTPJSON.Convertible {}
extension UInt16: HTTPJSON.Convertible {}
extension UInt32: HTTPJSON.Convertible {}
extension UInt64: HTTPJSON.Convertible {}

extension HTTPJSON.Convertible where Self: RawRepresentable, RawValue: HTTPJSON.Convertible {
    /// The raw value.
    public var jsonValue: HTTPJSON { rawValue.jsonValue }
}

extension Array: HTTPJSON.Convertible where Element: HTTPJSON.Convertible {
    /// An array.
    public var jsonValue: HTTPJSON { .array(map(\.jsonValue)) }
}

extension Optional: HTTPJSON.Convertible where Wrapped: HTTPJSON.Convertible {
    /// The wrapped value, or `null`.
    public var jsonValue: HTTPJSON { map(\.jsonValue) ?? .null }
}

/// A dictionary literal inside another literal; its members keep the order in which they were written.
extension Dictionary: HTTPJSON.Convertible
where Key == HTTPJSON.MemberName, Value == (any HTTPJSON.Convertible)? {
    /// An object, its members in the order written.
    public var jsonValue: HTTPJSON {
        .object(
            sorted { $0.key.position < $1.key.position }
                .map { HTTPJSON.Member($0.key.name, $0.value?.jsonValue ?? .null) }
        )
    }
}
