private import CSSL
private import Glibc

/// A decoder for the contents of certificates.
///
/// Every function borrows an `X509` from its caller for the duration of the call and retains
/// nothing. The SAFETY notes below rely on this.
enum CertificateReader {
    /// Decodes a certificate.
    static func certificate(
        _ certificate: OpaquePointer,
        der: [UInt8],
        publicKey: [UInt8]
    ) -> HTTPCertificate {
        defer { ERR_clear_error() }
        // SAFETY: see the type.
        return unsafe HTTPCertificate(
            der: der,
            subject: text(ofName: X509_get_subject_name(certificate)),
            issuer: text(ofName: X509_get_issuer_name(certificate)),
            names: names(of: certificate, limit: .max),
            validity: (
                seconds(X509_get0_notBefore(certificate)), seconds(X509_get0_notAfter(certificate))
            ),
            serialNumber: serialNumber(of: certificate),
            publicKey: publicKey
        )
    }

    /// Returns the subject in one line such as `/CN=example`, for errors.
    static func subject(of certificate: OpaquePointer) -> String {
        unsafe line(X509_get_subject_name(certificate))
    }

    /// Returns the issuer in the form of ``subject(of:)``.
    static func issuer(of certificate: OpaquePointer) -> String {
        unsafe line(X509_get_issuer_name(certificate))
    }

    private static func line(_ name: OpaquePointer?) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { text in
            // SAFETY: oneline writes at most `text.count` bytes and ends them with NUL; it escapes
            // everything that is not printable ASCII.
            guard let base = text.baseAddress, let name = unsafe name,
                unsafe X509_NAME_oneline(name, base, Int32(text.count)) != nil
            else { return "" }
            return unsafe String(cString: base)
        }
    }

    private static func text(ofName name: OpaquePointer?) -> String {
        // SAFETY: see the type; this function owns the BIO, and BIO_read writes at most the size of
        // its buffer.
        guard let name = unsafe name, let bio = unsafe BIO_new(BIO_s_mem()) else { return "" }
        defer { unsafe BIO_free_all(bio) }
        guard unsafe X509_NAME_print_ex(bio, name, 0, CSSL_NAME_FORM) >= 0 else { return "" }
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(bio))
        guard !bytes.isEmpty else { return "" }
        let count = Int(unsafe BIO_read(bio, &bytes, Int32(clamping: bytes.count)))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Returns the first `limit` subject alternative names of a certificate (RFC 5280 §4.2.1.6).
    static func names(of certificate: OpaquePointer, limit: Int) -> [HTTPCertificate.Name] {
        // SAFETY: this function owns `all` and its elements until it frees them below.
        guard let data = unsafe X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else {
            return []
        }
        let all = OpaquePointer(data)
        defer { unsafe GENERAL_NAMES_free(all) }
        var result: [HTTPCertificate.Name] = []
        for index in 0..<max(0, unsafe OPENSSL_sk_num(all)) where result.count < limit {
            guard let element = unsafe OPENSSL_sk_value(all, index) else { continue }
            let name = unsafe element.assumingMemoryBound(to: GENERAL_NAME.self)
            var type: Int32 = 0
            guard let value = unsafe GENERAL_NAME_get0_value(name, &type),
                [GEN_DNS, GEN_IPADD, GEN_EMAIL, GEN_URI].contains(type)
            else { continue }
            let string = unsafe value.assumingMemoryBound(to: ASN1_STRING.self)
            let bytes = unsafe UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(string),
                count: Int(ASN1_STRING_length(string))
            )
            switch type {
            case GEN_DNS: result.append(.dns(text(unsafe bytes.span)))
            case GEN_IPADD: result.append(.address(address(unsafe bytes.span)))
            case GEN_EMAIL: result.append(.email(text(unsafe bytes.span)))
            default: result.append(.uri(text(unsafe bytes.span)))
            }
        }
        return result
    }

    /// Returns a name as text; bytes outside printable ASCII become `\xHH`.
    private static func text(_ bytes: Span<UInt8>) -> String {
        var result = ""
        for index in bytes.indices {
            let byte = bytes[index]
            if byte > 0x20, byte < 0x7F {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return result
    }

    private static func address(_ bytes: Span<UInt8>) -> String {
        IPAddress(bytes: bytes.indices.map { bytes[$0] })?.description ?? ""
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int? {
        var parts = unsafe tm()
        // SAFETY: see the type; `parts` is a local variable that outlives the calls.
        guard let time = unsafe time, unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return unsafe timegm(&parts)
    }

    private static func serialNumber(of certificate: OpaquePointer) -> [UInt8] {
        // SAFETY: see the type; the bytes are copied.
        guard let number = unsafe X509_get0_serialNumber(certificate),
            let data = unsafe ASN1_STRING_get0_data(number)
        else { return [] }
        let bytes = unsafe UnsafeBufferPointer(
            start: data,
            count: Int(ASN1_STRING_length(number))
        )
        return unsafe Array(bytes.drop { $0 == 0 })
    }
}
