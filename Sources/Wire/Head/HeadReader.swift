/// A reader of consecutive heads of one kind; both head decoders use it.
///
/// A complete head without anything unusual is read in one pass. Otherwise the reader checks the
/// head line by line as bytes arrive; this path throws the errors. Once the head is complete, the
/// reader tries the single pass again, and if that fails reads the fields line by line.
struct HeadReader: Sendable {
    /// A head: its start line, its storage and the number of bytes read.
    struct ParsedHead {
        var line: HeadScanner.StartLine
        var storage: FieldStorage
        var length: Int
    }

    private let limits: WireLimits
    /// The maximum number of bytes of one head.
    private let maxBytes: Int
    private let dropsMalformedCookies: Bool
    private let names = HeadScanner.KnownNameTable.shared
    private var state = State.startLine(searched: 0)
    /// The storage of a head that was recycled.
    private var recycled: FieldStorage?

    private enum State: Sendable {
        /// Can go to: fields.
        case startLine(searched: Int)
        /// Can go to: startLine, for the next head.
        case fields(HeadScanner.StartLine, SectionScanner)
    }

    /// - Parameters:
    ///   - limits: the limits of one head.
    ///   - strictness: the level of the decoder. Above `strict`, the tolerant reader handles heads that
    ///     this reader refuses.
    init(limits: WireLimits, strictness: Strictness = .strict) {
        self.limits = limits
        dropsMalformedCookies = limits.dropsMalformedCookies && strictness == .strict
        maxBytes = max(limits.headBytes, 0)
    }

    /// Whether no byte of a head has been read.
    var isIdle: Bool {
        if case .startLine(searched: 0) = state { return true }
        return false
    }

    /// Keeps the storage of a head for reuse.
    mutating func recycle(_ storage: FieldStorage?) {
        if let storage { recycled = storage }
    }

    /// Reads and copies a head at the start of the input; returns nil while it is incomplete.
    @inline(__always)
    mutating func read(
        _ role: HeadScanner.Role,
        _ input: Span<UInt8>
    ) throws(WireError) -> ParsedHead? {
        if isIdle {
            let bytes = input.extracting(first: maxBytes)
            if let reading = readFast(role, bytes, from: 0) { return reading }
        }
        return try readSlow(role, input)
    }

    /// Reads a head at the start of the buffer without copying it; returns nil while it is incomplete.
    @inline(__always)
    mutating func read(
        _ role: HeadScanner.Role,
        in buffer: inout InputBuffer
    ) throws(WireError) -> ParsedHead? {
        buffer.prepareForHead()
        if isIdle, let reading = readFast(role, in: &buffer, from: 0) { return reading }
        return try readSlow(role, in: &buffer)
    }

    // MARK: - In one pass

    @inline(__always)
    private mutating func readFast(
        _ role: HeadScanner.Role,
        _ bytes: Span<UInt8>,
        from start: Int
    ) -> ParsedHead? {
        var line = HeadScanner.StartLine()
        let storage = FieldStorage.head(
            role,
            of: bytes,
            from: start,
            maxFields: limits.fieldCount,
            reusing: &recycled,
            names,
            &line
        )
        guard let storage else { return nil }
        return ParsedHead(line: line, storage: storage, length: storage.byteCount)
    }

    @inline(__always)
    private func readFast(
        _ role: HeadScanner.Role,
        in buffer: inout InputBuffer,
        from offset: Int
    ) -> ParsedHead? {
        var line = HeadScanner.StartLine()
        let start = buffer.start
        // `read(_:in:)` has made sure that nothing else refers to the entries of the buffer.
        let lines = buffer.storage.readHead(
            role,
            in: start..<start &+ min(buffer.count, maxBytes),
            from: start &+ offset,
            maxFields: limits.fieldCount,
            names,
            &line
        )
        guard let lines else { return nil }
        buffer.shareHead(start, lines)
        return ParsedHead(line: line, storage: buffer.storage, length: lines.position &- start)
    }

    // MARK: - Line by line

    /// A complete and well-formed head.
    private struct CompleteHead {
        var line: HeadScanner.StartLine
        var fields: SectionScanner

        func parsed(from bytes: Span<UInt8>) throws(WireError) -> ParsedHead {
            let length = fields.position
            let storage = try fields.storage(of: bytes.extracting(first: length))
            return ParsedHead(line: line, storage: storage, length: length)
        }
    }

    @inline(never)
    private mutating func readSlow(
        _ role: HeadScanner.Role,
        _ input: Span<UInt8>
    ) throws(WireError) -> ParsedHead? {
        let bytes = input.extracting(first: maxBytes)
        guard let end = try findEnd(role, bytes, of: input.count) else { return nil }
        if let reading = readFast(role, bytes, from: end.line.start) { return reading }
        return try end.parsed(from: bytes)
    }

    @inline(never)
    private mutating func readSlow(
        _ role: HeadScanner.Role,
        in buffer: inout InputBuffer
    ) throws(WireError) -> ParsedHead? {
        let maxHeadBytes = maxBytes
        let count = buffer.count
        let end = try buffer.withBytes { input throws(WireError) in
            try findEnd(role, input.extracting(first: maxHeadBytes), of: count)
        }
        guard let end else { return nil }
        if let reading = readFast(role, in: &buffer, from: end.line.start) { return reading }
        return try buffer.withBytes { input throws(WireError) in
            try end.parsed(from: input.extracting(first: maxHeadBytes))
        }
    }

    /// Continues the search for the end of the head.
    private mutating func findEnd(
        _ role: HeadScanner.Role,
        _ bytes: Span<UInt8>,
        of inputCount: Int
    ) throws(WireError) -> CompleteHead? {
        if case .startLine(var searched) = state {
            let line = try startLine(role, bytes, &searched)
            guard let line else {
                state = .startLine(searched: searched)
                return try needMore(inputCount)
            }
            state = .fields(
                line,
                SectionScanner(
                    from: line.end,
                    dropsMalformedCookies: role == .response && dropsMalformedCookies
                )
            )
        }
        guard case .fields(let line, var scanner) = state else { return nil }
        let isComplete = try scanner.findEnd(
            bytes,
            maxFields: limits.fieldCount,
            limit: .fieldCount(limits.fieldCount)
        )
        guard isComplete else {
            state = .fields(line, scanner)
            return try needMore(inputCount)
        }
        state = .startLine(searched: 0)
        return CompleteHead(line: line, fields: scanner)
    }

    private func startLine(
        _ role: HeadScanner.Role,
        _ bytes: Span<UInt8>,
        _ searched: inout Int
    ) throws(WireError) -> HeadScanner.StartLine? {
        switch role {
        case .response: try ResponseHeadDecoder.startLine(bytes, &searched)
        case .request: try RequestHeadDecoder.startLine(bytes, &searched)
        }
    }

    private func needMore(_ inputCount: Int) throws(WireError) -> CompleteHead? {
        guard inputCount < limits.headBytes else {
            throw .limitExceeded(.headBytes(limits.headBytes))
        }
        return nil
    }
}
