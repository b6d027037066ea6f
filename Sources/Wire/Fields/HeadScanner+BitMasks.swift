#if arch(x86_64) && hasFeature(BuiltinModule)
private import Builtin

extension HeadScanner {
    /// Conversions of masks to integers with the x86-64 instruction for it (`pmovmskb`).
    ///
    /// The standard library does not expose this instruction. The Builtin module is experimental; a
    /// compiler without it uses the other branch, which is 50 % slower and otherwise equivalent.
    package enum BitMasks {
        static let isPortable = false

        /// Returns the index of the first byte that is set; 16 if none is.
        @inline(__always)
        static func firstSet(_ mask: M16) -> Int {
            (Int(bits(mask)) | 0x1_0000).trailingZeroBitCount
        }

        /// Returns the index of the first byte that is set; nil if none is.
        @inline(__always)
        static func firstSetIfAny(_ mask: M16) -> Int? {
            let bits = UInt32(bits(mask))
            return bits == 0 ? nil : bits.trailingZeroBitCount
        }

        @inline(__always)
        static func areAllSet(_ mask: M16) -> Bool {
            UInt32(bits(mask)) == 0xffff
        }

        /// Packs 64 bytes into 64 bits; bit n represents byte n.
        @inline(__always)
        static func bits(_ first: M16, _ second: M16, _ third: M16, _ fourth: M16) -> UInt64 {
            let low = UInt64(bits(second)) &<< 16 | UInt64(bits(first))
            let high = UInt64(bits(fourth)) &<< 16 | UInt64(bits(third))
            return high &<< 32 | low
        }

        @inline(__always)
        private static func bits(_ mask: M16) -> UInt16 {
            let lanes = maskBytes(mask)._storage._value
            let none = V16()._storage._value
            return UInt16(Builtin.bitcast_Vec16xInt1_Int16(Builtin.cmp_slt_Vec16xInt8(lanes, none)))
        }
    }
}
#else
extension HeadScanner {
    package typealias BitMasks = PortableBitMasks
}

extension HeadScanner.PortableBitMasks {
    static let isPortable = true
}
#endif
