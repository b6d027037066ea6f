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
                let progress = try counter.decode(
                    input,
                    with: &decoder,
                    consumed: &consumed,
                    into: &output,
                    upTo: fullCount,
                    .brotli
                )
                switch progress {
                case .more: break
                case .needsInput: return consumed
                case .ended: state = .ended
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
