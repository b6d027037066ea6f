#if Foundation
public import FoundationEssentials

extension Date: HTTPParameterConvertible {
    /// A moment.
    public var parameterValue: HTTPParameterValue {
        .date(secondsSince1970: timeIntervalSince1970)
    }
}

extension HTTPParameterValue {
    /// Makes a value of a moment.
    public static func date(_ date: Date) -> HTTPParameterValue {
        .date(secondsSince1970: date.timeIntervalSince1970)
    }
}
#endif
