private import CSSL

/// Stands between the library and the outside: what it reads lies in `input`, what it writes goes
/// to `output`.
///
/// A BIO of our own rather than two memory BIOs: ciphertext is decrypted from the buffer it was
/// received into and sent from the buffer it was written to, one copy less each way.
///
/// INVARIANT: the engine that made the BIO keeps the pipe alive until the SSL object, and with it
/// the BIO, is freed. All of it belongs to one thread at a time, and neither buffer calls anything that
/// comes back here, so the runtime need not look for overlapping accesses.
final class TLSBufferBIO {
    /// Ciphertext from the peer, not read by the library yet.
    @safe @exclusivity(unchecked) var input = CiphertextBuffer()
    /// Ciphertext for the peer, not sent yet.
    @safe @exclusivity(unchecked) var output = CiphertextBuffer()

    /// Makes the one BIO that reads and writes this pipe; the caller owns it.
    func makeBIO() -> OpaquePointer? {
        // SAFETY: the BIO borrows `self`, see INVARIANT; BIO_new copies nothing but the pointer.
        guard let method = unsafe Self.method, let bio = unsafe BIO_new(method) else { return nil }
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    /// The table of functions, made once per process and never freed; nil when memory ran out.
    ///
    /// It is written only here, before anyone can see it, so reading it from any thread is safe.
    private static nonisolated(unsafe) let method: OpaquePointer? = {
        let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        guard let method = unsafe BIO_meth_new(kind, "pipe") else { return nil }
        // SAFETY: the closures capture nothing; OpenSSL calls them with a BIO made by makeBIO, whose
        // data is a live TLSBufferBIO (INVARIANT), and with buffers as long as it says.
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
            // An end of the connection is told by the engine, which knows it; to the library the
            // bytes are only late.
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
