/// Reads heads of one kind, one after the other; what the two decoders have in common.
///
/// A head that is there as a whole and has nothing unusual about it is read in one go. Otherwise it
/// is read line by line, as octets come, by the rules that make the errors, and once it is known to
/// be complete and well formed in one go again, or at last line by line for its entries.
struct HeadReader: Sendable {
    /// A head: its start line, its storage, and octets read.
    struct Reading {
        var line: HeadScanner.StartLine
        var storage: FieldStorage
        var length: Int
    }

    private let limits: WireLimits
    /// Octets of one head that are looked at.
    private let mostBytes: Int
    private let dropsMalformedCookies: Bool
    private let names = HeadScanner.NameTable.shared
    private var state = State.startLine(searched: 0)
    /// The storage of a head that its user has done with.
    private var spare: FieldStorage?

    private enum State: Sendable {
        /// Can go to: fields.
        case startLine(searched: Int)
        /// Can go to: startLine, for the next head.
        case fields(HeadScanner.StartLine, SectionScanner)
    }

    /// - Parameters:
    ///   - limits: of one head.
    ///   - strictness: of the decoder. Above `strict`, another reader sees what this one refuses.
    init(limits: WireLimits, strictness: Strictness = .strict) {
        self.limits = limits
        dropsMalformedCookies = limits.dropsMalformedCookies && strictness == .strict
        mostBytes = max(limits.headBytes, 0)
    }

    /// Says whether no octet of a head has been seen.
    var isIdle: Bool {
        if case .startLine(searched: 0) = state { return true }
        return false
    }

    /// Takes the storage of a head back.
    mutating func recycle(_ storage: FieldStorage?) {
        if let storage { spare = storage }
    }

    /// Reads a head that begins the input, and copies it; nil while it is not complete.
    @inline(__always)
    mutating func read(
        _ role: HeadScanner.Role,
        _ input: Span<UInt8>
    ) throws(WireError) -> Reading? {
        if isIdle {
            let bytes = input.extracting(first: mostBytes)
            if let reading = usual(role, bytes, from: 0) { return reading }
        }
        return try readSlowly(role, input)
    }

    /// Reads a head that begins the buffer, where it lies; nil while it is not complete.
    @inline(__always)
    mutating func read(
        _ role: HeadScanner.Role,
        in buffer: inout InputBuffer
    ) throws(WireError) -> Reading? {
        buffer.prepareForHead()
        if isIdle, let reading = usual(role, in: &buffer, from: 0) { return reading }
        return try readSlowly(role, in: &buffer)
    }

    // MARK: - In one go

    @inline(__always)
    private mutating func usual(
        _ role: HeadScanner.Role,
        _ bytes: Span<UInt8>,
        from start: Int
    ) -> Reading? {
        var line = HeadScanner.StartLine()
        let storage = FieldStorage.head(
            role,
            of: bytes,
            from: start,
            mostFields: limits.fieldCount,
            reusing: &spare,
            names,
            &line
        )
        guard let storage else { return nil }
        return Reading(line: line, storage: storage, length: storage.byteCount)
    }

    @inline(__always)
    private func usual(
        _ role: HeadScanner.Role,
        in buffer: inout InputBuffer,
        from offset: Int
    ) -> Reading? {
        var line = HeadScanner.StartLine()
        let start = buffer.start
        let lines = buffer.readHead(
            role,
            in: start..<start &+ min(buffer.count, mostBytes),
            from: start &+ offset,
            mostFields: limits.fieldCount,
            names,
            &line
        )
        guard let lines else { return nil }
        buffer.lend(start, lines)
        return Reading(line: line, storage: buffer.storage, length: lines.position &- start)
    }

    // MARK: - Line by line

    /// A head that is complete and well formed.
    private struct End {
        var line: HeadScanner.StartLine
        var fields: SectionScanner

        func reading(of bytes: Span<UInt8>) throws(WireError) -> Reading {
            let length = fields.position
            let storage = try fields.storage(of: bytes.extracting(first: length))
            return Reading(line: line, storage: storage, length: length)
        }
    }

    @inline(never)
    private mutating func readSlowly(
        _ role: HeadScanner.Role,
        _ input: Span<UInt8>
    ) throws(WireError) -> Reading? {
        let bytes = input.extracting(first: mostBytes)
        guard let end = try find(role, bytes, of: input.count) else { return nil }
        if let reading = usual(role, bytes, from: end.line.start) { return reading }
        return try end.reading(of: bytes)
    }

    @inline(never)
    private mutating func readSlowly(
        _ role: HeadScanner.Role,
        in buffer: inout InputBuffer
    ) throws(WireError) -> Reading? {
        let most = mostBytes
        let count = buffer.count
        let end = try buffer.withBytes { input throws(WireError) in
            try find(role, input.extracting(first: most), of: count)
        }
        guard let end else { return nil }
        if let reading = usual(role, in: &buffer, from: end.line.start) { return reading }
        return try buffer.withBytes { input throws(WireError) in
            try end.reading(of: input.extracting(first: most))
        }
    }

    /// Looks how far the head reaches, from where it got last time.
    private mutating func find(
        _ role: HeadScanner.Role,
        _ bytes: Span<UInt8>,
        of inputCount: Int
    ) throws(WireError) -> End? {
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
            mostFields: limits.fieldCount,
            limit: .fieldCount(limits.fieldCount)
        )
        guard isComplete else {
            state = .fields(line, scanner)
            return try needMore(inputCount)
        }
        state = .startLine(searched: 0)
        return End(line: line, fields: scanner)
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

    private func needMore(_ inputCount: Int) throws(WireError) -> End? {
        guard inputCount < limits.headBytes else {
            throw .limitExceeded(.headBytes(limits.headBytes))
        }
        return nil
    }
}
