/// Says how TLS failed and whose doing it was.
package enum TLSFailure: Error, Sendable, Hashable {
    /// The peer's certificate chain or name was not accepted.
    case certificate(reason: String)
}
