/// A decoder that finds the content and the end of a body under any framing (RFC 9112 §6).
public struct BodyDecoder: Sendable {
    private var state: State
    // A separate property and not part of `state`, so that it is modified in place.
    private var chunks: ChunkedDecoder
    private var usesChunkedDecoder: Bool
    /// The body bytes decoded or read directly, before content decoding.
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

    /// Creates a decoder at the start of a body with the given framing.
    ///
    /// - Parameters:
    ///   - framing: the framing determined from the head, or one chosen by a tool.
    ///   - limits: limits for chunk lines and trailers.
    ///   - strictness: the deviations tolerated in chunk lines and trailers; by default none.
    public init(
        _ framing: BodyFraming,
        limits: WireLimits = .default,
        strictness: Strictness = .strict
    ) {
        chunks = ChunkedDecoder(limits: limits, strictness: strictness)
        state = State(framing)
        usesChunkedDecoder = framing == .chunked
    }

    /// Starts the next body, with the same limits and the given strictness.
    ///
    /// The chunk decoder is by far the largest part. It is replaced only before a body that uses
    /// it, and after one, so that no diagnostics of an earlier body remain.
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
    /// The end is a separate step, returned as soon as it is known. After every step except
    /// `.needMore`, call this method again, with an empty input if necessary. After the end, every
    /// call returns it again.
    ///
    /// - Throws: the errors of ``ChunkedDecoder/decode(_:)``; none under other framings.
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

    /// Reads as many pieces of body as are available and fit.
    ///
    /// The end is reported by the same call as the last piece.
    ///
    /// - Parameters:
    ///   - input: the bytes not consumed so far, followed by new ones.
    ///   - ranges: receives the range of each piece in `input`. Only a chunked body needs space for
    ///     more than one. If the call throws, it contains the ranges before the error.
    /// - Returns: the bytes consumed, and what is needed to continue.
    /// - Throws: the errors of ``ChunkedDecoder/decode(_:)``; none under other framings.
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

    /// Copies as much of the body as is available and fits.
    ///
    /// The end is reported by the same call as the last byte.
    ///
    /// - Parameters:
    ///   - input: the bytes not consumed so far, followed by new ones.
    ///   - output: receives the body without chunk framing. Space for as many bytes as `input` has
    ///     is always enough. If the call throws, it contains the bytes before the error.
    /// - Returns: the bytes consumed, and what is needed to continue.
    /// - Throws: the errors of ``ChunkedDecoder/decode(_:)``; none under other framings.
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

    /// Updates the state from the result of the chunk decoder.
    private mutating func record(_ batch: BodyBatch) -> BodyBatch {
        count = chunks.received
        if case .end = batch.state { state = .done }
        return batch
    }

    /// Reads one piece of at most `room` bytes of a body that is not chunked.
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

    /// Handles the end of stream.
    ///
    /// - Throws: `.bodyTruncated` unless the body is complete or ends with the connection.
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

    /// The deviations tolerated in chunk lines and trailers; see ``ChunkedDecoder/diagnostics``.
    public var diagnostics: [Diagnostic] { chunks.diagnostics }

    /// The body bytes so far, before content decoding.
    public var received: Int { count }

    /// The remaining bytes of a body with known length; nil under other framings.
    public var remainingLength: Int? {
        switch state {
        case .length(let left, _): left
        case .done: 0
        case .chunked, .untilClose: nil
        }
    }

    /// Records body bytes that the caller read directly, without this decoder.
    ///
    /// - Parameter count: the number of bytes; for a body with known length at most
    ///   ``remainingLength``.
    /// - Returns: false if the number was negative or larger than the rest of the body. The
    ///   connection is then out of sync.
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

/// An event that a body decoder reports.
public enum BodyEvent: Sendable, Hashable {
    /// More bytes are needed before the next event.
    case needMore
    /// Bytes of the body, as a non-empty range of the current input.
    case body(Range<Int>)
    /// The body is complete.
    ///
    /// Trailers are empty unless the body was chunked.
    case end(trailers: HTTPHeaders)
}

/// The result of one decoder call.
public struct BodyStep: Sendable, Hashable {
    /// The number of bytes at the front of the input that the decoder is done with.
    public var consumed: Int
    /// The event that the bytes produced.
    public var event: BodyEvent

    /// Creates a step.
    public init(consumed: Int, event: BodyEvent) {
        self.consumed = consumed
        self.event = event
    }
}

/// The result of a decoder call that can return several pieces of content.
public struct BodyBatch: Sendable, Hashable {
    /// The number of bytes at the front of the input that the decoder is done with.
    public var consumed: Int
    /// The reason why the call returned.
    public var state: State

    /// The reason why a decoder call returned.
    public enum State: Sendable, Hashable {
        /// More input is needed.
        ///
        /// All input was consumed, except for an incomplete trailer section.
        case needMore
        /// More output space is needed: content follows, and the output is full.
        case outputFull
        /// The body is complete.
        ///
        /// Trailers are empty unless the body was chunked.
        case end(trailers: HTTPHeaders)
    }

    /// Creates a batch.
    public init(consumed: Int, state: State) {
        self.consumed = consumed
        self.state = state
    }
}
