#if Zstd
/// A decoder for zstd frames, one after the other (RFC 8878 §3).
///
/// Skippable frames (§3.1.2) are skipped. Frames that need a dictionary, or a window above 8 MiB,
/// are refused (RFC 9659). The stage parses the header of each frame itself: the library checks the
/// window only if it gets the frame in several parts.
final class ZstdStage: CodingStage {
    private var decoder: ZstdDecoder?
    private var state = State.start
    private var counter: CodedByteCounter

    private enum State {
        /// No byte was received.
        case start
        /// In the header of a frame.
        case header(ZstdFrameHeader)
        /// The header is complete, and the library has not got it yet.
        case begin(ZstdFrameHeader)
        case frame
        /// In the content of a skippable frame.
        case skipping(Int)
        /// After a frame.
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
            case .start, .ended:
                guard consumed < input.count else { return consumed }
                if case .start = state { decoder = ZstdDecoder() }
                state = .header(ZstdFrameHeader())
            case .header(var header):
                guard consumed < input.count else { return consumed }
                let isComplete = try header.append(input[consumed])
                consumed += 1
                try counter.addEmpty(received: 1)
                if !isComplete {
                    state = .header(header)
                } else if let length = header.skippedLength {
                    state = length == 0 ? .ended : .skipping(length)
                } else {
                    state = .begin(header)
                }
            case .begin(let header):
                var taken = 0
                // A header alone is too little input for output.
                let outcome = decoder?.decode(
                    header.bytes.span,
                    consumed: &taken,
                    into: &output,
                    room: 1
                )
                switch outcome {
                case .more where taken == header.bytes.count: state = .frame
                case nil: throw .codingOutOfMemory
                default: throw .corruptCoding(.zstd)
                }
            case .frame:
                let progress = try counter.decode(
                    input,
                    with: &decoder,
                    consumed: &consumed,
                    into: &output,
                    upTo: fullCount,
                    .zstd
                )
                switch progress {
                case .more: break
                case .needsInput: return consumed
                case .ended: state = .ended
                }
            case .skipping(let rest):
                guard consumed < input.count else { return consumed }
                let step = min(
                    rest,
                    input.count - consumed,
                    max(counter.nextCheck - counter.received, 1)
                )
                consumed += step
                state = step == rest ? .ended : .skipping(rest - step)
                try counter.addEmpty(received: step)
            }
        }
        return consumed
    }

    func finish() throws(WireError) {
        switch state {
        case .start, .ended: return
        case .header, .begin, .frame, .skipping: throw .truncatedCoding(.zstd)
        }
    }
}
#endif
