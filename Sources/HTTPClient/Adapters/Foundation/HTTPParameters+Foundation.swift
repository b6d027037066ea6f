#if Foundation
public import FoundationEssentials

extension URL: HTTPParameters.Convertible {}
extension UUID: HTTPParameters.Convertible {}

extension Decimal: HTTPParameters.Convertible {
    /// The decimal digits as text, so that no precision is lost.
    public var parameterValue: HTTPParameters.ParameterValue { .string(description) }
}

extension Date: HTTPParameters.Convertible {
    /// The date as a parameter value.
    public var parameterValue: HTTPParameters.ParameterValue {
        .date(secondsSince1970: timeIntervalSince1970)
    }
}

extension Date: HTTPJSON.Convertible {
    /// The number of seconds since the start of 2001, as a `JSONEncoder` without settings encodes
    /// it.
    public var jsonValue: HTTPJSON { .number(timeIntervalSinceReferenceDate) }
}

extension UUID: HTTPJSON.Convertible {
    /// The text of the identifier.
    public var jsonValue: HTTPJSON { .string(uuidString) }
}

extension URL: HTTPJSON.Convertible {
    /// The absolute URL as text.
    public var jsonValue: HTTPJSON { .string(absoluteString) }
}
#endif
