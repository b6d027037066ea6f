private import CSSL
internal import SocketTransport

/// A signer that creates one certificate with a new key.
///
/// Every OpenSSL object created here is freed by the defer that follows it, or belongs to another
/// one that is freed. None leaves this file. The SAFETY notes below rely on this.
enum CertificateSigner {
    /// Issues a certificate with the contents of `template`.
    ///
    /// - Parameters:
    ///   - template: the contents of the certificate.
    ///   - issuer: the signer; nil signs with the new key itself.
    /// - Returns: the certificate and its key, PEM.
    /// - Throws: `.identity` for text that is not valid in a certificate, `.internalError`.
    static func issue(
        _ template: CertificateTemplate,
        by issuer: IssuedCertificate?
    ) throws(TLSError) -> IssuedCertificate {
        ERR_clear_error()
        // SAFETY: see the type.
        let made =
            template.strength == .weakKey
            ? unsafe cssl_EVP_RSA_gen(1024) : unsafe cssl_EVP_EC_gen("P-256")
        guard let key = unsafe made else { throw internalError() }
        defer { unsafe EVP_PKEY_free(key) }
        guard let certificate = unsafe X509_new() else { throw internalError() }
        defer { unsafe X509_free(certificate) }
        unsafe try state(template, in: certificate, key: key)
        if let issuer {
            unsafe try sign(certificate, template, by: issuer)
        } else {
            unsafe try sign(certificate, template, with: key, of: certificate)
        }
        return IssuedCertificate(
            certificateChain: unsafe try pem { unsafe PEM_write_bio_X509($0, certificate) },
            privateKey: unsafe try pem {
                unsafe PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil)
            }
        )
    }

    private static func state(
        _ template: CertificateTemplate,
        in certificate: OpaquePointer,
        key: OpaquePointer
    ) throws(TLSError) {
        // SAFETY: see the type; the name's bytes are copied.
        let name = [UInt8](template.commonName.utf8)
        let serial = UInt64.random(in: 1...(.max >> 1))
        guard unsafe X509_set_version(certificate, 2) == 1,
            unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1,
            unsafe X509_gmtime_adj(X509_getm_notBefore(certificate), template.notBefore) != nil,
            unsafe X509_gmtime_adj(X509_getm_notAfter(certificate), template.notAfter) != nil,
            unsafe X509_set_pubkey(certificate, key) == 1
        else { throw internalError() }
        let added = unsafe X509_NAME_add_entry_by_txt(
            X509_get_subject_name(certificate),
            "CN",
            MBSTRING_FLAG | 0,
            name,
            Int32(clamping: name.count),
            -1,
            0
        )
        guard added == 1 else { throw refused(template.commonName) }
    }

    private static func sign(
        _ certificate: OpaquePointer,
        _ template: CertificateTemplate,
        by issuer: IssuedCertificate
    ) throws(TLSError) {
        // SAFETY: see the type.
        let above = unsafe try decoded(issuer.certificateChain) {
            unsafe PEM_read_bio_X509($0, nil, nil, nil)
        }
        defer { unsafe X509_free(above) }
        // Issued keys are not encrypted, so OpenSSL does not ask for a password.
        let key = unsafe try decoded(issuer.privateKey) {
            unsafe PEM_read_bio_PrivateKey($0, nil, nil, nil)
        }
        defer { unsafe EVP_PKEY_free(key) }
        unsafe try sign(certificate, template, with: key, of: above)
    }

    private static func sign(
        _ certificate: OpaquePointer,
        _ template: CertificateTemplate,
        with key: OpaquePointer,
        of issuer: OpaquePointer
    ) throws(TLSError) {
        // SAFETY: see the type; X509_sign reads the key and writes the certificate.
        guard unsafe X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 else {
            throw internalError()
        }
        for (kind, text) in try extensions(template) {
            unsafe try add(kind, text, to: certificate, issuer: issuer)
        }
        if unsafe issuer != certificate {
            // Distinguishes authorities with the same name.
            let kind = NID_authority_key_identifier
            unsafe try add(kind, "keyid:always", to: certificate, issuer: issuer)
        }
        let digest = template.strength == .weakSignature ? unsafe EVP_sha1() : unsafe EVP_sha256()
        guard unsafe X509_sign(certificate, key, digest) > 0 else { throw internalError() }
    }

    private static func extensions(
        _ template: CertificateTemplate
    ) throws(TLSError) -> [(Int32, String)] {
        var result: [(Int32, String)] = [(NID_subject_key_identifier, "hash")]
        switch template.purpose {
        case .authority:
            result.append((NID_basic_constraints, "critical,CA:TRUE"))
            result.append((NID_key_usage, "critical,keyCertSign,cRLSign"))
            if let domain = template.permittedDomain {
                result.append((NID_name_constraints, "critical,permitted;DNS:\(domain)"))
            }
        case .server, .client:
            let usage = template.purpose == .server ? "serverAuth" : "clientAuth"
            result.append((NID_basic_constraints, "critical,CA:FALSE"))
            result.append((NID_key_usage, "critical,digitalSignature"))
            result.append((NID_ext_key_usage, usage))
        }
        var names: [String] = []
        for name in template.names {
            // The text form below uses commas as separators; no name or address contains one.
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2C })
            else { throw refused(name) }
            names.append((IPAddress(literal: name) == nil ? "DNS:" : "IP:") + name)
        }
        if !names.isEmpty {
            result.append((NID_subject_alt_name, names.joined(separator: ",")))
        }
        return result
    }

    private static func add(
        _ kind: Int32,
        _ text: String,
        to certificate: OpaquePointer,
        issuer: OpaquePointer
    ) throws(TLSError) {
        var context = unsafe X509V3_CTX()
        // SAFETY: the context borrows both certificates for this call only; add_ext copies.
        unsafe X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        guard let made = unsafe X509V3_EXT_conf_nid(nil, &context, kind, text) else {
            throw refused(text)
        }
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe X509_add_ext(certificate, made, -1) == 1 else { throw internalError() }
    }

    private static func pem(
        _ write: (OpaquePointer) -> Int32
    ) throws(TLSError) -> [UInt8] {
        // SAFETY: see the type; BIO_read writes at most the pending bytes, which fit into the
        // buffer.
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw internalError() }
        defer { unsafe BIO_free_all(bio) }
        guard unsafe write(bio) == 1 else { throw internalError() }
        var result = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(bio))
        let count = unsafe BIO_read(bio, &result, Int32(clamping: result.count))
        guard Int(count) == result.count else { throw internalError() }
        return result
    }

    /// Reads the first object of a PEM text, which the caller then owns.
    private static func decoded(
        _ text: [UInt8],
        _ read: (OpaquePointer) -> OpaquePointer?
    ) throws(TLSError) -> OpaquePointer {
        // SAFETY: see the type; the BIO borrows the bytes, and both end with this closure.
        let object: OpaquePointer? = unsafe text.withUnsafeBytes { region in
            let count = Int32(clamping: region.count)
            guard let bio = unsafe BIO_new_mem_buf(region.baseAddress, count) else { return nil }
            defer { unsafe BIO_free_all(bio) }
            return unsafe read(bio)
        }
        guard let object = unsafe object else { throw internalError() }
        return unsafe object
    }

    private static func internalError() -> TLSError {
        .internalError(reason: OpenSSLError.pop().reason)
    }

    private static func refused(_ text: String) -> TLSError {
        ERR_clear_error()
        return .failed(.identity(reason: "a certificate cannot contain \(text)"))
    }
}

