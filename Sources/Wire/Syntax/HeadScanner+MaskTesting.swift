extension HeadScanner {
    /// What the two ways of turning masks into integers make of 64 octets; the tests compare them.
    package struct MaskReading: Equatable {
        /// Bits for all octets that have the top bit set.
        package var bits: UInt64
        /// For each 16 octets, the place of the first such, and whether all of them are.
        package var firstSet: [Int]
        package var places: [Int?]
        package var areAllSet: [Bool]
    }

    /// Reads the top bits of 64 octets as the scanner does on this machine, and in the plain way.
    package static func maskReadings(
        of bytes: InlineArray<64, UInt8>
    ) -> (used: MaskReading, plain: MaskReading) {
        let masks = (0..<4).map { part in
            var lanes = V16()
            for index in 0..<16 { lanes[index] = bytes[16 * part + index] }
            return below(V16(repeating: 0x7f), lanes)
        }
        return (
            MaskReading(
                bits: BitMasks.bits(masks[0], masks[1], masks[2], masks[3]),
                firstSet: masks.map { BitMasks.firstSet($0) },
                places: masks.map { BitMasks.place($0) },
                areAllSet: masks.map { BitMasks.areAllSet($0) }
            ),
            MaskReading(
                bits: PlainBitMasks.bits(masks[0], masks[1], masks[2], masks[3]),
                firstSet: masks.map { PlainBitMasks.firstSet($0) },
                places: masks.map { PlainBitMasks.place($0) },
                areAllSet: masks.map { PlainBitMasks.areAllSet($0) }
            )
        )
    }
}
