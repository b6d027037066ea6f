/// An encoder for gzip with stored blocks (RFC 1951 §3.2.4, RFC 1952), independent of zlib.
enum Gzip {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in
            sum & 1 == 1 ? 0xedb8_8320 ^ (sum >> 1) : sum >> 1
        }
    }

    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
        output.reserveCapacity(bytes.count + 64)
        var start = 0
        repeat {
            let end = min(start + 65_535, bytes.count)
            output.append(end == bytes.count ? 1 : 0)
            let count = UInt16(end - start)
            append(UInt32(count) | UInt32(~count) << 16, to: &output)
            output += bytes[start..<end]
            start = end
        } while start < bytes.count
        var sum = UInt32.max
        for byte in bytes {
            sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8)
        }
        append(~sum, to: &output)
        append(UInt32(bytes.count), to: &output)
        return output
    }

    private static func append(_ value: UInt32, to output: inout [UInt8]) {
        for shift in [0, 8, 16, 24] {
            output.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }
}
