/// A byte-by-byte reader for a field section that the strict scanner refused (RFC 9112 §5, §7.1.2).
///
/// As in the strict scanner, a line is checked once its LF has arrived. The reader records where the
/// parts of a line are. Names and values become entries when the section is complete.
struct TolerantFieldReader: Sendable {
    /// The start of the first line that was not read yet.
    private(set) var position: Int
    /// The offset up to which there is no LF.
    private var searched: Int
    /// The number of lines read, of fields or not.
    private var lineCount = 0
    private var fields: [Field] = []
    /// Whether the previous line was a field, or was folded onto one.
    private var isFieldOpen = false
    /// Whether the previous line was a dropped cookie, or was folded onto one.
    private var isCookieDropped = false
    /// Whether Set-Cookie lines with a control byte get no entry, instead of refusing the section.
    private let dropsMalformedCookies: Bool
    /// The number of bytes of the values that cannot be used unchanged.
    private var rewrittenBytes = 0
    private let role: Role

    /// The kind of section.
    enum Role: Sendable {
        case request
        case response
        /// Trailers of a request or a response; the decoder of a chunked body does not know which.
        case trailers
    }

    /// A field line, and the lines folded onto it.
    private struct Field: Sendable {
        var name: Range<Int>
        var number: UInt16
        /// The range from the first byte of the value to the last byte of the last folded line.
        var value: Range<Int>
        /// Whether folds or CRs in the value must become spaces.
        var isRewritten: Bool
        var flags: FieldEntry.Flags

        /// Whether the field determines where the message ends.
        var isFraming: Bool {
            number == FieldName.contentLength.number || number == FieldName.transferEncoding.number
        }
    }

    /// Creates a reader that starts at the first byte of a section.
    init(_ role: Role, from start: Int, dropsMalformedCookies: Bool = false) {
        self.role = role
        self.dropsMalformedCookies = dropsMalformedCookies
        position = start
        searched = start
    }

    /// Reads lines up to the empty line; ``position`` is then the first byte after it.
    ///
    /// - Parameters:
    ///   - bytes: the head or section from its first byte; the bytes of the last call, and more.
    ///   - maxFields: the maximum number of lines, of fields or not.
    ///   - limit: the limit to throw if there are more lines.
    ///   - log: decides what is tolerated.
    /// - Returns: whether the section is complete.
    /// - Throws: `limit`, or the error for a deviation that the level does not tolerate.
    mutating func read(
        _ bytes: Span<UInt8>,
        maxFields: Int,
        limit: ExceededLimit,
        log: inout DiagnosticLog
    ) throws(WireError) -> Bool {
        while let line = TolerantLine(in: bytes, from: position, searched: &searched) {
            if line.content.isEmpty {
                try line.tolerateEnd(&log)
                position = line.end
                return true
            }
            if ByteClass.isSpace(bytes[line.content.lowerBound]) {
                try readFold(bytes, line.content, &log)
            } else {
                try readField(bytes, line, &log)
            }
            try line.tolerateEnd(&log)
            guard lineCount < maxFields else { throw .limitExceeded(limit) }
            lineCount += 1
            position = line.end
            searched = line.end
        }
        return false
    }

    /// Stores `bytes` up to ``position``, and the fields in them.
    ///
    /// `room` is the number of additional bytes that the caller will append.
    func storage(of bytes: Span<UInt8>, room: Int = 0) -> FieldStorage {
        let storage = FieldStorage(
            received: bytes.extracting(first: position),
            entryCapacity: fields.count,
            room: rewrittenBytes + room
        )
        for field in fields {
            var value = field.value
            if field.isRewritten {
                let text = TextDecoding.unfolded(bytes.extracting(value))
                value = storage.appendBytes(text.span)
            }
            storage.appendEntry(
                FieldEntry(
                    name: field.name,
                    number: field.number,
                    value: value,
                    flags: field.flags
                )
            )
        }
        return storage
    }

    /// Reads a line that does not begin with whitespace.
    private mutating func readField(
        _ bytes: Span<UInt8>,
        _ line: TolerantLine,
        _ log: inout DiagnosticLog
    ) throws(WireError) {
        let content = line.content
        isCookieDropped = false
        var colon = content.lowerBound
        while colon < content.upperBound, bytes[colon] != Byte.colon { colon += 1 }
        guard colon < content.upperBound else {
            // The line is not a field; only the raw head contains it.
            isFieldOpen = false
            try log.tolerate(.missingColon, content, else: .missingColon(offset: colon))
            return
        }
        let name = ListSyntax.trim(content.lowerBound..<colon, of: bytes)
        var field = Field(
            name: name,
            number: KnownFieldNames.number(of: bytes.extracting(name)),
            value: ListSyntax.trim(colon + 1..<content.upperBound, of: bytes),
            isRewritten: false,
            flags: []
        )
        isFieldOpen = try checkName(bytes, name, &field, &log)
        guard isFieldOpen else { return }
        if name.upperBound < colon {
            // Servers must refuse it (RFC 9112 §5.1), and framing must not depend on it.
            let isTolerable = role == .response && !field.isFraming
            try log.tolerate(
                .spaceBeforeColon,
                name.upperBound..<colon,
                else: .spaceBeforeColon(offset: name.upperBound),
                from: isTolerable ? .lenient : .forensic
            )
        }
        guard !drop(field, for: field.value, bytes, &log) else { return }
        try checkValue(bytes, field.value, &field, &log)
        // A rewritten value is stored elsewhere, so the line cannot be sent as received.
        if line.endsInCRLF, !field.isRewritten, field.value.lowerBound == name.upperBound + 2,
            field.value.upperBound == content.upperBound, colon == name.upperBound
        {
            field.flags.insert(.isWireForm)
        }
        append(field)
    }

