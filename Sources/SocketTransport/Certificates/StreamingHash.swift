private import CSSL

/// A hash of bytes that arrive in parts.
///
/// It uses 200 to 400 bytes of memory, whatever the number of bytes. An update allocates nothing.
@safe package struct StreamingHash: ~Copyable, @unchecked Sendable {
    // Sendable: the context belongs to this value alone, and it cannot be copied.
    private let context: OpaquePointer
    /// The hash function.
    package let digest: MessageDigest
    /// Whether an update failed, so that there is no digest.
    private var hasFailed = false

    /// Starts a hash; nil if OpenSSL does not provide the function or memory is exhausted.
    package init?(_ digest: MessageDigest) {
        // SAFETY: the context is created here and freed once, by deinit or below.
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        guard unsafe EVP_DigestInit_ex(context, digest.function, nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            ERR_clear_error()
            return nil
        }
        unsafe self.context = context
        self.digest = digest
    }

    deinit {
        // SAFETY: the context is live until here, and nothing else refers to it.
        unsafe EVP_MD_CTX_free(context)
    }

    /// Adds bytes.
    package mutating func update(_ bytes: Span<UInt8>) {
        // SAFETY: OpenSSL reads the borrowed bytes only during the call.
        let isDone = unsafe bytes.withUnsafeBufferPointer { source in
            unsafe EVP_DigestUpdate(context, source.baseAddress, source.count) == 1
        }
        if !isDone { hasFailed = true }
    }

    /// Returns the digest of the bytes so far; more bytes may follow.
    ///
    /// - Returns: bytes of the digest's length; nil if OpenSSL failed.
    package func peek() -> [UInt8]? {
        // SAFETY: the copy is created and freed here.
        guard !hasFailed, let copy = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(copy) }
        guard unsafe EVP_MD_CTX_copy_ex(copy, context) == 1 else {
            ERR_clear_error()
            return nil
        }
        return unsafe Self.finish(copy, digest)
    }

    /// Returns the digest of all bytes, and starts a new hash.
    ///
    /// - Returns: bytes of the digest's length; nil if OpenSSL failed.
    package mutating func finish() -> [UInt8]? {
        // SAFETY: the context is live until deinit.
        let result = hasFailed ? nil : unsafe Self.finish(context, digest)
        hasFailed = unsafe EVP_DigestInit_ex(context, digest.function, nil) != 1
        if result == nil { ERR_clear_error() }
        return result
    }

    private static func finish(_ context: OpaquePointer, _ digest: MessageDigest) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: digest.length)
        var count: UInt32 = 0
        // SAFETY: `result` has the length of this function's output.
        guard unsafe EVP_DigestFinal_ex(context, &result, &count) == 1, Int(count) == digest.length
        else {
            ERR_clear_error()
            return nil
        }
        return result
    }
}
