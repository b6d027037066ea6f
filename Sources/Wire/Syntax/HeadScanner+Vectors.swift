// Each helper is one operator on concrete types. In larger expressions, the compiler has chosen the
// generic operators, which work lane by lane and are fifty times slower.

extension HeadScanner {
    typealias V16 = SIMD16<UInt8>
    typealias M16 = SIMDMask<SIMD16<Int8>>

    @inline(__always)
    static func load(_ start: UnsafeRawPointer) -> V16 {
        // SAFETY: the caller has checked that 16 bytes are readable.
        unsafe start.loadUnaligned(as: V16.self)
    }

    @inline(__always)
    static func below(_ left: V16, _ right: V16) -> M16 { left .< right }

    @inline(__always)
    static func below(_ left: SIMD16<Int8>, _ right: SIMD16<Int8>) -> M16 { left .< right }

    @inline(__always)
    static func equal(_ left: V16, _ right: V16) -> M16 { left .== right }

    @inline(__always)
    static func either(_ left: M16, _ right: M16) -> M16 { left .| right }

    @inline(__always)
    static func both(_ left: M16, _ right: M16) -> M16 { left .& right }

    @inline(__always)
    static func either(_ left: V16, _ right: V16) -> V16 { left | right }

    @inline(__always)
    static func select(_ left: V16, _ right: V16) -> V16 { left & right }

    @inline(__always)
    static func plus(_ left: V16, _ right: V16) -> V16 { left &+ right }

    @inline(__always)
    static func minus(_ left: V16, _ right: V16) -> V16 { left &- right }

    /// Reinterprets bytes as signed numbers.
    @inline(__always)
    static func numbers(_ bytes: V16) -> SIMD16<Int8> {
        // SAFETY: the cast is between plain integers of the same size.
        unsafe unsafeBitCast(bytes, to: SIMD16<Int8>.self)
    }

    @inline(__always)
    static func maskBytes(_ mask: M16) -> V16 {
        // SAFETY: a mask is 16 bytes of all ones or all zeros.
        unsafe unsafeBitCast(mask, to: V16.self)
    }

    /// Conversions of masks to integers that work with every processor and compiler.
    ///
    /// ``BitMasks`` is an alias of this type where nothing faster is available; the tests compare both.
    package enum PortableBitMasks {
        /// Returns the index of the first byte that is set; 16 if none is.
        @inline(__always)
        static func firstSet(_ mask: M16) -> Int {
            let packed = nibbles(select(maskBytes(mask), V16(repeating: 0x0f)))
            return packed.trailingZeroBitCount &>> 2
        }

        /// Returns the index of the first byte that is set; nil if none is.
        @inline(__always)
        static func firstSetIfAny(_ mask: M16) -> Int? {
            let index = firstSet(mask)
            return index < 16 ? index : nil
        }

        @inline(__always)
        static func areAllSet(_ mask: M16) -> Bool {
            nibbles(select(maskBytes(mask), V16(repeating: 0x0f))) == .max
        }

        /// Packs 64 bytes into 64 bits; bit n represents byte n.
        @inline(__always)
        static func bits(_ first: M16, _ second: M16, _ third: M16, _ fourth: M16) -> UInt64 {
            // Each of the four vectors uses one bit of each byte, so that they fit into one vector.
            let low = either(
                select(maskBytes(first), V16(repeating: 0x01)),
                select(maskBytes(second), V16(repeating: 0x02))
            )
            let high = either(
                select(maskBytes(third), V16(repeating: 0x04)),
                select(maskBytes(fourth), V16(repeating: 0x08))
            )
            let found = nibbles(either(low, high))
            // Long values have many blocks without special bytes, or with nothing else.
            return found == 0 || found == .max ? found : inOrder(found)
        }

        /// Packs 16 bytes below 16 into 8 bytes; the first is in the lowest bits.
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
}
