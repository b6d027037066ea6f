/// Says whom a client trusts and what it offers in a handshake.
package struct TLSConfiguration: Sendable, Hashable {
    /// Where the trusted authorities come from.
    package var trust: Trust
    /// Whether the peer must prove who it is.
    package var verification: Verification
    /// The oldest version spoken; TLS 1.2, because RFC 8996 forbids what is older.
    package var minimumVersion: TLSVersion
    /// The newest version spoken.
    package var maximumVersion: TLSVersion
    /// ALPN names in order of preference (RFC 7301); empty sends no such extension.
    package var applicationProtocols: [String]
    /// What to show a server that asks who we are; nil shows nothing.
    package var identity: Identity?

    package init(
        trust: Trust = .system,
        verification: Verification = .full,
        minimumVersion: TLSVersion = .tls12,
        maximumVersion: TLSVersion = .tls13,
        applicationProtocols: [String] = ["http/1.1"],
        identity: Identity? = nil
    ) {
        self.trust = trust
        self.verification = verification
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
        self.applicationProtocols = applicationProtocols
        self.identity = identity
    }

    /// Names the certificates that a chain may end in.
    package enum Trust: Sendable, Hashable {
        /// What the system ships, or `SSL_CERT_FILE` and `SSL_CERT_DIR` name; read at first use.
        case system
        /// These certificates and no others.
        case certificates(pem: [UInt8])
        /// The system's and these.
        case systemAnd(pem: [UInt8])
        /// The certificates of this PEM file and no others.
        case file(String)
    }

    /// Says how much of the peer's certificate is checked.
    package enum Verification: Sendable, Hashable {
        /// The chain, its dates and uses, and the name of the peer.
        case full
        /// Nothing: **anyone on the path can read and change every byte.**
        ///
        /// For tests against throw-away servers, or together with a check of the public key that
        /// the caller makes itself before it sends anything.
        case none
    }

    /// Holds a certificate chain and the key that belongs to its first certificate.
    package struct Identity: Sendable, Hashable {
        /// PEM: our own certificate first, then its issuers in order; the root may be left out.
        package let certificateChain: [UInt8]
        /// PEM, not encrypted.
        package let privateKey: [UInt8]

        package init(certificateChain: [UInt8], privateKey: [UInt8]) {
            self.certificateChain = certificateChain
            self.privateKey = privateKey
        }
    }
}
