// To reject other bytes in a start line, change `HeadScanner`, `ResponseHeadDecoder` or `RequestHeadDecoder`, and this
// parser, which reads a rejected line again. The tests are `ResponseHeadDecoderTests`, `RequestHeadDecoderTests` and
// `LenientHeadTests`.

/// A parser for start lines that the strict decoders refused (RFC 9112 §3, §4).
///
/// Whitespace of any kind separates words. Anything other than a single space is reported.
struct TolerantStartLine {
    /// The parts of a request line.
    struct Request: Sendable {
        var method: String
        var target: Range<Int>
        var version: HTTPVersion
    }

    /// The parts of a status line.
    struct Status: Sendable {
        var version: HTTPVersion
        var status: HTTPStatus
        var reason: Range<Int>
        /// Whether CRs in the phrase must become spaces.
        var hasReturn: Bool
    }

    /// Returns whether a byte is SP, HTAB, VT, FF or CR, as in RFC 9112 §3.
    private static func isSeparator(_ byte: UInt8) -> Bool {
        ByteClass.isSpace(byte) || 0x0b...0x0d ~= byte
    }

    // MARK: - Request line

    /// Parses the method (the first word), the version (the last word) and the target between them.
    ///
    /// - Throws: `.foreignProtocol` for HTTP/0.9 and HTTP/2 at every level. Otherwise the error for a
    ///   deviation that the level does not tolerate, or `.malformedRequestLine` without three words.
    static func request(
        _ line: Range<Int>,
        of bytes: Span<UInt8>,
        log: inout DiagnosticLog
    ) throws(WireError) -> Request {
        let text = trim(line, of: bytes)
        let method = text.lowerBound..<wordEnd(in: bytes, from: text)
        let rest = trim(method.upperBound..<text.upperBound, of: bytes)
        guard !rest.isEmpty else {
            throw .malformedRequestLine(offset: method.upperBound)
        }
        var versionStart = rest.upperBound
        while versionStart > rest.lowerBound, !isSeparator(bytes[versionStart - 1]) {
            versionStart -= 1
        }
        let target = trim(rest.lowerBound..<versionStart, of: bytes)
        guard !target.isEmpty else { throw .foreignProtocol(.http09) }
        try tolerateSpacing(line.lowerBound..<method.lowerBound, 0, of: bytes, &log)
        try tolerateMethod(method, of: bytes, &log)
        try tolerateSpacing(method.upperBound..<target.lowerBound, 1, of: bytes, &log)
        try tolerateTarget(target, of: bytes, &log)
        try tolerateSpacing(target.upperBound..<versionStart, 1, of: bytes, &log)
        let name = TextDecoding.text(bytes.extracting(method))
        let word = versionStart..<text.upperBound
        if name == "PRI", word.count == 8, bytes[word.lowerBound + 5] == 0x32 {
            throw .foreignProtocol(.http2)
        }
        let version = try version(word, before: line.upperBound, of: bytes, &log)
        try tolerateSpacing(text.upperBound..<line.upperBound, 0, of: bytes, &log)
        return Request(
            method: name,
            target: target,
            version: version
        )
    }

    private static func tolerateMethod(
        _ method: Range<Int>,
        of bytes: Span<UInt8>,
        _ log: inout DiagnosticLog
    ) throws(WireError) {
        for index in method where !ByteClass.isToken(bytes[index]) {
            let error = WireError.malformedRequestLine(offset: index)
            try log.tolerate(.malformedMethod, index..<method.upperBound, else: error)
            return
        }
    }

    private static func tolerateTarget(
        _ target: Range<Int>,
        of bytes: Span<UInt8>,
        _ log: inout DiagnosticLog
    ) throws(WireError) {
        var index = target.lowerBound
        while index < target.upperBound {
            let byte = bytes[index]
            let start = index
            index += 1
            let error = WireError.malformedRequestLine(offset: start)
            if byte == 0 {
                try log.tolerate(.nulByte, start..<index, else: error)
            } else if byte >= 0x80 {
                while index < target.upperBound, bytes[index] >= 0x80 { index += 1 }
                try log.tolerate(.obsTextInTarget, start..<index, else: error)
            } else if !ByteClass.isVisible(byte) || byte == Byte.hash {
                try log.tolerate(.malformedTarget, start..<index, else: error)
            }
        }
    }

    // MARK: - Status line

