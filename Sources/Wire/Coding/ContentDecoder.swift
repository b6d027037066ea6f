/// A decoder for the content codings of a body, in reverse order of application (RFC 9110 §8.4).
///
/// It is noncopyable because it owns zlib streams. Memory use is limited to about 40 KiB for each
/// coding and 16 KiB between two codings. Brotli needs up to 17 MiB and zstd up to 9 MiB, depending
/// on the window that the sender chose.
///
/// With several codings, the work of one call is limited too. A few bytes can become megabytes between
/// the codings, and then no output. One call decodes about 64 KiB between codings, and then sets
/// ``hasPendingOutput``.
///
/// - gzip data may consist of several members, which form one body. The CRC and length of each
///   member are checked. Zero bytes after the last member are padding and ignored; other bytes are
///   an error.
/// - deflate means the zlib format. Data without its header is decoded as raw deflate, which some
///   servers send.
/// - Brotli data is one stream. Zstandard data may consist of several frames, which form one body.
///   Frames with dictionaries or windows above 8 MiB are refused (RFC 9659).
/// - An empty body is accepted with any coding, because servers send one with empty responses.
public struct ContentDecoder: ~Copyable, @unchecked Sendable {
    // Sendable: the stages are created here and never exposed, and this value cannot be copied.
    private var stages: [any CodingStage]
    /// The output of stage n that stage n + 1 has not consumed yet.
    private var pending: [PendingOutput]
    private let limits: WireLimits
    private var receivedCount = 0
    private var producedCount = 0
    /// The value of ``receivedCount`` at which the overhead of all codings is checked next.
    private var nextCheck = CodingOverhead.checkInterval
    /// The bytes between two codings that the current call has decoded.
    private var work = 0

    /// Whether the last call of ``decode(_:into:outputLimit:)`` may have left output behind.
    ///
    /// It stopped because the output was full, or because it had decoded 64 KiB between two codings.
    /// Call it again, even with an empty input.
    public private(set) var hasPendingOutput = false

    private struct PendingOutput {
        var bytes: [UInt8] = []
        var start = 0
        /// The number of all bytes that the stage has produced.
        var total = 0
        /// Whether the stage that reads them stopped because its output was full.
        var isStalled = false
    }

    /// Creates a decoder for the codings in Content-Encoding.
    ///
    /// The result is nil if there is nothing to decode, so that the body can be used as it is.
    ///
    /// - Parameters:
    ///   - headers: the header fields of the response or request that has the body.
    ///   - limits: ``WireLimits/decodedBytes``, ``WireLimits/expansionRatio`` and
    ///     ``WireLimits/codingOverheadBytes`` apply to each coding and to all together.
    /// - Throws: `.unknownContentCoding` for a coding that ``ContentCoding`` does not support, and
    ///   `.limitExceeded` for more codings than ``WireLimits/codingCount``. The body cannot be
    ///   decoded.
    public init?(_ headers: HTTPHeaders, limits: WireLimits = .default) throws(WireError) {
        guard let codings = ContentCoding.applied(in: headers) else { throw .unknownContentCoding }
        try self.init(undoing: codings, limits: limits)
    }

    /// Creates a decoder for codings in the order they were applied.
    ///
    /// The result is nil if there is nothing to decode.
    ///
    /// - Parameters:
    ///   - codings: the codings; `.identity` is skipped.
    ///   - limits: as for ``init(_:limits:)``.
    /// - Throws: `.limitExceeded` for more codings than ``WireLimits/codingCount``;
    ///   `.unknownContentCoding` for a coding whose trait is off.
    public init?(
        undoing codings: [ContentCoding],
        limits: WireLimits = .default
    ) throws(WireError) {
        let real = codings.filter { $0 != .identity }
        guard !real.isEmpty else { return nil }
        guard real.allSatisfy(\.isSupported) else { throw .unknownContentCoding }
        guard real.count <= limits.codingCount else {
            throw .limitExceeded(.codingCount(limits.codingCount))
        }
        stages = real.reversed().compactMap { $0.stage(limits: limits) }
        pending = Array(repeating: PendingOutput(), count: real.count - 1)
        self.limits = limits
    }

