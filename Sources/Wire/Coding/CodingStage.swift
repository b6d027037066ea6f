/// Undoes one content coding: a stream of gzip members, or one zlib or bare deflate stream.
///
/// A class only because an array cannot hold what has no copies; ``ContentDecoder`` owns its
/// stages alone and never hands them out.
final class CodingStage {
    private let coding: ContentCoding
    private let limits: WireLimits
    private var inflater: Inflater?
    private var state = State.start
    private var receivedCount = 0
    private var producedCount = 0
    /// Value of ``receivedCount`` at which the overhead is checked next.
    private var nextCheck = CodingOverhead.checkInterval

    private enum State {
        /// No byte has come. Can go to: secondByte, stream, failed.
        case start
        /// The first byte of `deflate` data waits for the one that tells the format. Can go to: stream.
        case secondByte(first: UInt8)
        /// Inside a stream. Can go to: ended, failed.
        case stream
        /// Behind a stream. Can go to: stream (next gzip member), padding.
        case ended
        /// In zeros behind the last gzip member.
        case padding
    }

    init(_ coding: ContentCoding, limits: WireLimits) {
        self.coding = coding
        self.limits = limits
    }

    /// Decodes from the front of `input`, appending at most `room` bytes; returns bytes taken.
    ///
    /// It stops when the input is used up and nothing is held back, or when the room is.
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
                    // The output of all input so far is out: how the input was cut does not matter.
                    if receivedCount == nextCheck, output.count - before < room {
                        try checkOverhead()
                        continue
                    }
                    // Nothing taken and nothing made: zlib waits for more input.
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

    /// Checks that the stream ended where the input did; an input of no bytes is no stream at all.
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

    /// Tells zlib from bare deflate: the first two bytes of zlib are a multiple of 31 (RFC 1950 §2.2).
    private func chooseFormat(
        _ first: UInt8,
        _ second: UInt8,
        into output: inout [UInt8]
    ) throws(WireError) {
        let isZlib = (UInt16(first) << 8 | UInt16(second)) % 31 == 0
        try open(isZlib ? .zlib : .raw)
        let held: InlineArray<1, UInt8> = [first]
        var taken = 0
        // One byte is too little for either format to make output of.
        if inflater?.inflate(held.span, consumed: &taken, into: &output, room: 1) != .more {
            throw .corruptCoding(coding)
        }
    }

    private func open(_ format: Inflater.Format) throws(WireError) {
        inflater = Inflater(format)
        guard inflater != nil else { throw .codingOutOfMemory }
        state = .stream
    }

    /// Stops what grows beyond its limits.
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

    /// Stops input that makes hardly any output: padding, empty members, empty blocks.
    private func checkOverhead() throws(WireError) {
        nextCheck += CodingOverhead.checkInterval
        try CodingOverhead.check(received: receivedCount, produced: producedCount, limits)
    }

    /// Bytes made before the limits are looked at again.
    private static let checkInterval = 64 * 1024
}

/// Limits coded bytes that make no output.
enum CodingOverhead {
    /// Bytes taken before the overhead is checked again.
    static let checkInterval = 16 * 1024
    /// Bytes taken for each byte made that are not overhead; members of one byte have about 20.
    private static let ratio = 100

    /// Compares what was taken with what was made of it.
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
