private import Glibc

/// A host in the form that pin rules compare: an address as a number, in any notation, or a name.
///
/// Every text that the connector would use as an address is an address here, so that another
/// notation cannot bypass a rule. This includes IPv4-mapped IPv6 addresses, and the short, octal
/// and hexadecimal forms that getaddrinfo(3) accepts.
enum PinnedHost: Equatable {
    case v4(UInt32)
    case v6(UInt128)
    /// A name in lower case ASCII, without the trailing dot.
    case name(String)

    init(_ host: String) {
        var text = host[...]
        if text.first == "[", text.last == "]" { text = text.dropFirst().dropLast() }
        if text.utf8.last == UInt8(ascii: ".") { text = text.dropLast() }
        // The zone of a link-local address is not part of the name in a certificate.
        if text.utf8.contains(UInt8(ascii: ":")) { text = text.prefix { $0 != "%" } }
        let plain = String(text)
        if let address = SocketAddress(literal: plain, port: 0) {
            let number = address.host.number
            if !address.isIPv6 {
                self = .v4(UInt32(truncatingIfNeeded: number))
            } else if number >> 32 == 0xFFFF {
                self = .v4(UInt32(truncatingIfNeeded: number))
            } else {
                self = .v6(number)
            }
            return
        }
        var address = in_addr()
        // SAFETY: the string and `address` outlive the call.
        if plain.utf8.first.map({ (0x30...0x39).contains($0) }) == true,
            unsafe inet_aton(plain, &address) != 0
        {
            self = .v4(UInt32(bigEndian: address.s_addr))
            return
        }
        let lower = plain.utf8.map { (65...90).contains($0) ? $0 | 32 : $0 }
        self = .name(String(decoding: lower, as: UTF8.self))
    }

    /// Returns whether it equals the other host or is a subdomain of it.
    func isWithin(_ other: PinnedHost) -> Bool {
        guard case .name(let name) = self, case .name(let above) = other else {
            return self == other
        }
        return name == above || name.hasSuffix("." + above)
    }

    /// The reason why this cannot equal the host of a URL; nil if it can.
    ///
    /// A URL, a port or a wildcard in a rule is a mistake of its author, and the rule would match
    /// no host.
    var reasonNotToMatch: String? {
        guard case .name(let name) = self else { return nil }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for label in labels {
            guard !label.isEmpty else { return "has an empty label" }
            for byte in label where !Self.isNameByte(byte) {
                guard byte < 0x80 else { return "is not ASCII" }
                return
                    "contains \(Unicode.Scalar(byte).escaped(asASCII: true)), which is not allowed in a host name"
            }
        }
        return nil
    }

    /// Returns whether a byte may occur in a name.
    ///
    /// These are letters, digits, `-`, and `_` and `~`, which some servers use.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
