public import Wire

extension HTTPParameters {
    /// The value of a parameter of a query, a form or a URI template.
    public enum ParameterValue: Sendable, Hashable {
        /// Text, encoded as needed.
        case string(String)
        /// A whole number.
        case int(Int)
        /// Any other number; NaN, infinity and negative zero are rejected when the value is used.
        case double(Double)
        /// A Boolean, spelled according to ``HTTPParameters/Style/bool``.
        case bool(Bool)
        /// A date in seconds since 1970 (UTC), spelled according to ``HTTPParameters/Style/date``.
        case date(secondsSince1970: Double)
        /// Several values under one name, spelled according to ``HTTPParameters/Style/array``.
        case array([ParameterValue])
        /// Parameters within a parameter: `name[inner]=value`.
        case object(HTTPParameters)
        /// The name alone, without `=`; in a URI template, an undefined value.
        case null

        /// Returns the value of a date.
        public static func date(_ date: HTTPDate) -> ParameterValue {
            .date(secondsSince1970: Double(date.secondsSince1970))
        }
    }
}

extension HTTPParameters.ParameterValue: ExpressibleByStringLiteral,
    ExpressibleByStringInterpolation
{
    /// Creates a text value.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension HTTPParameters.ParameterValue: ExpressibleByIntegerLiteral {
    /// Creates a whole number.
    public init(integerLiteral value: Int) { self = .int(value) }
}

extension HTTPParameters.ParameterValue: ExpressibleByFloatLiteral {
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension HTTPParameters.ParameterValue: ExpressibleByBooleanLiteral {
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension HTTPParameters.ParameterValue: ExpressibleByNilLiteral {
    /// Creates ``null``.
    public init(nilLiteral: ()) { self = .null }
}

extension HTTPParameters.ParameterValue: ExpressibleByArrayLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: HTTPParameters.ParameterValue...) { self = .array(elements) }
}

extension HTTPParameters.ParameterValue: ExpressibleByDictionaryLiteral {
    /// Creates parameters within a parameter, in the order written.
    public init(dictionaryLiteral elements: (String, HTTPParameters.ParameterValue)...) {
        self = .object(HTTPParameters(elements.map { HTTPParameters.Element($0.0, $0.1) }))
    }
}

extension HTTPParameters {
    /// The reason why a value is not allowed in a query or a form.
    @nonexhaustive public enum EncodingError: Error, Sendable, Hashable {
        /// The value is NaN.
        case notANumber
        /// The value is infinite.
        case infinite
        /// The value is a negative zero, which receivers interpret in two different ways.
        case negativeZero
        /// A date is outside the years 0000 to 9999.
        case dateOutOfRange
        /// An array that is joined with commas contains an array or an object.
        case nestedInCommaList
        /// The encoded value, such as an array, has no names, but each parameter needs one.
        case notAnObject
        /// Encoding a value threw this error.
        case thrown(description: String)
        /// An encoded value is nested deeper than this many levels, or contains itself.
        case tooDeep(limit: Int)
        /// A value of that type cannot be a parameter.
        case unsupportedType(String)
    }
}

extension HTTPParameters.EncodingError: CustomStringConvertible {
    /// A short description of the error.
    public var description: String {
        switch self {
        case .notANumber: "it is not a number: omit it, or pass text"
        case .infinite: "it is infinite: omit it, or pass text"
        case .negativeZero: "it is a negative zero: use 0, or pass text"
        case .dateOutOfRange: "it is outside the years 0000 to 9999: pass text"
        case .nestedInCommaList: "an array joined with commas can contain plain values only"
        case .notAnObject: "its parts have no names: use a struct or a dictionary"
        case .thrown(let description): "encoding it failed: \(description)"
        case .tooDeep(let limit): "it has more than \(limit) levels"
        case .unsupportedType(let type):
            "a \(type) cannot be a parameter: pass text, or an Encodable value"
        }
    }
}

extension HTTPParameters {
    /// A type whose values can be used in a query, a form or a URI template.
    ///
    /// Text, numbers, Booleans, arrays, dictionaries and optionals of such values conform, as does ``HTTPJSON``, and
    /// with the trait Foundation so does `Date`. A type that is ``HTTPJSON/Convertible`` needs an empty extension;
    /// other types can conform by returning their own value.
    public protocol Convertible: Sendable {
        /// The value as a parameter.
        var parameterValue: ParameterValue { get }
    }
}

