/// Raw deflate data (RFC 1951) that is slow to decode and has hardly any output.
package enum EmptyDeflateBlocks {
    /// Eight empty blocks with dynamic Huffman codes, in 90 bytes.
    ///
    /// zlib builds three tables for each of them.
    package static let eight: [UInt8] = {
        var bits = BitWriter()
        for _ in 0..<8 {
            bits.append(0b100, 3)  // Not the last block; dynamic codes.
            bits.append(0, 5)  // 257 codes for literals and lengths,
            bits.append(0, 5)  // 1 for distances,
            bits.append(14, 4)  // and 18 for the lengths of these codes.
            // They are in the order 16, 17, 18, 0, 8, 7, … 1. Only 18 and 1 have a code, of one bit.
            for index in 0..<18 { bits.append(index == 2 || index == 17 ? 1 : 0, 3) }
            // The code of 1 is 0, that of 18 is 1: 138 zeros, 118 zeros, and two lengths of 1.
            bits.append(1, 1)
            bits.append(127, 7)
            bits.append(1, 1)
            bits.append(107, 7)
            bits.append(0, 2)
            bits.append(0, 1)  // The end of the block.
        }
        return bits.bytes
    }()

    /// A stored block with one byte; it must begin at a byte boundary.
    package static func literal(_ byte: UInt8) -> [UInt8] { [0, 1, 0, 0xfe, 0xff, byte] }

    /// The last block of the data; it must begin at a byte boundary.
    package static let end: [UInt8] = [1, 0, 0, 0xff, 0xff]

    private struct BitWriter {
        private(set) var bytes: [UInt8] = []
        private var count = 0

        mutating func append(_ value: Int, _ width: Int) {
            for bit in 0..<width {
                if count % 8 == 0 { bytes.append(0) }
                bytes[count / 8] |= UInt8(value >> bit & 1) << (count % 8)
                count += 1
            }
        }
    }
}
