/// A normalization of hosts, so that equal hosts have equal text.
///
/// It is used wherever hosts are compared: origins (the key of the connection pool), cookies,
/// certificate pins, address overrides, proxies and their exceptions.
package enum CanonicalHost {
    /// Returns the host in lower-case ASCII, without brackets; an address in its usual form.
    ///
    /// An IPv6 address is written as in RFC 5952. An IPv4 address has four decimal numbers: resolvers accept
    /// `127.1`, `0x7f.0.0.1`, `0177.0.0.1` and `2130706433` for 127.0.0.1, so all of them are that address
    /// (``IPv4Syntax``). An international name becomes its `xn--` form, and triplets are decoded
    /// (``InternationalHost``). A name without such a form is unchanged and cannot be the host of a URI. A
    /// trailing dot makes a different name for cookies and Host.
    ///
    /// - Parameter host: a name or an address; not checked.
    /// - Returns: the canonical spelling.
    package static func text(_ host: String) -> String {
        if host.utf8.contains(where: { $0 >= 0x80 || $0 == Byte.percent }),
            InternationalHost.needsConversion(host.utf8.span),
            let converted = try? InternationalHost.ascii(host.utf8.span)
        {
            return text(plain: converted)
        }
        return text(plain: host)
    }

    /// Returns the canonical spelling of an ASCII host without percent triplets.
    static func text(plain host: String) -> String {
        var plain = ByteClass.lowercase(host)
        if plain.utf8.first == Byte.leftBracket, plain.utf8.last == Byte.rightBracket {
            let address = plain.utf8.dropFirst().dropLast()
            // Otherwise the result would have another canonical spelling.
            if address.first != Byte.leftBracket || address.last != Byte.rightBracket {
                plain = String(decoding: address, as: UTF8.self)
            }
        }
        if ByteClass.contains(Byte.colon, in: plain) {
            return IPv6Syntax.isAddress(plain.utf8.span) ? text(groups(of: plain)) : plain
        }
        // All numbers start with a digit, and most names with a letter.
        guard let first = plain.utf8.first, first &- Byte.zero < 10,
            !IPv4Syntax.isCanonical(plain.utf8.span),
            let address = IPv4Syntax.number(plain.utf8.span)
        else { return plain }
        let parts: [UInt8] = [24, 16, 8, 0].map { shift in
            UInt8(truncatingIfNeeded: address >> shift)
        }
        return parts.map(String.init).joined(separator: ".")
    }

    /// Returns the eight groups of a valid IPv6 address.
    private static func groups(of address: String) -> [UInt16] {
        var head: [UInt16] = []
        var tail: [UInt16] = []
        var isAfterGap = false
        var start = address.startIndex
        if address.utf8.starts(with: "::".utf8) {
            isAfterGap = true
            start = address.utf8.index(start, offsetBy: 2)
        }
        let parts = address.utf8[start...].split(
            separator: Byte.colon,
            omittingEmptySubsequences: false
        )
        for part in parts {
            var values: [UInt16] = []
            if part.contains(Byte.dot) {
                let bytes = part.split(separator: Byte.dot).map { decimal($0) }
                values = [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
            } else if part.isEmpty {
                // The second colon of "::"; at the end of the text, no group follows it.
                isAfterGap = true
                continue
            } else {
                values = [part.reduce(0) { $0 << 4 | UInt16(Digits.hexadecimal($1) ?? 0) }]
            }
            if isAfterGap { tail += values } else { head += values }
        }
        let zeros = [UInt16](repeating: 0, count: max(8 - head.count - tail.count, 0))
        return head + zeros + tail
    }

    private static func decimal(_ digits: Substring.UTF8View) -> UInt16 {
        digits.reduce(0) { $0 * 10 + UInt16($1 - Byte.zero) }
    }

    /// Returns the text of an address (RFC 5952 §4, §5).
    private static func text(_ groups: [UInt16]) -> String {
        if groups[..<5].allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF {
            let bytes = groups[6...].flatMap { [$0 >> 8, $0 & 0xFF] }
            return "::ffff:" + bytes.map { String($0) }.joined(separator: ".")
        }
        let gap = longestZeros(groups)
        let text = { (part: ArraySlice<UInt16>) in
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard gap.count > 1 else { return text(groups[...]) }
        return text(groups[..<gap.lowerBound]) + "::" + text(groups[gap.upperBound...])
    }

    /// Returns the longest run of zeros; the first one if several are equally long.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int> {
        var best = 0..<0
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > best.count { best = start..<index }
            start = index + 1
        }
        return best
    }
}
