package import Wire

/// A comparison of a 206 (Partial Content) with the Range field of its request.
///
/// It follows RFC 9110 §14.4 and §15.3.7, and is pure.
package enum PartialContent {
    /// Returns the range that the body contains.
    ///
    /// A server may send fewer bytes than requested, but no others. For several ranges it may send a
    /// multipart/byteranges body, or one part that spans some of them.
    ///
    /// - Parameters:
    ///   - headers: the fields of the response.
    ///   - request: the fields of the request as sent.
    /// - Returns: nil for a multipart/byteranges body, whose length the head does not define.
    /// - Throws: the difference between request and response.
    package static func range(
        in headers: HTTPHeaders,
        to request: HTTPHeaders
    ) throws(HTTPError.RangeError) -> ContentRange? {
        let requestedRanges = request.values(.range)
        guard !requestedRanges.isEmpty else { throw .notRequested }
        // Nil for another unit or a malformed field; then there are no positions to compare.
        let requestedRange = requestedRanges.count == 1 ? RangeHeader(requestedRanges[0]) : nil
        let fields = headers.values(.contentRange)
        if fields.isEmpty, requestedRange?.ranges.count != 1, isMultipart(headers) { return nil }
        guard fields.count == 1, let range = ContentRange(fields[0]),
            case .part(let positions, let total) = range
        else { throw .missingContentRange }
        if let requestedRange, !isWithin(positions, of: total, requestedRange.ranges) {
            throw .unexpectedRange(requested: requestedRange, answered: range)
        }
        if let length = headers.bodyLength, length != range.length {
            throw .lengthMismatch(range, received: length)
        }
        return range
    }

    private static func isMultipart(_ headers: HTTPHeaders) -> Bool {
        guard let type = headers[.contentType].flatMap({ MediaType($0) }) else { return false }
        return type.type == "multipart" && type.subtype == "byteranges"
    }

    /// Returns whether a part lies within the requested ranges.
    ///
    /// For several ranges, it must lie within their hull, because a server may combine ranges that are
    /// close to each other (RFC 9110 §15.3.7.2).
    private static func isWithin(
        _ part: ClosedRange<Int>,
        of total: Int?,
        _ ranges: [ByteRange]
    ) -> Bool {
        var (first, last) = (Int.max, Int.min)
        for range in ranges {
            switch range {
            case .bounded(let positions):
                first = min(first, positions.lowerBound)
                last = max(last, positions.upperBound)
            case .from(let start):
                first = min(first, start)
                last = .max
            case .suffix(let count):
                last = .max
                // Without the total the start of a suffix is unknown; only its length can be judged.
                guard let total else {
                    if ranges.count == 1 {
                        return part.upperBound - part.lowerBound < count
                    }
                    first = 0
                    continue
                }
                first = min(first, total - min(count, total))
            }
        }
        return part.lowerBound >= first && part.upperBound <= last
    }
}
