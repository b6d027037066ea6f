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
