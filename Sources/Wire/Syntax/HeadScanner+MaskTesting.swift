extension HeadScanner {
    /// The results of one implementation of the mask conversions for 64 bytes; the tests compare two.
    package struct MaskResult: Equatable {
        /// The bits of all bytes whose top bit is set.
        package var bits: UInt64
        /// For each 16 bytes, the index of the first byte with its top bit set; 16 if there is none.
        package var firstSet: [Int]
        package var firstSetIfAny: [Int?]
        package var areAllSet: [Bool]
    }

    /// Converts the top bits of 64 bytes with the scanner's implementation and with the portable one.
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
