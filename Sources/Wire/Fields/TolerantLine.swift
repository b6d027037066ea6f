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
