/// A reader for one head that a strict decoder refused, from its first byte (RFC 9112 §2 to §5).
///
/// It works byte by byte and with arrays, because it need not be fast. Like the strict decoders, it
/// keeps its position between calls.
struct TolerantHeadReader: Sendable {
    /// A complete head: its parts, and the bytes that contain them.
    struct Head: Sendable {
        var start: StartLine
        var storage: FieldStorage
        /// The offset of the first byte after the head.
        var end: Int
    }

    /// The parsed start line.
    enum StartLine: Sendable {
        case request(TolerantStartLine.Request, RequestTarget.Form)
        case status(TolerantStartLine.Status)
    }

    private(set) var log: DiagnosticLog
    private let role: TolerantFieldReader.Role
    private let limits: WireLimits
    private var state = State.startLine(start: 0, searched: 0)

    private enum State: Sendable {
        /// Can go to: fields.
        case startLine(start: Int, searched: Int)
        /// The last state; it ends with the head.
        case fields(StartLine, TolerantFieldReader)
    }

    init(_ role: TolerantFieldReader.Role, _ strictness: Strictness, limits: WireLimits) {
        self.role = role
        self.limits = limits
        log = DiagnosticLog(strictness, limits: limits)
    }

    /// Continues reading.
    ///
    /// - Parameter input: the head from its first byte; the bytes of the last call, and more.
    /// - Returns: the head; nil while it is incomplete.
    /// - Throws: the error for a deviation that the level does not tolerate, or for a limit.
    mutating func read(_ input: Span<UInt8>) throws(WireError) -> Head? {
        let bytes = input.extracting(first: max(limits.headBytes, 0))
        if case .startLine(let start, var searched) = state {
            let line = try startLine(bytes, from: start, &searched)
            guard let line else { return try needMore(input) }
            let fields = TolerantFieldReader(
                role,
                from: line.end,
                dropsMalformedCookies: role == .response && limits.dropsMalformedCookies
                    && log.strictness == .lenient
            )
            state = .fields(try parse(line, of: bytes), fields)
            try line.tolerateEnd(&log)
        }
        guard case .fields(let line, var reader) = state else { return nil }
        // Release the copy in the state; otherwise every line would copy the fields before it.
        state = .startLine(start: 0, searched: 0)
        let isComplete = try reader.read(
            bytes,
            maxFields: limits.fieldCount,
            limit: .fieldCount(limits.fieldCount),
            log: &log
        )
        guard isComplete else {
            state = .fields(line, reader)
            return try needMore(input)
        }
        return head(line, reader, of: bytes)
    }

    private func needMore(_ input: Span<UInt8>) throws(WireError) -> Head? {
        guard input.count < limits.headBytes else {
            throw .limitExceeded(.headBytes(limits.headBytes))
        }
        return nil
    }

    /// Returns the first line that is not empty.
    private mutating func startLine(
        _ bytes: Span<UInt8>,
        from first: Int,
        _ searched: inout Int
    ) throws(WireError) -> TolerantLine? {
        var start = first
        while let line = TolerantLine(in: bytes, from: start, searched: &searched) {
            guard line.content.isEmpty else {
                if role == .response {
                    try TolerantStartLine.refuseForeignProtocol(bytes, line.content, .complete)
                }
                recordEmptyLines(bytes, before: start)
                return line
            }
            try line.tolerateEnd(&log)
            start = line.end
        }
        state = .startLine(start: start, searched: searched)
        if role == .response {
            try TolerantStartLine.refuseForeignProtocol(bytes, start..<bytes.count, .partial)
        }
        return nil
    }

    /// Reports empty lines; servers should skip one before a request (RFC 9112 §2.2).
    private mutating func recordEmptyLines(_ bytes: Span<UInt8>, before start: Int) {
        guard start > 0 else { return }
        let isOne = bytes[0] == Byte.lineFeed ? start == 1 : start == 2
        guard role == .response || !isOne else { return }
        log.record(.emptyLineBeforeStart, 0..<start)
    }

