internal import SocketTransport

/// Says whom to trust over https.
///
/// The default is the system's certificate authorities, full verification of chain and host name,
/// and TLS 1.2 or later.
public struct HTTPSecurity: Sendable, Hashable {
    /// Which certificate authorities are trusted.
    public enum Trust: Sendable, Hashable {
        /// The system's store, or the files that SSL_CERT_FILE and SSL_CERT_DIR name.
        case system
        /// The certificates of a PEM file, instead of the system's.
        case file(String)
        /// The certificates of PEM text, instead of the system's.
        case pem([UInt8])
    }

    /// What is asked of the peer.
    public enum Verification: Sendable, Hashable {
        /// A chain to a trusted authority, valid now, for this host name.
        case full
        /// Nothing: whoever can reach the connection can read and change everything. For tests.
        case acceptAnyone
    }

    /// Which certificate authorities are trusted.
    ///
    /// Default: the system's.
    public var trust: Trust

    /// What is asked of the peer.
    ///
    /// Default: everything.
    public var verification: Verification

    /// Makes settings.
    public init(trust: Trust = .system, verification: Verification = .full) {
        self.trust = trust
        self.verification = verification
    }
}
