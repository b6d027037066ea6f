#if Foundation
public import FoundationEssentials

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
#endif
