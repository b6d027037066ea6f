#if Brotli
/// A decoder for one brotli stream (RFC 7932); bytes after its end are an error.
final class BrotliStage: CodingStage {
    private var decoder: BrotliDecoder?
    private var state = State.start
    private var counter: CodedByteCounter

    private enum State {
        /// No byte was received.
        case start
        case stream
        case ended
    }

    init(limits: WireLimits) {
        counter = CodedByteCounter(limits: limits)
    }

    func decode(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(WireError) -> Int {
        var consumed = 0
        let fullCount = output.count + min(room, .max - output.count)
        while output.count < fullCount {
            switch state {
            case .start:
                guard consumed < input.count else { return consumed }
                decoder = BrotliDecoder()
                state = .stream
            case .stream:
                let (before, start) = (output.count, consumed)
                let due = min(input.count - consumed, counter.nextCheck - counter.received)
                let room = min(fullCount - before, CodingOverhead.outputInterval)
                let outcome = decoder?.decode(
                    input.extracting(consumed..<consumed + due),
                    consumed: &consumed,
                    into: &output,
                    room: room
                )
                try counter.add(received: consumed - start, produced: output.count - before)
                switch outcome {
                case .more:
                    // All output of the input so far was returned, so the result does not depend on
                    // how the input is split.
                    if counter.received == counter.nextCheck, output.count - before < room {
                        try counter.checkOverhead()
                        continue
                    }
                    // Nothing was consumed or produced, so the decoder needs more input.
                    if consumed == start, output.count == before { return consumed }
                case .end: state = .ended
                case .outOfMemory, nil: throw .codingOutOfMemory
                case .corrupt: throw .corruptCoding(.brotli)
                }
            case .ended:
                guard consumed == input.count else { throw .bytesAfterCoding(.brotli) }
                return consumed
            }
        }
        return consumed
    }

    func finish() throws(WireError) {
        if case .stream = state { throw .truncatedCoding(.brotli) }
    }
}
#endif