    private mutating func parse(
        _ line: TolerantLine,
        of bytes: Span<UInt8>
    ) throws(WireError) -> StartLine {
        guard role == .request else {
            let status = try TolerantStartLine.status(line.content, of: bytes, log: &log)
            return .status(status)
        }
        let parts = try TolerantStartLine.request(line.content, of: bytes, log: &log)
        let target = bytes.extracting(parts.target)
        if let form = RequestHeadDecoder.form(of: target, method: parts.method.utf8.span) {
            return .request(parts, form)
        }
        let error = WireError.malformedRequestLine(offset: line.content.lowerBound)
        try log.tolerate(.unknownTargetForm, line.content, else: error)
        return .request(parts, .origin)
    }

    private func head(
        _ line: StartLine,
        _ reader: TolerantFieldReader,
        of bytes: Span<UInt8>
    ) -> Head {
        guard case .status(var status) = line, status.hasReturn else {
            let storage = reader.storage(of: bytes)
            return Head(start: line, storage: storage, end: reader.position)
        }
        let reason = TextDecoding.unfolded(bytes.extracting(status.reason))
        let storage = reader.storage(of: bytes, room: reason.count)
        status.reason = storage.appendBytes(reason.span)
        return Head(start: .status(status), storage: storage, end: reader.position)
    }
}

/// A line that ends in LF, with or without a CR before it (RFC 9112 §2.2).
///
/// A CR alone does not end a line. Recipients disagree about it, and the end of a message must not
/// depend on the recipient.
struct TolerantLine {
    /// The bytes of the line without its end.
    let content: Range<Int>
    /// The offset of the first byte after the LF.
    let end: Int

    /// Reads the line that begins at `start`; nil while its LF is missing.
    ///
    /// There is no LF before `searched`, which increases while the line is incomplete.
    init?(in bytes: Span<UInt8>, from start: Int, searched: inout Int) {
        guard let feed = HeadScanner.lineFeed(in: bytes, from: max(start, searched)) else {
            searched = max(bytes.count, searched)
            return nil
        }
        end = feed + 1
        let hasReturn = feed > start && bytes[feed - 1] == Byte.carriageReturn
        content = start..<(hasReturn ? feed - 1 : feed)
    }

    /// Whether there is a CR before the LF.
    var endsInCRLF: Bool { end == content.upperBound + 2 }

    /// Reports a line end without CR.
    func tolerateEnd(_ log: inout DiagnosticLog) throws(WireError) {
        guard !endsInCRLF else { return }
        try log.tolerate(.bareLineFeed, end - 1..<end, else: .bareLineFeed(offset: end - 1))
    }
}

extension DiagnosticLog {
    /// Reports bytes that are not allowed in a reason phrase or a field value.
    ///
    /// - Parameters:
    ///   - text: the range to check.
    ///   - bytes: the bytes that contain the range.
    ///   - code: the code for a control byte other than CR and NUL.
    ///   - level: the lowest level that tolerates a byte here; nil for the levels of the codes.
    ///   - refuse: creates the error for a byte at an offset.
    /// - Returns: whether there was a CR, which must be replaced with a space (RFC 9112 §2.2).
    /// - Throws: `.bareCarriageReturn`, or the error that `refuse` creates.
    mutating func tolerateText(
        _ text: Range<Int>,
        of bytes: Span<UInt8>,
        as code: Diagnostic.Code,
        from level: Strictness? = nil,
        else refuse: (Int) -> WireError
    ) throws(WireError) -> Bool {
        var hasReturn = false
        for index in text where !ByteClass.isFieldValue(bytes[index]) {
            let range = index..<index + 1
            switch bytes[index] {
            case Byte.carriageReturn:
                hasReturn = true
                let error = WireError.bareCarriageReturn(offset: index)
                try tolerate(.bareCarriageReturn, range, else: error, from: level)
            case 0:
                try tolerate(.nulByte, range, else: refuse(index))
            default:
                try tolerate(code, range, else: refuse(index), from: level)
            }
        }
        return hasReturn
    }
}
