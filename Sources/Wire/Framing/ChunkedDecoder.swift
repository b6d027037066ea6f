/// A decoder for chunked bodies (RFC 9112 §7.1).
///
/// The decoder is strict. A chunk size is 1 to 16 hexadecimal digits, lines end in CRLF, and a
/// trailer section follows the last chunk. Extensions must follow the grammar of §7.1.1. They are
/// skipped, but their bytes count toward a limit.
///
/// There are three ways to obtain the content. They can be mixed freely and differ only in the form
/// of the output:
///
/// - ``decode(_:)`` returns one piece at a time, as a range of the input.
/// - ``decode(_:into:)-(_,OutputSpan<Range<Int>>)`` returns the ranges of many chunks at once.
/// - ``decode(_:into:)-(_,OutputSpan<UInt8>)`` copies the content, without chunk framing.
///
/// With small chunks, the second takes a third of the time of the first.
public struct ChunkedDecoder: Sendable {
    let limits: WireLimits
    private var state = State.line
    // Separate properties and not part of `state`, so that they are modified in place.
    var lines: ChunkLineDecoder
    private var scanner = SectionScanner(from: 0)
    /// The progress in a trailer section that the strict rules reject.
    var tolerantTrailers = TolerantTrailers.none
    /// The bytes of the chunked body before the input, for the offsets of errors.
    private var offset = 0
    /// The content bytes decoded or read directly.
    public private(set) var received = 0

    private enum State: Sendable {
        /// In a line around content.
        ///
        /// Next states: content, trailers.
        case line
        /// In chunk-data, with at least one byte left.
        ///
        /// Next state: line.
        case content(left: Int)
        /// In trailer-section.
        ///
        /// Next state: done.
        case trailers
        /// The body is complete.
        case done
    }

    /// Creates a decoder at the start of a body.
    ///
    /// - Parameters:
    ///   - limits: limits for chunk lines and trailers.
    ///   - strictness: the deviations tolerated; none below ``Strictness/forensic``. See
    ///     ``diagnostics``.
    public init(limits: WireLimits = .default, strictness: Strictness = .strict) {
        self.limits = limits
        // Readers that accept LF as the end of a chunk line find other chunks than those that do
        // not.
        let level = strictness == .forensic ? strictness : .strict
        lines = ChunkLineDecoder(limits: limits, strictness: level)
    }

    /// Reads up to the next piece of content, or the end.
    ///
    /// `consumed` is the end of the range of a `.body` event. A trailer section is consumed as a
    /// whole: until it is complete, the caller must pass its bytes again. After `.end`, every call
    /// returns `.end` and consumes nothing.
    ///
    /// Trailers that RFC 9110 §6.5.1 forbids are delivered with the others. A trailer is not a
    /// header field, and the recipient ignores it. ``Strictness/forensic`` reports each of them.
    ///
    /// - Throws: any case of kind `.body`; for trailers also of kind `.head`; `.limitExceeded` for
    ///   the limits of chunk lines, extensions and trailers.
    public mutating func decode(_ input: Span<UInt8>) throws(WireError) -> BodyStep {
        if isAllContent(input) {
            consumeAllContent(input.count)
            return BodyStep(consumed: input.count, event: .body(0..<input.count))
        }
        return try decodeChunk(input)
    }

    /// Handles any input; a separate function, so that the usual case does not save registers.
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

    /// Reads as many pieces of content as are available and fit.
    ///
    /// - Parameters:
    ///   - input: the bytes not consumed so far, followed by new ones.
    ///   - ranges: receives the range of each piece in `input`, in order; none is empty. With a
    ///     reused array, `ranges.append(addingCapacity: 64) { … }`, the call does not allocate.
    ///     With large chunks this append takes longer than the decoding, so reuse one span for many
    ///     reads. If the call throws, it contains the ranges before the error.
    /// - Returns: the bytes consumed, and what is needed to continue. A call without space for a
    ///   range still reads up to the next content, or the end.
    /// - Throws: the errors of ``decode(_:)``.
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

    /// Handles any input; a separate function, so that the usual case does not save registers.
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

    /// Copies as much content as is available and fits.
    ///
    /// - Parameters:
    ///   - input: the bytes not consumed so far, followed by new ones.
    ///   - output: receives the content of one or several chunks, without gaps. Space for as many
    ///     bytes as `input` has is always enough. If the call throws, it contains the content
    ///     before the error.
    /// - Returns: the bytes consumed, and what is needed to continue. A call without space still
    ///   reads up to the next content, or the end.
    /// - Throws: the errors of ``decode(_:)``.
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

    /// The content bytes left in the current chunk; nil outside of chunk data.
    public var remainingInChunk: Int? {
        if case .content(let left) = state { return left }
        return nil
    }

