/// Finds the end of a line that LF ends, with CR before it or without (RFC 9112 §2.2).
///
/// A CR alone ends no line: readers disagree about it, and a message must not end at a different
/// range for each.
struct TolerantLine {
    /// The bytes of the line without its end.
    let content: Range<Int>
    /// First byte behind its LF.
    let end: Int

    /// Reads the line that begins at `start`; nil while its LF is missing.
    ///
    /// `searched` bytes are known to hold no LF; it moves on while the line is incomplete.
    init?(in bytes: Span<UInt8>, from start: Int, searched: inout Int) {
        guard let feed = HeadScanner.lineFeed(in: bytes, from: max(start, searched)) else {
            searched = max(bytes.count, searched)
            return nil
        }
        end = feed + 1
        let hasReturn = feed > start && bytes[feed - 1] == Byte.carriageReturn
        content = start..<(hasReturn ? feed - 1 : feed)
    }

    /// Says whether CR stands before the LF.
    var endsInCRLF: Bool { end == content.upperBound + 2 }

    /// Reports a line end without CR.
    func tolerateEnd(_ log: inout DiagnosticLog) throws(WireError) {
        guard !endsInCRLF else { return }
        try log.tolerate(.bareLineFeed, end - 1..<end, else: .bareLineFeed(offset: end - 1))
    }
}

extension DiagnosticLog {
    /// Reports the bytes that text for people, or a field value, may not hold.
    ///
    /// - Parameters:
    ///   - text: the bytes to look at.
    ///   - bytes: what they lie in.
    ///   - code: what a control byte other than CR and NUL is reported as.
    ///   - level: the first level that tolerates anything here; nil to follow the codes.
    ///   - refuse: makes the error for such a byte, of its offset.
    /// - Returns: whether there was a CR, which is to be replaced by a space (RFC 9112 §2.2).
    /// - Throws: `.bareCarriageReturn`, or what `refuse` makes.
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
