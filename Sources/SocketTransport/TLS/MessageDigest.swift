private import CSSL

/// Names the hash functions that credentials and pins are made with.
package enum MessageDigest: Sendable, Hashable {
    /// RFC 1321; broken, and only for peers that offer nothing better.
    case md5
    /// FIPS 180-4.
    case sha256
    /// FIPS 180-4: SHA-512 with a start of its own, cut to 256 bits.
    case sha512t256

    /// Bytes of a result.
    package var length: Int {
        switch self {
        case .md5: 16
        case .sha256, .sha512t256: 32
        }
    }

    /// Hashes bytes.
    ///
    /// - Parameter bytes: may be empty.
    /// - Returns: ``length`` bytes; nil when the library does not provide this function, as is the
    ///   case for MD5 on machines set up for FIPS 140.
    package func hash(_ bytes: [UInt8]) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: length)
        var count: UInt32 = 0
        let function =
            switch self {
            case .md5: unsafe EVP_md5()
            case .sha256: unsafe EVP_sha256()
            case .sha512t256: unsafe EVP_sha512_256()
            }
        // SAFETY: `result` is as long as this function's output, and both arrays outlive the call.
        let done = unsafe EVP_Digest(bytes, bytes.count, &result, &count, function, nil)
        guard done == 1, Int(count) == length else {
            ERR_clear_error()
            return nil
        }
        return result
    }
}
