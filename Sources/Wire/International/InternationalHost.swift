/// Converts hosts as people write them to ASCII: international names by UTS 46, and percent-encoded ones
/// (RFC 3986 §3.2.2).
///
/// The result goes everywhere a host goes: DNS, Host, TLS, cookies, the key of the connection pool, pins.
/// International names need the package trait `IDN`; percent-encoded ASCII does not.
package enum InternationalHost {
    /// Bytes that a decoded name may have: four for each of the 253 characters, and some that are ignored.
    static let maxInputLength = 1024
    /// Bytes that the result may have without a dot at the end (RFC 1035 §2.3.4).
    static let maxNameLength = 253
    /// Bytes of one label (RFC 1035 §2.3.4).
    static let maxLabelLength = 63

    /// Whether a host has a byte outside ASCII or a valid percent triplet, so that ``ascii(_:)`` applies.
    static func needsConversion(_ host: Span<UInt8>) -> Bool {
        for index in host.indices {
            if host[index] >= 0x80 { return true }
            if PercentCoding.byte(ofTripletAt: index, in: host) != nil { return true }
        }
        return false
    }

    /// Returns the host in ASCII and lower case.
    ///
    /// Letters, digits, "-", "." and "_" are all that the result has, so no mapping can make a delimiter
    /// that changes the host or port: `℀` maps to "a/c" and is refused. An address that comes of the
    /// mapping, such as `１２７.0.0.1`, is that address.
    ///
    /// - Parameter host: a name in UTF-8; percent triplets are decoded first.
    /// - Returns: the form of the name in DNS, where a dot at the end stays.
    /// - Throws: the reason why the name has no such form; `.traitDisabled` for one that is not ASCII without
    ///   the trait `IDN`.
    static func ascii(_ host: Span<UInt8>) throws(InternationalHostError) -> String {
        var name: [UInt8] = []
        var isASCII = true
        var index = 0
        while index < host.count {
            let triplet = PercentCoding.byte(ofTripletAt: index, in: host)
            let byte = triplet ?? host[index]
            guard name.count < maxInputLength else { throw .nameTooLong }
            name.append(byte)
            isASCII = isASCII && byte < 0x80
            index += triplet == nil ? 1 : 3
        }
        guard let text = String(validating: name, as: UTF8.self) else { throw .invalidUTF8 }
        guard name.allSatisfy({ $0 >= 0x80 || isNameByte($0) }) else { throw .forbiddenCharacter }
        let result = isASCII ? ByteClass.lowercase(text) : try converted(text)
        try check(result)
        return result
    }

    /// Checks that a result is a name and nothing else.
    private static func check(_ name: String) throws(InternationalHostError) {
        let bytes = name.utf8
        guard bytes.allSatisfy({ isNameByte($0) }) else { throw .forbiddenCharacter }
        var labels = bytes.split(separator: Byte.dot, omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        for label in labels {
            guard !label.isEmpty else { throw .emptyLabel }
            guard label.count <= maxLabelLength else { throw .labelTooLong }
        }
        let isRooted = bytes.last == Byte.dot
        guard bytes.count <= maxNameLength + (isRooted ? 1 : 0) else { throw .nameTooLong }
    }

    /// Whether a byte may stand in a converted name.
    ///
    /// "_" is in names of DNS that are not names of hosts.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        ByteClass.isAlpha(byte) || ByteClass.isDigit(byte) || byte == 0x2d || byte == Byte.dot
            || byte == 0x5f
    }
}

#if !IDN
extension InternationalHost {
    /// Refuses every name, as the conversion is part of the trait `IDN`.
    static func converted(_ name: String) throws(InternationalHostError) -> String {
        throw .traitDisabled
    }
}
#endif
