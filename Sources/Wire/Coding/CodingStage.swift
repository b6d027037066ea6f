/// A decoder for one content coding: gzip members, or one zlib or raw deflate stream.
///
/// It is a class only because an array cannot contain noncopyable values. ``ContentDecoder`` is the
/// only owner of its stages and never exposes them.
final class CodingStage {
    private let coding: ContentCoding
    private let limits: WireLimits
    private var inflater: Inflater?
    private var state = State.start
    private var receivedCount = 0
    private var producedCount = 0
    /// The value of ``receivedCount`` at which the overhead is checked next.
    private var nextCheck = CodingOverhead.checkInterval

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
        self.limits = limits
    }

    /// Decodes from the front of `input`, appends at most `room` bytes, and returns the bytes
    /// consumed.
    ///
    /// It stops when the input is consumed and no output is pending, or when `room` is used up.
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
                let before = output.count
                let start = consumed
                let due = min(input.count - consumed, nextCheck - receivedCount)
                let room = min(fullCount - before, Self.checkInterval)
                let outcome = inflater?.inflate(
                    input.extracting(consumed..<consumed + due),
                    consumed: &consumed,
                    into: &output,
                    room: room
                )
                receivedCount += consumed - start
                try count(output.count - before)
                switch outcome {
                case .more:
                    // All output of the input so far was returned, so the result does not depend on
                    // how the input is split.
                    if receivedCount == nextCheck, output.count - before < room {
                        try checkOverhead()
                        continue
                    }
                    // Nothing was consumed or produced, so zlib needs more input.
                    if consumed == start, output.count == before { return consumed }
                case .end: state = .ended
                case .outOfMemory, nil: throw .codingOutOfMemory
                case .corrupt: throw .corruptCoding(coding)
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
                receivedCount += 1
                if receivedCount >= nextCheck { try checkOverhead() }
            }
        }
        return consumed
    }

    /// Checks that the stream ended with the input.
    ///
    /// An empty input is not a stream and is accepted.
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
            receivedCount += 1
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
        if inflater?.inflate(held.span, consumed: &taken, into: &output, room: 1) != .more {
            throw .corruptCoding(coding)
        }
    }

    private func open(_ format: Inflater.Format) throws(WireError) {
        inflater = Inflater(format)
        guard inflater != nil else { throw .codingOutOfMemory }
        state = .stream
    }

    /// Checks the produced bytes against the limits.
    private func count(_ produced: Int) throws(WireError) {
        producedCount += produced
        guard producedCount <= max(limits.decodedBytes, 0) else {
            throw .limitExceeded(.decodedBytes(limits.decodedBytes))
        }
        guard producedCount > limits.expansionFloor else { return }
        let (allowed, overflow) =
            receivedCount.multipliedReportingOverflow(by: max(limits.expansionRatio, 0))
        guard overflow || producedCount <= allowed else {
            throw .limitExceeded(.expansionRatio(limits.expansionRatio))
        }
    }

    /// Checks for input that produces hardly any output: padding, empty members, empty blocks.
    private func checkOverhead() throws(WireError) {
        nextCheck += CodingOverhead.checkInterval
        try CodingOverhead.check(received: receivedCount, produced: producedCount, limits)
    }

    /// The maximum number of bytes to produce before the limits are checked again.
    private static let checkInterval = 64 * 1024
}

/// A limit on coded bytes that produce no output.
enum CodingOverhead {
    /// The bytes to consume before the overhead is checked again.
    static let checkInterval = 16 * 1024
    /// The coded bytes per produced byte that are not overhead.
    ///
    /// One-byte members need about 20.
    private static let ratio = 100

    /// Checks the consumed bytes against the produced bytes.
    ///
    /// - Throws: `.limitExceeded` for ``WireLimits/codingOverheadBytes``.
    static func check(
        received: Int,
        produced: Int,
        _ limits: WireLimits
    ) throws(WireError) {
        let limit = limits.codingOverheadBytes
        let (allowed, overflow) = produced.multipliedReportingOverflow(by: ratio)
        guard overflow || received <= limit || received - max(limit, 0) <= allowed else {
            throw .limitExceeded(.codingOverheadBytes(limit))
        }
    }
}
