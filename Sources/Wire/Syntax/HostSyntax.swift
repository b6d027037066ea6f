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
