/// The way in which the end of a body is determined (RFC 9112 §6.3).
///
/// It is determined once per message, from the head and, for a response, the request method. The
/// rules below are numbered as in the standard.
public enum BodyFraming: Sendable, Hashable {
    /// There is no body, not even an empty one.
    case noBody
    /// This many bytes follow, before content decoding.
    ///
    /// It may be 0; a negative number counts as 0.
    case length(Int)
    /// Chunks follow (RFC 9112 §7.1).
    case chunked
    /// The body extends to the end of the connection; only for responses.
    case untilClose

    /// Determines the framing of a response body.
    ///
    /// 1. A response to HEAD, or with status 1xx, 204 or 304, has no body, whatever its fields
    ///    contain.
    /// 2. A 2xx response to CONNECT has no body; a tunnel begins.
    /// 3. If both Transfer-Encoding and Content-Length are present, the former is used. The
    ///    connection must not be reused (``ConnectionPersistence`` reports that).
    /// 4. If Transfer-Encoding is `chunked`, chunks follow. If another coding is last, the standard
    ///    lets the body extend to the end of the connection. This method rejects it, because the
    ///    client could not decode it.
    /// 5. A malformed Content-Length, or one with different values, is rejected. Several equal
    ///    values, on one line or several, count as one.
    /// 6. A valid Content-Length gives the number of bytes.
    /// 7. (This rule concerns requests.)
    /// 8. Otherwise the body extends to the end of the connection.
    ///
    /// - Parameters:
    ///   - method: the request method, which the response does not contain.
    ///   - status: the response status.
    ///   - version: the response version; HTTP/1.0 has no chunks.
    ///   - headers: the response fields as received, including repeated ones.
    /// - Returns: the framing; `.length` counts bytes before content decoding.
    /// - Throws: any case of kind `.framing`. The connection cannot be used afterwards.
    /// - Complexity: O(fields).
    public static func ofResponse(
        to method: HTTPMethod,
        status: HTTPStatus,
        version: HTTPVersion,
        headers: HTTPHeaders
    ) throws(WireError) -> BodyFraming {
        if method == .head || status.kind == .informational || status == .noContent
            || status == .notModified
        {
            return .noBody  // rule 1
        }
        if method == .connect, status.kind == .successful {
            return .noBody  // rule 2
        }
        if headers.contains(.transferEncoding) {
            try requireChunkedAlone(headers, version)
            return .chunked  // rules 3 and 4
        }
        if let length = try contentLength(headers) {
            return .length(length)  // rules 5 and 6
        }
        return .untilClose  // rule 8
    }

    /// Determines the framing of a request body.
    ///
    /// Rules 1, 2 and 8 concern responses. Rule 3: both fields together are rejected, as RFC 9112
    /// §6.1 permits a server to do. Rule 4: a last coding other than chunked is rejected. Rules 5
    /// and 6 are the same as for a response. Rule 7: without either field there is no body.
    ///
    /// - Parameters:
    ///   - version: the request version; HTTP/1.0 has no chunks.
    ///   - headers: the request fields as received, including repeated ones.
    /// - Returns: the framing, never `.untilClose`.
    /// - Throws: any case of kind `.framing`. A server answers 400, or 501 to
    ///   `.unknownTransferCoding`, and closes the connection.
    public static func ofRequest(
        version: HTTPVersion,
        headers: HTTPHeaders
    ) throws(WireError) -> BodyFraming {
        if headers.contains(.transferEncoding) {
            guard !headers.contains(.contentLength) else { throw .lengthBesideTransferEncoding }
            try requireChunkedAlone(headers, version)
            return .chunked
        }
        if let length = try contentLength(headers) {
            return .length(length)
        }
        return .noBody
    }

    /// Requires `chunked` as the only transfer coding, once, in a message of HTTP/1.1.
    private static func requireChunkedAlone(
        _ headers: HTTPHeaders,
        _ version: HTTPVersion
    ) throws(WireError) {
        guard version >= .http11 else { throw .transferEncodingInHTTP10 }
        var chunkedCount = 0
        var otherCount = 0
        var isLastChunked = false
        var isMalformed = false
        headers.forEachElement(of: .transferEncoding) { element in
            var isToken = !element.isEmpty
            for index in element.indices where !ByteClass.isToken(element[index]) {
                isToken = false
            }
            isMalformed = isMalformed || !isToken
            isLastChunked = ByteClass.equalsIgnoringCase(element, "chunked".utf8.span)
            if isLastChunked { chunkedCount += 1 } else { otherCount += 1 }
        }
        if isMalformed { throw .malformedTransferEncoding }
        guard isLastChunked else { throw .chunkedNotLast }
        guard chunkedCount == 1 else { throw .chunkedTwice }
        guard otherCount == 0 else { throw .unknownTransferCoding }
    }

    /// Returns the value of Content-Length, or nil if there is none.
    ///
    /// The only parser of the field: equal values in several lines or list elements count once.
    package static func contentLength(_ headers: HTTPHeaders) throws(WireError) -> Int? {
        guard let first = headers.firstIndex(of: .contentLength), let storage = headers.storage
        else { return nil }
        // Fast path for one line with one number, the usual case.
        if case .value(let value) = storage.withBytes(storage[first].value, { Digits.decimal($0) }),
            headers.firstIndex(of: .contentLength, from: first + 1) == nil
        {
            return value
        }
        var length: Int?
        try headers.forEachElement(of: .contentLength) { (element) throws(WireError) in
            switch Digits.decimal(element) {
            case .malformed: throw .malformedContentLength
            case .tooLarge: throw .contentLengthOverflow
            case .value(let value):
                guard length == nil || length == value else { throw .conflictingContentLengths }
                length = value
            }
        }
        return length
    }
}
