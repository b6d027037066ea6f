extension HeadScanner {
    /// Octets whose class ``controls(at:)`` tells at once.
    static let blockSize = 64

    /// Tells which of 64 octets are controls, HTAB included, or DEL: bit n stands for octet n.
    @inline(__always)
    static func controls(at start: UnsafeRawPointer) -> UInt64 {
        // SAFETY: the caller has checked that 64 octets are readable.
        unsafe BitMasks.bits(
            areControls(load(start)),
            areControls(load(start + 16)),
            areControls(load(start + 32)),
            areControls(load(start + 48))
        )
    }

    /// Counts the octets before the first colon, or 16.
    @inline(__always)
    static func colon(in bytes: V16) -> Int {
        BitMasks.firstSet(equal(bytes, V16(repeating: Byte.colon)))
    }

    /// Counts letters, digits, "-" and "_" before the first other octet.
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
        let words = octets(either(either(letters, digits), marks))
        return BitMasks.firstSet(equal(words, V16()))
    }

    /// Counts the octets of a request target before the first that may not be in one.
    @inline(__always)
    static func targetLength(_ bytes: V16) -> Int {
        let visible = below(minus(bytes, V16(repeating: 0x21)), V16(repeating: 0x5e))
        let refused = either(
            equal(octets(visible), V16()),
            equal(bytes, V16(repeating: Byte.hash))
        )
        return BitMasks.firstSet(refused)
    }

    @inline(__always)
    private static func areControls(_ bytes: V16) -> M16 {
        either(below(bytes, V16(repeating: 0x20)), equal(bytes, V16(repeating: 0x7f)))
    }
}