    /// Reads a line that begins with whitespace and continues the previous field (§5.2).
    private mutating func readFold(
        _ bytes: Span<UInt8>,
        _ content: Range<Int>,
        _ log: inout DiagnosticLog
    ) throws(WireError) {
        let start = content.lowerBound
        guard !isCookieDropped else {
            log.record(.foldedLine, start..<content.upperBound)
            return
        }
        guard isFieldOpen, var field = fields.popLast() else {
            // Some recipients drop such a line and others treat it as a field, so its meaning is ambiguous.
            let error = WireError.leadingWhitespace(offset: start)
            try log.tolerate(.leadingWhitespace, content, else: error)
            return
        }
        let level: Strictness = field.isFraming ? .forensic : .lenient
        let text = ListSyntax.trim(content, of: bytes)
        try log.tolerate(
            .foldedLine,
            start..<text.lowerBound,
            else: .foldedLine(offset: start),
            from: level
        )
        // The bytes of the earlier lines are counted again together with this one.
        if field.isRewritten { rewrittenBytes -= field.value.count }
        guard !drop(field, for: text, bytes, &log) else { return }
        try checkValue(bytes, text, &field, &log)
        field.value = field.value.lowerBound..<text.upperBound
        field.isRewritten = true
        field.flags.remove(.isWireForm)
        append(field)
    }

    /// Reports errors in a name; returns false if the name cannot be stored.
    private func checkName(
        _ bytes: Span<UInt8>,
        _ name: Range<Int>,
        _ field: inout Field,
        _ log: inout DiagnosticLog
    ) throws(WireError) -> Bool {
        let start = name.lowerBound
        if name.isEmpty {
            field.flags.insert(.hasInvalidName)
            try log.tolerate(.emptyFieldName, name, else: .emptyFieldName(offset: start))
            return true
        }
        for index in name where !ByteClass.isToken(bytes[index]) {
            field.flags.insert(.hasInvalidName)
            let error = WireError.malformedFieldName(offset: index)
            try log.tolerate(.malformedFieldName, index..<name.upperBound, else: error)
            break
        }
        guard name.count > FieldStorage.maxNameLength else { return true }
        let end = start + FieldStorage.maxNameLength
        let error = WireError.malformedFieldName(offset: end)
        try log.tolerate(.malformedFieldName, end..<name.upperBound, else: error)
        return false
    }

    /// Drops a cookie that has a control byte in these bytes of its value, if the limits ask for it.
    private mutating func drop(
        _ field: Field,
        for text: Range<Int>,
        _ bytes: Span<UInt8>,
        _ log: inout DiagnosticLog
    ) -> Bool {
        guard dropsMalformedCookies, field.number == FieldName.setCookie.number else {
            return false
        }
        for index in text where !ByteClass.isFieldValue(bytes[index]) {
            let code: Diagnostic.Code =
                switch bytes[index] {
                case Byte.carriageReturn: .bareCarriageReturn
                case 0: .nulByte
                default: .controlInValue
                }
            log.record(code, index..<index + 1)
            isFieldOpen = false
            isCookieDropped = true
            return true
        }
        return false
    }

    private func checkValue(
        _ bytes: Span<UInt8>,
        _ text: Range<Int>,
        _ field: inout Field,
        _ log: inout DiagnosticLog
    ) throws(WireError) {
        let hasReturn = try log.tolerateText(
            text,
            of: bytes,
            as: .controlInValue,
            from: field.isFraming ? .forensic : nil,
            else: { .malformedFieldValue(offset: $0) }
        )
        field.isRewritten = field.isRewritten || hasReturn
        for index in text
        where !ByteClass.isFieldValue(bytes[index]) && bytes[index] != Byte.carriageReturn {
            field.flags.insert(.hasInvalidValue)
        }
    }

    private mutating func append(_ field: Field) {
        fields.append(field)
        if field.isRewritten { rewrittenBytes += field.value.count }
    }
}
