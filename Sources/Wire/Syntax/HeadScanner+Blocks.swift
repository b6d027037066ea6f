// Each helper is one operator on concrete types. In larger expressions the compiler has picked the
// generic operators, which work lane by lane and are fifty times slower.

extension HeadScanner {
    /// Octets whose class ``controls(at:)`` tells at once.
    static let blockSize = 64

    /// Tells which of 64 octets are controls, HTAB included, or DEL: bit n stands for octet n.
    @inline(__always)
    static func controls(at start: UnsafeRawPointer) -> UInt64 {
        // One bit of each octet for each of the four vectors, so that they can share one.
        let first = unsafe select(controlMask(load(start)), V16(repeating: 0x01))
        let second = unsafe select(controlMask(load(start + 16)), V16(repeating: 0x02))
        let third = unsafe select(controlMask(load(start + 32)), V16(repeating: 0x04))
        let fourth = unsafe select(controlMask(load(start + 48)), V16(repeating: 0x08))
        let found = nibbles(either(either(first, second), either(third, fourth)))
        // Long values have many blocks without any.
        return found == 0 ? 0 : inOrder(found)
    }

    /// Tells which of 16 octets are colons: four bits for each octet, all set or none.
    @inline(__always)
    static func colons(at start: UnsafeRawPointer) -> UInt64 {
        let mask = unsafe octets(equal(load(start), V16(repeating: Byte.colon)))
        return nibbles(select(mask, V16(repeating: 0x0f)))
    }

    /// Tells which of 16 octets are neither letters, digits, "-" nor "_", as ``colons(at:)`` does.
    @inline(__always)
    static func nonWords(at start: UnsafeRawPointer) -> UInt64 {
        let bytes = unsafe load(start)
        let letters = below(
            minus(either(bytes, V16(repeating: 0x20)), V16(repeating: 0x61)),
            V16(repeating: 26)
        )
        let digits = below(minus(bytes, V16(repeating: 0x30)), V16(repeating: 10))
        let hyphens = equal(bytes, V16(repeating: 0x2d))
        let underscores = equal(bytes, V16(repeating: 0x5f))
        let words = octets(either(either(letters, digits), either(hyphens, underscores)))
        return ~nibbles(select(words, V16(repeating: 0x0f)))
    }

    private typealias V16 = SIMD16<UInt8>
    private typealias M16 = SIMDMask<SIMD16<Int8>>

    @inline(__always)
    private static func load(_ start: UnsafeRawPointer) -> V16 {
        unsafe start.loadUnaligned(as: V16.self)
    }

    @inline(__always)
    private static func controlMask(_ bytes: V16) -> V16 {
        octets(either(below(bytes, V16(repeating: 0x20)), equal(bytes, V16(repeating: 0x7f))))
    }

    @inline(__always)
    private static func below(_ left: V16, _ right: V16) -> M16 { left .< right }

    @inline(__always)
    private static func equal(_ left: V16, _ right: V16) -> M16 { left .== right }

    @inline(__always)
    private static func either(_ left: M16, _ right: M16) -> M16 { left .| right }

    @inline(__always)
    private static func either(_ left: V16, _ right: V16) -> V16 { left | right }

    @inline(__always)
    private static func select(_ left: V16, _ right: V16) -> V16 { left & right }

    @inline(__always)
    private static func minus(_ left: V16, _ right: V16) -> V16 { left &- right }

    @inline(__always)
    private static func octets(_ mask: M16) -> V16 {
        // SAFETY: a mask is 16 octets of all ones or all zeros.
        unsafe unsafeBitCast(mask, to: V16.self)
    }

    /// Packs octets below 16 into half as many; the first lies in the lowest bits.
    @inline(__always)
    private static func nibbles(_ bytes: V16) -> UInt64 {
        // SAFETY: both casts are between plain integers of the same size.
        let pairs = unsafe unsafeBitCast(bytes, to: SIMD8<UInt16>.self)
        let packed = SIMD8<UInt8>(truncatingIfNeeded: joined(pairs, shifted(pairs)))
        return unsafe unsafeBitCast(packed, to: UInt64.self).littleEndian
    }

    @inline(__always)
    private static func shifted(_ pairs: SIMD8<UInt16>) -> SIMD8<UInt16> {
        pairs &>> SIMD8<UInt16>(repeating: 4)
    }

    @inline(__always)
    private static func joined(
        _ left: SIMD8<UInt16>,
        _ right: SIMD8<UInt16>
    ) -> SIMD8<UInt16> { left | right }

    /// Moves bit 4n + k to bit 16k + n: the transpose of 16 nibbles, by swapping index bits.
    @inline(__always)
    private static func inOrder(_ nibbles: UInt64) -> UInt64 {
        var bits = nibbles
        bits = swapped(bits, 30, 0x0000_0000_cccc_cccc)
        bits = swapped(bits, 15, 0x0000_aaaa_0000_aaaa)
        bits = swapped(bits, 6, 0x00cc_00cc_00cc_00cc)
        return swapped(bits, 3, 0x0a0a_0a0a_0a0a_0a0a)
    }

    /// Swaps the bits of the mask with those `distance` above them.
    @inline(__always)
    private static func swapped(_ bits: UInt64, _ distance: UInt64, _ mask: UInt64) -> UInt64 {
        let difference = (bits ^ bits &>> distance) & mask
        return bits ^ difference ^ difference &<< distance
    }
}
