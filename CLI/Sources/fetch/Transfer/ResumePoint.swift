package import HTTPClient

/// Asks for the rest of something, and says whether an answer is that rest (RFC 9110 §14).
package struct ResumePoint: Sendable, Hashable {
    /// Bytes that are there.
    package let offset: Int
    /// The state that an earlier try has seen; nil when none has, or the server did not name it.
    package var entityTag: EntityTag?

    package init(offset: Int, entityTag: EntityTag? = nil) {
        self.offset = offset
        self.entityTag = entityTag
    }

    /// What an answer means.
    package enum Outcome: Sendable, Hashable {
        /// Its body is the rest, and has so many bytes.
        case remainder(bytes: Int)
        /// Nothing is missing.
        case complete
        /// It speaks of something else, such as an error.
        case other
        /// It speaks of the same, but its body does not belong behind what is there.
        case refused(reason: String)
    }

    /// The fields that ask for the rest.
    package var fields: HTTPHeaders {
        var fields: HTTPHeaders = [.range: "bytes=\(offset)-"]
        if let entityTag { fields.append(.ifRange, entityTag.description) }
        return fields
    }

    /// Remembers the state that an answer is of, for the next try.
    package mutating func updateEntityTag(from headers: HTTPHeaders) {
        guard entityTag == nil, let tag = headers[.etag].flatMap({ EntityTag($0) }),
            tag.strength == .strong
        else { return }
        entityTag = tag
    }

    /// Judges an answer.
    ///
    /// A part must begin where what is there ends, and go to the end of the whole: else a file
    /// would look complete that is not.
    package func evaluate(_ status: HTTPStatus, _ headers: HTTPHeaders) -> Outcome {
        switch status {
        case .partialContent: return part(headers)
        case .rangeNotSatisfiable:
            let values = headers.values(.contentRange)
            guard values.count == 1, case .unsatisfied(let whole) = ContentRange(values[0]),
                whole == offset
            else { return .refused(reason: "there is nothing behind byte \(offset)") }
            return .complete
        case .notModified: return .complete
        case _ where status.kind == .successful:
            return .refused(reason: "the server sends the whole, not the rest")
        default: return .other
        }
    }

    private func part(_ headers: HTTPHeaders) -> Outcome {
        let values = headers.values(.contentRange)
        guard values.count == 1, let range = ContentRange(values[0]),
            case .part(let positions, let whole) = range
        else { return .refused(reason: "the server does not say which part it sends") }
        guard positions.lowerBound == offset, whole == nil || positions.upperBound + 1 == whole
        else { return .refused(reason: "the server sends \(range), not the rest") }
        if !headers.contains(.transferEncoding), let length = headers[.contentLength],
            Decimal.value(of: length.utf8) != range.length
        {
            return .refused(reason: "the server sends \(range) in \(length) bytes")
        }
        if let entityTag, let tag = headers[.etag],
            EntityTag(tag).map({ entityTag.matches($0, by: .strong) }) != true
        {
            return .refused(reason: "the server has another state of it by now")
        }
        return .remainder(bytes: range.length)
    }
}
