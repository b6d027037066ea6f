private import CSSL

/// A reader of certificates and keys in PEM (RFC 7468), and of certificates in DER.
enum PEM {
    /// The handling of a certificate that cannot be decoded.
    enum Strictness {
        /// Fail: the caller named these certificates and must know if one is unusable.
        case all
        /// Skip it: one invalid entry must not make the system's whole bundle unusable.
        case skipInvalid
    }

    /// Calls `body` with each certificate in PEM or DER.
    ///
    /// Other kinds of PEM blocks are skipped. DER may contain several certificates in sequence.
    ///
    /// - Parameters:
    ///   - source: the source of the certificates.
    ///   - strictness: the handling of an invalid certificate.
    ///   - body: borrows an `X509`; it must retain it to keep it.
    /// - Returns: the number of certificates.
    /// - Throws: a reason in words if one cannot be decoded and `strictness` is `.all`.
    static func forEachCertificate(
        in source: TLSMaterial,
        _ strictness: Strictness,
        _ body: (OpaquePointer) -> Void
    ) throws(PEMError) -> Int {
        // Read once: the file may be replaced in between, and a pipe can be read only once.
        let bytes = try source.contents()
        let bio = unsafe try TLSMaterial.open(bytes)
        // SAFETY: this function owns `bio` until the defer frees it, and each certificate until it
        // is freed.
        defer { unsafe BIO_free_all(bio) }
        var found = 0
        while true {
            ERR_clear_error()
            if let certificate = unsafe PEM_read_bio_X509(bio, nil, refusePassword, nil) {
                unsafe body(certificate)
                unsafe X509_free(certificate)
                found += 1
                continue
            }
            if OpenSSLError.latest.isEndOfPEM {
                ERR_clear_error()
                return found > 0 ? found : unsafe try forEachEncoded(in: bytes, body)
            }
            let openSSLError = OpenSSLError.pop()
            guard strictness == .skipInvalid, !openSSLError.isEmpty else {
                throw .undecodable(reason: openSSLError.reason)
            }
        }
    }

    /// Calls `body` with each certificate in DER; returns 0 for other data.
    private static func forEachEncoded(
        in bytes: [UInt8],
        _ body: (OpaquePointer) -> Void
    ) throws(PEMError) -> Int {
        guard TLSMaterial.isDER(bytes) else { return 0 }
        var found = 0
        // SAFETY: d2i reads at most the remaining bytes and advances the position past those it
        // read. This function owns each certificate until it is freed.
        let isWhole = unsafe bytes.withUnsafeBufferPointer { region in
            var position = region.baseAddress
            let end = unsafe region.baseAddress.map { unsafe $0 + region.count }
            while let start = unsafe position, let end = unsafe end, unsafe start < end {
                guard let certificate = unsafe d2i_X509(nil, &position, end - start) else {
                    return false
                }
                unsafe body(certificate)
                unsafe X509_free(certificate)
                found += 1
            }
            return true
        }
        guard isWhole else { throw .undecodable(reason: OpenSSLError.pop().reason) }
        return found
    }

    /// Reads the first private key.
    ///
    /// - Parameters:
    ///   - source: the source of the key.
    ///   - passphrase: the passphrase of an encrypted key; nil if there is none.
    /// - Returns: an `EVP_PKEY` that the caller owns.
    /// - Throws: a reason in words, also if the passphrase is missing or wrong.
    static func privateKey(
        in source: TLSMaterial,
        passphrase: String? = nil
    ) throws(PEMError) -> OpaquePointer {
        let bio = unsafe try source.open()
        // SAFETY: this function owns `bio` until the defer frees it; see Passphrase for the call.
        defer { unsafe BIO_free_all(bio) }
        return unsafe try Passphrase.readKey(passphrase) { callback, argument in
            unsafe PEM_read_bio_PrivateKey(bio, nil, callback, argument)
        }
    }

    /// A password callback that returns none; without it OpenSSL prompts on the terminal.
    static let refusePassword:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) ->
            Int32 = { _, _, _, _ in -1 }
}

/// The reason why PEM text could not be read.
enum PEMError: Error {
    case unreadable(Errno)
    case undecodable(reason: String)
    case outOfMemory

    var reason: String {
        switch self {
        case .unreadable(let errno): errno.description
        case .undecodable(let reason): reason
        case .outOfMemory: "out of memory"
        }
    }
}