extension HTTPParameters.ParameterValue: HTTPParameters.Convertible {
    /// The value itself.
    public var parameterValue: HTTPParameters.ParameterValue { self }
}

extension HTTPParameters: HTTPParameters.Convertible {
    /// An object, its members in this order.
    public var parameterValue: ParameterValue { .object(self) }
}

// A value of JSON is a parameter of the same kind, so these types need one conversion for both.
extension HTTPParameters.Convertible where Self: HTTPJSON.Convertible {
    /// The JSON value as a parameter; a whole number beyond the range of `Int` is text with the same digits.
    public var parameterValue: HTTPParameters.ParameterValue {
        HTTPParameters.ParameterValue(jsonValue)
    }
}

extension HTTPJSON: HTTPParameters.Convertible {}
extension String: HTTPParameters.Convertible {}
extension Substring: HTTPParameters.Convertible {}
extension Bool: HTTPParameters.Convertible {}
extension Double: HTTPParameters.Convertible {}
extension Float: HTTPParameters.Convertible {}
extension Int: HTTPParameters.Convertible {}
extension Int8: HTTPParameters.Convertible {}
extension Int16: HTTPParameters.Convertible {}
extension Int32: HTTPParameters.Convertible {}
extension Int64: HTTPParameters.Convertible {}
extension UInt: HTTPParameters.Convertible {}
extension UInt8: HTTPParameters.Convertible {}
extension UInt16: HTTPParameters.Convertible {}
extension UInt32: HTTPParameters.Convertible {}
extension UInt64: HTTPParameters.Convertible {}

extension HTTPParameters.ParameterValue {
    fileprivate init(_ json: HTTPJSON) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let number): self = .int(number)
        case .unsigned(let number):
            self = Int(exactly: number).map { .int($0) } ?? .string("\(number)")
        case .number(let number): self = .double(number)
        case .string(let text): self = .string(text)
        case .array(let values): self = .array(values.map { Self($0) })
        case .object(let members):
            self = .object(
                HTTPParameters(members.map { HTTPParameters.Element($0.name, Self($0.value)) })
            )
        }
    }
}

extension Array: HTTPParameters.Convertible where Element: HTTPParameters.Convertible {
    /// An array.
    public var parameterValue: HTTPParameters.ParameterValue { .array(map(\.parameterValue)) }
}

extension Dictionary: HTTPParameters.Convertible
where Key == String, Value: HTTPParameters.Convertible {
    /// An object with its members sorted by name, because a dictionary has no order.
    public var parameterValue: HTTPParameters.ParameterValue {
        .object(
            HTTPParameters(
                sorted { $0.key < $1.key }
                    .map { HTTPParameters.Element($0.key, $0.value.parameterValue) }
            )
        )
    }
}

extension Optional: HTTPParameters.Convertible where Wrapped: HTTPParameters.Convertible {
    /// The wrapped value, or ``HTTPParameters/ParameterValue/null``.
    public var parameterValue: HTTPParameters.ParameterValue { map(\.parameterValue) ?? .null }
}

extension HTTPParameters.ParameterValue: CustomStringConvertible, CustomReflectable {
    /// The kind of the value, such as `a text of 7 bytes`.
    ///
    /// A value without its name may be a secret; ``HTTPParameters`` shows values.
    public var description: String {
        switch self {
        case .string(let text): "a text of \(text.utf8.count) bytes"
        case .int, .double: "a number"
        case .bool: "a Boolean"
        case .date: "a date"
        case .array(let values): "\(values.count) values"
        case .object(let parameters): "\(parameters.count) parameters"
        case .null: "null"
        }
    }

    /// Only ``description``, so that dump(_:) shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }

    /// The value under a name that is no secret.
    package var shown: String {
        switch self {
        case .string(let text): LogText.line(text)
        case .int(let number): "\(number)"
        case .double(let number), .date(let number): "\(number)"
        case .bool(let value): "\(value)"
        case .array(let values): "[\(values.map(\.shown).joined(separator: ", "))]"
        case .object(let parameters): "{\(parameters)}"
        case .null: "null"
        }
    }
}
