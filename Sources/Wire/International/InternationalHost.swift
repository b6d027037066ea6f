// To change how hosts are converted, change this file. There are two suites named `InternationalHostTests`: in
// Tests/WireTests for what does not need the trait IDN, and in Tests/Integrations for the conversion.

/// A conversion of hosts to ASCII, for international and percent-encoded names.
///
/// International names are converted according to UTS 46, percent-encoded ones according to RFC
/// 3986 §3.2.2. The result is used wherever a host is needed: DNS, Host, TLS, cookies, the key of
/// the connection pool, pins. International names require the package trait `IDN`; percent-encoded
/// ASCII does not.
package enum InternationalHost {
    /// The maximum size of a decoded name in bytes.
    ///
    /// It allows four bytes for each of the 253 characters, and some characters that are ignored.
    static let maxInputLength = 1024
    /// The maximum size of the result in bytes, without a final dot (RFC 1035 §2.3.4).
    static let maxNameLength = 253
    /// The maximum size of one label in bytes (RFC 1035 §2.3.4).
    static let maxLabelLength = 63

    /// Returns whether a host contains a byte outside ASCII or a valid percent triplet.
    ///
    /// ``ascii(_:)`` must convert such a host.
    static func needsConversion(_ host: Span<UInt8>) -> Bool {
        for index in host.indices {
            if host[index] >= 0x80 { return true }
            if PercentCoding.byte(ofTripletAt: index, in: host) != nil { return true }
        }
        return false
    }

    /// Returns the host in ASCII and lower case.
    ///
    /// The result contains only letters, digits, "-", "." and "_". Therefore no mapping can produce
    /// a delimiter that changes the host or port: `℀` maps to "a/c" and is rejected. If the mapping
    /// produces an address, as for `１２７.0.0.1`, the result is that address.
    ///
    /// - Parameter host: a name in UTF-8; percent triplets are decoded first.
    /// - Returns: the form of the name in DNS; a final dot is kept.
    /// - Throws: the reason why the name has no such form; `.traitDisabled` for a name outside
    ///   ASCII without the trait `IDN`.
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

    /// Checks that a result is a valid name.
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

    /// Returns whether a converted name can contain a byte.
    ///
    /// "_" occurs in DNS names that are not host names.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        ByteClass.isAlpha(byte) || ByteClass.isDigit(byte) || byte == 0x2d || byte == Byte.dot
            || byte == 0x5f
    }
}

#if !IDN
extension InternationalHost {
    /// Rejects every name, because the conversion requires the trait `IDN`.
    static func converted(_ name: String) throws(InternationalHostError) -> String {
        throw .traitDisabled
    }
}
#endif