    /// Parses version, status and phrase; all but the version may be missing.
    static func status(
        _ line: Range<Int>,
        of bytes: Span<UInt8>,
        log: inout DiagnosticLog
    ) throws(WireError) -> Status {
        let end = line.upperBound
        let start = trim(line, of: bytes).lowerBound
        let early = WireError.foreignProtocol(.unknown)
        try tolerateSpacing(line.lowerBound..<start, 0, of: bytes, &log, else: early, .forensic)
        let word = start..<wordEnd(in: bytes, from: start..<end)
        let version = try version(word, before: end, of: bytes, &log)
        let digits = trim(word.upperBound..<end, of: bytes).lowerBound
        let gap = WireError.malformedStatus(offset: min(word.upperBound + 1, end))
        try tolerateSpacing(word.upperBound..<digits, 1, of: bytes, &log, else: gap)
        var next = digits
        while next < end, ByteClass.isDigit(bytes[next]) { next += 1 }
        let number = Digits.decimal(bytes.extracting(digits..<next), upTo: 999)
        var code = 0
        if case .value(let value) = number { code = value }
        let isDelimited = next == end || isSeparator(bytes[next])
        let error = WireError.malformedStatus(offset: digits)
        if next - digits != 3 || code < 100 || !isDelimited {
            let last = wordEnd(in: bytes, from: digits..<end)
            try log.tolerate(.malformedStatus, digits..<last, else: error)
            if next - digits != 3 { next = last }
        }
        if next < end, isSeparator(bytes[next]) {
            try tolerateSpacing(next..<next + 1, 1, of: bytes, &log, else: error)
            next += 1
        }
        let hasReturn = try log.tolerateText(
            next..<end,
            of: bytes,
            as: .controlInReason,
            else: { .malformedReason(offset: $0) }
        )
        return Status(
            version: version,
            status: HTTPStatus(code),
            reason: next..<end,
            hasReturn: hasReturn
        )
    }

    // MARK: - Parts of both

    /// Parses a version; a malformed one counts as the digits it contains, or 0.
    private static func version(
        _ word: Range<Int>,
        before lineEnd: Int,
        of bytes: Span<UInt8>,
        _ log: inout DiagnosticLog
    ) throws(WireError) -> HTTPVersion {
        let reason: WireError
        do {
            let version = try HeadScanner.version(
                in: bytes,
                from: word.lowerBound,
                end: lineEnd
            )
            if word.count == 8 { return version }
            reason = .malformedVersion(offset: word.lowerBound + 8)
        } catch {
            reason = error
        }
        do {
            try refuseForeignProtocol(bytes, word, .complete)
        } catch {
            throw reason
        }
        var digits: (major: UInt8, minor: UInt8) = (0, 0)
        let major = word.lowerBound + 5
        if major < word.upperBound, ByteClass.isDigit(bytes[major]) {
            digits.major = bytes[major] &- Byte.zero
        }
        let minor = major + 2
        if minor < word.upperBound, bytes[minor - 1] == Byte.dot, ByteClass.isDigit(bytes[minor]) {
            digits.minor = bytes[minor] &- Byte.zero
        }
        var code = Diagnostic.Code.malformedVersion
        if case .unsupportedVersion = reason { code = .unsupportedVersion }
        try log.tolerate(code, word, else: reason)
        if digits.major == 1 { digits.minor = min(digits.minor, 1) }
        return HTTPVersion(major: digits.major, minor: digits.minor)
    }

    /// Whether a line is complete.
    enum Completeness {
        case partial
        case complete
    }

    /// Throws for a line that does not, and cannot, begin with `HTTP/` in any case.
    static func refuseForeignProtocol(
        _ bytes: Span<UInt8>,
        _ line: Range<Int>,
        _ completeness: Completeness
    ) throws(WireError) {
        let start = textStart(line, of: bytes)
        let name: InlineArray<5, UInt8> = [0x68, 0x74, 0x74, 0x70, Byte.slash]
        for index in name.indices {
            guard start + index < line.upperBound else {
                if completeness == .partial { return }
                throw .foreignProtocol(.unknown)
            }
            guard ByteClass.lowercase(bytes[start + index]) == name[index] else {
                throw .foreignProtocol(.unknown)
            }
        }
    }

    /// Reports whitespace other than the expected number of spaces, which is 0 or 1.
    private static func tolerateSpacing(
        _ gap: Range<Int>,
        _ expected: Int,
        of bytes: Span<UInt8>,
        _ log: inout DiagnosticLog,
        else error: WireError? = nil,
        _ first: Strictness = .lenient
    ) throws(WireError) {
        if gap.count == expected {
            guard expected == 1, bytes[gap.lowerBound] != Byte.space else { return }
        }
        var level = first
        for index in gap where !ByteClass.isSpace(bytes[index]) { level = .forensic }
        let refusal = error ?? .malformedRequestLine(offset: gap.lowerBound)
        try log.tolerate(.irregularSpacing, gap, else: refusal, from: level)
    }

    /// Returns the offset of the first byte that is not whitespace, or the end.
    static func textStart(_ range: Range<Int>, of bytes: Span<UInt8>) -> Int {
        var start = range.lowerBound
        while start < range.upperBound, isSeparator(bytes[start]) { start += 1 }
        return start
    }

    private static func trim(_ range: Range<Int>, of bytes: Span<UInt8>) -> Range<Int> {
        let start = textStart(range, of: bytes)
        var end = range.upperBound
        while end > start, isSeparator(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func wordEnd(in bytes: Span<UInt8>, from range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, !isSeparator(bytes[index]) { index += 1 }
        return index
    }
}
