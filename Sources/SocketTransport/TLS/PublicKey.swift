private import CSSL

/// Reads public keys that users write down, to compare with ``TLSStream/peerPublicKey``.
package enum PublicKey {
    /// Decodes the first public key of a file's contents.
    ///
    /// - Parameter bytes: PEM (`BEGIN PUBLIC KEY`) or DER.
    /// - Returns: a DER SubjectPublicKeyInfo; nil when there is no key that the library can read.
    package static func subjectPublicKeyInfo(in bytes: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        // SAFETY: the BIO copies `bytes`; the key is ours and freed below. d2i reads at most
        // `bytes.count` bytes of an array that outlives the call.
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
