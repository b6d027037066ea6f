private import CSSL
private import Glibc

/// Reads certificates and keys out of PEM text (RFC 7468).
enum PEM {
    /// Says what to do about a certificate that cannot be decoded.
    enum Strictness {
        /// Fail: the caller named these certificates and would not learn that one is missing.
        case everyOne
        /// Leave it out: one odd entry must not take the system's whole bundle away.
        case skipBroken
    }

    /// Calls `body` with each certificate; other kinds of block are passed over.
    ///
    /// - Parameters:
    ///   - source: where the text lies.
    ///   - strictness: what to do about a broken one.
    ///   - body: borrows an `X509`; it must take its own reference to keep it.
    /// - Returns: certificates seen.
    /// - Throws: a reason in words, when one cannot be decoded and `strictness` is `.everyOne`.
    static func forEachCertificate(
        in source: PEMSource,
        _ strictness: Strictness,
        _ body: (OpaquePointer) -> Void
    ) throws(PEMFault) -> Int {
        let bio = unsafe try source.open()
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
            if LibraryError.latest.isEndOfPEM {
                ERR_clear_error()
                return found
            }
            let fault = LibraryError.take()
            guard strictness == .skipBroken, !fault.isEmpty else {
                throw .undecodable(reason: fault.reason)
            }
        }
    }

    /// Reads the first private key.
    ///
    /// - Returns: an `EVP_PKEY` that the caller owns.
    static func privateKey(in source: PEMSource) throws(PEMFault) -> OpaquePointer {
        let bio = unsafe try source.open()
        // SAFETY: `bio` is ours until the defer frees it.
        defer { unsafe BIO_free_all(bio) }
        ERR_clear_error()
        guard let key = unsafe PEM_read_bio_PrivateKey(bio, nil, refusePassword, nil) else {
            throw .undecodable(reason: LibraryError.take().reason)
        }
        return unsafe key
    }

    /// Answers a demand for a password with none; without it the library asks on the terminal.
    static let refusePassword:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) ->
            Int32 = { _, _, _, _ in -1 }
}

/// Names where PEM text lies.
enum PEMSource {
    case bytes([UInt8])
    case file(String)

    /// Opens a BIO over the text; the caller frees it.
    func open() throws(PEMFault) -> OpaquePointer {
        switch self {
        case .bytes(let bytes):
            // SAFETY: a memory BIO of its own is filled by copying, so it outlives `bytes`.
            guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw .outOfMemory }
            var written = 0
            let done = unsafe BIO_write_ex(bio, bytes, bytes.count, &written)
            guard done == 1 || bytes.isEmpty else {
                unsafe BIO_free_all(bio)
                throw .outOfMemory
            }
            return unsafe bio
        case .file(let path):
            guard !path.utf8.contains(0) else { throw .unreadable(Errno(rawValue: ENOENT)) }
            ERR_clear_error()
            guard let bio = unsafe BIO_new_file(path, "r") else {
                let errno = Errno.current
                ERR_clear_error()
                throw .unreadable(errno)
            }
            return unsafe bio
        }
    }
}

/// Says why PEM text gave nothing.
enum PEMFault: Error {
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