    /// Records bytes of the current chunk that the caller read directly, without this decoder.
    ///
    /// - Parameter count: at most ``remainingInChunk``. The decoder ignores any excess, and
    ///   negative numbers.
    public mutating func recordDirectRead(_ count: Int) {
        guard count > 0, case .content(let left) = state else { return }
        let taken = min(count, left)
        // The sum cannot overflow in practice, but a wrong argument must not trap.
        received = min(received, .max - taken) + taken
        offset &+= taken
        state = left == taken ? .line : .content(left: left - taken)
    }

    // MARK: - Parts

    /// Returns whether the input lies within one chunk, as most reads of a large chunk do.
    @inline(__always)
    private func isAllContent(_ input: Span<UInt8>) -> Bool {
        guard case .content(let left) = state, !input.isEmpty else { return false }
        return input.count < left
    }

    /// Consumes `count` bytes of content, less than the rest of the current chunk.
    @inline(__always)
    private mutating func consumeAllContent(_ count: Int) {
        guard case .content(let left) = state else { return }
        state = .content(left: left &- count)
        received = min(received, .max - count) + count
        offset &+= count
    }

    /// The next element of the input.
    private enum NextPart {
        case needMore
        case content(left: Int)
        case end(HTTPHeaders)
    }

    /// Reads up to the next content, of which at least one byte is available, or the end.
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

    /// Consumes content of the current chunk, which has `left` bytes left, from `index` on.
    @inline(__always)
    private mutating func take(_ left: Int, of input: Span<UInt8>, to index: inout Int) {
        let count = min(input.count &- index, left)
        index &+= count
        received = min(received, .max - count) + count
        state = left == count ? .line : .content(left: left &- count)
    }

    /// Returns the end of a chunk of that size if all of it and a short line after it are
    /// available.
    @inline(__always)
    private func wholeChunk(_ size: Int, of input: Span<UInt8>, at index: Int) -> Int? {
        // Never negative: the index is a position in the input.
        let rest = input.count &- index
        guard size < rest &- ChunkLineDecoder.plainWindow else { return nil }
        return index &+ size
    }

    /// Reads a plain end of chunk and size line, and moves on to the content.
    ///
    /// - Returns: the size, if at least one byte of content is available. Otherwise 0, with the
    ///   state set to read a line.
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

    /// Reads the trailer section, which is consumed as a whole or not at all.
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

extension ChunkedDecoder {
    /// The deviations tolerated in the body so far, including trailers, in order of occurrence.
    ///
    /// Offsets count from the first byte of the chunked body. Empty below ``Strictness/forensic``.
    public var diagnostics: [Diagnostic] { lines.log.entries }

    /// Continues to read a trailer section that the strict reader rejected.
    ///
    /// - Parameters:
    ///   - bytes: the section, from its first byte.
    ///   - offset: the number of body bytes before the section.
    /// - Returns: the trailers and their length in bytes, or nil while the section is incomplete.
    /// - Throws: an error for a deviation that the level does not tolerate, or `.limitExceeded` for
    ///   too many lines.
    mutating func readTrailersTolerantly(
        _ bytes: Span<UInt8>,
        at offset: Int
    ) throws(WireError) -> (count: Int, storage: FieldStorage)? {
        var reader = tolerantTrailers.taken ?? TolerantFieldReader(.trailers, from: 0)
        // Release the stored copy here. Otherwise every line would copy the fields before it.
        tolerantTrailers = .none
        lines.log.base = offset
        let isComplete = try reader.read(
            bytes,
            maxFields: limits.trailerCount,
            limit: .trailerCount(limits.trailerCount),
            log: &lines.log
        )
        guard isComplete else {
            tolerantTrailers = .reading(reader)
            return nil
        }
        return (reader.position, reader.storage(of: bytes))
    }

    /// Reports each field that a trailer section must not contain, at ``Strictness/forensic``.
    ///
    /// - Parameters:
    ///   - storage: the section.
    ///   - offset: the number of body bytes before the section.
    mutating func recordForbiddenTrailers(in storage: FieldStorage, at offset: Int) {
        guard lines.log.strictness == .forensic else { return }
        var index = TrailerRules.firstForbidden(in: storage)
        while let found = index {
            let name = storage[found].name
            let start = offset &+ name.lowerBound
            lines.log.record(.forbiddenTrailer, start..<start &+ name.count)
            index = TrailerRules.firstForbidden(in: storage, from: found + 1)
        }
    }

    /// The state of a tolerant trailer reader, stored indirectly so that it is one pointer when
    /// unused.
    indirect enum TolerantTrailers: Sendable {
        case none
        case reading(TolerantFieldReader)

        var taken: TolerantFieldReader? {
            if case .reading(let reader) = self { return reader }
            return nil
        }
    }
}