    /// Decodes from the front of `input`.
    ///
    /// It appends until `outputLimit`, the input, or the work of one call is used up. As long as
    /// ``hasPendingOutput`` is true afterwards, call this method again, even with an empty input.
    ///
    /// - Parameters:
    ///   - input: the coded bytes; may be empty.
    ///   - output: grows by at most `outputLimit` bytes, even if an error is thrown.
    ///   - outputLimit: the number of bytes; the call does nothing if it is 0 or less.
    /// - Returns: the number of bytes of `input` consumed.
    /// - Throws: `.corruptCoding`, `.bytesAfterCoding`, `.codingOutOfMemory`,
    ///   `.codingWindowTooLarge`, `.codingNeedsDictionary`, or `.limitExceeded` for decoded bytes, ratio or overhead. The decoder cannot be used afterwards.
    public mutating func decode(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        outputLimit: Int
    ) throws(WireError) -> Int {
        guard outputLimit > 0 else { return 0 }
        work = 0
        hasPendingOutput = false
        let start = output.count
        defer { if output.count - start == outputLimit { hasPendingOutput = true } }
        guard stages.count > 1 else { return try step(input, into: &output, room: outputLimit) }
        var consumed = 0
        while true {
            let due = min(input.count - consumed, nextCheck - receivedCount)
            let part = input.extracting(consumed..<consumed + due)
            consumed += try step(part, into: &output, room: outputLimit - (output.count - start))
            // All output of the input so far was returned, so the result does not depend on how the
            // input is split.
            guard receivedCount == nextCheck, output.count - start < outputLimit, !hasPendingOutput
            else { return consumed }
            nextCheck += CodingOverhead.checkInterval
            try CodingOverhead.check(received: receivedCount, produced: producedCount, limits)
        }
    }

    /// Decodes from the front of `input`, and checks the output against the ratio.
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
        // The last stage produced the same bytes and has already checked them against
        // `decodedBytes`.
        try checkExpansion(of: receivedCount, to: producedCount)
        return consumed
    }

    /// Checks the bytes that any stage produced against the bytes that were received.
    ///
    /// A stage itself checks its output only against its own input, which an earlier stage may have
    /// expanded already.
    private func checkExpansion(of received: Int, to produced: Int) throws(WireError) {
        let (allowed, overflow) =
            received.multipliedReportingOverflow(by: max(limits.expansionRatio, 0))
        guard overflow || produced <= max(allowed, limits.expansionFloor, 0) else {
            throw .limitExceeded(.expansionRatio(limits.expansionRatio))
        }
    }

    /// Handles the end of the body.
    ///
    /// Call it when ``hasPendingOutput`` is false.
    ///
    /// - Throws: `.truncatedCoding` if a stream, including its checksum, has not ended.
    public mutating func finish() throws(WireError) {
        for stage in stages {
            try stage.finish()
        }
    }

    /// Fills `output` from stage `index`, which reads from the stages before it.
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
            // Not a copy in `pending`: a shared array could not keep its memory below.
            var between = pending[index - 1]
            pending[index - 1] = PendingOutput()
            defer { pending[index - 1] = between }
            // libzstd fails after some calls that bring it nothing.
            if between.start < between.bytes.count || between.isStalled {
                between.start += try stages[index].decode(
                    between.bytes.span.extracting(between.start..<between.bytes.count),
                    into: &output,
                    room: fullCount - output.count
                )
                between.isStalled = output.count == fullCount
            }
            guard between.start == between.bytes.count else { continue }
            between.bytes.removeAll(keepingCapacity: true)
            between.start = 0
            guard work < Self.workPerCall else {
                hasPendingOutput = true
                return
            }
            try pull(
                index - 1,
                input,
                &consumed,
                into: &between.bytes,
                room: Self.intermediateBufferSize
            )
            work += between.bytes.count
            between.total += between.bytes.count
            try checkExpansion(of: receivedCount + consumed, to: between.total)
            if between.bytes.isEmpty { return }
        }
    }

    /// The maximum number of bytes buffered between two stages.
    private static let intermediateBufferSize = 16 * 1024
    /// The bytes between stages after which a call returns, as many as one read of a socket returns.
    ///
    /// Empty deflate blocks take up to 0.3 µs for each byte.
    private static let workPerCall = 64 * 1024
}

extension ContentCoding {
    /// Returns the codings in Content-Encoding, in the order they were applied.
    ///
    /// - Returns: nil if one of them is unknown, so that the content cannot be decoded. Empty if
    ///   there is nothing to decode; `identity` is omitted.
    public static func applied(in headers: HTTPHeaders) -> [ContentCoding]? {
        guard let value = headers.combined(.contentEncoding) else { return [] }
        var codings: [ContentCoding] = []
        for name in ListSyntax.elements(of: value) {
            guard let coding = ContentCoding(name) else { return nil }
            if coding != .identity { codings.append(coding) }
        }
        return codings
    }
}
