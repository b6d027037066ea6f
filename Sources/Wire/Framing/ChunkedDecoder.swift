/// Takes chunks apart (RFC 9112 §7.1).
///
/// Strict: a size is 1 to 16 hexadecimal digits and nothing else, lines end in CRLF, the last
/// chunk is followed by a trailer section. Extensions are skipped, but counted and free of
/// controls.
///
/// There are three ways to have the content, which may be mixed at will and differ in nothing else:
///
/// - ``decode(_:)`` gives one piece at a time, as a range of the input;
/// - ``decode(_:into:)-(_,OutputSpan<Range<Int>>)`` gives the ranges of many chunks at once;
/// - ``decode(_:into:)-(_,OutputSpan<UInt8>)`` copies the content, without what lies between.
///
/// Where chunks are small the second takes a third of the time of the first.
public struct ChunkedDecoder: Sendable {
    let limits: WireLimits
    private var state = State.line
    // Beside the state and not in it, so that they are changed where they lie.
    var lines: ChunkLineDecoder
    private var scanner = SectionScanner(from: 0)
    /// How far a trailer section was read that the strict rules refuse.
    var tolerantTrailers = TolerantTrailers.none
    /// Bytes of the chunked body before the input, for the offsets of errors.
    private var offset = 0
    /// Bytes of content passed on, or read elsewhere.
    public private(set) var received = 0

    private enum State: Sendable {
        /// In a line around content. Can go to: content, trailers.
        case line
        /// In chunk-data, of which at least one byte is left. Can go to: line.
        case content(left: Int)
        /// In trailer-section. Can go to: done.
        case trailers
        /// The body is complete.
        case done
    }

    /// Creates a decoder at the start of a body.
    ///
    /// - Parameters:
    ///   - limits: bounds on chunk lines and trailers.
    ///   - strictness: what is tolerated; nothing below ``Strictness/forensic``. See ``diagnostics``.
    public init(limits: WireLimits = .default, strictness: Strictness = .strict) {
        self.limits = limits
        // Readers that take LF for the end of a chunk line find other chunks than those that do not.
        let level = strictness == .forensic ? strictness : .strict
        lines = ChunkLineDecoder(limits: limits, strictness: level)
    }

    /// Reads up to the next piece of content, or the end.
    ///
    /// `consumed` is the end of the range of a `.body` event. A trailer section is
    /// consumed whole: until it is complete its bytes must be offered again. After `.end` every
    /// call answers `.end` and consumes nothing.
    ///
    /// Trailers that RFC 9110 §6.5.1 bans are delivered with the others: a trailer is no header, and
    /// the recipient ignores it. ``Strictness/forensic`` reports each of them.
    ///
    /// - Throws: any case of kind `.body`; for trailers also of kind `.head`; `.limitExceeded` for the
    ///   limits of chunk lines, extensions and trailers.
    public mutating func decode(_ input: Span<UInt8>) throws(WireError) -> BodyStep {
        if isAllContent(input) {
            consumeAllContent(input.count)
            return BodyStep(consumed: input.count, event: .body(0..<input.count))
        }
        return try decodeChunk(input)
    }

    /// Does the same for any input; apart, so that the usual case need not save registers.
    @inline(never)
    private mutating func decodeChunk(_ input: Span<UInt8>) throws(WireError) -> BodyStep {
        var index = 0
        switch try advance(input, from: &index) {
        case .needMore:
            offset &+= index
            return BodyStep(consumed: index, event: .needMore)
        case .content(let left):
            let start = index
            take(left, of: input, to: &index)
            offset &+= index
            return BodyStep(consumed: index, event: .body(start..<index))
        case .end(let trailers):
            offset &+= index
            return BodyStep(consumed: index, event: .end(trailers: trailers))
        }
    }

