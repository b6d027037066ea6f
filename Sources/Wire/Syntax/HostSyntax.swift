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
