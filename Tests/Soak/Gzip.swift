/// Makes gzip of stored blocks (RFC 1951 §3.2.4, RFC 1952): the origin has no business with zlib.
enum Gzip {
    private static let table: [UInt32] = (0..<256).map { octet in
        (0..<8).reduce(UInt32(octet)) { sum, _ in
            sum & 1 == 1 ? 0xedb8_8320 ^ (sum >> 1) : sum >> 1
        }
    }

    static func stored(_ octets: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
        output.reserveCapacity(octets.count + 64)
        var start = 0
        repeat {
            let end = min(start + 65_535, octets.count)
            output.append(end == octets.count ? 1 : 0)
            let count = UInt16(end - start)
            append(UInt32(count) | UInt32(~count) << 16, to: &output)
            output += octets[start..<end]
            start = end
        } while start < octets.count
        var sum = UInt32.max
        for octet in octets {
            sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ octet)] ^ (sum >> 8)
        }
        append(~sum, to: &output)
        append(UInt32(octets.count), to: &output)
        return output
    }

    private static func append(_ value: UInt32, to output: inout [UInt8]) {
        for shift in [0, 8, 16, 24] {
            output.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }
}
