extension HeadScanner {
    /// What the two ways of turning masks into integers make of 64 bytes; the tests compare them.
    package struct MaskResult: Equatable {
        /// Bits for all bytes that have the top bit set.
        package var bits: UInt64
        /// For each 16 bytes, the place of the first such, and whether all of them are.
        package var firstSet: [Int]
        package var firstSetIfAny: [Int?]
        package var areAllSet: [Bool]
    }

    /// Reads the top bits of 64 bytes as the scanner does on this machine, and in the plain way.
    package static func maskResults(
        of bytes: InlineArray<64, UInt8>
    ) -> (used: MaskResult, plain: MaskResult) {
        let masks = (0..<4).map { part in
            var lanes = V16()
            for index in 0..<16 { lanes[index] = bytes[16 * part + index] }
            return below(V16(repeating: 0x7f), lanes)
        }
        return (
            MaskResult(
                bits: BitMasks.bits(masks[0], masks[1], masks[2], masks[3]),
                firstSet: masks.map { BitMasks.firstSet($0) },
                firstSetIfAny: masks.map { BitMasks.firstSetIfAny($0) },
                areAllSet: masks.map { BitMasks.areAllSet($0) }
            ),
            MaskResult(
                bits: PortableBitMasks.bits(masks[0], masks[1], masks[2], masks[3]),
                firstSet: masks.map { PortableBitMasks.firstSet($0) },
                firstSetIfAny: masks.map { PortableBitMasks.firstSetIfAny($0) },
                areAllSet: masks.map { PortableBitMasks.areAllSet($0) }
            )
        )
    }
}
