package import Wire

// To change how a response affects a download, change this file. `DownloadDecisionTests` needs no socket.

/// The meaning of a response head for a download.
///
/// The decision is a pure function of the request and the response head.
package enum DownloadDecision: Equatable {
    /// The body is the whole resource, to be written from the start; `total` is its announced length.
    case fullBody(total: Int?)
    /// The body is the rest of the file, or the requested part; `total` is the length of the whole
    /// resource.
    case partialBody(total: Int)
    /// Parts of the resource cannot be combined: the client has to request the whole resource.
    case wholeRequired
    /// The file is already complete.
    case complete
    /// The body is something else, such as an error page.
    case unsuccessful
    /// The body does not match the file.
    case mismatch(HTTPError.ResumeReason)

    /// The range that a download requested.
    package struct RangeRequest: Equatable {
        /// The length of the file so far; 0 when the whole resource was requested.
        package var offset: Int
        /// The end of the requested part; nil for all bytes from ``offset`` on.
        package var end: Int?
        /// The validator of the file's content; empty when the whole resource was requested, or if
        /// there is none and a digest verifies the complete file.
        package var validator: String
        /// The length of the whole resource in bytes, if it is known.
        package var total: Int?
        /// Whether the request itself names a range, whose response is accepted unchanged.
        package var hasOwnRange: Bool
        /// Whether the caller asked to continue an earlier call.
        ///
        /// Then only a 200, 203 or 206 replaces the target, and not the content of a 202 or 204.
        package var isContinuation: Bool

        package init(
            offset: Int = 0,
            end: Int? = nil,
            validator: String = "",
            total: Int? = nil,
            hasOwnRange: Bool = false,
            isContinuation: Bool = false
        ) {
            self.offset = offset
            self.end = end
            self.validator = validator
            self.total = total
            self.hasOwnRange = hasOwnRange
            self.isContinuation = isContinuation
        }

        /// Whether it is the first part of a resource whose state is not known yet.
        package var isFirstPart: Bool { offset == 0 && end != nil && validator.isEmpty }
    }

    /// Decides on the status and the fields of a response to the requested range.
    package static func decide(
        _ status: HTTPStatus,
        _ headers: HTTPHeaders,
        _ rangeRequest: RangeRequest
    ) -> DownloadDecision {
        switch status {
        case .partialContent:
            if rangeRequest.isFirstPart { return firstPart(headers, rangeRequest) }
            if rangeRequest.offset > 0 || rangeRequest.end != nil {
                return continued(headers, rangeRequest)
            }
            return rangeRequest.hasOwnRange
                ? .fullBody(total: headers.bodyLength) : .mismatch(.unexpectedPartialContent)
        case .rangeNotSatisfiable where rangeRequest.offset > 0:
            let answered = headers[.contentRange].flatMap { ContentRange($0) }?.completeLength
            // The If-Range condition was true, or the server would have sent everything. So the file is current.
            let isAll =
                answered == rangeRequest.offset
                && (rangeRequest.total ?? rangeRequest.offset) == rangeRequest.offset
            return isAll
                ? .complete
                : .mismatch(.noRemainingBytes(offset: rangeRequest.offset, total: answered))
        // An empty resource has no first part.
        case .rangeNotSatisfiable where rangeRequest.isFirstPart: return .wholeRequired
        case .ok, .nonAuthoritativeInformation: return .fullBody(total: headers.bodyLength)
        case _
        where status.kind == .successful && rangeRequest.offset == 0
            && !rangeRequest.isContinuation:
            return .fullBody(total: headers.bodyLength)
        default: return .unsuccessful
        }
    }

    /// Decides on the first part of a resource.
    ///
    /// Other parts can be requested only if a strong validator identifies its state.
    private static func firstPart(
        _ headers: HTTPHeaders,
        _ rangeRequest: RangeRequest
    ) -> DownloadDecision {
        guard case .partialBody(let total) = continued(headers, rangeRequest) else {
            return .wholeRequired
        }
        if let end = rangeRequest.end, end >= total { return .fullBody(total: total) }
        return validator(in: headers) == nil ? .wholeRequired : .partialBody(total: total)
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
        // A server may send fewer bytes than requested (RFC 9110 §15.3.7), so that only the total size
        // shows whether others follow.
        guard let whole = total ?? rangeRequest.total,
            positions.upperBound == min(rangeRequest.end ?? whole, whole) - 1
        else { return .mismatch(.rangeMismatch(requested: rangeRequest.offset, received: range)) }
        // A range of a coded representation does not continue bytes without a coding.
        if headers.isContentCoded {
            return .mismatch(.contentEncoded(headers[.contentEncoding] ?? ""))
        }
        if let length = headers.bodyLength, length != range?.length {
            return .mismatch(.rangeMismatch(requested: rangeRequest.offset, received: range))
        }
        // RFC 9110 §15.3.7.3: parts of different representations must not be combined.
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

    /// Returns a validator that is strong enough to combine parts of a resource.
    ///
    /// It is a strong entity tag, or else the Last-Modified date if the response was generated at least a
    /// second later (RFC 9110 §8.8.2.2).
    package static func validator(in headers: HTTPHeaders) -> String? {
        if let text = headers[.etag] {
            // Representations with the same weak tag may differ in bytes, whatever their dates are.
            guard let tag = EntityTag(text), tag.strength == .strong else { return nil }
            return tag.description
        }
        guard let changed = headers[.lastModified].flatMap({ HTTPDate($0) }),
            let made = headers[.date].flatMap({ HTTPDate($0) }),
            made.secondsSince1970 > changed.secondsSince1970
        else { return nil }
        // If-Range compares byte by byte, so the value is sent back as received.
        return headers[.lastModified]
    }
}

extension DownloadDecision.RangeRequest {
    /// Returns the request for the rest, if it goes to the origin that sent the start.
    ///
    /// The request gets Range and If-Range; that of the first part of a file gets Range, wherever it goes.
    /// A validator is meaningless to another origin, where the same
    /// text may name another resource.
    ///
    /// - Parameters:
    ///   - request: a request of the call, with its current URL.
    ///   - origin: the origin of the bytes received so far; nil when there are none.
    /// - Returns: the request to send.
    package func resuming(_ request: HTTPRequest, from origin: String?) -> HTTPRequest {
        guard offset > 0 || end != nil, case .uri(let url) = request.target,
            isFirstPart || url.origin.map({ "\($0)" }) == origin
        else { return request }
        var request = request
        let range = end.map { ByteRange.bounded(offset...($0 - 1)) } ?? .from(offset)
        request.headers.replace(.range, with: RangeHeader(range).description)
        if !validator.isEmpty { request.headers.replace(.ifRange, with: validator) }
        return request
    }
}
