/// A decoder for request heads, for servers, proxies and tests (RFC 9112 §2, §3 and §5).
///
/// It is as strict as ``ResponseHeadDecoder``, except that it skips one empty line before the request
/// line (RFC 9112 §2.2). The server must check whether the fields are consistent, for example whether
/// there is exactly one Host.
public struct RequestHeadDecoder: Sendable {
    /// The result of one call.
    public struct Step: Sendable {
        /// The number of bytes at the front of the input that were consumed; 0 until the head is complete.
        public var consumed: Int
        /// The head; nil if more bytes are needed.
        public var head: RequestHead?
    }

    let limits: WireLimits
    let strictness: Strictness
    /// The tolerated deviations, and the progress in a head that the strict reader refused.
    var tolerance = TolerantHeadState.none
    private var reader: HeadReader

    /// Creates a decoder for consecutive heads.
    ///
    /// - Parameters:
    ///   - limits: the limits of one head.
    ///   - strictness: the deviations to tolerate; none by default. See ``diagnostics``.
    public init(limits: WireLimits = .default, strictness: Strictness = .strict) {
        self.limits = limits
        self.strictness = strictness
        reader = HeadReader(limits: limits)
    }

    /// Whether no byte of a head has been read, so that the peer may close the connection.
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
        guard strictness == .strict else { return try decodeTolerantly(input) }
        return try decodeStrictly(input)
    }

    // Inlined, so that the check of the level costs one comparison and no second call.
    @inline(__always)
    mutating func decodeStrictly(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard let reading = try reader.read(.request, input) else {
            return Step(consumed: 0, head: nil)
        }
        return Step(
            consumed: reading.length,
            head: RequestHead(reading.line, storage: reading.storage)
        )
    }

    /// Decodes a head without copying it, if it is complete.
    ///
    /// The head refers to the buffer (see ``InputBuffer``). A head with a tolerated deviation is copied.
    /// Nothing is removed from the buffer: call ``InputBuffer/consume(_:)`` afterwards.
    ///
    /// - Throws: as ``decode(_:)`` does.
    public mutating func decode(in buffer: inout InputBuffer) throws(WireError) -> Step {
        guard strictness == .strict else { return try decodeTolerantly(in: &buffer) }
        return try decodeStrictly(in: &buffer)
    }

    @inline(__always)
    mutating func decodeStrictly(in buffer: inout InputBuffer) throws(WireError) -> Step {
        guard let reading = try reader.read(.request, in: &buffer) else {
            return Step(consumed: 0, head: nil)
        }
        return Step(
            consumed: reading.length,
            head: RequestHead(reading.line, storage: reading.storage)
        )
    }

    /// Takes a head that is no longer needed, so that ``decode(_:)`` can reuse its memory.
    ///
    /// Decoding spans then allocates nothing once the memory is large enough. If a part of the head is
    /// still in use elsewhere, the call has no effect.
    public mutating func recycle(_ head: consuming RequestHead) {
        reader.recycle(head.takeStorage())
    }

    /// Parses the request line, for ``HeadReader``; returns nil while its LF is missing.
    static func startLine(
        _ bytes: Span<UInt8>,
        _ searched: inout Int
    ) throws(WireError) -> HeadScanner.StartLine? {
        guard let first = bytes.count > 0 ? bytes[0] : nil else { return nil }
        let isEmptyLine =
            first == Byte.carriageReturn
            && (bytes.count < 2 || bytes[1] == Byte.lineFeed)
        guard !isEmptyLine || bytes.count > 2 else {
            searched = bytes.count
            return nil
        }
        if first == 0x16 { throw .foreignProtocol(.tls) }
        let start = isEmptyLine ? 2 : 0
        let end = try HeadScanner.startLineEnd(in: bytes, from: start, searched: &searched)
        guard let end else { return nil }
        return try requestLine(bytes, start..<end)
    }

    /// Parses method, target and version, separated by one space each.
    private static func requestLine(
        _ bytes: Span<UInt8>,
        _ line: Range<Int>
    ) throws(WireError) -> HeadScanner.StartLine {
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
        let name = bytes.extracting(method)
        let versionStart = index + 1
        let isOneVersion = line.upperBound - versionStart == 8
        if isEqual(name, "PRI"), isOneVersion, bytes[versionStart + 5] == 0x32 {
            throw .foreignProtocol(.http2)
        }
        let version = try HeadScanner.version(in: bytes, from: versionStart, end: line.upperBound)
        guard line.upperBound == versionStart + 8 else {
            throw .malformedVersion(offset: versionStart + 8)
        }
        guard let form = form(of: bytes.extracting(target), method: name) else {
            throw .malformedRequestLine(offset: targetStart)
        }
        var result = HeadScanner.StartLine()
        result.start = line.lowerBound
        result.minor = version.minor
        result.form = form
        result.targetOrReason = PackedRange(target)
        result.end = line.upperBound + 2
        return result
    }

    /// Returns the form of the target (RFC 9112 §3.2); nil if it has none of the four forms.
    static func form(of target: Span<UInt8>, method: Span<UInt8>) -> RequestTarget.Form? {
        var colon: Int?
        var hasSlash = false
        for index in target.indices {
            if target[index] == Byte.slash { hasSlash = true }
            if target[index] == Byte.colon, colon == nil { colon = index }
        }
        if isEqual(method, "CONNECT") { return hasSlash ? nil : .authority }
        guard !target.isEmpty else { return nil }
        if target[0] == Byte.slash { return .origin }
        if isEqual(target, "*") { return isEqual(method, "OPTIONS") ? .asterisk : nil }
        guard ByteClass.isAlpha(target[0]), let colon, colon + 3 <= target.count,
            isEqual(target.extracting(colon..<colon + 3), "://")
        else { return nil }
        return .absolute
    }

    private static func isEqual(_ bytes: Span<UInt8>, _ text: String) -> Bool {
        let other = text.utf8.span
        guard bytes.count == other.count else { return false }
        for index in bytes.indices where bytes[index] != other[index] { return false }
        return true
    }
}

