private import CSSL

/// A reader of public keys from files, for comparison with ``TLSStream/peerPublicKey``.
package enum PublicKey {
    /// Decodes the first public key in the contents of a file.
    ///
    /// - Parameter bytes: PEM (`BEGIN PUBLIC KEY`) or DER.
    /// - Returns: a DER SubjectPublicKeyInfo; nil if there is no key that OpenSSL can read.
    package static func subjectPublicKeyInfo(in bytes: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        // SAFETY: the BIO copies `bytes`; this function owns the key and frees it below. d2i reads
        // at most `bytes.count` bytes of an array that outlives the call.
        var key: OpaquePointer?
        if let bio = unsafe try? TLSMaterial.bytes(bytes).open() {
            unsafe key = PEM_read_bio_PUBKEY(bio, nil, PEM.refusePassword, nil)
            unsafe BIO_free_all(bio)
        }
        if unsafe key == nil {
            unsafe key = bytes.withUnsafeBufferPointer { region in
                var position = region.baseAddress
                return unsafe d2i_PUBKEY(nil, &position, region.count)
            }
        }
        defer { unsafe EVP_PKEY_free(key) }
        guard let key = unsafe key else { return nil }
        return unsafe DER.encode { unsafe i2d_PUBKEY(key, $0) }
    }
}
