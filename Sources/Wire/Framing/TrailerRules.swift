/// Tells which fields a trailer section may not hold (RFC 9110 §6.5.1).
///
/// Whoever frames, routes, authorises or decodes a message does so before its content, and never
/// looks at the trailers. A field about these that stands there is believed only by a recipient that
/// merges trailers into the head: that is how messages are smuggled. So nothing of the kind is sent,
/// and a strict reader refuses a section that holds it.
package enum TrailerRules {
    /// Lists the fields, by the groups of the RFC.
    ///
    /// Date, ETag, Accept-Ranges and Authentication-Info are none of them: they are facts about what
    /// was sent.
    package static let forbidden: [FieldName] = [
        // Message framing, and the connection.
        .transferEncoding, .contentLength, .te, .trailer, .connection, .keepAlive, .upgrade,
        // Routing.
        .host, .maxForwards,
        // Request modifiers.
        .expect, .range, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange,
        .cacheControl, .pragma,
        // Authentication, cookies among it.
        .authorization, .proxyAuthorization, .wwwAuthenticate, .proxyAuthenticate, .cookie,
        .setCookie,
        // Response controls.
        .age, .expires, .location, .retryAfter, .vary,
        // The format of the content.
        .contentEncoding, .contentType, .contentRange,
    ]

    /// Finds the first field that may not stand there.
    ///
    /// Names that are not in ``KnownFieldNames`` may: their definitions are not ours to know.
    static func firstForbidden(in storage: FieldStorage, from start: Int = 0) -> Int? {
        for index in start..<storage.entryCount where isForbidden[Int(storage[index].number)] {
            return index
        }
        return nil
    }

    /// Says whether the field decides where a message ends.
    static func isFraming(_ entry: FieldEntry) -> Bool {
        entry.number == FieldName.contentLength.number
            || entry.number == FieldName.transferEncoding.number
    }

    /// Says it for each number of a known name; 0 stands for all other names.
    private static let isForbidden = {
        var table = [Bool](repeating: false, count: FieldName.known.count + 1)
        for name in forbidden { table[Int(name.number)] = true }
        return table
    }()
}
