#if Foundation
public import FoundationEssentials

extension Date: HTTPJSONConvertible {
    /// Seconds since the beginning of 2001, as a `JSONEncoder` without settings writes it.
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
