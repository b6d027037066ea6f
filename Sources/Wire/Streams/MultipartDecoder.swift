// To change how parts are found, change this file; `PartSource` of HTTPClient reads the body. The tests are
// `MultipartDecoderTests` and `HTTPPartTests`.

/// A decoder of multipart bodies (RFC 2046 §5.1), which delivers the content of parts as it arrives.
///
/// It is strict: lines end with CRLF, and only whitespace may follow a delimiter on its line. Up to 1024
/// bytes before the first delimiter are ignored, as is everything after the last one. The decoder follows
/// the buffer contract of this module.
package struct MultipartDecoder: Sendable {
    /// The rule for the end of a part.
    package enum PartEnd: Sendable {
        /// The next delimiter.
        case delimiter
        /// The length in Content-Range, as in `multipart/byteranges` (RFC 9110 §14.6).
        ///
        /// Bytes in the content that look like a delimiter do no harm.
        case contentRange
    }

    /// The result of a step.
    package struct Step: Equatable, Sendable {
        /// The number of bytes at the front that are no longer needed.
        package var consumed: Int
        package var event: Event

        package init(consumed: Int, event: Event) {
            self.consumed = consumed
            self.event = event
        }
    }

    /// An event of the body.
    package enum Event: Equatable, Sendable {
        /// More bytes are needed.
        case needMore
        /// The header fields of the next part.
        case part(HTTPHeaders)
        /// Content of the part, as a range of the passed bytes; never empty.
        case content(Range<Int>)
        /// The end of the part.
        case partEnd
        /// The end of the last part; the rest of the body is ignored.
        case end
    }

    private enum State: Sendable {
        /// Before the first delimiter.
        case preamble
        /// After the boundary in a delimiter.
        case delimiterEnd
        case fields(SectionScanner)
        /// In a part that ends with a delimiter.
        case content(isAtStart: Bool)
        /// In a part with this number of bytes left.
        case counted(Int)
        case ended
    }

    private let delimiter: [UInt8]
    private let partEnd: PartEnd
    private let limits: WireLimits
    private let maxParts: Int
    private var state = State.preamble
    private var partCount = 0
    /// The position in the body of the first byte that is not consumed.
    private var offset = 0

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - boundary: the parameter of the media type, 1 to 70 bytes.
    ///   - partEnd: the rule for the end of a part.
    ///   - limits: ``WireLimits/headBytes`` and ``WireLimits/fieldCount`` limit the fields of each part.
    ///   - maxParts: the maximum number of parts.
    /// - Throws: `.malformedBoundary`.
    package init(
        boundary: String,
        endingParts partEnd: PartEnd,
        limits: WireLimits,
        maxParts: Int
    ) throws(MultipartError) {
        guard (1...70).contains(boundary.utf8.count) else { throw .malformedBoundary }
        delimiter =
            [Byte.carriageReturn, Byte.lineFeed, Self.dash, Self.dash] + Array(boundary.utf8)
        self.partEnd = partEnd
        self.limits = limits
        self.maxParts = maxParts
    }

    /// Decodes the next event.
    ///
    /// - Parameter bytes: the bytes that are not consumed yet.
    /// - Returns: the event and the number of consumed bytes.
    /// - Throws: the rule that the body violates. Its offsets count from the start of the body.
    package mutating func decode(_ bytes: Span<UInt8>) throws(MultipartError) -> Step {
        let step = try next(bytes)
        offset += step.consumed
        return step
    }

    /// Returns the error of a body that ends here; nil after its last delimiter.
    package var endError: MultipartError? {
        switch state {
        case .ended: nil
        case .preamble: .missingDelimiter(offset: 0)
        case .delimiterEnd, .fields, .content, .counted: .truncated(offset: offset)
        }
    }

    private mutating func next(_ bytes: Span<UInt8>) throws(MultipartError) -> Step {
        switch state {
        case .preamble: return try preamble(bytes)
        case .delimiterEnd: return try delimiterEnd(bytes)
        case .fields(var scanner): return try fields(&scanner, bytes)
        case .content(let isAtStart): return content(bytes, isAtStart: isAtStart)
        case .counted(let left): return try counted(bytes, left)
        case .ended: return Step(consumed: bytes.count, event: .end)
        }
    }

    // MARK: - Delimiters

    private mutating func preamble(_ bytes: Span<UInt8>) throws(MultipartError) -> Step {
        var end: Int?
        switch match(delimiter[2...], in: bytes, at: 0) {
        case .whole: end = delimiter.count - 2
        case .start: return Step(consumed: 0, event: .needMore)
        case .none:
            let last = min(bytes.count - delimiter.count, Self.maxPreambleLength - 1)
            if last >= 0 {
                end = (0...last).first { match(delimiter[...], in: bytes, at: $0) == .whole }
                    .map { $0 + delimiter.count }
            }
        }
        guard let end else {
            guard bytes.count < Self.maxPreambleLength + delimiter.count else {
                throw .missingDelimiter(offset: 0)
            }
            return Step(consumed: 0, event: .needMore)
        }
        state = .delimiterEnd
        return try following(end, in: bytes)
    }

    /// Reads the rest of the line of a delimiter.
    private mutating func delimiterEnd(_ bytes: Span<UInt8>) throws(MultipartError) -> Step {
        switch match([Self.dash, Self.dash], in: bytes, at: 0) {
        case .start: return Step(consumed: 0, event: .needMore)
        case .whole:
            guard partCount > 0 else { throw .missingPart }
            state = .ended
            return Step(consumed: bytes.count, event: .end)
        case .none: break
        }
        var position = 0
        while position < bytes.count, ByteClass.isSpace(bytes[position]) { position += 1 }
        switch match([Byte.carriageReturn, Byte.lineFeed], in: bytes, at: position) {
        case .start where position < Self.maxPaddingLength:
            return Step(consumed: 0, event: .needMore)
        case .whole where position < Self.maxPaddingLength: break
        default: throw .missingDelimiter(offset: offset)
        }
        guard partCount < maxParts else { throw .tooManyParts }
        partCount += 1
        state = .fields(SectionScanner(from: 0))
        return try following(position + 2, in: bytes)
    }

    /// Reads on after the first `count` bytes.
    private mutating func following(
        _ count: Int,
        in bytes: Span<UInt8>
    ) throws(MultipartError) -> Step {
        offset += count
        defer { offset -= count }
        var step = try next(bytes.extracting(droppingFirst: count))
        // Fields follow a delimiter, so the event has no range of the passed bytes.
        step.consumed += count
        return step
    }

    private enum Match {
        case whole
        /// The bytes end within the pattern.
        case start
        case none
    }

    /// Compares the bytes at `position` with a pattern.
    private func match(
        _ pattern: ArraySlice<UInt8>,
        in bytes: Span<UInt8>,
        at position: Int
    ) -> Match {
        var index = position
        for byte in pattern {
            guard index < bytes.count else { return .start }
            guard bytes[index] == byte else { return .none }
            index += 1
        }
        return .whole
    }

    private static let dash = UInt8(ascii: "-")
    private static let maxPreambleLength = 1024
    private static let maxPaddingLength = 1024

    // MARK: - Parts

    private mutating func fields(
        _ scanner: inout SectionScanner,
        _ bytes: Span<UInt8>
    ) throws(MultipartError) -> Step {
        let room = max(limits.headBytes, 0)
        let storage: FieldStorage?
        do throws(WireError) {
            storage = try scanner.read(
                bytes.extracting(first: min(bytes.count, room)),
                maxFields: limits.fieldCount,
                limit: .fieldCount(limits.fieldCount)
            )
            if storage == nil, bytes.count >= room { throw .limitExceeded(.headBytes(room)) }
        } catch {
            throw .malformedFields(error, offset: offset)
        }
        guard let storage else {
            state = .fields(scanner)
            return Step(consumed: 0, event: .needMore)
        }
        let headers = HTTPHeaders(storage: storage)
        switch partEnd {
        case .delimiter: state = .content(isAtStart: true)
        case .contentRange: state = .counted(try length(of: headers))
        }
        return Step(consumed: scanner.position, event: .part(headers))
    }

    private func length(of headers: HTTPHeaders) throws(MultipartError) -> Int {
        guard headers.values(.contentRange).count == 1,
            let value = headers[.contentRange].flatMap({ ContentRange($0) }), case .part = value
        else { throw .malformedContentRange(offset: offset) }
        return value.length
    }

    private mutating func content(_ bytes: Span<UInt8>, isAtStart: Bool) -> Step {
        if isAtStart {
            // The empty line after the fields can also be the line end of the delimiter.
            switch match(delimiter[2...], in: bytes, at: 0) {
            case .whole: return endPart(delimiter.count - 2)
            case .start: return Step(consumed: 0, event: .needMore)
            case .none: state = .content(isAtStart: false)
            }
        }
        var end = bytes.count
        var position = 0
        while let back = HeadScanner.bodyCarriageReturn(in: bytes, from: position) {
            let match = match(delimiter[...], in: bytes, at: back)
            if match == .whole, back == 0 { return endPart(delimiter.count) }
            if match != .none {
                end = back
                break
            }
            position = back + 1
        }
        guard end > 0 else { return Step(consumed: 0, event: .needMore) }
        return Step(consumed: end, event: .content(0..<end))
    }

    private mutating func counted(
        _ bytes: Span<UInt8>,
        _ left: Int
    ) throws(MultipartError) -> Step {
        guard left == 0 else {
            let count = min(bytes.count, left)
            state = .counted(left - count)
            guard count > 0 else { return Step(consumed: 0, event: .needMore) }
            return Step(consumed: count, event: .content(0..<count))
        }
        switch match(delimiter[...], in: bytes, at: 0) {
        case .whole: return endPart(delimiter.count)
        case .start: return Step(consumed: 0, event: .needMore)
        case .none: throw .missingDelimiter(offset: offset)
        }
    }

    private mutating func endPart(_ consumed: Int) -> Step {
        state = .delimiterEnd
        return Step(consumed: consumed, event: .partEnd)
    }
}
