/// A validator for the text of IPv6 addresses (RFC 3986 §3.2.2); zone identifiers are refused.
package enum IPv6Syntax {
    /// Returns whether all of `bytes` is an IPv6 address without brackets.
    package static func isAddress(_ bytes: Span<UInt8>) -> Bool {
        var groups = 0
        var hasGap = false
        var index = 0
        if bytes.count >= 2, bytes[0] == Byte.colon {
            guard bytes[1] == Byte.colon else { return false }
            hasGap = true
            index = 2
        }
        while index < bytes.count {
            let start = index
            while index < bytes.count, ByteClass.isHexDigit(bytes[index]) { index += 1 }
            if index < bytes.count, bytes[index] == Byte.dot {
                guard isIPv4(bytes.extracting(start..<bytes.count)) else { return false }
                groups += 2
                break
            }
            guard 1...4 ~= index - start else { return false }
            groups += 1
            guard index < bytes.count else { break }
            guard bytes[index] == Byte.colon, index + 1 < bytes.count else { return false }
            index += 1
            if bytes[index] == Byte.colon {
                guard !hasGap else { return false }
                hasGap = true
                index += 1
            }
        }
        return hasGap ? groups <= 7 : groups == 8
    }

    /// Returns whether all of `bytes` is an IPv4 address: four decimal numbers without leading zeros.
    package static func isIPv4(_ bytes: Span<UInt8>) -> Bool {
        var parts = 0
        var start = 0
        while start <= bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != Byte.dot { end += 1 }
            let part = bytes.extracting(start..<end)
            guard part.count <= 3, case .value = Digits.decimal(part, upTo: 255),
                part.count == 1 || part[0] != Byte.zero
            else { return false }
            parts += 1
            start = end + 1
        }
        return parts == 4
    }
}
