// To add a content coding, add a case to `ContentCoding`, and to this folder a stage, which `stage(limits:)` below
// returns. A coding that another library decodes needs a trait and a target like CZstd, and lines in
// `scripts/check-traits`, `scripts/check-consumer` and `scripts/setup`. `ContentDecoderTests`, or with a trait
// `BrotliAndZstdTests`, read the output of real encoders.

/// A decoder for one content coding of one body.
///
/// It is a class only because an array cannot contain noncopyable values. ``ContentDecoder`` is the
/// only owner of its stages and never exposes them.
protocol CodingStage: AnyObject {
    /// Decodes from the front of `input`, appends at most `room` bytes, and returns the bytes
    /// consumed.
    ///
    /// It stops when the input is consumed and no output is pending, or when `room` is used up. The
    /// result must not depend on how the input is split. The stage counts the bytes with
    /// ``CodedByteCounter``, which enforces the limits.
    func decode(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(WireError) -> Int

    /// Checks that the stream ended with the input.
    ///
    /// An empty input is not a stream and is accepted.
    func finish() throws(WireError)
}

extension ContentCoding {
    /// Returns the decoder of one body, with these limits; nil if there is none.
    func stage(limits: WireLimits) -> (any CodingStage)? {
        switch self {
        case .gzip, .deflate: return InflateStage(self, limits: limits)
        #if Brotli
        case .brotli: return BrotliStage(limits: limits)
        #endif
        #if Zstd
        case .zstd: return ZstdStage(limits: limits)
        #endif
        default: return nil
        }
    }
}

/// A counter of the bytes that a stage consumes and produces, with their limits.
struct CodedByteCounter {
    private let limits: WireLimits
    private(set) var received = 0
    private var produced = 0
    /// The value of ``received`` at which the overhead is checked next.
    private(set) var nextCheck = CodingOverhead.checkInterval

    init(limits: WireLimits) {
        self.limits = limits
    }

    /// Adds bytes, and checks the produced ones.
    ///
    /// - Throws: `.limitExceeded` for ``WireLimits/decodedBytes`` and ``WireLimits/expansionRatio``.
    mutating func add(received new: Int, produced more: Int) throws(WireError) {
        received += new
        produced += more
        guard produced <= max(limits.decodedBytes, 0) else {
            throw .limitExceeded(.decodedBytes(limits.decodedBytes))
        }
        guard produced > limits.expansionFloor else { return }
        let (allowed, overflow) =
            received.multipliedReportingOverflow(by: max(limits.expansionRatio, 0))
        guard overflow || produced <= allowed else {
            throw .limitExceeded(.expansionRatio(limits.expansionRatio))
        }
    }

    /// Checks for input that produces hardly any output: padding, empty members, empty blocks.
    ///
    /// Call it when ``received`` reaches ``nextCheck`` and all output was returned.
    mutating func checkOverhead() throws(WireError) {
        nextCheck += CodingOverhead.checkInterval
        try CodingOverhead.check(received: received, produced: produced, limits)
    }
}

/// A decoder of one format, on a C library.
protocol CodingLibrary: ~Copyable {
    /// Decodes from the front of `input` and appends to `output`.
    ///
    /// - Parameters:
    ///   - input: the coded bytes; may be empty, to obtain output that the library still buffers.
    ///   - consumed: grows by the number of bytes consumed.
    ///   - output: grows by at most `room` bytes.
    ///   - room: the maximum number of bytes to append, greater than 0.
    /// - Returns: the reason why the call returned.
    mutating func decode(
        _ input: Span<UInt8>,
        consumed: inout Int,
        into output: inout [UInt8],
        room: Int
    ) -> CodingOutcome
}

/// The result of one call of a ``CodingLibrary``.
enum CodingOutcome {
    /// The input was consumed or the output is full.
    case more
    /// The stream, including its checksum, ended; input may be left.
    case end
    /// The bytes are not a valid stream.
    case corrupt
    case outOfMemory
}

extension CodedByteCounter {
    /// The result of ``decode(_:with:consumed:into:upTo:_:)``.
    enum Progress {
        /// There may be more to decode.
        case more
        /// The decoder returned all output, and needs more input.
        case needsInput
        /// The stream ended; input may be left.
        case ended
    }

    /// Calls the library once with the rest of the input, and counts its bytes.
    ///
    /// - Parameters:
    ///   - input: the coded bytes.
    ///   - library: the decoder; nil if there was no memory to create it.
    ///   - consumed: the number of bytes of `input` that are consumed; grows.
    ///   - output: the decoded bytes; grows.
    ///   - fullCount: the length that the output may have at most, above its length now.
    ///   - coding: the coding that an error names.
    /// - Returns: whether there may be more to decode.
    /// - Throws: `.corruptCoding`, `.codingOutOfMemory`, and `.limitExceeded` as for
    ///   ``add(received:produced:)`` and ``checkOverhead()``.
    mutating func decode<Library: CodingLibrary & ~Copyable>(
        _ input: Span<UInt8>,
        with library: inout Library?,
        consumed: inout Int,
        into output: inout [UInt8],
        upTo fullCount: Int,
        _ coding: ContentCoding
    ) throws(WireError) -> Progress {
        let (before, start) = (output.count, consumed)
        let due = min(input.count - consumed, nextCheck - received)
        let room = min(fullCount - before, CodingOverhead.outputInterval)
        let outcome = library?.decode(
            input.extracting(consumed..<consumed + due),
            consumed: &consumed,
            into: &output,
            room: room
        )
        try add(received: consumed - start, produced: output.count - before)
        switch outcome {
        case .more:
            // All output of the input so far was returned, so the result does not depend on how the
            // input is split.
            if received == nextCheck, output.count - before < room {
                try checkOverhead()
                return .more
            }
            return consumed == start && output.count == before ? .needsInput : .more
        case .end: return .ended
        case .outOfMemory, nil: throw .codingOutOfMemory
        case .corrupt: throw .corruptCoding(coding)
        }
    }

    /// Counts one or more bytes that produce no output, and checks them when a check is due.
    mutating func addEmpty(received new: Int) throws(WireError) {
        try add(received: new, produced: 0)
        if received >= nextCheck { try checkOverhead() }
    }
}

/// A limit on coded bytes that produce no output.
enum CodingOverhead {
    /// The bytes to consume before the overhead is checked again.
    static let checkInterval = 16 * 1024
    /// The maximum number of bytes to produce before the limits are checked again.
    static let outputInterval = 64 * 1024
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
