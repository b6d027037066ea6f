/// Turns octets into request heads, for servers, proxies and tests (RFC 9112 §2, §3 and §5).
///
/// As strict as ``ResponseHeadDecoder``, with the one tolerance of RFC 9112 §2.2: an empty line
/// before the request line is skipped. Whether the fields make sense together (exactly one Host,
/// say) is for the server to judge.
public struct RequestHeadDecoder: Sendable {
    /// Tells what one call did.
    public struct Step: Sendable {
        /// Octets at the front of the input that are finished with; 0 until the head is complete.
        public var consumed: Int
        /// The head; nil when more octets are needed.
        public var head: RequestHead?
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
        case fields(RequestHead, SectionScanner)
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

    /// Says whether no octet of a head has been seen, so that a peer may close without harm.
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
            guard let first = bytes.count > 0 ? bytes[0] : nil else { return try needMore(input) }
            let isEmptyLine =
                first == Byte.carriageReturn
                && (bytes.count < 2 || bytes[1] == Byte.lineFeed)
            guard !isEmptyLine || bytes.count > 2 else {
                state = .startLine(searched: bytes.count)
                return try needMore(input)
            }
            if first == 0x16 { throw .foreignProtocol(.tls) }
            let start = isEmptyLine ? 2 : 0
            let end = try HeadScanner.startLineEnd(in: bytes, from: start, searched: &searched)
            guard let end else {
                state = .startLine(searched: searched)
                return try needMore(input)
            }
            let head = try Self.requestLine(bytes, start..<end)
            state = .fields(head, SectionScanner(from: end + 2))
        }
        guard case .fields(var head, var scanner) = state else {
            return try needMore(input)
        }
        let storage = try scanner.read(
            bytes,
            mostFields: limits.fieldCount,
            limit: .fieldCount(limits.fieldCount)
        )
        guard let storage else {
            state = .fields(head, scanner)
            return try needMore(input)
        }
        state = .startLine(searched: 0)
        head.headers = HTTPHeaders(storage: storage)
        return Step(consumed: scanner.position, head: head)
    }

    private func needMore(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard input.count < limits.headBytes else {
            throw .limitExceeded(.headBytes(limits.headBytes))
        }
        return Step(consumed: 0, head: nil)
    }

    /// Reads method, target and version, one space between each.
    private static func requestLine(
        _ bytes: Span<UInt8>,
        _ line: Range<Int>
    ) throws(WireError) -> RequestHead {
        var index = line.lowerBound
        while index < line.upperBound, ByteClass.isToken(bytes[index]) { index += 1 }
        let method = line.lowerBound..<index
        guard !method.isEmpty, index < line.upperBound, bytes[index] == Byte.space else {
            throw .malformedRequestLine(offset: index)
        }
        index += 1
        let targetStart = index
        while index < line.upperBound, ByteClass.isVisible(bytes[index]), bytes[index] != Byte.hash
        {
            index += 1
        }
        let target = targetStart..<index
        guard !target.isEmpty else { throw .malformedRequestLine(offset: index) }
        if index == line.upperBound { throw .foreignProtocol(.http09) }
        guard bytes[index] == Byte.space else { throw .malformedRequestLine(offset: index) }
        let text = text(bytes, method)
        let versionStart = index + 1
        if text == "PRI", line.upperBound - versionStart == 8, bytes[versionStart + 5] == 0x32 {
            throw .foreignProtocol(.http2)
        }
        let version = try HeadScanner.version(in: bytes, from: versionStart, end: line.upperBound)
        guard line.upperBound == versionStart + 8 else {
            throw .malformedVersion(offset: versionStart + 8)
        }
        guard let form = form(of: Self.text(bytes, target), method: text) else {
            throw .malformedRequestLine(offset: targetStart)
        }
        return RequestHead(method: HTTPMethod(text), target: form, version: version)
    }

    /// Chooses the form of the target (RFC 9112 §3.2); nil when it has none of the four.
    static func form(of text: String, method: String) -> RequestTarget? {
        if method == "CONNECT" { return text.utf8.contains(Byte.slash) ? nil : .authority(text) }
        if text.utf8.first == Byte.slash { return .origin(text) }
        if text == "*" { return method == "OPTIONS" ? .asterisk : nil }
        guard let first = text.utf8.first, ByteClass.isAlpha(first),
            let colon = text.utf8.firstIndex(of: Byte.colon),
            text.utf8[colon...].starts(with: "://".utf8)
        else { return nil }
        return .absolute(text)
    }

    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        guard let text = try? UTF8Span(validating: bytes.extracting(range)) else { return "" }
        return String(copying: text)
    }
}
