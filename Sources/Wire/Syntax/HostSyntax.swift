/// A validator for `host [ ":" port ]` in Host and in request targets (RFC 9112 §3.2, RFC 3986 §3.2.2).
///
/// It refuses userinfo, zone identifiers and addresses of a future version.
enum HostSyntax {
    /// The parts that must be present.
    enum Requirement {
        /// None: for the value of Host, which is empty for a URI without an authority.
        case optional
        /// The host: for the authority of an http URI (RFC 9110 §4.2.1).
        case host
        /// The host and a port other than 0: for the target of CONNECT (RFC 9110 §9.3.6).
        case port
    }

    /// Returns whether all of `bytes` is a host with an optional port.
    static func isValid(_ bytes: Span<UInt8>, _ requirement: Requirement) -> Bool {
        guard let end = hostEnd(in: bytes) else { return false }
        guard end > 0 || requirement == .optional else { return false }
        guard end < bytes.count else { return requirement != .port }
        guard bytes[end] == Byte.colon else { return false }
        let digits = bytes.extracting((end + 1)..<bytes.count)
        if digits.isEmpty { return requirement != .port }
        guard case .value(let port) = Digits.decimal(digits, upTo: 65_535) else { return false }
        return port > 0 || requirement != .port
    }

    /// Returns the offset of the first byte after the host; nil if there is no valid host.
    private static func hostEnd(in bytes: Span<UInt8>) -> Int? {
        var index = 0
        if bytes.count > 0, bytes[0] == Byte.leftBracket {
            while index < bytes.count, bytes[index] != Byte.rightBracket { index += 1 }
            guard index < bytes.count, IPv6Syntax.isAddress(bytes.extracting(1..<index)) else {
                return nil
            }
            return index + 1
        }
        while index < bytes.count, bytes[index] != Byte.colon {
            if bytes[index] == Byte.percent {
                guard index + 2 < bytes.count, ByteClass.isHexDigit(bytes[index + 1]),
                    ByteClass.isHexDigit(bytes[index + 2])
                else { return nil }
                index += 3
            } else if ByteClass.isHost(bytes[index]) {
                index += 1
            } else {
                return nil
            }
        }
        return index
    }
}

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
                guard IPv4Syntax.isCanonical(bytes.extracting(start..<bytes.count)) else {
                    return false
                }
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
}

/// A parser for the spellings of IPv4 addresses that getaddrinfo(3) accepts.
package enum IPv4Syntax {
    /// Returns whether all of `bytes` is four decimal numbers without leading zeros.
    package static func isCanonical(_ bytes: Span<UInt8>) -> Bool {
        // One pass, because it runs for the host of every request.
        guard 7...15 ~= bytes.count else { return false }
        var (dots, digits, number) = (0, 0, 0)
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if byte == Byte.dot {
                guard digits > 0 else { return false }
                dots += 1
                (digits, number) = (0, 0)
            } else {
                let digit = byte &- Byte.zero
                guard digit <= 9, digits == 0 || number > 0 else { return false }
                number = number * 10 + Int(digit)
                guard number <= 255 else { return false }
                digits += 1
            }
        }
        return dots == 3 && digits > 0
    }

    /// Parses one to four numbers as the IPv4 parser of the URL Standard and inet_aton(3) do.
    ///
    /// A number is octal with a leading `0`, hexadecimal with `0x`, else decimal. The last one fills all
    /// bytes that are left. One trailing dot is allowed.
    ///
    /// - Returns: the address, 127.0.0.1 as 0x7f000001; nil if it is not one.
    package static func number(_ bytes: Span<UInt8>) -> UInt32? {
        var address = 0
        var parts = 0
        var start = 0
        // The number of bytes before the trailing dot.
        let count =
            bytes.count > 1 && bytes[bytes.count - 1] == Byte.dot
            ? bytes.count - 1 : bytes.count
        while start <= count {
            var end = start
            while end < count, bytes[end] != Byte.dot { end += 1 }
            guard parts < 4, let part = value(bytes.extracting(start..<end)) else { return nil }
            parts += 1
            if end < count {
                guard part <= 0xFF else { return nil }
                address |= part << (32 - 8 * parts)
            } else {
                guard part < 1 << (40 - 8 * parts) else { return nil }
                address |= part
            }
            start = end + 1
        }
        return UInt32(address)
    }

    /// Parses a number below 2^32 in C's notation.
    private static func value(_ digits: Span<UInt8>) -> Int? {
        guard !digits.isEmpty else { return nil }
        var radix = 10
        var index = 0
        if digits[0] == Byte.zero, digits.count > 1 {
            let isHexadecimal = digits[1] | 0x20 == 0x78
            radix = isHexadecimal ? 16 : 8
            index = isHexadecimal ? 2 : 1
            // The URL Standard reads `0x` as zero, but inet_aton(3) does not.
            guard index < digits.count else { return nil }
        }
        var total = 0
        while index < digits.count {
            guard let digit = Digits.hexadecimal(digits[index]), digit < radix else { return nil }
            total = total * radix + Int(digit)
            guard total <= UInt32.max else { return nil }
            index += 1
        }
        return total
    }
}
