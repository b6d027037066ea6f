extension HeadScanner {
    /// Parses the field line that begins at `start`, byte by byte.
    ///
    /// This is the reference implementation: ``lines(in:from:maxLines:into:)`` leaves every unusual line
    /// to it, and the tests compare the two.
    ///
    /// With `dropsMalformedCookies`, a Set-Cookie field with a control byte other than CR is a line whose
    /// `isDropped` is true.
    ///
    /// - Returns: the line; nil while its LF is missing.
    /// - Throws: the case for the rule that the line violates; its offset is relative to `bytes`.
    static func fieldLine(
        in bytes: Span<UInt8>,
        from start: Int,
        isFirst: Bool,
        dropsMalformedCookies: Bool = false
    ) throws(WireError) -> FieldLine? {
        let count = bytes.count
        var index = start
        while index < count, ByteClass.isToken(bytes[index]) { index += 1 }
        guard index < count, bytes[index] == Byte.colon, index > start,
            index - start <= FieldStorage.maxNameLength
        else { return try refuse(bytes, from: start, isFirst: isFirst) }
        let nameEnd = index
        index += 1
        while index < count, ByteClass.isSpace(bytes[index]) { index += 1 }
        let valueStart = index
        index = plainEnd(in: bytes, from: index)
        while index < count, ByteClass.isFieldValue(bytes[index]) { index += 1 }
        guard index + 1 < count, bytes[index] == Byte.carriageReturn,
            bytes[index + 1] == Byte.lineFeed
        else {
            return try refuse(
                bytes,
                from: start,
                isFirst: isFirst,
                dropsMalformedCookies: dropsMalformedCookies
            )
        }
        var valueEnd = index
        while valueEnd > valueStart, ByteClass.isSpace(bytes[valueEnd - 1]) { valueEnd -= 1 }
        return FieldLine(name: start..<nameEnd, value: valueStart..<valueEnd, end: index + 2)
    }

    /// Skips bytes other than control bytes and DEL, eight at a time; stops near the first of those.
    private static func plainEnd(in bytes: Span<UInt8>, from start: Int) -> Int {
        // SAFETY: every load begins at most at count - 8 of the span that the pointer refers to.
        unsafe bytes.withUnsafeBytes { raw in
            var index = start
            while index + 8 <= raw.count {
                let word = unsafe raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let below = (word &- 0x2020_2020_2020_2020) & ~word
                let deleted = word ^ 0x7f7f_7f7f_7f7f_7f7f
                let isDeleted = (deleted &- 0x0101_0101_0101_0101) & ~deleted
                // A borrow can mark one byte too many but never too few: the slow loop decides.
                guard (below | isDeleted) & 0x8080_8080_8080_8080 == 0 else { break }
                index += 8
            }
            return index
        }
    }

    /// Throws the error for a malformed line; returns nil while its LF is missing.
    private static func refuse(
        _ bytes: Span<UInt8>,
        from start: Int,
        isFirst: Bool,
        dropsMalformedCookies: Bool = false
    ) throws(WireError) -> FieldLine? {
        guard let feed = lineFeed(in: bytes, from: start) else { return nil }
        if ByteClass.isSpace(bytes[start]) {
            throw isFirst ? .leadingWhitespace(offset: start) : .foldedLine(offset: start)
        }
        guard feed > start, bytes[feed - 1] == Byte.carriageReturn else {
            throw .bareLineFeed(offset: feed)
        }
        let end = feed - 1
        var colon: Int?
        for index in start..<end {
            if bytes[index] == Byte.carriageReturn { throw .bareCarriageReturn(offset: index) }
            if bytes[index] == Byte.colon, colon == nil { colon = index }
        }
        guard let colon else { throw .missingColon(offset: end) }
        if colon == start { throw .emptyFieldName(offset: start) }
        for index in start..<colon where !ByteClass.isToken(bytes[index]) {
            if ListSyntax.trim(index..<colon, of: bytes).isEmpty {
                throw .spaceBeforeColon(offset: index)
            }
            throw .malformedFieldName(offset: index)
        }
        for index in colon + 1..<end where !ByteClass.isFieldValue(bytes[index]) {
            let name = bytes.extracting(start..<colon)
            if dropsMalformedCookies, ByteClass.equalsIgnoringCase(name, "set-cookie".utf8.span) {
                return FieldLine(
                    name: start..<colon,
                    value: colon + 1..<end,
                    end: feed + 1,
                    isDropped: true
                )
            }
            throw .malformedFieldValue(offset: index)
        }
        // Only the length of the name can still be wrong.
        throw .malformedFieldName(offset: start + FieldStorage.maxNameLength)
    }
}
