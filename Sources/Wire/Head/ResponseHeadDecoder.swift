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

    private var decoder: HeadDecoder<ResponseHead>

    /// Creates a decoder for consecutive heads.
    ///
    /// - Parameters:
    ///   - limits: the limits of one head.
    ///   - strictness: the deviations to tolerate; none by default. See ``diagnostics``.
    public init(limits: WireLimits = .default, strictness: Strictness = .strict) {
        decoder = HeadDecoder(limits: limits, strictness: strictness)
    }

    /// Whether no byte of a head has been read.
    public var isIdle: Bool { decoder.isIdle }

    /// Decodes and copies a head if it is complete.
    ///
    /// Until then nothing is consumed: call again with the same bytes followed by more. After a head the
    /// decoder is ready for the next one.
    ///
    /// - Throws: any case of kind `.head`, or `.limitExceeded` for ``WireLimits/headBytes`` and
    ///   ``WireLimits/fieldCount``. The decoder cannot be used afterwards.
    /// - Complexity: linear in the bytes of the head, however they are split.
    public mutating func decode(_ input: Span<UInt8>) throws(WireError) -> Step {
        let (consumed, head) = try decoder.decode(input)
        return Step(consumed: consumed, head: head)
    }

    /// Decodes a head without copying it, if it is complete.
    ///
    /// The head refers to the buffer (see ``InputBuffer``). A head with a tolerated deviation is copied.
    /// Nothing is removed from the buffer: call ``InputBuffer/consume(_:)`` afterwards.
    ///
    /// - Throws: as ``decode(_:)`` does.
    public mutating func decode(in buffer: inout InputBuffer) throws(WireError) -> Step {
        let (consumed, head) = try decoder.decode(in: &buffer)
        return Step(consumed: consumed, head: head)
    }

    /// Takes a head that is no longer needed, so that ``decode(_:)`` can reuse its memory.
    ///
    /// Decoding spans then allocates nothing once the memory is large enough. If a part of the head is
    /// still in use elsewhere, the call has no effect.
    public mutating func recycle(_ head: consuming ResponseHead) {
        decoder.recycle(head.takeStorage())
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
    public var diagnostics: [Diagnostic] { decoder.tolerance.diagnostics }

    /// The bytes of the last head as received, split into lines.
    ///
    /// Nil before the first head, and always below ``Strictness/forensic``. Each access creates it.
    public var rawHead: RawHead? { decoder.tolerance.rawHead }

    /// Whether another reader may find a different end of the message.
    ///
    /// True if the last head had a deviation at the end of a line; at ``Strictness/forensic``, if it had
    /// any deviation. Another reader may have found other lines, and so another end.
    var isFramingAmbiguous: Bool { decoder.tolerance.isFramingAmbiguous }

    var limits: WireLimits { decoder.limits }
    var strictness: Strictness { decoder.strictness }

    /// Whether the last head had no deviation, and so no diagnostics.
    var usesStrictReader: Bool { decoder.usesStrictReader }
}

extension ResponseHead: DecodableHead {
    static var role: HeadScanner.Role { .response }
    static var section: TolerantFieldReader.Role { .response }

    init?(_ found: TolerantHeadReader.Head) {
        guard case .status(let line) = found.start else { return nil }
        var start = HeadScanner.StartLine()
        start.statusOrMethodNumber = UInt16(truncatingIfNeeded: line.status.code)
        start.targetOrReason = PackedRange(line.reason)
        self.init(start, storage: found.storage)
        version = line.version
    }
}
