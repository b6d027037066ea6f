private import CSSL

/// Reads certificates and keys out of PEM text (RFC 7468), certificates out of DER too.
enum PEM {
    /// Says what to do about a certificate that cannot be decoded.
    enum Strictness {
        /// Fail: the caller named these certificates and would not learn that one is missing.
        case all
        /// Leave it out: one odd entry must not take the system's whole bundle away.
        case skipInvalid
    }

    /// Calls `body` with each certificate of PEM, where other kinds of block are passed over, or of
    /// DER, one behind the other.
    ///
    /// - Parameters:
    ///   - source: where the text lies.
    ///   - strictness: what to do about a broken one.
    ///   - body: borrows an `X509`; it must take its own reference to keep it.
    /// - Returns: certificates seen.
    /// - Throws: a reason in words, when one cannot be decoded and `strictness` is `.all`.
    static func forEachCertificate(
        in source: TLSMaterial,
        _ strictness: Strictness,
        _ body: (OpaquePointer) -> Void
    ) throws(PEMError) -> Int {
        // Once: the file may be replaced meanwhile, and a pipe gives its bytes once.
        let bytes = try source.contents()
        let bio = unsafe try TLSMaterial.open(bytes)
        // SAFETY: `bio` is ours until the defer frees it; each certificate is ours until freed.
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
            let fault = OpenSSLError.pop()
            guard strictness == .skipInvalid, !fault.isEmpty else {
                throw .undecodable(reason: fault.reason)
            }
        }
    }

    /// Does the same for DER; finds none in anything else.
    private static func forEachEncoded(
        in bytes: [UInt8],
        _ body: (OpaquePointer) -> Void
    ) throws(PEMError) -> Int {
        guard TLSMaterial.isDER(bytes) else { return 0 }
        var found = 0
        // SAFETY: d2i reads at most the bytes that are left, and moves the position behind what it
        // took; each certificate is ours until freed.
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
    ///   - source: where the text lies.
    ///   - passphrase: opens an encrypted key; nil when there is none.
    /// - Returns: an `EVP_PKEY` that the caller owns.
    /// - Throws: a reason in words, also when the passphrase is missing or wrong.
    static func privateKey(
        in source: TLSMaterial,
        passphrase: String? = nil
    ) throws(PEMError) -> OpaquePointer {
        let bio = unsafe try source.open()
        // SAFETY: `bio` is ours until the defer frees it; see Passphrase for the call.
        defer { unsafe BIO_free_all(bio) }
        ERR_clear_error()
        let key = unsafe Passphrase.withCallback(passphrase) { answer, text in
            unsafe PEM_read_bio_PrivateKey(bio, nil, answer, text)
        }
        guard let key = unsafe key else {
            throw .undecodable(reason: OpenSSLError.pop().reason)
        }
        return unsafe key
    }

    /// Answers a demand for a password with none; without it the library asks on the terminal.
    static let refusePassword:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) ->
            Int32 = { _, _, _, _ in -1 }
}

/// Says why PEM text gave nothing.
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
