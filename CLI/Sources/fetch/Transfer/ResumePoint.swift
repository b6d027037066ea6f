package import HTTPClient

/// The position at which a download resumes, and the check of the response (RFC 9110 §14).
package struct ResumePoint: Sendable, Hashable {
    /// The number of bytes that exist already.
    package let offset: Int
    /// The entity tag that an earlier attempt received; nil when there was none.
    package var entityTag: EntityTag?

    package init(offset: Int, entityTag: EntityTag? = nil) {
        self.offset = offset
        self.entityTag = entityTag
    }

    /// The meaning of a response to a request for the rest.
    package enum Outcome: Sendable, Hashable {
        /// The body is the rest and has this many bytes.
        case remainder(bytes: Int)
        /// The file is complete already.
        case complete
        /// The response is not about the document; for example, it is an error.
        case other
        /// The response is about the document, but its body does not continue the existing bytes.
        case refused(reason: String)
    }

    /// The header fields that request the rest.
    package var fields: HTTPHeaders {
        var fields: HTTPHeaders = [.range: "bytes=\(offset)-"]
        if let entityTag { fields.append(.ifRange, entityTag.description) }
        return fields
    }

    /// Stores the entity tag of a response for the next attempt.
    package mutating func updateEntityTag(from headers: HTTPHeaders) {
        guard entityTag == nil, let tag = headers[.etag].flatMap({ EntityTag($0) }),
            tag.strength == .strong
        else { return }
        entityTag = tag
    }

    /// Evaluates a response.
    ///
    /// A part must begin where the existing bytes end, and reach the end of the document. Otherwise
    /// an incomplete file would look complete.
    package func evaluate(_ status: HTTPStatus, _ headers: HTTPHeaders) -> Outcome {
        switch status {
        case .partialContent: return part(headers)
        case .rangeNotSatisfiable:
            let values = headers.values(.contentRange)
            guard values.count == 1, case .unsatisfied(let whole) = ContentRange(values[0]),
                whole == offset
            else { return .refused(reason: "the document has no bytes after offset \(offset)") }
            return .complete
        case .notModified: return .complete
        case _ where status.kind == .successful:
            return .refused(reason: "the server sent the whole document")
        default: return .other
        }
    }

    private func part(_ headers: HTTPHeaders) -> Outcome {
        let values = headers.values(.contentRange)
        guard values.count == 1, let range = ContentRange(values[0]),
            case .part(let positions, let whole) = range
        else { return .refused(reason: "the response does not state its range") }
        guard positions.lowerBound == offset, whole == nil || positions.upperBound + 1 == whole
        else { return .refused(reason: "the server sent another range: \(range)") }
        if !headers.contains(.transferEncoding), let length = headers[.contentLength],
            headers.contentLength != range.length
        {
            return .refused(reason: "the range \(range) contradicts Content-Length \(length)")
        }
        if let entityTag, let tag = headers[.etag],
            EntityTag(tag).map({ entityTag.matches($0, by: .strong) }) != true
        {
            return .refused(reason: "the document has changed")
        }
        return .remainder(bytes: range.length)
    }
}
