/// Base64 encoding (RFC 4648 §4).
package enum Base64 {
    /// Encodes bytes with padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        let alphabet = Array((letters + "abcdefghijklmnopqrstuvwxyz0123456789+/").utf8)
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for offset in 0..<3 {
                bits = bits << 8 | (offset < group.count ? UInt32(group[start + offset]) : 0)
            }
            for position in 0..<4 {
                let index = Int(bits >> UInt32(18 - 6 * position)) & 63
                output.append(position <= group.count ? alphabet[index] : UInt8(ascii: "="))
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
