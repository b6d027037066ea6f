#if IDN
private import CIDN

extension InternationalHost {
    /// Converts a name by UTS 46 with non-transitional processing, as browsers do.
    ///
    /// libidn2 then applies the stricter rules of IDNA2008, which refuse symbols such as `♥` that UTS 46
    /// and browsers allow. It leaves these rules out in transitional processing alone. So a name that was
    /// refused because of a symbol is converted that way, but only where both ways give the same name
    /// and no other rule is lost: the name has none of the characters that they map differently, and
    /// none that is written from right to left. curl tries transitional processing after every failure,
    /// which turns a name with a misplaced joiner into another name.
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

    /// Whether transitional processing gives a character the same meaning and checks it as well.
    private static func isTreatedAlike(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Sharp s, its capital, the final sigma and the joiners are mapped away there.
        case 0xDF, 0x1E9E, 0x3C2, 0x200C, 0x200D: false
        // The blocks of scripts from right to left, as RFC 5893 is not checked there.
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF,
            0x1E800...0x1EFFF:
            false
        default: true
        }
    }

    /// Converts a name by libidn2.
    ///
    /// - Parameters:
    ///   - name: UTF-8 that ends with NUL.
    ///   - flags: those of `idn2_lookup_u8`.
    /// - Returns: the status of libidn2, and the name when it could be converted.
    private static func lookup(
        _ name: [UInt8],
        _ flags: Int32
    ) -> (status: Int32, result: String?) {
        var output: UnsafeMutablePointer<UInt8>?
        // SAFETY: `name` ends with NUL and lives through the call, which keeps no pointer to it.
        let status = unsafe idn2_lookup_u8(name, &output, flags | IDN2_NFC_INPUT)
        guard status == IDN2_OK, let output = unsafe output else { return (status, nil) }
        // SAFETY: on success the library allocated text that ends with NUL and belongs to the caller.
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