/// The contents of a certificate to issue.
package struct CertificateTemplate: Sendable, Hashable {
    /// The subject's common name; this package's clients ignore it.
    package var commonName: String
    /// The DNS names, including wildcards, and address literals for the subject alternative name.
    package var names: [String]
    /// The start of validity in seconds from now; negative is in the past.
    package var notBefore: Int
    /// The end of validity in seconds from now.
    package var notAfter: Int
    /// The permitted use of the key.
    package var purpose: Purpose
    /// The only domain for which an authority may issue names; nil for all (RFC 5280 §4.2.1.10).
    package var permittedDomain: String?
    /// The strength of key and signature.
    package var strength = Strength.standard

    /// The permitted uses of issued certificates.
    package enum Purpose: Sendable, Hashable {
        case server
        case client
        case authority
    }

    /// The strengths of issued certificates.
    package enum Strength: Sendable, Hashable {
        /// ECDSA P-256 and SHA-256.
        case standard
        /// RSA with 1024 bits, which clients must no longer accept.
        case weakKey
        /// Signed with SHA-1, which clients must no longer accept.
        case weakSignature
    }

    package init(
        names: [String],
        commonName: String = "test",
        purpose: Purpose = .server,
        notBefore: Int = -86_400,
        notAfter: Int = 30 * 86_400
    ) {
        self.names = names
        self.commonName = commonName
        self.purpose = purpose
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
}
