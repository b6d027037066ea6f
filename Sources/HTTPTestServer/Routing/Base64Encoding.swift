/// A base64 encoder (RFC 4648 §4).
enum Base64Encoding {
    static func text(_ bytes: [UInt8]) -> String {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        let alphabet = Array((letters + "0123456789+/").unicodeScalars)
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(0) { $0 << 8 | UInt32($1) }
            bits <<= 8 * UInt32(3 - group.count)
            for place in 0..<4 {
                let index = Int(bits >> (18 - 6 * UInt32(place)) & 63)
                text.unicodeScalars.append(place <= group.count ? alphabet[index] : "=")
            }
        }
        return text
    }
}
