/// An error of the TLS layer.
package enum TLSError: Error, Sendable, Hashable {
    /// The handshake or the connection failed because of the peer or the settings.
    case failed(TLSFailureReason)
    /// OpenSSL failed for a reason other than the input, such as exhausted memory.
    case internalError(reason: String)
}
