extension HeadScanner {
    /// The number of bytes that ``special(at:)`` classifies in one call.
    static let blockSize = 64

    /// Returns which of 64 bytes are special: control bytes, DEL and all bytes above it.
    ///
    /// Bit n represents byte n. The scanner needs only control bytes and DEL; to exclude the others would
    /// take twice as long, and few heads contain them.
    @inline(__always)
    static func special(at start: UnsafeRawPointer) -> UInt64 {
        // SAFETY: the caller has checked that 64 bytes are readable.
        unsafe ~BitMasks.bits(
            areOrdinary(load(start)),
            areOrdinary(load(start + 16)),
            areOrdinary(load(start + 32)),
            areOrdinary(load(start + 48))
        )
    }

    /// Returns whether a special byte is allowed in a field value (RFC 9110 §5.5).
    @inline(__always)
    static func isAllowedInValue(_ base: UnsafeRawPointer, _ index: Int) -> Bool {
        // SAFETY: the caller has checked that the byte is readable.
        let byte = unsafe base.load(fromByteOffset: index, as: UInt8.self)
        return byte == Byte.tab || byte > 0x7f
    }

    /// Returns the number of bytes before the first colon; nil if there is none.
    @inline(__always)
    static func colon(in bytes: V16) -> Int? {
        BitMasks.firstSetIfAny(equal(bytes, V16(repeating: Byte.colon)))
    }

    /// Returns the number of letters, digits, "-" and "_" before the first other byte.
    @inline(__always)
    static func wordLength(_ bytes: V16) -> Int {
        let letters = below(
            minus(either(bytes, V16(repeating: 0x20)), V16(repeating: 0x61)),
            V16(repeating: 26)
        )
        let digits = below(minus(bytes, V16(repeating: 0x30)), V16(repeating: 10))
        let marks = either(
            equal(bytes, V16(repeating: 0x2d)),
            equal(bytes, V16(repeating: 0x5f))
        )
        let words = maskBytes(either(either(letters, digits), marks))
        return BitMasks.firstSet(equal(words, V16()))
    }

    /// Returns the number of bytes before the first that is not allowed in a request target.
    @inline(__always)
    static func targetLength(_ bytes: V16) -> Int {
        let visible = below(minus(bytes, V16(repeating: 0x21)), V16(repeating: 0x5e))
        let refused = either(
            equal(maskBytes(visible), V16()),
            equal(bytes, V16(repeating: Byte.hash))
        )
        return BitMasks.firstSet(refused)
    }

    /// Marks the bytes that are not special.
    ///
    /// As signed numbers plus 1, DEL and all bytes above it are at most 0.
    @inline(__always)
    private static func areOrdinary(_ bytes: V16) -> M16 {
        below(SIMD16<Int8>(repeating: 0x20), numbers(plus(bytes, V16(repeating: 1))))
    }
}
