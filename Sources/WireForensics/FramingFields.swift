internal import Wire

/// A parser of the framing fields of a head, for ``FramingAnalysis``.
struct FramingFields {
    private var log = DiagnosticLog(.forensic, limits: .default)
    private let version: HTTPVersion
    /// The first and the last element of Content-Length that is a number.
    private var length: (first: Int, last: Int)?
    /// Whether an element is not a number, or differs from the others.
    private var isLengthInvalid = false
    /// The value of the leading digits of the first Content-Length.
    private var leadingDigits: Int?
    private var hasContentLength = false
    private(set) var hasTransferEncoding = false
    private var isChunkedLast = false
    private var lengthRange: Range<Int>?
    private var codingRange: Range<Int>?

    init(_ headers: HTTPHeaders, _ version: HTTPVersion) {
        self.version = version
        hasContentLength = headers.contains(.contentLength)
        hasTransferEncoding = headers.contains(.transferEncoding)
        readTransferEncoding(headers)
        readContentLength(headers)
        if hasContentLength, hasTransferEncoding {
            record(.lengthBesideTransferEncoding, lengthRange)
        }
    }

    var diagnostics: [Diagnostic] { log.entries }

    /// Returns the rule of RFC 9112 §6.3 that applies to these fields.
    func rule(otherwise last: Int) -> Int {
        if hasTransferEncoding { return hasContentLength ? 3 : 4 }
        guard hasContentLength else { return last }
        return isLengthInvalid ? 5 : 6
    }

    /// Returns the decision that the standard requires if Transfer-Encoding is present.
    ///
    /// Codings before chunked do not affect where the message ends. A recipient that does not
    /// support them can answer 501. Content-Length is overridden (rule 3).
    func transferEncodingDecision(
        otherwise decision: FramingAnalysis.Decision
    ) -> FramingAnalysis.Decision {
        guard version >= .http11 else { return .rejection(.transferEncodingInHTTP10) }
        return isChunkedLast ? .framing(.chunked) : decision
    }

    /// Returns the framing that each kind of recipient finds in the fields.
    func interpretations(otherwise framing: BodyFraming) -> [FramingAnalysis.Interpretation] {
        var interpretations: [FramingAnalysis.Interpretation] = []
        func add(_ parser: FramingAnalysis.Parser, _ framing: BodyFraming?) {
            guard let framing else { return }
            interpretations.append(FramingAnalysis.Interpretation(parser: parser, framing: framing))
        }
        if hasTransferEncoding { add(.transferEncoding, isChunkedLast ? .chunked : framing) }
        add(.firstContentLength, length.map { .length($0.first) })
        add(.lastContentLength, length.map { .length($0.last) })
        add(.leadingDigits, leadingDigits.map { .length($0) })
        add(.neither, framing)
        return interpretations
    }

    /// Reports framing fields that such a response must not have, or that have no meaning in it.
    ///
    /// In a response to HEAD, and in 304, they describe a different response (RFC 9110 §8.6).
    mutating func recordFieldsWithoutBody(rule: Int, method: HTTPMethod, status: HTTPStatus) {
        guard rule <= 2, method != .head, status != .notModified else { return }
        if hasContentLength { record(.framingFieldWithoutBody, lengthRange) }
        if hasTransferEncoding { record(.framingFieldWithoutBody, codingRange) }
    }

    private mutating func readContentLength(_ headers: HTTPHeaders) {
        var isFirst = true
        headers.forEachElement(of: .contentLength) { element, fieldRange in
            lengthRange = lengthRange ?? fieldRange
            if isFirst { leadingDigits = Self.leadingDigits(of: element) }
            isFirst = false
            switch Digits.decimal(element) {
            case .value(let value):
                appendLength(value, fieldRange)
            case .tooLarge:
                isLengthInvalid = true
                record(.contentLengthOverflow, fieldRange)
            case .malformed:
                isLengthInvalid = true
                record(.malformedContentLength, fieldRange)
            }
        }
    }

    private mutating func appendLength(_ value: Int, _ fieldRange: Range<Int>) {
        guard let first = length?.first else {
            length = (value, value)
            return
        }
        length = (first, value)
        isLengthInvalid = isLengthInvalid || value != first
        record(value == first ? .repeatedContentLength : .conflictingContentLengths, fieldRange)
    }

    private mutating func readTransferEncoding(_ headers: HTTPHeaders) {
        var chunkedCount = 0
        headers.forEachElement(of: .transferEncoding) { element, fieldRange in
            codingRange = codingRange ?? fieldRange
            isChunkedLast = ByteClass.equalsIgnoringCase(element, "chunked".utf8.span)
            if isChunkedLast {
                chunkedCount += 1
                if chunkedCount == 2 { record(.chunkedTwice, fieldRange) }
            } else if Self.isToken(element) {
                record(.unknownTransferCoding, fieldRange)
            } else {
                record(.malformedTransferEncoding, fieldRange)
            }
        }
        guard hasTransferEncoding else { return }
        if !isChunkedLast { record(.chunkedNotLast, codingRange) }
        if version < .http11 { record(.transferEncodingInHTTP10, codingRange) }
    }

    /// Parses an optional sign and digits as `strtoll` does, and ignores the rest; at most 2^63 -
    /// 1.
    private static func leadingDigits(of element: Span<UInt8>) -> Int? {
        var start = 0
        if start < element.count, element[start] == 0x2b { start += 1 }
        var end = start
        while end < element.count, ByteClass.isDigit(element[end]) { end += 1 }
        return switch Digits.decimal(element.extracting(start..<end)) {
        case .value(let value): value
        case .tooLarge: .max
        case .malformed: nil
        }
    }

    private static func isToken(_ element: Span<UInt8>) -> Bool {
        for index in element.indices where !ByteClass.isToken(element[index]) { return false }
        return !element.isEmpty
    }

    private mutating func record(_ code: Diagnostic.Code, _ fieldRange: Range<Int>?) {
        log.record(code, fieldRange ?? 0..<0)
    }
}
