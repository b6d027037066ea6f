/// Turns bytes into response heads (RFC 9112 §2, §4 and §5).
///
/// Strict: lines end in CRLF, nothing is folded, nothing but tokens names a field. A head is
/// consumed whole; see the buffer contract in the module's first file.
public struct ResponseHeadDecoder: Sendable {
    /// Tells what one call did.
    public struct Step: Sendable {
        /// Bytes at the front of the input that are finished with; 0 until the head is complete.
        public var consumed: Int
        /// The head; nil when more bytes are needed.
        public var head: ResponseHead?
    }

    let limits: WireLimits
    let strictness: Strictness
    /// What was tolerated, and how far a head was read that the strict rules refuse.
    var tolerance = TolerantHeadState.none
    /// Whether the next call may begin with the strict reader and has nothing to keep or to reset.
    ///
    /// False at ``Strictness/forensic``, and at ``Strictness/lenient`` from a head with deviations to
    /// the next one without. So a clean head costs the same at `lenient` as at `strict`.
    private(set) var usesStrictReader: Bool
    private var reader: HeadReader

    /// Creates a decoder for one head after another.
    ///
    /// - Parameters:
    ///   - limits: bounds on one head.
    ///   - strictness: what is tolerated; nothing, unless asked for. See ``diagnostics``.
    public init(limits: WireLimits = .default, strictness: Strictness = .strict) {
        self.limits = limits
        self.strictness = strictness
        usesStrictReader = strictness < .forensic
        reader = HeadReader(limits: limits, strictness: strictness)
    }

    /// Says whether no byte of a head has been seen.
    public var isIdle: Bool { reader.isIdle && !tolerance.isReading }

    /// Reads a head, if all of it is there, and copies it.
    ///
    /// While it is not, nothing is consumed: call again with the same bytes and more behind them.
    /// After a head the decoder is ready for the next one.
    ///
    /// - Throws: any case of kind `.head`, or `.limitExceeded` for ``WireLimits/headBytes`` and
    ///   ``WireLimits/fieldCount``. The decoder is of no use afterwards.
    /// - Complexity: linear in all bytes of the head, however they are cut into pieces.
    public mutating func decode(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard usesStrictReader else { return try decodeTolerantly(input) }
        do throws(WireError) {
            return try decodeStrictly(input)
        } catch {
            return try decodeTolerantly(input, after: error)
        }
    }

    // Inlined, so that being asked for the level costs one comparison and no second call.
    @inline(__always)
    mutating func decodeStrictly(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard let reading = try reader.read(.response, input) else {
            return Step(consumed: 0, head: nil)
        }
        return Step(
            consumed: reading.length,
            head: ResponseHead(reading.line, storage: reading.storage)
        )
    }

    /// Reads a head, if all of it is there, where it lies.
    ///
    /// The head refers to the buffer, see there; one with a deviation that is tolerated is copied.
    /// Nothing is taken out of the buffer: tell it what was consumed.
    ///
    /// - Throws: as ``decode(_:)`` does.
    public mutating func decode(in buffer: inout InputBuffer) throws(WireError) -> Step {
        guard usesStrictReader else { return try decodeTolerantly(in: &buffer) }
        do throws(WireError) {
            return try decodeStrictly(in: &buffer)
        } catch {
            return try decodeTolerantly(in: &buffer, after: error)
        }
    }

    /// Turns to the tolerant reader, if the level has one for heads that are refused so.
    mutating func beginTolerantly(after error: WireError) throws(WireError) {
        guard strictness.canContinue(after: error) else { throw error }
        self = ResponseHeadDecoder(limits: limits, strictness: strictness)
        usesStrictReader = false
        tolerance = .reading(TolerantHeadReader(.response, strictness, limits: limits))
    }

    /// Notes that a head had no deviation.
    mutating func recordStrictHead(_ count: Int, of input: Span<UInt8>) {
        tolerance.recordStrictHead(count, of: input, strictness)
        usesStrictReader = strictness < .forensic
    }

    @inline(__always)
    mutating func decodeStrictly(in buffer: inout InputBuffer) throws(WireError) -> Step {
        guard let reading = try reader.read(.response, in: &buffer) else {
            return Step(consumed: 0, head: nil)
        }
        return Step(
            consumed: reading.length,
            head: ResponseHead(reading.line, storage: reading.storage)
        )
    }

    /// Takes back a head that is done with, so that ``decode(_:)`` can use its memory again.
    ///
    /// With it, decoding spans allocates nothing once the memory is large enough. If something of
    /// the head is still in use elsewhere, nothing comes of it and no harm is done.
    public mutating func recycle(_ head: consuming ResponseHead) {
        reader.recycle(head.takeStorage())
    }

    /// Reads the status line, for the reader of heads; nil while its LF is missing.
    static func startLine(
        _ bytes: Span<UInt8>,
        _ searched: inout Int
    ) throws(WireError) -> HeadScanner.StartLine? {
        try refuseForeignProtocol(bytes)
        let end = try HeadScanner.startLineEnd(in: bytes, from: 0, searched: &searched)
        guard let end else { return nil }
        return try statusLine(bytes, end: end)
    }

    /// Refuses at the first byte that cannot begin `HTTP/`, so that a peer of another kind is told
    /// from a slow one.
    private static func refuseForeignProtocol(_ bytes: Span<UInt8>) throws(WireError) {
        if HeadScanner.isPlainVersion(bytes, at: 0) { return }
        let name: InlineArray<5, UInt8> = [0x48, 0x54, 0x54, 0x50, Byte.slash]
        for index in 0..<min(bytes.count, name.count) where bytes[index] != name[index] {
            guard index == 0 else { throw .foreignProtocol(.unknown) }
            switch bytes[0] {
            case 0x15, 0x16: throw .foreignProtocol(.tls)
            case 0x00: throw .foreignProtocol(.http2)
            default: throw .foreignProtocol(.unknown)
            }
        }
    }

    /// Reads `HTTP/1.1 200 OK`; the phrase, and the space before it, may be missing.
    private static func statusLine(
        _ bytes: Span<UInt8>,
        end: Int
    ) throws(WireError) -> HeadScanner.StartLine {
        let version = try HeadScanner.version(in: bytes, from: 0, end: end)
        guard end > 8, bytes[8] == Byte.space else { throw .malformedVersion(offset: 8) }
        guard end >= 12, case .value(let code) = Digits.decimal(bytes.extracting(9..<12)),
            code >= 100, end == 12 || bytes[12] == Byte.space
        else { throw .malformedStatus(offset: 9) }
        let reason = min(13, end)..<end
        for index in reason where !ByteClass.isFieldValue(bytes[index]) {
            throw .malformedReason(offset: index)
        }
        var line = HeadScanner.StartLine()
        line.minor = version.minor
        line.statusOrMethodNumber = UInt16(truncatingIfNeeded: code)
        line.targetOrReason = PackedRange(reason)
        line.end = end + 2
        return line
    }
}
