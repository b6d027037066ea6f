// To change which fields can be trailers, change this file. The closure that computes the trailers of a request is in
// `HTTPBody+Trailers` of HTTPClient; the task in `StreamedUpload` calls it. The tests are `TrailerRulesTests`,
// `RequestTrailerTests` and `ResponseTrailerTests`.

/// The fields that a trailer section must not contain (RFC 9110 §6.5.1).
///
/// Recipients frame, route, authorize and decode a message before its content, and never use
/// trailers for this. Only a recipient that merges trailers into the head would act on such a field
/// in a trailer section. Attackers use this for request smuggling. Therefore the encoders never
/// send such a field, and a strict ``ServerExchange`` rejects a section that contains one.
package enum TrailerRules {
    /// The forbidden fields, grouped as in the RFC.
    ///
    /// Date, ETag, Accept-Ranges and Authentication-Info are allowed, because they describe the
    /// content that was sent.
    package static let forbidden: [FieldName] = [
        // Message framing and the connection.
        .transferEncoding, .contentLength, .te, .trailer, .connection, .keepAlive, .upgrade,
        // Routing.
        .host, .maxForwards,
        // Request modifiers.
        .expect, .range, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange,
        .cacheControl, .pragma,
        // Authentication, including cookies.
        .authorization, .proxyAuthorization, .wwwAuthenticate, .proxyAuthenticate, .cookie,
        .setCookie,
        // Response controls.
        .age, .expires, .location, .retryAfter, .vary,
        // The format of the content.
        .contentEncoding, .contentType, .contentRange,
    ]

    /// Returns the index of the first forbidden field.
    ///
    /// Names that are not in ``KnownFieldNames`` are allowed, because their definitions are unknown
    /// here.
    static func firstForbidden(in storage: FieldStorage, from start: Int = 0) -> Int? {
        for index in start..<storage.entryCount where isForbidden[Int(storage[index].number)] {
            return index
        }
        return nil
    }

    /// Returns whether the field determines where a message ends.
    static func isFraming(_ entry: FieldEntry) -> Bool {
        entry.number == FieldName.contentLength.number
            || entry.number == FieldName.transferEncoding.number
    }

    /// Whether a known name is forbidden, by its number; 0 represents all other names.
    private static let isForbidden = {
        var table = [Bool](repeating: false, count: FieldName.known.count + 1)
        for name in forbidden { table[Int(name.number)] = true }
        return table
    }()
}
