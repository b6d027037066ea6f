package import Wire

/// Decides what the head of a response means for a download.
///
/// Pure.
package enum DownloadVerdict: Equatable {
    /// The body is the whole: write it from the start. Its octets, when they are announced.
    case whole(total: Int?)
    /// The body continues the file. Octets of the whole, when they are known.
    case rest(total: Int?)
    /// The file holds everything.
    case complete
    /// The body is something else, such as a page that explains a failure.
    case refused
    /// The body does not fit the file.
    case mismatch(ResumeProblem)

    /// What a download has asked for.
    package struct Wish: Equatable {
        /// Where the file ends; 0 when all was asked for.
        package var offset: Int
        /// Of which state of the resource the file is; empty when all was asked for.
        package var validator: String
        /// Octets of the whole, as far as known.
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
    package static func settle(
        _ status: HTTPStatus,
        _ headers: HTTPHeaders,
        _ wish: Wish
    ) -> DownloadVerdict {
        switch status {
        case .partialContent:
            if wish.offset > 0 { return continued(headers, wish) }
            return wish.hasOwnRange ? .whole(total: length(headers)) : .mismatch(.unaskedPart)
        case .rangeNotSatisfiable where wish.offset > 0:
            let answered = headers[.contentRange].flatMap { ContentRange($0) }?.completeLength
            // The condition held, or all of it would have come: so the state is the file's.
            let isAll = answered == wish.offset && (wish.total ?? wish.offset) == wish.offset
            return isAll
                ? .complete : .mismatch(.nothingBehind(offset: wish.offset, total: answered))
        case _ where status.kind == .successful: return .whole(total: length(headers))
        default: return .refused
        }
    }

    private static func continued(_ headers: HTTPHeaders, _ wish: Wish) -> DownloadVerdict {
        let fields = headers.values(.contentRange)
        let range = fields.count == 1 ? ContentRange(fields[0]) : nil
        guard case .part(let positions, let total) = range, positions.lowerBound == wish.offset
        else { return .mismatch(.otherRange(asked: wish.offset, answered: range)) }
        if let known = wish.total, let total, known != total {
            return .mismatch(.otherTotal(known: known, answered: total))
        }
        let whole = total ?? wish.total
        if let whole, positions.upperBound != whole - 1 {
            return .mismatch(.otherRange(asked: wish.offset, answered: range))
        }
        if let length = length(headers), length != range?.length {
            return .mismatch(.otherRange(asked: wish.offset, answered: range))
        }
        // RFC 9110 §15.3.7.3: parts of different states are not to be joined.
        if let asked = EntityTag(wish.validator), let text = headers[.etag],
            EntityTag(text).map({ asked.matches($0, by: .strong) }) != true
        {
            return .mismatch(.otherState)
        }
        if let asked = HTTPDate(wish.validator), let text = headers[.lastModified],
            HTTPDate(text) != asked
        {
            return .mismatch(.otherState)
        }
        return .rest(total: whole)
    }

    /// The octets that Content-Length announces; nil for a body in chunks.
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
            // A weak tag says that the octets may differ, which the date does not unsay.
            guard let tag = EntityTag(text), tag.strength == .strong else { return nil }
            return tag.description
        }
        guard let changed = headers[.lastModified].flatMap({ HTTPDate($0) }),
            let made = headers[.date].flatMap({ HTTPDate($0) }),
            made.secondsSince1970 > changed.secondsSince1970
        else { return nil }
        // If-Range compares octet by octet, so it goes back as it came.
        return headers[.lastModified]
    }
}
