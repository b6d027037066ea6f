/// A parser for bodies of the type `multipart/byteranges` (RFC 9110 §14.6).
///
/// Each part gives its length in Content-Range, so the parser does not search the content for the
/// delimiter. Bytes in the content that look like a delimiter do no harm, and the time is linear.
public enum MultipartByteranges {
    /// Returns all parts of a complete body.
    ///
    /// Up to 1024 bytes before the first delimiter are ignored, as is everything after the last
    /// one. The parts are in body order, which may differ from the order of the request, and they
    /// may overlap.
    ///
    /// - Parameters:
    ///   - body: all bytes of the body; the returned ranges are relative to its first byte.
    ///   - boundary: the parameter of the media type, 1 to 70 bytes (RFC 2046 §5.1.1).
    ///   - limits: ``WireLimits/headBytes`` and ``WireLimits/fieldCount`` limit the fields of each
    ///     part.
    ///   - maxParts: the maximum number of parts; the number of requested ranges is enough.
    /// - Returns: at least one part.
    /// - Throws: ``MultipartError``. No part of such a body can be trusted.
    public static func parts(
        of body: Span<UInt8>,
        boundary: String,
        limits: WireLimits = .default,
        maxParts: Int = 64
    ) throws(MultipartError) -> [ByteRangePart] {
        guard (1...70).contains(boundary.utf8.count) else { throw .malformedBoundary }
        let delimiter = Array("\r\n--".utf8) + Array(boundary.utf8)
        guard var position = firstDelimiterEnd(delimiter, in: body) else {
            throw .missingDelimiter(offset: 0)
        }
        var parts: [ByteRangePart] = []
        while !starts(body, at: position, with: [0x2d, 0x2d]) {
            guard parts.count < maxParts else { throw .tooManyParts }
            let start = try lineEnd(from: position, in: body)
            let part = try part(from: start, in: body, limits)
            guard starts(body, at: part.content.upperBound, with: delimiter) else {
                throw .missingDelimiter(offset: part.content.upperBound)
            }
            position = part.content.upperBound + delimiter.count
            parts.append(part)
        }
        guard !parts.isEmpty else { throw .missingPart }
        return parts
    }

    /// Returns the position after the optional whitespace and line end that follow a delimiter.
    private static func lineEnd(
        from start: Int,
        in body: Span<UInt8>
    ) throws(MultipartError) -> Int {
        var position = start
        while position < body.count, ByteClass.isSpace(body[position]) { position += 1 }
        guard starts(body, at: position, with: [Byte.carriageReturn, Byte.lineFeed]) else {
            throw .missingDelimiter(offset: start)
        }
        return position + 2
    }

    /// Reads the fields of a part and determines its content.
    private static func part(
        from start: Int,
        in body: Span<UInt8>,
        _ limits: WireLimits
    ) throws(MultipartError) -> ByteRangePart {
        let room = min(body.count - start, max(limits.headBytes, 0))
        let section = body.extracting(start..<(start + room))
        let (headers, length) = try fields(of: section, at: start, limits)
        guard headers.values(.contentRange).count == 1,
            let value = headers[.contentRange].flatMap({ ContentRange($0) }),
            case .part(let range, let whole) = value
        else { throw .malformedContentRange(offset: start) }
        let content = start + length
        guard value.length <= body.count - content else {
            throw .truncated(offset: content)
        }
        return ByteRangePart(
            headers: headers,
            positions: range,
            completeLength: whole,
            content: content..<(content + value.length)
        )
    }

    private static func fields(
        of section: Span<UInt8>,
        at start: Int,
        _ limits: WireLimits
    ) throws(MultipartError) -> (headers: HTTPHeaders, length: Int) {
        var scanner = SectionScanner(from: 0)
        do throws(WireError) {
            let storage = try scanner.read(
                section,
                maxFields: limits.fieldCount,
                limit: .fieldCount(limits.fieldCount)
            )
            if let storage {
                return (HTTPHeaders(storage: storage), scanner.position)
            }
            if section.count >= limits.headBytes {
                throw .limitExceeded(.headBytes(limits.headBytes))
            }
        } catch {
            throw .malformedFields(error, offset: start)
        }
        throw .truncated(offset: start)
    }

    /// Returns the end of the first delimiter, which begins the body or a line.
    private static func firstDelimiterEnd(_ delimiter: [UInt8], in body: Span<UInt8>) -> Int? {
        let bare = Array(delimiter.dropFirst(2))
        if starts(body, at: 0, with: bare) { return bare.count }
        for position in 0..<min(body.count, maxPreambleLength)
        where starts(body, at: position, with: delimiter) {
            return position + delimiter.count
        }
        return nil
    }

    private static func starts(_ body: Span<UInt8>, at position: Int, with bytes: [UInt8]) -> Bool {
        guard bytes.count <= body.count - position else { return false }
        for index in bytes.indices where body[position + index] != bytes[index] { return false }
        return true
    }

    private static let maxPreambleLength = 1024
}

/// A reason why a multipart body cannot be parsed.
///
/// Offsets count bytes from the start of the body.
public enum MultipartError: Error, Hashable, Sendable {
    /// The boundary is empty or longer than 70 bytes (RFC 2046 §5.1.1).
    case malformedBoundary
    /// A delimiter or the end of its line is missing at this offset.
    case missingDelimiter(offset: Int)
    /// The body has no parts: its first delimiter is the closing one.
    case missingPart
    /// The body has more parts than allowed.
    case tooManyParts
    /// The fields of the part at this offset are invalid.
    ///
    /// The error's offsets begin at this offset.
    case malformedFields(WireError, offset: Int)
    /// The part at this offset has no Content-Range, several of them, or a malformed one.
    case malformedContentRange(offset: Int)
    /// The body, or the limit for header fields, ends within the part at this offset.
    case truncated(offset: Int)
}
