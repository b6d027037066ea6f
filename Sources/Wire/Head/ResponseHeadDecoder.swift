/// Turns octets into response heads (RFC 9112 §2, §4 and §5).
///
/// Strict: lines end in CRLF, nothing is folded, nothing but tokens names a field. A head is
/// consumed whole; see the buffer contract in the module's first file.
public struct ResponseHeadDecoder: Sendable {
    /// Tells what one call did.
    public struct Step: Sendable {
        /// Octets at the front of the input that are finished with; 0 until the head is complete.
        public var consumed: Int
        /// The head; nil when more octets are needed.
        public var head: ResponseHead?
    }

    let limits: WireLimits
    let strictness: Strictness
    /// What was tolerated, and how far a head was read that the strict rules refuse.
    var tolerance = HeadTolerance.none
    private var state = State.startLine(searched: 0)

    private enum State: Sendable {
        /// Can go to: fields.
        case startLine(searched: Int)
        /// Can go to: startLine, for the next head.
        case fields(StatusLine, SectionScanner)
    }

    private struct StatusLine: Sendable {
        var version: HTTPVersion
        var status: HTTPStatus
        var reason: Range<Int>
        /// First octet behind the line.
        var end: Int
    }

    /// Creates a decoder for one head after another.
    ///
    /// - Parameters:
    ///   - limits: bounds on one head.
    ///   - strictness: what is tolerated; nothing, unless asked for. See ``diagnostics``.
    public init(limits: WireLimits = .default, strictness: Strictness = .strict) {
        self.limits = limits
        self.strictness = strictness
    }

    /// Says whether no octet of a head has been seen.
    public var isIdle: Bool {
        if case .startLine(searched: 0) = state { return !tolerance.isReading }
        return false
    }

    /// Reads a head, if all of it is there.
    ///
    /// While it is not, nothing is consumed: call again with the same octets and more behind them.
    /// After a head the decoder is ready for the next one.
    ///
    /// - Throws: any case of kind `.head`, or `.limitExceeded` for ``WireLimits/headBytes`` and
    ///   ``WireLimits/fieldCount``. The decoder is of no use afterwards.
    /// - Complexity: linear in all octets of the head, however they are cut into pieces.
    public mutating func decode(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard strictness == .strict else { return try decodeTolerantly(input) }
        return try decodeStrictly(input)
    }

    mutating func decodeStrictly(_ input: Span<UInt8>) throws(WireError) -> Step {
        let bytes = input.extracting(first: max(limits.headBytes, 0))
        if case .startLine(var searched) = state {
            try Self.refuseForeignProtocol(bytes)
            let end = try HeadScanner.startLineEnd(in: bytes, from: 0, searched: &searched)
            guard let end else {
                state = .startLine(searched: searched)
                return try needMore(input)
            }
            let line = try Self.statusLine(bytes, end: end)
            state = .fields(line, SectionScanner(from: line.end))
        }
        guard case .fields(let line, var scanner) = state else { return try needMore(input) }
        let storage = try scanner.read(
            bytes,
            mostFields: limits.fieldCount,
            limit: .fieldCount(limits.fieldCount)
        )
        guard let storage else {
            state = .fields(line, scanner)
            return try needMore(input)
        }
        state = .startLine(searched: 0)
        let head = ResponseHead(
            version: line.version,
            status: line.status,
            reason: line.reason,
            storage: storage
        )
        return Step(consumed: scanner.position, head: head)
    }

    private func needMore(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard input.count < limits.headBytes else {
            throw .limitExceeded(.headBytes(limits.headBytes))
        }
        return Step(consumed: 0, head: nil)
    }

    /// Refuses at the first octet that cannot begin `HTTP/`, so that a peer of another kind is told
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
    ) throws(WireError) -> StatusLine {
        let version = try HeadScanner.version(in: bytes, from: 0, end: end)
        guard end > 8, bytes[8] == Byte.space else { throw .malformedVersion(offset: 8) }
        guard end >= 12, case .value(let code) = Digits.decimal(bytes.extracting(9..<12)),
            code >= 100, end == 12 || bytes[12] == Byte.space
        else { throw .malformedStatus(offset: 9) }
        let reason = min(13, end)..<end
        for index in reason where !ByteClass.isFieldValue(bytes[index]) {
            throw .malformedReason(offset: index)
        }
        return StatusLine(
            version: version,
            status: HTTPStatus(UInt16(truncatingIfNeeded: code)),
            reason: reason,
            end: end + 2
        )
    }
}
