/// A decoder for response heads (RFC 9112 §2, §4 and §5).
///
/// By default it is strict: lines must end in CRLF, lines may not be folded, and field names must be
/// tokens. A head is consumed whole.
public struct ResponseHeadDecoder: Sendable {
    /// The result of one call.
    public struct Step: Sendable {
        /// The number of bytes at the front of the input that were consumed; 0 until the head is complete.
        public var consumed: Int
        /// The head; nil if more bytes are needed.
        public var head: ResponseHead?
    }

    let limits: WireLimits
    let strictness: Strictness
    /// The tolerated deviations, and the progress in a head that the strict reader refused.
    var tolerance = TolerantHeadState.none
    /// Whether the next call can use the strict reader without keeping or resetting any state.
    ///
    /// False at ``Strictness/forensic``. At ``Strictness/lenient``, false from a head with deviations
    /// until the next one without. So a clean head costs the same at `lenient` as at `strict`.
    private(set) var usesStrictReader: Bool
    private var reader: HeadReader

    /// Creates a decoder for consecutive heads.
    ///
    /// - Parameters:
    ///   - limits: the limits of one head.
    ///   - strictness: the deviations to tolerate; none by default. See ``diagnostics``.
    public init(limits: WireLimits = .default, strictness: Strictness = .strict) {
        self.limits = limits
        self.strictness = strictness
        usesStrictReader = strictness < .forensic
        reader = HeadReader(limits: limits, strictness: strictness)
    }

    /// Whether no byte of a head has been read.
    public var isIdle: Bool { reader.isIdle && !tolerance.isReading }

    /// Decodes and copies a head if it is complete.
    ///
    /// Until then nothing is consumed: call again with the same bytes followed by more. After a head the
    /// decoder is ready for the next one.
    ///
    /// - Throws: any case of kind `.head`, or `.limitExceeded` for ``WireLimits/headBytes`` and
    ///   ``WireLimits/fieldCount``. The decoder cannot be used afterwards.
    /// - Complexity: linear in the bytes of the head, however they are split.
    public mutating func decode(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard usesStrictReader else { return try decodeTolerantly(input) }
        do throws(WireError) {
            return try decodeStrictly(input)
        } catch {
            return try decodeTolerantly(input, after: error)
        }
    }

    // Inlined, so that the check of the level costs one comparison and no second call.
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

    /// Decodes a head without copying it, if it is complete.
    ///
    /// The head refers to the buffer (see ``InputBuffer``). A head with a tolerated deviation is copied.
    /// Nothing is removed from the buffer: call ``InputBuffer/consume(_:)`` afterwards.
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

    /// Switches to the tolerant reader; throws the error again if the level does not tolerate it.
    mutating func beginTolerantly(after error: WireError) throws(WireError) {
        guard strictness.canContinue(after: error) else { throw error }
        self = ResponseHeadDecoder(limits: limits, strictness: strictness)
        usesStrictReader = false
        tolerance = .reading(TolerantHeadReader(.response, strictness, limits: limits))
    }

    /// Records that a head had no deviation.
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

    /// Takes a head that is no longer needed, so that ``decode(_:)`` can reuse its memory.
    ///
    /// Decoding spans then allocates nothing once the memory is large enough. If a part of the head is
    /// still in use elsewhere, the call has no effect.
    public mutating func recycle(_ head: consuming ResponseHead) {
        reader.recycle(head.takeStorage())
    }

    /// Parses the status line, for ``HeadReader``; returns nil while its LF is missing.
    static func startLine(
        _ bytes: Span<UInt8>,
        _ searched: inout Int
    ) throws(WireError) -> HeadScanner.StartLine? {
        try refuseForeignProtocol(bytes)
        let end = try HeadScanner.startLineEnd(in: bytes, from: 0, searched: &searched)
        guard let end else { return nil }
        return try statusLine(bytes, end: end)
    }

    /// Throws at the first byte that cannot begin `HTTP/`, without waiting for a complete line.
    ///
    /// This distinguishes a server of another protocol from a slow one.
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

    /// Parses `HTTP/1.1 200 OK`; the phrase and the space before it may be missing.
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

extension ResponseHeadDecoder {
    /// The deviations tolerated in the last head, in the order in which they were found.
    ///
    /// Empty at ``Strictness/strict``. After an error: the deviations tolerated before it.
    public var diagnostics: [Diagnostic] { tolerance.diagnostics }

    /// The bytes of the last head as received, split into lines.
    ///
    /// Nil before the first head, and always below ``Strictness/forensic``. Each access creates it.
    public var rawHead: RawHead? { tolerance.rawHead }

    /// Whether another reader may find a different end of the message.
    ///
    /// True if the last head had a deviation at the end of a line; at ``Strictness/forensic``, if it had
    /// any deviation. Another reader may have found other lines, and so another end.
    var isFramingAmbiguous: Bool { tolerance.isFramingAmbiguous }

    /// Decodes a head that the strict reader has just refused.
    @inline(never)
    mutating func decodeTolerantly(
        _ input: Span<UInt8>,
        after error: WireError
    ) throws(WireError) -> Step {
        try beginTolerantly(after: error)
        return try readTolerantly(input)
    }

    /// Decodes a head in a buffer that the strict reader has just refused, and copies it.
    @inline(never)
    mutating func decodeTolerantly(
        in buffer: inout InputBuffer,
        after error: WireError
    ) throws(WireError) -> Step {
        try beginTolerantly(after: error)
        return try buffer.withBytes { (input) throws(WireError) in try readTolerantly(input) }
    }

    /// Decodes with the strict reader, and continues with the tolerant reader if it refuses the head.
    mutating func decodeTolerantly(_ input: Span<UInt8>) throws(WireError) -> Step {
        if !tolerance.isReading {
            do {
                let step = try decodeStrictly(input)
                if step.head != nil { recordStrictHead(step.consumed, of: input) }
                return step
            } catch {
                try beginTolerantly(after: error)
            }
        }
        return try readTolerantly(input)
    }

    /// Decodes from a buffer in the same way; only a head with a tolerated deviation is copied.
    mutating func decodeTolerantly(in buffer: inout InputBuffer) throws(WireError) -> Step {
        if !tolerance.isReading {
            do {
                let step = try decodeStrictly(in: &buffer)
                guard step.head != nil else { return step }
                buffer.withBytes { recordStrictHead(step.consumed, of: $0) }
                return step
            } catch {
                try beginTolerantly(after: error)
            }
        }
        return try buffer.withBytes { (input) throws(WireError) in try readTolerantly(input) }
    }

    private mutating func readTolerantly(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard let found = try tolerance.read(input), case .status(let line) = found.start
        else { return Step(consumed: 0, head: nil) }
        var start = HeadScanner.StartLine()
        start.statusOrMethodNumber = UInt16(truncatingIfNeeded: line.status.code)
        start.targetOrReason = PackedRange(line.reason)
        var head = ResponseHead(start, storage: found.storage)
        head.version = line.version
        return Step(consumed: found.end, head: head)
    }
}
