package import Wire

/// The difference between a 206 (Partial Content) and the range that was requested.
@nonexhaustive public enum HTTPRangeError: Error, Sendable, Hashable {
    /// The request had no Range field.
    case notRequested
    /// The response has no Content-Range field in bytes, several of them, or a malformed one; and it is
    /// not the multipart/byteranges response to a request for several ranges.
    case missingContentRange
    /// The bytes are not among the requested ones. Fewer are no mismatch (RFC 9110 §15.3.7).
    case unexpectedRange(requested: RangeHeader, answered: ContentRange)
    /// The body has another length than its Content-Range: so many bytes, or more.
    case lengthMismatch(ContentRange, received: Int)
}

extension HTTPRangeError: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .notRequested: "the server sent a part, and the request named no range"
        case .missingContentRange: "the server sent a part without a valid Content-Range"
        case .unexpectedRange(let requested, let answered):
            "\"\(requested)\" was requested, and \"\(answered)\" came"
        case .lengthMismatch(let range, let received):
            "\"\(range)\" came with \(received) bytes"
        }
    }
}

/// Compares a 206 (Partial Content) with the Range field of its request (RFC 9110 §14.4, §15.3.7).
///
/// Pure.
package enum PartialContent {
    /// Returns the range that the body holds.
    ///
    /// A server may send fewer bytes than requested, but no others. For several ranges it may send a
    /// multipart/byteranges body, or one part that spans some of them.
    ///
    /// - Parameters:
    ///   - headers: fields of the response.
    ///   - request: fields of the request as it was sent.
    /// - Returns: nil for a multipart/byteranges body, whose length is not known from the head.
    /// - Throws: the difference between both.
    package static func range(
        in headers: HTTPHeaders,
        to request: HTTPHeaders
    ) throws(HTTPRangeError) -> ContentRange? {
        let requestedRanges = request.values(.range)
        guard !requestedRanges.isEmpty else { throw .notRequested }
        // Nil for another unit or what is malformed: then there is nothing to compare positions with.
        let requestedRange = requestedRanges.count == 1 ? RangeHeader(requestedRanges[0]) : nil
        let fields = headers.values(.contentRange)
        if fields.isEmpty, requestedRange?.ranges.count != 1, isMultipart(headers) { return nil }
        guard fields.count == 1, let range = ContentRange(fields[0]),
            case .part(let positions, let total) = range
        else { throw .missingContentRange }
        if let requestedRange, !isWithin(positions, of: total, requestedRange.ranges) {
            throw .unexpectedRange(requested: requestedRange, answered: range)
        }
        if !headers.contains(.transferEncoding), let text = headers[.contentLength],
            case .value(let length) = Digits.decimal(text), length != range.length
        {
            throw .lengthMismatch(range, received: length)
        }
        return range
    }

    private static func isMultipart(_ headers: HTTPHeaders) -> Bool {
        guard let type = headers[.contentType].flatMap({ MediaType($0) }) else { return false }
        return type.type == "multipart" && type.subtype == "byteranges"
    }

    /// Whether a part lies within what was requested; of several ranges, within their hull, as a server
    /// may join those that are close to each other (RFC 9110 §15.3.7.2).
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
