#if HTTPTypes
public import HTTPTypes
public import Wire

extension HTTPHeaders {
    /// Makes a section of the fields of swift-http-types.
    ///
    /// Order, spelling, repeats and bytes are kept. Their `indexingStrategy`, which HTTP/1.1 has
    /// no use for, is left behind.
    public init(_ fields: HTTPTypes.HTTPFields) {
        self.init()
        for field in fields {
            // SAFETY: the bytes are copied before the closure returns.
            let bytes = unsafe field.withUnsafeBytesOfValue { unsafe [UInt8]($0) }
            append(FieldName(field.name.rawName), bytes: bytes)
        }
    }
}

extension HTTPTypes.HTTPFields {
    /// Makes the fields of swift-http-types of a section.
    ///
    /// Order, spelling, repeats and bytes are kept. The `value` of a field there is text in UTF-8:
    /// bytes that are none, such as `é` in Latin-1, show as U+FFFD in it, and are still there
    /// (`withUnsafeBytesOfValue`, and on the way back).
    ///
    /// - Throws: `.invalidRequest(.refused(…))` for what those types cannot hold and HTTP does not
    ///   allow: a name that is no token, and CR, LF or NUL in a value. No received section has
    ///   them.
    public init(_ headers: HTTPHeaders) throws(HTTPError) {
        self.init()
        for (index, field) in headers.enumerated() {
            guard let name = HTTPTypes.HTTPField.Name(field.name) else {
                throw HTTPError(
                    .invalidRequest(.refused(.invalidFieldName(index: index))),
                    phase: .preparing
                )
            }
            let bytes = field.valueBytes
            guard !bytes.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
                throw HTTPError(
                    .invalidRequest(.refused(.invalidFieldValue(index: index))),
                    phase: .preparing
                )
            }
            append(HTTPTypes.HTTPField(name: name, lenientValue: bytes))
        }
    }
}
#endif
