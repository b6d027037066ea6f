private import CSSL

extension TLSEngine {
    /// The result of a read.
    package enum ReadOutcome: Sendable, Hashable {
        /// The number of bytes decrypted; never 0.
        case bytes(Int)
        case needsInput
        /// The peer sent close-notify: all of its data has arrived (RFC 8446 §6.1).
        case closed
        /// The connection ended without close-notify: the data may be truncated.
        case truncated
    }

    /// Decrypts until `buffer` is full or the input is used up.
    ///
    /// - Throws: `.failed` with the reason, also after too many messages without data; bytes decrypted before the
    ///   error are returned first.
    package func read(into buffer: inout MutableSpan<UInt8>) throws(TLSError) -> ReadOutcome {
        switch phase {
        case .open: break
        case .failed(let failure): throw failure
        case .handshaking: throw .internalError(reason: "read before the end of the handshake")
        }
        // A call of OpenSSL that finds nothing costs as much as decrypting a small record.
        guard mayFindInput else { return .needsInput }
        var total = 0
        // SAFETY: see INVARIANT. `base + total` with `count - total` bytes stays within the
        // caller's buffer, because OpenSSL never reports more than the size it was given.
        let last = unsafe buffer.withUnsafeMutableBufferPointer { region -> Int32 in
            guard let base = region.baseAddress else { return 1 }
            OpenSSLError.clear()
            while total < region.count, total == 0 || mayFindInput {
                var step = 0
                let done = unsafe SSL_read_ex(ssl, base + total, region.count - total, &step)
                if done != 1 { return done }
                total += step
            }
            return 1
        }
        if total > 0 {
            let paid = inputWithoutData - total * Self.messageBytesPerByte
            inputWithoutData = max(bufferBIO.input.count, paid)
        }
        if isFlooded {
            let failure = fail(Self.flood)
            if total == 0 { throw failure }
            return .bytes(total)
        }
        if last == 1 { return total > 0 ? .bytes(total) : .needsInput }
        let outcome: ReadOutcome
        switch unsafe SSL_get_error(ssl, last) {
        case SSL_ERROR_WANT_READ:
            outcome = hasEnded ? .truncated : .needsInput
        case SSL_ERROR_ZERO_RETURN:
            hasPeerClosed = true
            outcome = .closed
        default:
            let failure = fail(Self.transferFailure(OpenSSLError.pop()))
            if total == 0 { throw failure }
            return .bytes(total)
        }
        return total > 0 ? .bytes(total) : outcome
    }

    /// Whether OpenSSL may return a result: ciphertext, plain text or the end of the stream.
    private var mayFindInput: Bool {
        // SAFETY: see INVARIANT.
        !bufferBIO.input.isEmpty || hasPeerClosed || hasEnded || (unsafe SSL_has_pending(ssl)) != 0
    }

    /// Encrypts a prefix of `plain` into the output.
    ///
    /// - Returns: the number of bytes accepted; fewer than offered once the output has 64 KiB or
    ///   more, and if ``writeNeedsInput``.
    package func write(_ plain: Span<UInt8>) throws(TLSError) -> Int {
        switch phase {
        case .open: break
        case .failed(let failure): throw failure
        case .handshaking: throw .internalError(reason: "write before the end of the handshake")
        }
        writeNeedsInput = false
        var total = 0
        // SAFETY: see INVARIANT; `base + total` stays within the caller's span as in `read`.
        let last = unsafe plain.withUnsafeBufferPointer { region -> Int32 in
            guard let base = region.baseAddress else { return 1 }
            OpenSSLError.clear()
            while total < region.count, bufferBIO.output.count < Self.outputLimit {
                var step = 0
                let rest = min(region.count - total, Self.outputLimit)
                let done = unsafe SSL_write_ex(ssl, base + total, rest, &step)
                if done != 1 { return done }
                total += step
            }
            return 1
        }
        if last == 1 { return total }
        if !hasEnded, unsafe SSL_get_error(ssl, last) == SSL_ERROR_WANT_READ {
            writeNeedsInput = true
            return total
        }
        let failure = fail(Self.transferFailure(OpenSSLError.pop()))
        if total == 0 { throw failure }
        return total
    }

    /// Adds close-notify to the output, once (RFC 8446 §6.1); does nothing without a session.
    package func shutDown() {
        guard case .open = phase else { return }
        // SAFETY: see INVARIANT. The result only indicates whether the peer has also closed.
        ERR_clear_error()
        _ = unsafe SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// Converts an OpenSSL error after the handshake.
    ///
    /// The version is already negotiated then, so another one in a record is a protocol error.
    private static func transferFailure(_ error: OpenSSLError) -> TLSError {
        error.isVersionMismatch ? .failed(.peerProtocol(reason: error.reason)) : failure(error)
    }

    /// The bytes of messages without data that the peer may send for each byte of data.
    ///
    /// 64: a record with one byte of data has 23 bytes. If each byte of data reset the count of messages, the peer
    /// could send a flood of them before each byte.
    private static let messageBytesPerByte = 64

    /// The maximum ciphertext in the output before one more record.
    private static let outputLimit = 64 * 1024
}
