#if Foundation
public import FoundationEssentials

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
