/// Draws what makes a client's digests its own (RFC 7616 §5.12).
enum ClientNonce {
    /// 128 bits of the system's randomness, as hexadecimal digits.
    static func drawn() -> String {
        let digits = (0..<2).map { _ in
            let text = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - text.utf8.count) + text
        }
        return digits.joined()
    }
}
