internal import Wire

/// Checks that the records of a body do not depend on its split, and that their lengths have a limit.
///
/// Input: the kind of body, the size of pieces, the maximum length of a record, then the body.
package func checkStream(_ input: FuzzInput) {
    var input = input
    let (kind, size, limit) = (input.byte() % 5, input.byte() + 1, input.byte())
    let bytes = input.bytes
    let whole = StreamResult(bytes, kind, size: max(bytes.count, 1), limit)
    precondition(
        whole == StreamResult(bytes, kind, size: size, limit),
        "the split of the input changes the result"
    )
    precondition(
        whole == StreamResult(bytes, kind, size: 1, limit),
        "the split of the input changes the result"
    )
}

/// The records of a body.
private struct StreamResult: Equatable {
    var records: [String] = []
    var contents: [[UInt8]] = []
    var error: String?

    /// Decodes a body of which `size` bytes arrive at a time.
    init(_ bytes: [UInt8], _ kind: Int, size: Int, _ limit: Int) {
        do {
            switch kind {
            case 0: try readLines(bytes, size, limit)
            case 1: try readTexts(bytes, size, limit)
            case 2: try readEvents(bytes, size, limit)
            default:
                try readParts(bytes, size, limit, kind == 3 ? .delimiter : .contentRange)
            }
        } catch {
            self.error = "\(error)"
        }
    }

    private mutating func readLines(_ bytes: [UInt8], _ size: Int, _ limit: Int) throws {
        var decoder = LineDecoder(maxLength: limit)
        let rest = try Self.feed(bytes, size) { span in
            let step = try decoder.decode(span)
            if let line = step.line { add(span, line, limit) }
            return (step.consumed, step.line != nil)
        }
        if let last = try decoder.finish(bytes.span.extracting(rest...)) {
            add(bytes.span.extracting(rest...), last, limit)
        }
    }

    private mutating func readTexts(_ bytes: [UInt8], _ size: Int, _ limit: Int) throws {
        var decoder = JSONSequenceDecoder(maxLength: limit)
        let rest = try Self.feed(bytes, size) { span in
            let step = try decoder.decode(span)
            if let element = step.element { add(span, element, limit) }
            return (step.consumed, step.element != nil)
        }
        if let last = decoder.finish(bytes.span.extracting(rest...)) {
            add(bytes.span.extracting(rest...), last, limit)
        }
    }

    private mutating func readEvents(_ bytes: [UInt8], _ size: Int, _ limit: Int) throws {
        var decoder = EventStreamDecoder(maxLength: limit)
        defer { records.append("\(decoder.lastEventID) \(decoder.retryMilliseconds ?? -1)") }
        _ = try Self.feed(bytes, size) { span in
            var events: [HTTPServerSentEvent] = []
            // The events before an error are read too.
            defer { for event in events { add(event, limit) } }
            // One event at a time for pieces of one byte, and otherwise up to eight.
            let consumed = try decoder.decode(
                span,
                into: &events,
                atMost: (size - 1) % 8 + 1,
                within: limit
            )
            return (consumed, !events.isEmpty)
        }
    }

    private mutating func add(_ event: HTTPServerSentEvent, _ limit: Int) {
        // Each byte that is not UTF-8 becomes three bytes.
        precondition(event.data.utf8.count <= 3 * limit, "an event is too long")
        precondition(!event.type.isEmpty && !event.lastEventID.utf8.contains(0))
        records.append("\(event)")
    }

    private mutating func readParts(
        _ bytes: [UInt8],
        _ size: Int,
        _ limit: Int,
        _ end: MultipartDecoder.PartEnd
    ) throws {
        var limits = WireLimits()
        limits.headBytes = limit * 4
        limits.fieldCount = 4
        var decoder = try MultipartDecoder(
            boundary: "b",
            endingParts: end,
            limits: limits,
            maxParts: 8
        )
        var isAtEnd = false
        _ = try Self.feed(bytes, size) { span in
            let step = try decoder.decode(span)
            switch step.event {
            case .needMore: return (step.consumed, false)
            case .part(let headers):
                records.append(headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n"))
                contents.append([])
            case .content(let range):
                precondition(!range.isEmpty && range.upperBound == step.consumed)
                contents[contents.count - 1].append(copying: span.extracting(range))
            case .partEnd: records.append("end of the part")
            case .end:
                isAtEnd = true
                return (step.consumed, false)
            }
            return (step.consumed, true)
        }
        records.append("\(isAtEnd) \(String(describing: isAtEnd ? nil : decoder.endError))")
    }

    /// Passes growing prefixes of the bytes to a decoder.
    ///
    /// - Parameters:
    ///   - bytes: the body.
    ///   - size: the number of bytes that arrive at a time.
    ///   - step: decodes once; returns the consumed bytes, and whether the same bytes may have more records.
    /// - Returns: the offset of the first byte that was not consumed.
    /// - Throws: the error of `step`.
    private static func feed(
        _ bytes: [UInt8],
        _ size: Int,
        _ step: (Span<UInt8>) throws -> (consumed: Int, hasMore: Bool)
    ) throws -> Int {
        var (start, end) = (0, 0)
        while end < bytes.count {
            end = min(end + size, bytes.count)
            while true {
                let result = try step(bytes.span.extracting(start..<end))
                precondition(0...(end - start) ~= result.consumed, "more bytes consumed than given")
                start += result.consumed
                if !result.hasMore { break }
            }
        }
        return start
    }

    private mutating func add(_ span: Span<UInt8>, _ range: Range<Int>, _ limit: Int) {
        precondition(range.count <= limit, "a record is too long")
        contents.append([UInt8](copying: span.extracting(range)))
    }

    private mutating func add(
        _ span: Span<UInt8>,
        _ element: JSONSequenceDecoder.Element,
        _ limit: Int
    ) {
        switch element {
        case .text(let range): add(span, range, limit)
        case .truncated(let range):
            records.append("truncated after \(contents.count)")
            add(span, range, limit)
        case .unseparated: records.append("unseparated after \(contents.count)")
        }
    }
}
