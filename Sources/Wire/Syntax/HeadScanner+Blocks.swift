extension HeadScanner {
    /// Bytes whose class ``special(at:)`` tells at once.
    static let blockSize = 64

    /// Tells which of 64 bytes are special: controls, DEL, and all above it.
    ///
    /// Bit n stands for byte n. Controls and DEL are what is looked for; to leave the others out takes twice as long. Few
    /// heads have any of them.
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

    /// Says whether a field value may hold the byte, which is special (RFC 9110 §5.5).
    @inline(__always)
    static func isAllowedInValue(_ base: UnsafeRawPointer, _ index: Int) -> Bool {
        // SAFETY: the caller has checked that it is there.
        let byte = unsafe base.load(fromByteOffset: index, as: UInt8.self)
        return byte == Byte.tab || byte > 0x7f
    }

    /// Counts the bytes before the first colon; nil when there is none.
    @inline(__always)
    static func colon(in bytes: V16) -> Int? {
        BitMasks.firstSetIfAny(equal(bytes, V16(repeating: Byte.colon)))
    }

    /// Counts letters, digits, "-" and "_" before the first other byte.
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

    /// Counts the bytes of a request target before the first that may not be in one.
    @inline(__always)
    static func targetLength(_ bytes: V16) -> Int {
        let visible = below(minus(bytes, V16(repeating: 0x21)), V16(repeating: 0x5e))
        let refused = either(
            equal(maskBytes(visible), V16()),
            equal(bytes, V16(repeating: Byte.hash))
        )
        return BitMasks.firstSet(refused)
    }

    /// Adding 1 moves DEL and all above it below zero, and the last of them to it.
    @inline(__always)
    private static func areOrdinary(_ bytes: V16) -> M16 {
        below(SIMD16<Int8>(repeating: 0x20), numbers(plus(bytes, V16(repeating: 1))))
    }
}
