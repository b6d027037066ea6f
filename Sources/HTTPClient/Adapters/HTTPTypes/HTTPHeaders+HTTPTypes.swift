#if HTTPTypes
public import HTTPTypes
public import Wire

extension HTTPHeaders {
    /// Creates header fields from those of swift-http-types.
    ///
    /// Order, spelling, repeated fields and bytes are kept. The `indexingStrategy` is dropped,
    /// because HTTP/1.1 does not use it.
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
    /// Creates the fields of swift-http-types from header fields.
    ///
    /// Order, spelling, repeated fields and bytes are kept. In swift-http-types the `value` of a
    /// field is UTF-8 text. Bytes that are not UTF-8, such as `é` in Latin-1, appear as U+FFFD in
    /// `value`. They are still available from `withUnsafeBytesOfValue`, and when converting back.
    ///
    /// - Throws: `.invalidRequest(.refused(…))` for fields that those types cannot represent and
    ///   HTTP does not allow: an invalid name, or CR, LF or NUL in a value. Received header fields
    ///   never have them.
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
