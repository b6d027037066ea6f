/// 128 bits that a peer cannot predict: client nonces (RFC 7616 §5.12), boundaries of forms, salts.
package enum RandomBits {
    /// Returns 128 random bits from the system as 32 hexadecimal digits.
    package static func digits() -> String {
        RandomDigits.text(of: .random(in: .min ... .max))
            + RandomDigits.text(of: .random(in: .min ... .max))
    }

    /// Returns 64 random bits from the system.
    package static func number() -> UInt64 { .random(in: .min ... .max) }
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

/// A splitmix64 random number generator, for jitter between connections and not for secrets.
///
/// The system chooses the seed, or a simulation sets it.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init() { state = .random(in: .min ... .max) }

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
