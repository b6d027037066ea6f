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
    private var state = State.startLine(StartLineSearch())

    private enum State: Sendable {
        /// Can go to: fields.
        case startLine(StartLineSearch)
        /// The last state; it ends with the head.
        case fields(StartLine, TolerantFieldReader)
    }

    /// The offsets up to which a start line was searched, so that no byte is read again for each byte that arrives.
    private struct StartLineSearch {
        /// The end of the empty lines.
        var start = 0
        /// The end of the whitespace after them.
        var text = 0
        /// The offset before which there is no LF after `start`.
        var searched = 0
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
        if case .startLine(let search) = state {
            let line = try startLine(bytes, search)
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
        state = .startLine(StartLineSearch())
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
        _ previous: StartLineSearch
    ) throws(WireError) -> TolerantLine? {
        var search = previous
        while let line = TolerantLine(in: bytes, from: search.start, searched: &search.searched) {
            guard line.content.isEmpty else {
                if role == .response {
                    try TolerantStartLine.refuseForeignProtocol(bytes, line.content, .complete)
                }
                recordEmptyLines(bytes, before: search.start)
                return line
            }
            try line.tolerateEnd(&log)
            search.start = line.end
        }
        if role == .response {
            let rest = max(search.start, search.text)..<bytes.count
            search.text = TolerantStartLine.textStart(rest, of: bytes)
            let text = search.text..<bytes.count
            try TolerantStartLine.refuseForeignProtocol(bytes, text, .partial)
        }
        state = .startLine(search)
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
