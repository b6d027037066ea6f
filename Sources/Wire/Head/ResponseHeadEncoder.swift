/// An encoder for response heads, for servers and tests (RFC 9112 §4).
///
/// It refuses bytes that could change where the message ends (CR, LF, NUL in a reason, a name or a
/// value), so no value can smuggle in a second response.
public enum ResponseHeadEncoder {
    /// Appends the start line, the fields and the empty line; adds and omits nothing.
    ///
    /// - Parameters:
    ///   - head: checked completely before anything is written.
    ///   - output: the head is appended; unchanged if an error is thrown.
    /// - Throws: `.invalidStatus`, `.invalidReason`, `.invalidVersion`, `.invalidFieldName`,
    ///   `.invalidFieldValue` or `.fieldTooLong`, the last three with the index of the field.
    public static func encode(
        _ head: ResponseHead,
        into output: inout [UInt8]
    ) throws(WireError) {
        let reason = head.reason
        try check(head.status, reason, head.version)
        let storage = head.headers.storage
        let fields = try storage?.encodedByteCount() ?? 0
        output.append(addingCapacity: statusLineOverhead + reason.utf8.count + fields + 2) {
            output in
            appendLine(head.status, reason, head.version, to: &output)
            storage?.encode(into: &output)
            HeadScanner.appendLineEnd(to: &output)
        }
    }

    /// Appends the start line, the fields that a closure writes, and the empty line.
    ///
    /// Use it for a head that is sent once:
    ///
    /// ```swift
    /// try ResponseHeadEncoder.encode(.ok, into: &output) { fields in
    ///     fields.append(.contentType, "text/plain")
    ///     fields.append(.contentLength, 12)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - status: a status with three digits.
    ///   - reason: nil for the standard phrase of the status.
    ///   - version: 1.1 by default.
    ///   - output: the head is appended; unchanged if an error is thrown.
    ///   - fields: called once.
    /// - Throws: `.invalidStatus`, `.invalidReason`, `.invalidVersion`, or, after `fields` was
    ///   called, `.invalidFieldName`, `.invalidFieldValue` or `.fieldTooLong` with the index of the
    ///   first field that may not be sent.
    public static func encode(
        _ status: HTTPStatus,
        reason: String? = nil,
        version: HTTPVersion = .http11,
        into output: inout [UInt8],
        fields: (borrowing FieldWriter) -> Void
    ) throws(WireError) {
        let reason = reason ?? status.reasonPhrase
        try check(status, reason, version)
        try FieldWriter.append(
            to: &output,
            statusLineOverhead + reason.utf8.count,
            startLine: { appendLine(status, reason, version, to: &$0) },
            fields: fields
        )
    }

    /// The number of bytes of a status line without its reason phrase.
    private static let statusLineOverhead = 15

    private static func check(
        _ status: HTTPStatus,
        _ reason: String,
        _ version: HTTPVersion
    ) throws(WireError) {
        guard 100...999 ~= status.code else { throw .invalidStatus }
        guard version == .http11 || version == .http10 else { throw .invalidVersion }
        let isValue = HeadScanner.withSpan(of: reason) { HeadScanner.Classes.isValue($0) }
        guard isValue else { throw .invalidReason }
    }

    private static func appendLine(
        _ status: HTTPStatus,
        _ reason: String,
        _ version: HTTPVersion,
        to output: inout OutputSpan<UInt8>
    ) {
        HeadScanner.append(word: version.word, to: &output)
        output.append(Byte.space)
        output.append(Byte.zero + UInt8(truncatingIfNeeded: status.code / 100))
        output.append(Byte.zero + UInt8(truncatingIfNeeded: status.code / 10 % 10))
        output.append(Byte.zero + UInt8(truncatingIfNeeded: status.code % 10))
        output.append(Byte.space)
        HeadScanner.withSpan(of: reason) { HeadScanner.append($0, to: &output) }
        HeadScanner.appendLineEnd(to: &output)
    }
}
