private import CSSL

/// An entry of this thread's OpenSSL error queue.
package struct OpenSSLError {
    private let packed: UInt

    /// Returns the oldest entry and empties the queue, so that the next call starts without errors.
    package static func pop() -> OpenSSLError {
        // SAFETY: the queue belongs to this thread.
        let packed = ERR_get_error()
        ERR_clear_error()
        return OpenSSLError(packed: packed)
    }

    /// Empties the queue; it is nearly always empty, and a check is cheaper than clearing it.
    static func clear() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// The newest entry, which stays in the queue: the error of the outermost call.
    static var latest: OpenSSLError { OpenSSLError(packed: ERR_peek_last_error()) }

    var isEmpty: Bool { packed == 0 }

    /// OpenSSL's description, such as `wrong version number`.
    package var reason: String {
        // SAFETY: the string is a constant of OpenSSL.
        guard packed != 0, let text = unsafe ERR_reason_error_string(packed) else {
            return packed == 0 ? "unknown" : "error \(packed)"
        }
        return unsafe String(cString: text)
    }

    /// Whether PEM reading stopped because there was no further block.
    var isEndOfPEM: Bool {
        ERR_GET_LIB(packed) == ERR_LIB_PEM && ERR_GET_REASON(packed) == PEM_R_NO_START_LINE
    }

    /// The alert that the peer sent, if that was the failure (RFC 8446 §6.2).
    var alert: UInt8? {
        guard isSSL else { return nil }
        return UInt8(exactly: ERR_GET_REASON(packed) - SSL_AD_REASON_OFFSET)
    }

    /// Whether the two sides have no protocol version in common.
    var isVersionMismatch: Bool {
        guard isSSL else { return false }
        switch ERR_GET_REASON(packed) {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW,
            SSL_R_VERSION_TOO_HIGH, SSL_R_WRONG_VERSION_NUMBER, SSL_R_NO_PROTOCOLS_AVAILABLE,
            SSL_R_UNKNOWN_PROTOCOL, SSL_R_BAD_PROTOCOL_VERSION_NUMBER:
            return true
        default:
            return false
        }
    }

    private var isSSL: Bool {
        ERR_GET_LIB(packed) == ERR_LIB_SSL
    }
}
