#if Foundation
public import FoundationEssentials

extension URL: HTTPParameterConvertible {
    /// The whole URL, as text.
    public var parameterValue: HTTPParameterValue { .string(absoluteString) }
}

extension UUID: HTTPParameterConvertible {
    /// The usual text, in capitals.
    public var parameterValue: HTTPParameterValue { .string(uuidString) }
}

extension Decimal: HTTPParameterConvertible {
    /// Its digits, as text, so that none is lost.
    public var parameterValue: HTTPParameterValue { .string(description) }
}
#endif
