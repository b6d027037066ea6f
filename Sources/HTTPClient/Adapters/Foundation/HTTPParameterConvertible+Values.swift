#if Foundation
public import FoundationEssentials

extension URL: HTTPParameterConvertible {
    /// The absolute URL as text.
    public var parameterValue: HTTPParameterValue { .string(absoluteString) }
}

extension UUID: HTTPParameterConvertible {
    /// The identifier as text, in upper case.
    public var parameterValue: HTTPParameterValue { .string(uuidString) }
}

extension Decimal: HTTPParameterConvertible {
    /// The decimal digits as text, so that no precision is lost.
    public var parameterValue: HTTPParameterValue { .string(description) }
}

extension Date: HTTPParameterConvertible {
    /// The date as a parameter value.
    public var parameterValue: HTTPParameterValue {
        .date(secondsSince1970: timeIntervalSince1970)
    }
}

extension HTTPParameterValue {
    /// Creates a value from a date.
    public static func date(_ date: Date) -> HTTPParameterValue {
        .date(secondsSince1970: date.timeIntervalSince1970)
    }
}

extension Date: HTTPJSONConvertible {
    /// The number of seconds since the start of 2001, as a `JSONEncoder` without settings encodes
    /// it.
    public var jsonValue: HTTPJSON { .number(timeIntervalSinceReferenceDate) }
}

extension UUID: HTTPJSONConvertible {
    /// The text of the identifier.
    public var jsonValue: HTTPJSON { .string(uuidString) }
}

extension URL: HTTPJSONConvertible {
    /// The absolute URL as text.
    public var jsonValue: HTTPJSON { .string(absoluteString) }
}
#endif
