package import Wire

/// Decides what the head of a response means for a download.
///
/// Pure.
package enum DownloadDecision: Equatable {
    /// The body is the whole: write it from the start. Its bytes, when they are announced.
    case fullBody(total: Int?)
    /// The body continues the file. Bytes of the whole, when they are known.
    case partialBody(total: Int?)
    /// The file holds everything.
    case complete
    /// The body is something else, such as a page that explains a failure.
    case unsuccessful
    /// The body does not fit the file.
    case mismatch(HTTPResumeFailureReason)

    /// What a download has asked for.
    package struct RangeRequest: Equatable {
        /// Where the file ends; 0 when all was asked for.
        package var offset: Int
        /// Of which state of the resource the file is; empty when all was asked for.
        package var validator: String
        /// Bytes of the whole, as far as known.
        package var total: Int?
        /// Whether the request names a range itself, which is taken as it comes.
        package var hasOwnRange: Bool

        package init(
            offset: Int = 0,
            validator: String = "",
            total: Int? = nil,
            hasOwnRange: Bool = false
        ) {
            self.offset = offset
            self.validator = validator
            self.total = total
            self.hasOwnRange = hasOwnRange
        }
    }

    /// Judges the status and the fields of a response by what was asked for.
    package static func decide(
        _ status: HTTPStatus,
        _ headers: HTTPHeaders,
        _ rangeRequest: RangeRequest
    ) -> DownloadDecision {
        switch status {
        case .partialContent:
            if rangeRequest.offset > 0 { return continued(headers, rangeRequest) }
            return rangeRequest.hasOwnRange
                ? .fullBody(total: length(headers)) : .mismatch(.unexpectedPartialContent)
        case .rangeNotSatisfiable where rangeRequest.offset > 0:
            let answered = headers[.contentRange].flatMap { ContentRange($0) }?.completeLength
            // The condition held, or all of it would have come: so the state is the file's.
            let isAll =
                answered == rangeRequest.offset
                && (rangeRequest.total ?? rangeRequest.offset) == rangeRequest.offset
            return isAll
                ? .complete
                : .mismatch(.noRemainingBytes(offset: rangeRequest.offset, total: answered))
        case _ where status.kind == .successful: return .fullBody(total: length(headers))
        default: return .unsuccessful
        }
    }

    private static func continued(
        _ headers: HTTPHeaders,
        _ rangeRequest: RangeRequest
    ) -> DownloadDecision {
        let fields = headers.values(.contentRange)
        let range = fields.count == 1 ? ContentRange(fields[0]) : nil
        guard case .part(let positions, let total) = range,
            positions.lowerBound == rangeRequest.offset
        else { return .mismatch(.rangeMismatch(requested: rangeRequest.offset, received: range)) }
        if let known = rangeRequest.total, let total, known != total {
            return .mismatch(.totalMismatch(known: known, received: total))
        }
        let whole = total ?? rangeRequest.total
        if let whole, positions.upperBound != whole - 1 {
            return .mismatch(.rangeMismatch(requested: rangeRequest.offset, received: range))
        }
        if let length = length(headers), length != range?.length {
            return .mismatch(.rangeMismatch(requested: rangeRequest.offset, received: range))
        }
        // RFC 9110 §15.3.7.3: parts of different states are not to be joined.
        if let asked = EntityTag(rangeRequest.validator), let text = headers[.etag],
            EntityTag(text).map({ asked.matches($0, by: .strong) }) != true
        {
            return .mismatch(.representationChanged)
        }
        if let asked = HTTPDate(rangeRequest.validator), let text = headers[.lastModified],
            HTTPDate(text) != asked
        {
            return .mismatch(.representationChanged)
        }
        return .partialBody(total: whole)
    }

    /// The bytes that Content-Length announces; nil for a body in chunks.
    private static func length(_ headers: HTTPHeaders) -> Int? {
        guard !headers.contains(.transferEncoding), let text = headers[.contentLength],
            case .value(let length) = Digits.decimal(text)
        else { return nil }
        return length
    }

    /// Finds what names the state of a resource so exactly that parts of it can be joined.
    ///
    /// A strong entity tag; else the date of the last change, if the answer was made at least a
    /// second later (RFC 9110 §8.8.2.2).
    package static func validator(in headers: HTTPHeaders) -> String? {
        if let text = headers[.etag] {
            // A weak tag says that the bytes may differ, which the date does not unsay.
            guard let tag = EntityTag(text), tag.strength == .strong else { return nil }
            return tag.description
        }
        guard let changed = headers[.lastModified].flatMap({ HTTPDate($0) }),
            let made = headers[.date].flatMap({ HTTPDate($0) }),
            made.secondsSince1970 > changed.secondsSince1970
        else { return nil }
        // If-Range compares byte by byte, so it goes back as it came.
        return headers[.lastModified]
    }
}

extension DownloadDecision.RangeRequest {
    /// Returns the request with the condition under which the rest is sent, if it goes to the origin that
    /// sent the start.
    ///
    /// A validator means nothing to another origin: the same text may name another resource there.
    ///
    /// - Parameters:
    ///   - request: one of the call, with the URL that it goes to.
    ///   - origin: where the bytes so far came from; nil when there are none.
    /// - Returns: the request as it is to be sent.
    func resuming(_ request: HTTPRequest, from origin: String?) -> HTTPRequest {
        guard offset > 0, case .uri(let url) = request.target,
            url.origin.map({ "\($0)" }) == origin
        else { return request }
        var request = request
        request.headers.replace(.range, with: RangeHeader(.from(offset)).description)
        request.headers.replace(.ifRange, with: validator)
        return request
    }
}
