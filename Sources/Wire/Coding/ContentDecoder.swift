/// Undoes the content codings of a body, last applied first (RFC 9110 §8.4).
///
/// It cannot be copied, as it owns streams of zlib. Memory is bounded: about 40 KiB for each
/// coding, and 16 KiB between two.
///
/// - gzip may consist of several members, which form one body; each one's CRC and length are
///   checked. Zeros behind the last member are padding and ignored, anything else is an error.
/// - deflate is the zlib format; data without its header is taken as bare deflate, as some servers
///   send it.
/// - A body of no bytes at all is accepted under any coding: servers send it with empty responses.
public struct ContentDecoder: ~Copyable, @unchecked Sendable {
    // Sendable: the stages are made here, never leave, and this value has no copies.
    private var stages: [CodingStage]
    /// What stage n made and stage n + 1 has not taken yet.
    private var pending: [PendingOutput]
    private let limits: WireLimits
    private var receivedCount = 0
    private var producedCount = 0
    /// Value of ``receivedCount`` at which the overhead of all codings together is checked next.
    private var nextCheck = CodingOverhead.checkInterval

    private struct PendingOutput {
        var bytes: [UInt8] = []
        var start = 0
    }

    /// Creates a decoder for what Content-Encoding names.
    ///
    /// The result is nil when there is nothing to undo: the body is to be passed on as it is.
    ///
    /// - Parameters:
    ///   - headers: of the response (or request) whose body it is.
    ///   - limits: ``WireLimits/decodedBytes``, ``WireLimits/expansionRatio`` and
    ///     ``WireLimits/codingOverheadBytes`` apply to each coding and to all together.
    /// - Throws: `.unknownContentCoding` for a coding that ``ContentCoding`` does not know, and
    ///   `.limitExceeded` for more than ``WireLimits/codingCount``. The body cannot be decoded then.
    public init?(_ headers: HTTPHeaders, limits: WireLimits = .default) throws(WireError) {
        guard let codings = ContentCoding.applied(in: headers) else { throw .unknownContentCoding }
        try self.init(undoing: codings, limits: limits)
    }

    /// Creates a decoder for codings in the order they were applied.
    ///
    /// The result is nil when nothing is left to undo.
    ///
    /// - Parameters:
    ///   - codings: `.identity` is skipped.
    ///   - limits: as above.
    /// - Throws: `.limitExceeded` for more than ``WireLimits/codingCount``.
    public init?(
        undoing codings: [ContentCoding],
        limits: WireLimits = .default
    ) throws(WireError) {
        let real = codings.filter { $0 != .identity }
        guard !real.isEmpty else { return nil }
        guard real.count <= limits.codingCount else {
            throw .limitExceeded(.codingCount(limits.codingCount))
        }
        stages = real.reversed().map { CodingStage($0, limits: limits) }
        pending = Array(repeating: PendingOutput(), count: real.count - 1)
        self.limits = limits
    }

    /// Decodes from the front of `input`.
    ///
    /// It appends until the room or the input is used up. When exactly `outputLimit` bytes were
    /// appended more may be held back: call again, even with an empty input, until fewer come.
    ///
    /// - Parameters:
    ///   - input: coded bytes; may be empty.
    ///   - output: grows by at most `outputLimit` bytes, also when an error is thrown.
    ///   - outputLimit: bytes; nothing happens when it is 0 or less.
    /// - Returns: bytes of `input` that are finished with.
    /// - Throws: `.corruptCoding`, `.bytesAfterCoding`, `.codingOutOfMemory`, or `.limitExceeded`
    ///   for decoded bytes, ratio or overhead. The decoder is of no use afterwards.
    public mutating func decode(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        outputLimit: Int
    ) throws(WireError) -> Int {
        guard outputLimit > 0 else { return 0 }
        guard stages.count > 1 else { return try step(input, into: &output, room: outputLimit) }
        let start = output.count
        var consumed = 0
        while true {
            let due = min(input.count - consumed, nextCheck - receivedCount)
            let part = input.extracting(consumed..<consumed + due)
            consumed += try step(part, into: &output, room: outputLimit - (output.count - start))
            // The output of all input so far is out, so that it does not matter how the input was cut.
            guard receivedCount == nextCheck, output.count - start < outputLimit else {
                return consumed
            }
            nextCheck += CodingOverhead.checkInterval
            try CodingOverhead.check(received: receivedCount, produced: producedCount, limits)
        }
    }

    /// Decodes from the front of `input`, and holds the output against the ratio.
    private mutating func step(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(WireError) -> Int {
        let before = output.count
        var consumed = 0
        try pull(stages.count - 1, input, &consumed, into: &output, room: room)
        receivedCount += consumed
        producedCount += output.count - before
        // The last stage has made as many bytes, and has compared them with the limit.
        let (allowed, overflow) =
            receivedCount.multipliedReportingOverflow(by: max(limits.expansionRatio, 0))
        guard overflow || producedCount <= max(allowed, limits.expansionFloor, 0) else {
            throw .limitExceeded(.expansionRatio(limits.expansionRatio))
        }
        return consumed
    }

    /// Takes note that the body has ended; call it when ``decode(_:into:outputLimit:)`` has nothing
    /// left to give.
    ///
    /// - Throws: `.truncatedCoding` when a stream has not ended, its checksum included.
    public mutating func finish() throws(WireError) {
        for stage in stages {
            try stage.finish()
        }
    }

    /// Fills `output` from stage `index`, which draws on those before it.
    private mutating func pull(
        _ index: Int,
        _ input: Span<UInt8>,
        _ consumed: inout Int,
        into output: inout [UInt8],
        room: Int
    ) throws(WireError) {
        guard index > 0 else {
            consumed += try stages[0].decode(
                input.extracting(consumed..<input.count),
                into: &output,
                room: room
            )
            return
        }
        let fullCount = output.count + min(room, .max - output.count)
        while output.count < fullCount {
            let between = pending[index - 1]
            pending[index - 1] = PendingOutput()
            let taken = try stages[index].decode(
                between.bytes.span.extracting(between.start..<between.bytes.count),
                into: &output,
                room: fullCount - output.count
            )
            guard between.start + taken == between.bytes.count else {
                pending[index - 1] = PendingOutput(
                    bytes: between.bytes,
                    start: between.start + taken
                )
                continue
            }
            var bytes = between.bytes
            bytes.removeAll(keepingCapacity: true)
            try pull(index - 1, input, &consumed, into: &bytes, room: Self.intermediateBufferSize)
            pending[index - 1] = PendingOutput(bytes: bytes, start: 0)
            if bytes.isEmpty { return }
        }
    }

    /// Bytes held between two stages.
    private static let intermediateBufferSize = 16 * 1024
}
