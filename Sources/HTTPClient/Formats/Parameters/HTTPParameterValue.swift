public import Wire

/// Holds the value of a parameter: of a query, a form, or a URI template.
public enum HTTPParameterValue: Sendable, Hashable {
    /// Text, encoded as needed.
    case string(String)
    /// A whole number.
    case int(Int)
    /// Any other number; what is no number, infinite, or a negative zero is refused when it is used.
    case double(Double)
    /// Spelled as ``HTTPParameterStyle/bool`` says.
    case bool(Bool)
    /// A moment, in seconds since the beginning of 1970 in UTC; spelled as ``HTTPParameterStyle/date``
    /// says.
    case date(secondsSince1970: Double)
    /// Values under one name, spelled as ``HTTPParameterStyle/array`` says.
    case array([HTTPParameterValue])
    /// Parameters within a parameter: `name[inner]=value`.
    case object(HTTPParameters)
    /// The name alone, without `=`; in a URI template, no value at all.
    case null

    /// Makes a value of a moment.
    public static func date(_ date: HTTPDate) -> HTTPParameterValue {
        .date(secondsSince1970: Double(date.secondsSince1970))
    }
}

extension HTTPParameterValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Makes text.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension HTTPParameterValue: ExpressibleByIntegerLiteral {
    /// Makes a whole number.
    public init(integerLiteral value: Int) { self = .int(value) }
}

extension HTTPParameterValue: ExpressibleByFloatLiteral {
    /// Makes a number.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension HTTPParameterValue: ExpressibleByBooleanLiteral {
    /// Makes a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension HTTPParameterValue: ExpressibleByNilLiteral {
    /// Makes ``null``.
    public init(nilLiteral: ()) { self = .null }
}

extension HTTPParameterValue: ExpressibleByArrayLiteral {
    /// Makes an array.
    public init(arrayLiteral elements: HTTPParameterValue...) { self = .array(elements) }
}

extension HTTPParameterValue: ExpressibleByDictionaryLiteral {
    /// Makes parameters within a parameter, in the order written.
    public init(dictionaryLiteral elements: (String, HTTPParameterValue)...) {
        self = .object(HTTPParameters(elements.map { HTTPParameters.Element($0.0, $0.1) }))
    }
}

/// Says why a value cannot stand in a query or a form.
@nonexhaustive public enum HTTPParameterError: Error, Sendable, Hashable {
    /// A floating-point value that is no number.
    case notANumber
    /// An infinite number.
    case infinite
    /// A zero with a minus sign, which readers take for two different things.
    case negativeZero
    /// A moment outside the years 0000 to 9999.
    case dateOutOfRange
    /// An array or an object within an array that is joined with commas.
    case nestedInCommaList
    /// An encoded value without names, such as an array, where each parameter needs one.
    case notAnObject
    /// A value could not be encoded, for the reason it gave.
    case thrown(description: String)
    /// An encoded value has more than so many levels, or holds itself.
    case tooDeep(limit: Int)
    /// A value of that type is no parameter.
    case unsupportedType(String)
}

extension HTTPParameterError: CustomStringConvertible {
    /// What is wrong, in a few words.
    public var description: String {
        switch self {
        case .notANumber: "it is not a number: leave it out, or give text"
        case .infinite: "it is infinite: leave it out, or give text"
        case .negativeZero: "it is a zero with a minus sign: say 0, or give text"
        case .dateOutOfRange: "it lies outside the years 0000 to 9999: give text"
        case .nestedInCommaList: "an array joined with commas holds plain values only"
        case .notAnObject: "its parts have no names: give a struct or a dictionary"
        case .thrown(let description): "encoding it failed: \(description)"
        case .tooDeep(let limit): "it has more than \(limit) levels"
        case .unsupportedType(let type):
            "a \(type) is no parameter: give text, or what is Encodable"
        }
    }
}

/// Tells how a value of some type stands in a query, a form or a URI template.
///
/// Text, numbers, truth values, arrays, dictionaries and optionals of such do, and with the trait
/// Foundation so does `Date`. Types of yours can say it for themselves.
public protocol HTTPParameterConvertible: Sendable {
    /// The value as a parameter.
    var parameterValue: HTTPParameterValue { get }
}

extension HTTPParameterValue: HTTPParameterConvertible {
    /// The value itself.
    public var parameterValue: HTTPParameterValue { self }
}

extension HTTPParameters: HTTPParameterConvertible {
    /// An object, its members in this order.
    public var parameterValue: HTTPParameterValue { .object(self) }
}

extension String: HTTPParameterConvertible {
    /// Text.
    public var parameterValue: HTTPParameterValue { .string(self) }
}

extension Substring: HTTPParameterConvertible {
    /// Text.
    public var parameterValue: HTTPParameterValue { .string(String(self)) }
}

extension Bool: HTTPParameterConvertible {
    /// A truth value.
    public var parameterValue: HTTPParameterValue { .bool(self) }
}

extension Double: HTTPParameterConvertible {
    /// A number.
    public var parameterValue: HTTPParameterValue { .double(self) }
}

extension Float: HTTPParameterConvertible {
    /// A number, in the digits that tell this one from its neighbours.
    public var parameterValue: HTTPParameterValue {
        // By way of its digits: 0.1 stays 0.1, and does not become 0.10000000149011612.
        .double(Double("\(self)") ?? Double(self))
    }
}

extension HTTPParameterConvertible where Self: BinaryInteger {
    /// A whole number; one beyond the range of `Int` as text, which reads the same.
    public var parameterValue: HTTPParameterValue {
        Int(exactly: self).map { .int($0) } ?? .string("\(self)")
    }
}

extension Int: HTTPParameterConvertible {}
extension Int8: HTTPParameterConvertible {}
extension Int16: HTTPParameterConvertible {}
extension Int32: HTTPParameterConvertible {}
extension Int64: HTTPParameterConvertible {}
extension UInt: HTTPParameterConvertible {}
extension UInt8: HTTPParameterConvertible {}
extension UInt16: HTTPParameterConvertible {}
extension UInt32: HTTPParameterConvertible {}
extension UInt64: HTTPParameterConvertible {}

extension Array: HTTPParameterConvertible where Element: HTTPParameterConvertible {
    /// An array.
    public var parameterValue: HTTPParameterValue { .array(map(\.parameterValue)) }
}

extension Dictionary: HTTPParameterConvertible
where Key == String, Value: HTTPParameterConvertible {
    /// An object, its members sorted by name, as a dictionary has no order of its own.
    public var parameterValue: HTTPParameterValue {
        .object(
            HTTPParameters(
                sorted { $0.key < $1.key }
                    .map { HTTPParameters.Element($0.key, $0.value.parameterValue) }
            )
        )
    }
}

extension Optional: HTTPParameterConvertible where Wrapped: HTTPParameterConvertible {
    /// The value that is there, else ``HTTPParameterValue/null``.
    public var parameterValue: HTTPParameterValue { map(\.parameterValue) ?? .null }
}
