/// Tells how the end of a body is found (RFC 9112 §6.3).
///
/// Decided once for each message, from its head alone and, for a response, the request's method.
/// The rules are numbered as in the standard.
public enum BodyFraming: Sendable, Hashable {
    /// There is no body, not even an empty one.
    case noBody
    /// This many bytes follow, before content decoding; may be 0, and a negative number counts as 0.
    case length(Int)
    /// Chunks follow (RFC 9112 §7.1).
    case chunked
    /// Everything up to the close of the connection belongs to it; responses alone.
    case untilClose

    /// Decides how the body of a response is delimited.
    ///
    /// 1. To HEAD, and with status 1xx, 204 or 304: no body, whatever the fields say.
    /// 2. 2xx to CONNECT: no body; a tunnel begins.
    /// 3. Transfer-Encoding beside Content-Length: the former wins, and the connection must not be
    ///    used again (``ConnectionPersistence`` reports that).
    /// 4. Transfer-Encoding is `chunked`: chunks. Where another coding is last the standard lets
    ///    the body run until close; we refuse, since we could not decode it.
    /// 5. Content-Length is malformed, or given with different values: refused. Several equal
    ///    values, in one line or in many, count as one.
    /// 6. Content-Length is valid: so many bytes.
    /// 7. (About requests.)
    /// 8. Otherwise: until close.
    ///
    /// - Parameters:
    ///   - method: of the request; the response alone cannot tell.
    ///   - status: of the response, as are the others.
    ///   - version: HTTP/1.0 has no chunks.
    ///   - headers: read as they stand, repeats included.
    /// - Returns: `.length` counts bytes before content decoding.
    /// - Throws: any case of kind `.framing`; the connection is of no use afterwards.
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

    /// Decides how the body of a request is delimited.
    ///
    /// Rules 1, 2 and 8 speak of responses. 3: both fields together are refused, as RFC 9112 §6.1
    /// lets a server do. 4: a last coding other than chunked is refused. 5 and 6: as in a response.
    /// 7: neither field, no body.
    ///
    /// - Parameters:
    ///   - version: HTTP/1.0 has no chunks.
    ///   - headers: read as they stand, repeats included.
    /// - Returns: never `.untilClose`.
    /// - Throws: any case of kind `.framing`; a server answers 400, or 501 to
    ///   `.unknownTransferCoding`, and closes.
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

    /// Accepts `chunked`, once and alone, in a message of HTTP/1.1.
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

    /// Reads Content-Length; nil when there is none.
    private static func contentLength(_ headers: HTTPHeaders) throws(WireError) -> Int? {
        guard let first = headers.firstIndex(of: .contentLength), let storage = headers.storage
        else { return nil }
        // Nearly always one line with one number, which needs no taking apart.
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