extension RequestHeadDecoder {
    /// The deviations tolerated in the last head, in the order in which they were found.
    ///
    /// Empty at ``Strictness/strict``. After an error: the deviations tolerated before it.
    public var diagnostics: [Diagnostic] { tolerance.diagnostics }

    /// The bytes of the last head as received, split into lines.
    ///
    /// Nil before the first head, and always below ``Strictness/forensic``. Each access creates it.
    public var rawHead: RawHead? { tolerance.rawHead }

    /// Decodes with the strict reader, and continues with the tolerant reader if it refuses the head.
    mutating func decodeTolerantly(_ input: Span<UInt8>) throws(WireError) -> Step {
        if !tolerance.isReading {
            do {
                let step = try decodeStrictly(input)
                if step.head != nil {
                    tolerance.recordStrictHead(step.consumed, of: input, strictness)
                }
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
                buffer.withBytes { tolerance.recordStrictHead(step.consumed, of: $0, strictness) }
                return step
            } catch {
                try beginTolerantly(after: error)
            }
        }
        return try buffer.withBytes { (input) throws(WireError) in try readTolerantly(input) }
    }

    private mutating func beginTolerantly(after error: WireError) throws(WireError) {
        guard strictness.canContinue(after: error) else { throw error }
        self = RequestHeadDecoder(limits: limits, strictness: strictness)
        tolerance = .reading(TolerantHeadReader(.request, strictness, limits: limits))
    }

    private mutating func readTolerantly(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard let found = try tolerance.read(input), case .request(let line, let form) = found.start
        else { return Step(consumed: 0, head: nil) }
        let head = RequestHead(
            method: HTTPMethod(line.method),
            target: RequestTarget(form, line.target, of: found.storage),
            version: line.version,
            headers: HTTPHeaders(storage: found.storage)
        )
        return Step(consumed: found.end, head: head)
    }
}
