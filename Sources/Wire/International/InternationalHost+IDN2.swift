#if IDN
private import CIDN

extension InternationalHost {
    /// Converts a name according to UTS 46 with non-transitional processing, as browsers do.
    ///
    /// libidn2 then applies the stricter rules of IDNA2008, which reject symbols such as `♥` that
    /// UTS 46 and browsers allow. It skips these rules only in transitional processing. A name that
    /// was rejected because of a symbol is therefore converted with transitional processing, if two
    /// conditions hold. Both ways must give the same name, so the name must not contain a character
    /// that they map differently. No other check may be lost, so the name must not contain
    /// right-to-left characters. curl tries transitional processing after every failure, which
    /// turns a name with a misplaced joiner into another name.
    static func converted(_ name: String) throws(InternationalHostError) -> String {
        // The library reads up to NUL.
        let source = Array(name.utf8) + [0]
        let (status, result) = lookup(source, IDN2_NONTRANSITIONAL)
        if let result { return result }
        let isSymbol =
            [IDN2_DISALLOWED, IDN2_UNASSIGNED, IDN2_CONTEXTO, IDN2_CONTEXTO_NO_RULE]
            .contains(status)
        if isSymbol, name.unicodeScalars.allSatisfy({ isTreatedAlike($0) }),
            let result = lookup(source, IDN2_TRANSITIONAL).result
        {
            return result
        }
        throw hostError(status)
    }

    /// Returns whether both kinds of processing map a character in the same way and check it fully.
    private static func isTreatedAlike(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Transitional processing removes or replaces sharp s, its capital, the final sigma and the
        // joiners.
        case 0xDF, 0x1E9E, 0x3C2, 0x200C, 0x200D: false
        // The blocks of right-to-left scripts, because transitional processing does not check RFC
        // 5893.
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF,
            0x1E800...0x1EFFF:
            false
        default: true
        }
    }

    /// Converts a name with libidn2.
    ///
    /// - Parameters:
    ///   - name: UTF-8 that ends with NUL.
    ///   - flags: the flags of `idn2_lookup_u8`.
    /// - Returns: the status of libidn2, and the converted name on success.
    private static func lookup(
        _ name: [UInt8],
        _ flags: Int32
    ) -> (status: Int32, result: String?) {
        var output: UnsafeMutablePointer<UInt8>?
        // SAFETY: `name` ends with NUL and lives through the call, which keeps no pointer to it.
        let status = unsafe idn2_lookup_u8(name, &output, flags | IDN2_NFC_INPUT)
        guard status == IDN2_OK, let output = unsafe output else { return (status, nil) }
        // SAFETY: on success the library allocated text that ends with NUL and belongs to the
        // caller.
        defer { unsafe idn2_free(output) }
        return (status, unsafe String(cString: output))
    }

    private static func hostError(_ status: Int32) -> InternationalHostError {
        switch status {
        case IDN2_ENCODING_ERROR: .invalidUTF8
        case IDN2_DISALLOWED, IDN2_UNASSIGNED, IDN2_DOT_IN_LABEL, IDN2_INVALID_TRANSITIONAL,
            IDN2_INVALID_NONTRANSITIONAL:
            .forbiddenCharacter
        case IDN2_2HYPHEN, IDN2_HYPHEN_STARTEND, IDN2_LEADING_COMBINING, IDN2_CONTEXTJ,
            IDN2_CONTEXTJ_NO_RULE, IDN2_CONTEXTO, IDN2_CONTEXTO_NO_RULE:
            .misplacedCharacter
        case IDN2_BIDI: .mixedDirections
        case IDN2_PUNYCODE_BAD_INPUT, IDN2_PUNYCODE_OVERFLOW, IDN2_INVALID_ALABEL,
            IDN2_UALABEL_MISMATCH, IDN2_ALABEL_ROUNDTRIP_FAILED:
            .invalidALabel
        case IDN2_PUNYCODE_BIG_OUTPUT, IDN2_TOO_BIG_LABEL: .labelTooLong
        case IDN2_TOO_BIG_DOMAIN: .nameTooLong
        default: .libraryFailure(Int(status))
        }
    }
}
#endif
