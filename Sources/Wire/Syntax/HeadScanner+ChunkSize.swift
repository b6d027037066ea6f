extension HeadScanner {
    /// The number of bytes that ``chunkSize(of:)`` reads.
    static let sizeWindow = 8

    /// A chunk-size line of only digits, one to six of them.
    struct PlainSize: Sendable {
        /// The chunk size; 0 before a line was read.
        var size = 0
        /// The number of bytes of the line, including CRLF.
        var length = 0
        /// The bytes of the line, with the first byte in the lowest bits.
        fileprivate var pattern: UInt64 = 1
        /// The bits of the pattern that belong to the line.
        fileprivate var mask: UInt64 = 0
    }

    /// Parses a size line of one to six digits and CRLF; almost all lines have this form.
    ///
    /// A line with the same bytes as the last one is recognized without parsing. Most senders use chunks
    /// of equal size; the processor then need not wait for a size before it looks for the next chunk.
    ///
    /// - Returns: nil for any other line, and if fewer than eight bytes are left.
    /// - Returns: nil for any other line, and where fewer than eight bytes are left.
    @inline(__always)
    static func plainSize(
        in bytes: Span<UInt8>,
        at start: Int,
        after last: PlainSize
    ) -> PlainSize? {
        guard start >= 0, start &+ sizeWindow <= bytes.count else { return nil }
        // SAFETY: the line above checks that eight bytes are readable.
        let word = unsafe bytes.withUnsafeBytes { raw in
            unsafe raw.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
        }
        if word & last.mask == last.pattern { return last }
        let (size, digits) = chunkSize(of: word)
        guard digits > 0 else { return nil }
        let mask = UInt64.max &>> (48 &- 8 &* UInt64(truncatingIfNeeded: digits))
        return PlainSize(
            size: Int(truncatingIfNeeded: size),
            length: digits &+ 2,
            pattern: word & mask,
            mask: mask
        )
    }

    /// Returns whether CRLF is at the given position.
    @inline(__always)
    static func isLineEnd(in bytes: Span<UInt8>, at start: Int) -> Bool {
        guard start >= 0, start &+ 2 <= bytes.count else { return false }
        // SAFETY: the line above checks that two bytes are readable.
        return unsafe bytes.withUnsafeBytes { raw in
            unsafe raw.loadUnaligned(fromByteOffset: start, as: UInt16.self).littleEndian == 0x0a0d
        }
    }

    /// Parses digits up to a CRLF in eight bytes; the first byte is the lowest of the word.
    ///
    /// The position of the next chunk depends on the size, so latency matters most. One predicted branch
    /// per digit is faster than parsing all digits at once.
    ///
    /// - Returns: the size and the number of digits; 0 digits if the bytes are not one to six digits and
    ///   CRLF.
    @inline(__always)
    package static func chunkSize(of word: UInt64) -> (size: UInt64, digits: Int) {
        var size: UInt64 = 0
        var rest = word
        var digits = 1
        while digits <= 6 {
            let digit = UInt8(truncatingIfNeeded: rest)
            guard ByteClass.isHexDigit(digit) else { return (0, 0) }
            // Bit 6 is set in letters and not in digits; the low bits of "a" and "A" are 1.
            let value = rest & 0x0f &+ (rest &>> 6 & 1) &* 9
            size = size &<< 4 | value
            rest &>>= 8
            if rest & 0xffff == 0x0a0d { return (size, digits) }
            digits &+= 1
        }
        return (0, 0)
    }
}
