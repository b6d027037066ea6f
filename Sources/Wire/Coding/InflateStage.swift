/// A decoder for gzip members, or for one zlib or raw deflate stream (RFC 1950, 1951, 1952).
final class InflateStage: CodingStage {
    private let coding: ContentCoding
    private var inflater: Inflater?
    private var state = State.start
    private var counter: CodedByteCounter

    private enum State {
        /// No byte was received.
        ///
        /// Next states: secondByte, stream.
        case start
        /// The first byte of `deflate` data, until the second byte determines the format.
        ///
        /// Next state: stream.
        case secondByte(first: UInt8)
        /// Inside a stream.
        ///
        /// Next state: ended.
        case stream
        /// After a stream.
        ///
        /// Next states: stream (next gzip member), padding.
        case ended
        /// In zero bytes after the last gzip member.
        case padding
    }

    init(_ coding: ContentCoding, limits: WireLimits) {
        self.coding = coding
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
                try start(input[consumed], &consumed)
            case .secondByte(let first):
                guard consumed < input.count else { return consumed }
                try chooseFormat(first, input[consumed], into: &output)
            case .stream:
                let progress = try counter.decode(
                    input,
                    with: &inflater,
                    consumed: &consumed,
                    into: &output,
                    upTo: fullCount,
                    coding
                )
                switch progress {
                case .more: break
                case .needsInput: return consumed
                case .ended: state = .ended
                }
            case .ended:
                guard consumed < input.count else { return consumed }
                guard coding == .gzip else { throw .bytesAfterCoding(coding) }
                if input[consumed] == 0 {
                    state = .padding
                } else if input[consumed] == 0x1f {
                    inflater?.restart()
                    state = .stream
                } else {
                    throw .bytesAfterCoding(coding)
                }
            case .padding:
                guard consumed < input.count else { return consumed }
                guard input[consumed] == 0 else { throw .bytesAfterCoding(coding) }
                consumed += 1
                try counter.addEmpty(received: 1)
            }
        }
        return consumed
    }

    func finish() throws(WireError) {
        switch state {
        case .start, .ended, .padding: return
        case .secondByte, .stream: throw .truncatedCoding(coding)
        }
    }

    private func start(_ first: UInt8, _ consumed: inout Int) throws(WireError) {
        guard coding == .deflate else {
            try open(.gzip)
            return
        }
        // A zlib header begins with method 8 and a window of at most 32 KiB.
        if first & 0x0f == 8, first >> 4 <= 7 {
            state = .secondByte(first: first)
            consumed += 1
            try counter.add(received: 1, produced: 0)
        } else {
            try open(.raw)
        }
    }

    /// Distinguishes zlib from raw deflate data.
    ///
    /// The first two bytes of a zlib stream are a multiple of 31 (RFC 1950 §2.2).
    private func chooseFormat(
        _ first: UInt8,
        _ second: UInt8,
        into output: inout [UInt8]
    ) throws(WireError) {
        let isZlib = (UInt16(first) << 8 | UInt16(second)) % 31 == 0
        try open(isZlib ? .zlib : .raw)
        let held: InlineArray<1, UInt8> = [first]
        var taken = 0
        // One byte is too little input for output in either format.
        if inflater?.decode(held.span, consumed: &taken, into: &output, room: 1) != .more {
            throw .corruptCoding(coding)
        }
    }

    private func open(_ format: Inflater.Format) throws(WireError) {
        inflater = Inflater(format)
        guard inflater != nil else { throw .codingOutOfMemory }
        state = .stream
    }
}
