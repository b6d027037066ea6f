private import CSSL

/// The hash functions for credentials, pins and message bodies.
package enum MessageDigest: Sendable, Hashable {
    /// RFC 1321; broken, and only for peers that offer nothing better.
    case md5
    /// FIPS 180-4.
    case sha256
    /// FIPS 180-4.
    case sha512
    /// FIPS 180-4: SHA-512 with its own initial value, truncated to 256 bits.
    case sha512t256

    /// The length of a digest in bytes.
    package var length: Int {
        switch self {
        case .md5: 16
        case .sha256, .sha512t256: 32
        case .sha512: 64
        }
    }

    /// Returns the digest of `bytes`.
    ///
    /// - Parameter bytes: the input; it may be empty.
    /// - Returns: ``length`` bytes; nil if OpenSSL does not provide the function, such as MD5 on
    ///   machines in FIPS 140 mode.
    package func hash(_ bytes: [UInt8]) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: length)
        var count: UInt32 = 0
        // SAFETY: `result` has the length of this function's output, and both arrays outlive the
        // call.
        let done = unsafe EVP_Digest(bytes, bytes.count, &result, &count, function, nil)
        guard done == 1, Int(count) == length else {
            ERR_clear_error()
            return nil
        }
        return result
    }

    /// OpenSSL's implementation of the function.
    var function: OpaquePointer? {
        switch self {
        case .md5: unsafe EVP_md5()
        case .sha256: unsafe EVP_sha256()
        case .sha512: unsafe EVP_sha512()
        case .sha512t256: unsafe EVP_sha512_256()
        }
    }
}