    /// Reads as many pieces of content as there are, or as there is room for.
    ///
    /// - Parameters:
    ///   - input: bytes not consumed so far, and those that came since.
    ///   - ranges: where in `input` each piece lies is appended, in order; none is empty. With an
    ///     array kept for it, `ranges.append(addingCapacity: 64) { … }`, nothing is allocated; where
    ///     chunks are large that takes longer than the decoding, so lend it for many reads. When
    ///     an error is thrown the ranges before the fault are there.
    /// - Returns: bytes finished with, and what is needed to go on. Nothing is held back: a call
    ///   without room for a range still reads up to the next content, or the end.
    /// - Throws: what ``decode(_:)`` throws.
    public mutating func decode(
        _ input: Span<UInt8>,
        into ranges: inout OutputSpan<Range<Int>>
    ) throws(WireError) -> BodyBatch {
        if !ranges.isFull, isAllContent(input) {
            ranges.append(0..<input.count)
            consumeAllContent(input.count)
            return BodyBatch(consumed: input.count, state: .needMore)
        }
        return try decodeChunks(input, into: &ranges)
    }

    /// Does the same for any input; apart, so that the usual case need not save registers.
    @inline(never)
    private mutating func decodeChunks(
        _ input: Span<UInt8>,
        into ranges: inout OutputSpan<Range<Int>>
    ) throws(WireError) -> BodyBatch {
        var index = 0
        while true {
            switch try advance(input, from: &index) {
            case .needMore: return batch(index, .needMore)
            case .end(let trailers): return batch(index, .end(trailers: trailers))
            case .content(let left):
                guard !ranges.isFull else { return batch(index, .outputFull) }
                var size = left
                var last = lines.last
                while let end = wholeChunk(size, of: input, at: index), ranges.freeCapacity > 1 {
                    ranges.append(index..<end)
                    received = min(received, .max - size) + size
                    index = end
                    size = nextPlainSize(input, from: &index, after: &last)
                    if size == 0 { break }
                }
                if size > 0 {
                    let start = index
                    take(size, of: input, to: &index)
                    ranges.append(start..<index)
                    if index == input.count { return batch(index, .needMore) }
                }
            }
        }
    }

    /// Copies as much content as there is, or as there is room for.
    ///
    /// - Parameters:
    ///   - input: bytes not consumed so far, and those that came since.
    ///   - output: content is appended, that of several chunks in one piece. Room for as many bytes
    ///     as `input` has is always enough. When an error is thrown the content before it is there.
    /// - Returns: bytes finished with, and what is needed to go on. Nothing is held back: a call
    ///   without room still reads up to the next content, or the end.
    /// - Throws: what ``decode(_:)`` throws.
    public mutating func decode(
        _ input: Span<UInt8>,
        into output: inout OutputSpan<UInt8>
    ) throws(WireError) -> BodyBatch {
        var index = 0
        while true {
            switch try advance(input, from: &index) {
            case .needMore: return batch(index, .needMore)
            case .end(let trailers): return batch(index, .end(trailers: trailers))
            case .content(let left):
                guard !output.isFull else { return batch(index, .outputFull) }
                var size = left
                var last = lines.last
                while let end = wholeChunk(size, of: input, at: index),
                    end &- index < output.freeCapacity
                {
                    HeadScanner.append(input.extracting(index..<end), to: &output)
                    received = min(received, .max - size) + size
                    index = end
                    size = nextPlainSize(input, from: &index, after: &last)
                    if size == 0 { break }
                }
                if size > 0 {
                    let start = index
                    let room = start &+ min(output.freeCapacity, input.count &- start)
                    take(size, of: input.extracting(first: room), to: &index)
                    HeadScanner.append(input.extracting(start..<index), to: &output)
                }
            }
        }
    }

    /// Tells the bytes of content left in the present chunk; nil outside of chunk data.
    public var remainingInChunk: Int? {
        if case .content(let left) = state { return left }
        return nil
    }

    /// Tells the decoder that bytes of the present chunk were read elsewhere.
    ///
    /// - Parameter count: at most ``remainingInChunk``; what is above that is ignored, and
    ///   so is a negative number.
    public mutating func recordDirectRead(_ count: Int) {
        guard count > 0, case .content(let left) = state else { return }
        let taken = min(count, left)
        // Nobody has read so much; a caller that says so must not stop the program.
        received = min(received, .max - taken) + taken
        offset &+= taken
        state = left == taken ? .line : .content(left: left - taken)
    }

    // MARK: - Parts

    /// Says whether the input lies within one chunk, as most reads of a large chunk do.
    @inline(__always)
    private func isAllContent(_ input: Span<UInt8>) -> Bool {
        guard case .content(let left) = state, !input.isEmpty else { return false }
        return input.count < left
    }

