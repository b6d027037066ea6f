/// A generator of client nonces, which make the digests of a client unique (RFC 7616 §5.12).
package enum ClientNonce {
    /// Returns 128 random bits from the system as hexadecimal digits.
    package static func random() -> String {
        RandomDigits.text(of: .random(in: .min ... .max))
            + RandomDigits.text(of: .random(in: .min ... .max))
    }
}

/// A generator of random UUIDs.
enum RandomUUID {
    /// Returns a UUID of version 4 in lower case (RFC 9562 §5.4).
    static func text() -> String {
        let high = UInt64.random(in: .min ... .max) & ~0xf000 | 0x4000
        let low = UInt64.random(in: .min ... .max) & ~(0b11 << 62) | 0b10 << 62
        var digits = Substring(RandomDigits.text(of: high) + RandomDigits.text(of: low))
        let groups = [8, 4, 4, 4, 12].map { count in
            defer { digits = digits.dropFirst(count) }
            return digits.prefix(count)
        }
        return groups.joined(separator: "-")
    }
}

private enum RandomDigits {
    /// Returns a number as 16 hexadecimal digits.
    static func text(of number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
}
