/// Finds the bytes of a body, and its end, under any framing (RFC 9112 §6).
public struct BodyDecoder: Sendable {
    private var state: State
    // Beside the state and not in it, so that it is changed where it lies.
    private var chunks: ChunkedDecoder
    private var usesChunkedDecoder: Bool
    /// Bytes of body seen or read elsewhere, before content decoding.
    private var count = 0

    private enum State: Sendable {
        case length(left: Int, declared: Int)
        case chunked
        case untilClose
        /// The body is complete.
        case done

        init(_ framing: BodyFraming) {
            switch framing {
            case .noBody: self = .done
            case .length(let length): self = .length(left: max(length, 0), declared: length)
            case .chunked: self = .chunked
            case .untilClose: self = .untilClose
            }
        }
    }

    /// Creates a decoder at the start of a body that is delimited so.
    ///
    /// - Parameters:
    ///   - framing: as decided from the head, or chosen by a tool that knows better.
    ///   - limits: bounds on chunk lines and trailers.
    ///   - strictness: what is tolerated in chunk lines and trailers; nothing, unless asked for.
    public init(
        _ framing: BodyFraming,
        limits: WireLimits = .default,
        strictness: Strictness = .strict
    ) {
        chunks = ChunkedDecoder(limits: limits, strictness: strictness)
        state = State(framing)
        usesChunkedDecoder = framing == .chunked
    }

    /// Turns to the next body, under the same limits and with the same tolerance.
    ///
    /// The decoder of chunks is by far the largest part: it is made anew only for bodies that use
    /// it, and behind them, so that it reports nothing of an earlier body.
    mutating func begin(_ framing: BodyFraming, strictness: Strictness) {
        if usesChunkedDecoder || framing == .chunked {
            chunks = ChunkedDecoder(limits: chunks.limits, strictness: strictness)
        }
        state = State(framing)
        usesChunkedDecoder = framing == .chunked
        count = 0
    }

    /// Reads up to the next piece of body, or the end.
    ///
    /// The end is a step of its own, given as soon as it is known: call again, with an empty input
    /// if need be, after every step but `.needMore`. Once it was given, every call gives it again.
    ///
    /// - Throws: what ``ChunkedDecoder/decode(_:)`` throws; nothing under other framings.
    public mutating func decode(_ input: Span<UInt8>) throws(WireError) -> BodyStep {
        switch state {
        case .done, .length(left: 0, declared: _):
            state = .done
            return BodyStep(consumed: 0, event: .end(trailers: [:]))
        case .length(let left, let declared):
            guard !input.isEmpty else { return BodyStep(consumed: 0, event: .needMore) }
            let taken = min(input.count, left)
            state = .length(left: left - taken, declared: declared)
            count += taken
            return BodyStep(consumed: taken, event: .body(0..<taken))
        case .untilClose:
            guard !input.isEmpty else { return BodyStep(consumed: 0, event: .needMore) }
            count = min(count, .max - input.count) + input.count
            return BodyStep(consumed: input.count, event: .body(0..<input.count))
        case .chunked:
            let step = try chunks.decode(input)
            count = chunks.received
            if case .end = step.event { state = .done }
            return step
        }
    }

    /// Reads as many pieces of body as there are, or as there is room for.
    ///
    /// It says the end in the same call as the last piece.
    ///
    /// - Parameters:
    ///   - input: bytes not consumed so far, and those that came since.
    ///   - ranges: where in `input` each piece lies is appended; only a chunked body needs room for
    ///     more than one. When an error is thrown the ranges before the fault are there.
    /// - Returns: bytes finished with, and what is needed to go on.
    /// - Throws: what ``ChunkedDecoder/decode(_:)`` throws; nothing under other framings.
    public mutating func decode(
        _ input: Span<UInt8>,
        into ranges: inout OutputSpan<Range<Int>>
    ) throws(WireError) -> BodyBatch {
        if case .chunked = state {
            let batch = try chunks.decode(input, into: &ranges)
            return record(batch)
        }
        return batch(input, room: ranges.isFull ? 0 : input.count) { range in
            ranges.append(range)
        }
    }

    /// Copies as much of the body as there is, or as there is room for.
    ///
    /// It says the end in the same call as the last byte.
    ///
    /// - Parameters:
    ///   - input: bytes not consumed so far, and those that came since.
    ///   - output: the body is appended, without what lies between chunks. Room for as many bytes
    ///     as `input` has is always enough. When an error is thrown the bytes before it are there.
    /// - Returns: bytes finished with, and what is needed to go on.
    /// - Throws: what ``ChunkedDecoder/decode(_:)`` throws; nothing under other framings.
    public mutating func decode(
        _ input: Span<UInt8>,
        into output: inout OutputSpan<UInt8>
    ) throws(WireError) -> BodyBatch {
        if case .chunked = state {
            let batch = try chunks.decode(input, into: &output)
            return record(batch)
        }
        return batch(input, room: output.freeCapacity) { range in
            HeadScanner.append(input.extracting(range), to: &output)
        }
    }

    /// Takes note of what chunks gave.
    private mutating func record(_ batch: BodyBatch) -> BodyBatch {
        count = chunks.received
        if case .end = batch.state { state = .done }
        return batch
    }

    /// Takes one piece, of at most `room` bytes, of a body that is not chunked.
    private mutating func batch(
        _ input: Span<UInt8>,
        room: Int,
        deliver: (Range<Int>) -> Void
    ) -> BodyBatch {
        let due = remainingLength ?? .max
        let taken = min(input.count, room, due)
        if taken > 0 { deliver(0..<taken) }
        recordDirectRead(taken)
        if remainingLength == 0 {
            state = .done
            return BodyBatch(consumed: taken, state: .end(trailers: [:]))
        }
        return BodyBatch(consumed: taken, state: taken < input.count ? .outputFull : .needMore)
    }

    /// Takes note that the peer closed.
    ///
    /// - Throws: `.bodyTruncated` unless the body is complete, or delimited by the close.
    public mutating func finish() throws(WireError) {
        switch state {
        case .done, .untilClose, .length(left: 0, declared: _):
            state = .done
        case .length(_, let declared):
            throw .bodyTruncated(received: count, expected: declared)
        case .chunked:
            throw .bodyTruncated(received: count, expected: nil)
        }
    }

    /// What was tolerated in chunk lines and trailers so far; see ``ChunkedDecoder/diagnostics``.
    public var diagnostics: [Diagnostic] { chunks.diagnostics }

    /// Bytes of body so far, before content decoding.
    public var received: Int { count }

    /// Bytes still to come of a body whose length is known; nil under other framings.
    public var remainingLength: Int? {
        switch state {
        case .length(let left, _): left
        case .done: 0
        case .chunked, .untilClose: nil
        }
    }

    /// Takes note that bytes of the body were read elsewhere, without passing through here.
    ///
    /// - Parameter count: bytes; under a known length at most ``remainingLength``.
    /// - Returns: false when that was negative or more than the body had left: the connection is out
    ///   of step.
    @discardableResult
    public mutating func recordDirectRead(_ count: Int) -> Bool {
        guard count >= 0 else { return false }
        switch state {
        case .length(let left, let declared):
            let taken = min(count, left)
            self.count += taken
            state = .length(left: left - taken, declared: declared)
            return taken == count
        case .untilClose:
            self.count = min(self.count, .max - count) + count
            return true
        case .chunked, .done:
            return count == 0
        }
    }
}
