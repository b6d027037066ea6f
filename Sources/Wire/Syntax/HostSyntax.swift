/// Checks `host [ ":" port ]`, as it stands in Host and in request targets (RFC 9112 §3.2, RFC 3986
/// §3.2.2); userinfo, zone identifiers and addresses of a future version are refused.
enum HostSyntax {
    /// Says what may be left out.
    enum Requirement {
        /// Nothing need be there: the value of Host, which is empty for a URI without authority.
        case optional
        /// The host must: the authority of an http URI (RFC 9110 §4.2.1).
        case host
        /// Host and port must, and the port is not 0: the target of CONNECT (RFC 9110 §9.3.6).
        case port
    }

    /// Says whether the whole of `bytes` is a host, with a port or without.
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

    /// Finds the first byte behind the host; nil when what is there is no host.
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
