/// A gzip encoder that does not compress (RFC 1952, with the stored blocks of RFC 1951 §3.2.4).
///
/// Any gzip decoder can read its output, and it needs no library.
enum StoredGzip {
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        // Magic number, deflate, no flags, no time, no extra flags, unknown system.
        var output: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
        output.reserveCapacity(bytes.count + 5 * (bytes.count / maxBlockLength + 1) + 18)
        var start = 0
        repeat {
            let end = min(start + maxBlockLength, bytes.count)
            output.append(end == bytes.count ? 1 : 0)
            let length = UInt16(end - start)
            appendLittleEndian(UInt32(length) | UInt32(~length) << 16, to: &output)
            output.append(contentsOf: bytes[start..<end])
            start = end
        } while start < bytes.count
        appendLittleEndian(checksum(bytes), to: &output)
        appendLittleEndian(UInt32(truncatingIfNeeded: bytes.count), to: &output)
        return output
    }

    /// Returns the CRC-32 of RFC 1952 §8, computed bit by bit, because test bodies are small.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var value: UInt32 = 0xffff_ffff
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 {
                value = value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1
            }
        }
        return ~value
    }

    private static func appendLittleEndian(_ value: UInt32, to output: inout [UInt8]) {
        for shift in stride(from: UInt32(0), through: 24, by: 8) {
            output.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// The maximum length of a stored block, which has 16 bits.
    private static let maxBlockLength = 0xffff
}
