private import CSSL

extension TLSEngine {
    /// Notes what a verification found wrong, the first time; called by the library's callback.
    func note(_ state: OpaquePointer) {
        guard rejection == nil else { return }
        // SAFETY: the library lends `state`, and with it the current certificate, to its callback.
        let code = unsafe X509_STORE_CTX_get_error(state)
        let certificate = unsafe X509_STORE_CTX_get_current_cert(state)
        if code == X509_V_ERR_HOSTNAME_MISMATCH || code == X509_V_ERR_IP_ADDRESS_MISMATCH {
            rejection = .hostnameMismatch(
                expected: peerName?.text ?? "",
                presented: unsafe certificate.map { unsafe Self.names(of: $0) } ?? []
            )
            return
        }
        let reason = unsafe X509_verify_cert_error_string(Int(code)).map {
            unsafe String(cString: $0)
        }
        rejection = .certificateRejected(
            CertificateRejection(
                code: code,
                reason: reason ?? "",
                depth: Int(unsafe X509_STORE_CTX_get_error_depth(state)),
                subject: unsafe certificate.map { unsafe Self.subject(of: $0) } ?? ""
            )
        )
    }

    private static func subject(of certificate: OpaquePointer) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { text in
            // SAFETY: oneline writes at most `text.count` octets and ends them with NUL; it escapes
            // everything that is not printable ASCII.
            guard let base = text.baseAddress,
                unsafe X509_NAME_oneline(
                    X509_get_subject_name(certificate),
                    base,
                    Int32(text.count)
                ) != nil
            else { return "" }
            return unsafe String(cString: base)
        }
    }

    /// Reads the names a certificate is made out to (RFC 5280 §4.2.1.6).
    private static func names(of certificate: OpaquePointer) -> [String] {
        // SAFETY: `all` is ours until freed below, and its elements with it.
        guard let data = unsafe X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else {
            return []
        }
        let all = OpaquePointer(data)
        defer { unsafe GENERAL_NAMES_free(all) }
        var result: [String] = []
        for index in 0..<min(max(0, unsafe OPENSSL_sk_num(all)), mostNames) {
            guard let element = unsafe OPENSSL_sk_value(all, index) else { continue }
            let name = unsafe element.assumingMemoryBound(to: GENERAL_NAME.self)
            var type: Int32 = 0
            guard let value = unsafe GENERAL_NAME_get0_value(name, &type),
                type == GEN_DNS || type == GEN_IPADD
            else { continue }
            let string = unsafe value.assumingMemoryBound(to: ASN1_STRING.self)
            let octets = unsafe UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(string),
                count: Int(ASN1_STRING_length(string))
            )
            result.append(type == GEN_DNS ? text(unsafe octets.span) : address(unsafe octets.span))
        }
        return result
    }

    /// Shows a name; octets outside printable ASCII become `\xHH`.
    private static func text(_ octets: Span<UInt8>) -> String {
        var result = ""
        for index in octets.indices {
            let octet = octets[index]
            if octet > 0x20, octet < 0x7F {
                result.unicodeScalars.append(Unicode.Scalar(octet))
            } else {
                result += "\\x" + (octet < 16 ? "0" : "") + String(octet, radix: 16)
            }
        }
        return result
    }

    private static func address(_ octets: Span<UInt8>) -> String {
        if octets.count == 4 {
            return octets.indices.map { String(octets[$0]) }.joined(separator: ".")
        }
        guard octets.count == 16 else { return "" }
        let groups = stride(from: 0, to: 16, by: 2).map {
            String(UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]), radix: 16)
        }
        let plain = groups.joined(separator: ":")
        return SocketAddress(literal: plain, port: 0)?.literal ?? plain
    }

    /// Enough to recognise a wrong server by; some certificates hold thousands.
    private static let mostNames: Int32 = 100
}
