private import CSSL

/// A BIO over two buffers: OpenSSL reads from `input` and writes to `output`.
///
/// A custom BIO saves one copy in each direction over two memory BIOs. Ciphertext is decrypted from
/// the buffer that received it, and sent from the buffer that it was written to.
///
/// INVARIANT: the engine that created the BIO keeps this object alive until it frees the SSL
/// object, and with it the BIO. One thread at a time uses all of it, and neither buffer calls code
/// that calls back here. Therefore the runtime's checks for overlapping accesses are disabled.
final class TLSBufferBIO {
    /// Ciphertext from the peer that OpenSSL has not read yet.
    @safe @exclusivity(unchecked) var input = CiphertextBuffer()
    /// Ciphertext for the peer that has not been sent yet.
    @safe @exclusivity(unchecked) var output = CiphertextBuffer()

    /// Creates the only BIO that reads and writes these buffers; the caller owns it.
    func makeBIO() -> OpaquePointer? {
        // SAFETY: the BIO borrows `self`, see INVARIANT; it stores only the pointer.
        guard let method = unsafe Self.method, let bio = unsafe BIO_new(method) else { return nil }
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    /// The function table, created once per process and never freed; nil if memory is exhausted.
    ///
    /// It is written only here, before any other code can access it, so all threads can read it
    /// safely.
    private static nonisolated(unsafe) let method: OpaquePointer? = {
        let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        guard let method = unsafe BIO_meth_new(kind, "pipe") else { return nil }
        // SAFETY: the closures capture nothing. OpenSSL calls them with a BIO from makeBIO, whose
        // data is a live TLSBufferBIO (INVARIANT), and with buffers of the given length.
        unsafe BIO_meth_set_read_ex(method) { bio, bytes, count, moved in
            guard let bio = unsafe bio, let bytes = unsafe bytes, let moved = unsafe moved,
                let data = unsafe BIO_get_data(bio)
            else { return 0 }
            unsafe cssl_BIO_clear_retry_flags(bio)
            let bufferBIO = unsafe Unmanaged<TLSBufferBIO>.fromOpaque(data).takeUnretainedValue()
            let typedBytes = unsafe UnsafeMutableRawPointer(bytes).assumingMemoryBound(
                to: UInt8.self
            )
            unsafe moved.pointee = unsafe bufferBIO.input.take(into: typedBytes, count: count)
            if unsafe moved.pointee > 0 { return 1 }
            // The engine detects the end of the connection; OpenSSL sees it as bytes that have not
            // arrived yet.
            unsafe cssl_BIO_set_retry_read(bio)
            return 0
        }
        unsafe BIO_meth_set_write_ex(method) { bio, bytes, count, moved in
            guard let bio = unsafe bio, let bytes = unsafe bytes, let moved = unsafe moved,
                let data = unsafe BIO_get_data(bio)
            else { return 0 }
            unsafe cssl_BIO_clear_retry_flags(bio)
            let bufferBIO = unsafe Unmanaged<TLSBufferBIO>.fromOpaque(data).takeUnretainedValue()
            let typedBytes = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self)
            unsafe bufferBIO.output.append(typedBytes, count: count)
            unsafe moved.pointee = count
            return 1
        }
        unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in
            command == BIO_CTRL_FLUSH ? 1 : 0
        }
        return unsafe method
    }()
}