    /// Takes that much content, which is not all of the present chunk.
    @inline(__always)
    private mutating func consumeAllContent(_ count: Int) {
        guard case .content(let left) = state else { return }
        state = .content(left: left &- count)
        received = min(received, .max - count) + count
        offset &+= count
    }

    /// What lies at the front of the input.
    private enum NextPart {
        case needMore
        case content(left: Int)
        case end(HTTPHeaders)
    }

    /// Reads up to content, of which there is at least one byte, or the end.
    @inline(__always)
    private mutating func advance(
        _ input: Span<UInt8>,
        from index: inout Int
    ) throws(WireError) -> NextPart {
        while true {
            switch state {
            case .content(let left):
                return index < input.count ? .content(left: left) : .needMore
            case .line:
                let size = try lines.next(input, from: &index, offset: offset)
                guard let size else { return .needMore }
                state = size == 0 ? .trailers : .content(left: size)
            case .trailers:
                guard index < input.count, let trailers = try trailers(input, from: &index)
                else { return .needMore }
                state = .done
                return .end(trailers)
            case .done:
                return .end([:])
            }
        }
    }

    /// Takes content of the present chunk, of which `left` bytes are to come, from `index` on.
    @inline(__always)
    private mutating func take(_ left: Int, of input: Span<UInt8>, to index: inout Int) {
        let count = min(input.count &- index, left)
        index &+= count
        received = min(received, .max - count) + count
        state = left == count ? .line : .content(left: left &- count)
    }

    /// Finds the end of a chunk of that size, if it is there whole and so is a short line behind it.
    @inline(__always)
    private func wholeChunk(_ size: Int, of input: Span<UInt8>, at index: Int) -> Int? {
        // Never negative: the index is a position in the input.
        let rest = input.count &- index
        guard size < rest &- ChunkLineDecoder.plainWindow else { return nil }
        return index &+ size
    }

    /// Reads what lies between two chunks, if it is plain, and moves on to the content.
    ///
    /// - Returns: the size, with at least one byte of content there; else 0, and the state says
    ///   that a line comes next.
    @inline(__always)
    private mutating func nextPlainSize(
        _ input: Span<UInt8>,
        from index: inout Int,
        after last: inout HeadScanner.PlainSize
    ) -> Int {
        guard let next = lines.plainNext(input, at: index, after: last), next.size > 0,
            index &+ next.length &+ 2 < input.count
        else {
            state = .line
            return 0
        }
        last = next
        index &+= next.length &+ 2
        return next.size
    }

    private mutating func batch(_ consumed: Int, _ state: BodyBatch.State) -> BodyBatch {
        offset &+= consumed
        return BodyBatch(consumed: consumed, state: state)
    }

    /// Reads the trailer section; it is consumed whole or not at all.
    @inline(never)
    private mutating func trailers(
        _ input: Span<UInt8>,
        from index: inout Int
    ) throws(WireError) -> HTTPHeaders? {
        let all = input.extracting(index..<input.count)
        let bytes = all.extracting(first: max(limits.trailerBytes, 0))
        if scanner.count == 0, HeadScanner.isLineEnd(in: bytes, at: 0) {
            index += 2
            return [:]
        }
        let found = try readTrailers(bytes, at: offset &+ index)
        guard let found else {
            guard all.count < limits.trailerBytes else {
                throw .limitExceeded(.trailerBytes(limits.trailerBytes))
            }
            return nil
        }
        recordForbiddenTrailers(in: found.storage, at: offset &+ index)
        index += found.count
        return HTTPHeaders(storage: found.storage)
    }

    private mutating func readTrailers(
        _ bytes: Span<UInt8>,
        at offset: Int
    ) throws(WireError) -> (count: Int, storage: FieldStorage)? {
        if case .reading = tolerantTrailers {
            return try readTrailersTolerantly(bytes, at: offset)
        }
        do {
            let storage = try scanner.read(
                bytes,
                maxFields: limits.trailerCount,
                limit: .trailerCount(limits.trailerCount)
            )
            guard let storage else { return nil }
            return (scanner.position, storage)
        } catch {
            guard lines.log.strictness.canContinue(after: error) else { throw error }
            return try readTrailersTolerantly(bytes, at: offset)
        }
    }
}
