package import Wire

/// The rules for ranges of stored responses (RFC 9111 §3.3, §3.4; RFC 9110 §13.1.5, §14).
package enum CacheRanges {
    /// The bytes of a stored response that answer a request.
    package enum Answer: Sendable, Hashable {
        /// The response as stored.
        case whole
        /// A 206 with these positions of the representation, of the given length.
        case part(Range<Int>, of: Int)
        /// A 416: no requested byte is within the representation of the given length.
        case unsatisfiable(of: Int)
        /// Nothing: the request must go to the origin.
        case forward
    }

    /// Returns the bytes of a stored response that answer a request.
    ///
    /// Only a 200 or a stored part has ranges; another whole response answers as it is. Range is ignored in a HEAD, if
    /// it is malformed, and if it has another unit than bytes (RFC 9110 §14.2). A request for several ranges goes to
    /// the origin. If-Range must be the stored validator, which must be strong; otherwise the whole response is meant.
    package static func answer(to request: RequestHead, from stored: StoredResponse) -> Answer {
        let ranges = requestedRanges(request, stored)
        switch stored.content {
        case .whole(let length):
            guard let ranges, stored.head.status == .ok else { return .whole }
            guard ranges.count == 1 else { return .forward }
            guard let positions = ranges[0].positions(in: length) else {
                return .unsatisfiable(of: length)
            }
            return .part(positions, of: length)
        case .part(let part, let length):
            guard request.method == .get, let ranges, ranges.count == 1 else { return .forward }
            guard let positions = ranges[0].positions(in: length) else {
                return .unsatisfiable(of: length)
            }
            let isStored =
                part.contains(positions.lowerBound) && part.contains(positions.upperBound - 1)
            return isStored ? .part(positions, of: length) : .forward
        }
    }

    /// Returns the ranges of a request that apply to a stored response; nil if the whole response is meant.
    private static func requestedRanges(
        _ request: RequestHead,
        _ stored: StoredResponse
    ) -> [ByteRange]? {
        let values = request.headers.values(.range)
        guard request.method == .get, values.count == 1, let range = RangeHeader(values[0]) else {
            return nil
        }
        let conditions = request.headers.values(.ifRange)
        guard let condition = conditions.first else { return range.ranges }
        return conditions.count == 1 && holds(condition, for: stored) ? range.ranges : nil
    }

    /// Returns whether the condition of If-Range holds (RFC 9110 §13.1.5).
    private static func holds(_ condition: String, for stored: StoredResponse) -> Bool {
        let validators = stored.validators
        if let tag = EntityTag(condition) {
            return validators.entityTag?.matches(tag, by: .strong) ?? false
        }
        guard validators.isDateStrong, let date = HTTPDate(condition) else { return false }
        return validators.lastModified == date
    }

    /// Returns the positions that a 206 contains, and the complete length; nil if it is not one known range.
    package static func part(in headers: HTTPHeaders) -> (positions: ClosedRange<Int>, length: Int)?
    {
        guard headers.values(.contentRange).count == 1,
            case .part(let positions, let length?)? = headers.contentRange
        else { return nil }
        return (positions, length)
    }

    // MARK: - Combining parts

    /// The result of combining two parts.
    package enum Combination: Sendable, Hashable {
        /// Both together are the whole representation, which becomes a 200.
        case whole(length: Int)
        /// Both together are a larger part.
        case part(ClosedRange<Int>, of: Int)
        /// There is a gap between the parts.
        case gap
        /// The parts may belong to different representations: no equal strong validator, or another length.
        case different
    }

    /// Decides whether a received 206 completes a stored response (RFC 9111 §3.4).
    ///
    /// Both must have the same strong validator. Parts that touch or overlap are combined. The fields of the result are
    /// those of ``CacheUpdate/combinedHead(of:with:_:)``.
    ///
    /// - Parameters:
    ///   - stored: the stored response, whole or a part.
    ///   - received: the head of the 206.
    /// - Returns: the stored bytes after the combination.
    package static func combination(
        of stored: StoredResponse,
        with received: ResponseHead
    ) -> Combination {
        guard received.status == .partialContent, let part = part(in: received.headers),
            stored.validators.isSameStrong(as: CacheValidators(received.headers))
        else { return .different }
        switch stored.content {
        case .whole(let length):
            return length == part.length && stored.head.status == .ok
                ? .whole(length: length) : .different
        case .part(let positions, let length):
            guard length == part.length else { return .different }
            let first = min(positions.lowerBound, part.positions.lowerBound)
            let last = max(positions.upperBound, part.positions.upperBound)
            let start = max(positions.lowerBound, part.positions.lowerBound)
            let end = min(positions.upperBound, part.positions.upperBound)
            // No position is Int.max, because each is below the length.
            guard start <= end + 1 else { return .gap }
            return first == 0 && last == length - 1
                ? .whole(length: length) : .part(first...last, of: length)
        }
    }
}
