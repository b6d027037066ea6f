extension HeadScanner {
    /// Bytes that ``chunkSize(of:)`` looks at.
    static let sizeWindow = 8

    /// A chunk-size line that holds digits alone, one to six of them.
    struct PlainSize: Sendable {
        /// The number; 0 while no line was read.
        var size = 0
        /// Bytes of the line, CRLF included.
        var length = 0
        /// The bytes of the line, the first in the lowest bits.
        fileprivate var pattern: UInt64 = 1
        /// The bits of the pattern that the line fills.
        fileprivate var mask: UInt64 = 0
    }

    /// Reads a size line of one to six digits and CRLF; almost all are like that.
    ///
    /// A line with the bytes of the last one is recognised and not read. Most writers cut content
    /// into equal pieces; then the processor need not wait for a size before it looks for the next.
    ///
    /// - Returns: nil for any other line, and where fewer than eight bytes are left.
    @inline(__always)
    static func plainSize(
        in bytes: Span<UInt8>,
        at start: Int,
        after last: PlainSize
    ) -> PlainSize? {
        guard start >= 0, start &+ sizeWindow <= bytes.count else { return nil }
        // SAFETY: the line above checks that eight bytes are there.
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

    /// Says whether CRLF stands there.
    @inline(__always)
    static func isLineEnd(in bytes: Span<UInt8>, at start: Int) -> Bool {
        guard start >= 0, start &+ 2 <= bytes.count else { return false }
        // SAFETY: the line above checks that two bytes are there.
        return unsafe bytes.withUnsafeBytes { raw in
            unsafe raw.loadUnaligned(fromByteOffset: start, as: UInt16.self).littleEndian == 0x0a0d
        }
    }

    /// Reads digits up to a CRLF in eight bytes, the first of which is the lowest of the word.
    ///
    /// From one chunk to the next nothing can be done before the size is known, so what counts is
    /// how soon it is: a branch for each digit, which is guessed, beats reading all at once.
    ///
    /// - Returns: no digits where the bytes are not one to six digits and CRLF.
    @inline(__always)
    package static func chunkSize(of word: UInt64) -> (size: UInt64, digits: Int) {
        var size: UInt64 = 0
        var rest = word
        var digits = 1
        while digits <= 6 {
            let digit = UInt8(truncatingIfNeeded: rest)
            guard ByteClass.isHexDigit(digit) else { return (0, 0) }
            // Bit 6 tells letters from digits; "a" and "A" end in 1.
            let value = rest & 0x0f &+ (rest &>> 6 & 1) &* 9
            size = size &<< 4 | value
            rest &>>= 8
            if rest & 0xffff == 0x0a0d { return (size, digits) }
            digits &+= 1
        }
        return (0, 0)
    }
}
