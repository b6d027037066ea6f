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
#endif
