package import Wire

/// The validators of a response (RFC 9110 §8.8).
///
/// A malformed field, and one with several different values, counts as missing.
package struct CacheValidators: Sendable, Hashable {
    /// The entity tag.
    package let entityTag: EntityTag?
    /// The date of the last change.
    package let lastModified: HTTPDate?
    /// Whether ``lastModified`` is at least a second before Date, and so a strong validator (RFC 9110 §8.8.2.2).
    let isDateStrong: Bool
    /// Last-Modified as received, because servers may compare the text.
    private let lastModifiedText: String?

    /// Reads the validators of a response.
    package init(_ headers: HTTPHeaders) {
        entityTag = headers.entityTag
        lastModified = headers.lastModified
        lastModifiedText = lastModified == nil ? nil : headers[.lastModified]
        isDateStrong =
            lastModified.flatMap { changed in headers.date.map { changed < $0 } } ?? false
    }

    /// Whether there is no validator.
    package var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// Whether one of the validators identifies the bytes of the representation.
    ///
    /// Representations with the same weak tag may differ in bytes, so a date does not help then.
    var isStrong: Bool {
        entityTag.map { $0.strength == .strong } ?? isDateStrong
    }

    /// The fields that make a request conditional; empty without a validator (RFC 9111 §4.3.1).
    ///
    /// If-None-Match for the tag and If-Modified-Since for the date. Origins that know both ignore the date.
    package var conditions: HTTPHeaders {
        var fields: HTTPHeaders = [:]
        if let entityTag { fields.append(.ifNoneMatch, entityTag.description) }
        if let lastModifiedText { fields.append(.ifModifiedSince, lastModifiedText) }
        return fields
    }

    /// Returns whether both responses have the same strong validator.
    ///
    /// If either has an entity tag, only tags count.
    func isSameStrong(as other: CacheValidators) -> Bool {
        if entityTag != nil || other.entityTag != nil {
            guard let entityTag, let tag = other.entityTag else { return false }
            return entityTag.matches(tag, by: .strong)
        }
        return isDateStrong && other.isDateStrong && lastModified == other.lastModified
    }

    /// Returns whether both responses have the same validator, strong or weak.
    ///
    /// If either has an entity tag, only tags count.
    func isSameWeak(as other: CacheValidators) -> Bool {
        if entityTag != nil || other.entityTag != nil {
            guard let entityTag, let tag = other.entityTag else { return false }
            return entityTag.matches(tag, by: .weak)
        }
        return lastModified != nil && lastModified == other.lastModified
    }
}
