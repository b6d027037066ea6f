/// The settings of a client for trust and handshakes.
package struct TLSConfiguration: Sendable, Hashable {
    /// The source of the trusted authorities.
    package var trust: Trust
    /// The verification of the peer.
    package var verification: Verification
    /// The minimum version; TLS 1.2, because RFC 8996 forbids older ones.
    package var minimumVersion: TLSVersion
    /// The maximum version.
    package var maximumVersion: TLSVersion
    /// The ALPN names in order of preference (RFC 7301); if empty, the extension is omitted.
    package var applicationProtocols: [String]
    /// The client's own certificate for servers that ask for one; nil sends none.
    package var identity: TLSClientIdentity?
    /// The cipher suites of TLS 1.2 in OpenSSL's notation; nil for OpenSSL's default.
    ///
    /// Suites without a certificate are never offered, and the required key strength does not
    /// change.
    package var ciphers: String?
    /// The cipher suites of TLS 1.3, separated by colons; nil for OpenSSL's default.
    package var suites: String?
    /// The key exchange groups, separated by colons, best first; nil for OpenSSL's default.
    package var groups: String?
    /// Whether sessions are cached and resumed.
    package var resumption = Resumption.on
    /// The file that TLS secrets are written to; nil writes none.
    package var keyLog: TLSKeyLog?
    /// The pin rules; every rule for a host must be met.
    package var pins: [TLSPinRule] = []
    /// The handler for pin mismatches, in both modes.
    package var onPinMismatch: TLSPinMismatchHandler?
    /// The caller's own check of peers; nil relies on verification and pins alone.
    package var evaluator: TLSEvaluator?

    package init(
        trust: Trust = .system,
        verification: Verification = .full,
        minimumVersion: TLSVersion = .tls12,
        maximumVersion: TLSVersion = .tls13,
        applicationProtocols: [String] = ["http/1.1"],
        identity: TLSClientIdentity? = nil
    ) {
        self.trust = trust
        self.verification = verification
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
        self.applicationProtocols = applicationProtocols
        self.identity = identity
    }

    /// The certificates that a chain may end in.
    package struct Trust: Sendable, Hashable {
        /// A source of certificates.
        package enum Source: Sendable, Hashable {
            /// PEM or DER.
            case material(TLSMaterial)
            /// A directory with file names made from subject hashes, as by `openssl rehash`.
            case directory(String)
        }

        /// Whether the system's certificates are trusted.
        package var includesSystem: Bool
        /// The additional certificates.
        package var sources: [Source]

        package init(includesSystem: Bool, sources: [Source]) {
            self.includesSystem = includesSystem
            self.sources = sources
        }

        /// The system's certificates, or those of `SSL_CERT_FILE` and `SSL_CERT_DIR`.
        ///
        /// They are read at first use.
        package static let system = Trust(includesSystem: true, sources: [])

        /// Returns a setting that trusts only these certificates.
        package static func certificates(pem: [UInt8]) -> Trust {
            Trust(includesSystem: false, sources: [.material(.bytes(pem))])
        }

        /// Returns a setting that trusts the system's certificates and these.
        package static func systemAnd(pem: [UInt8]) -> Trust {
            Trust(includesSystem: true, sources: [.material(.bytes(pem))])
        }

        /// Returns a setting that trusts only the certificates in this file.
        package static func file(_ path: String) -> Trust {
            Trust(includesSystem: false, sources: [.material(.file(path))])
        }
    }

    /// The checks of the peer's certificate.
    package enum Verification: Sendable, Hashable {
        /// The chain, its dates and uses, and the name of the peer.
        case full
        /// The same checks, but these hosts may present a self-signed certificate.
        ///
        /// Its dates, uses and names are still checked. The hosts are names in lower case or
        /// addresses.
        case fullButSelfSigned(hosts: Set<String>)
        /// No checks: **an attacker on the network path can read and change every byte.**
        ///
        /// For tests against temporary servers, or if the caller checks the public key itself
        /// before it sends anything.
        case none
    }

    /// Whether sessions are cached and resumed (RFC 8446 §2.2, RFC 5077).
    package enum Resumption: Sendable, Hashable {
        case on
        case off
    }

    /// A certificate chain and the private key of its first certificate.
    package struct Identity: Sendable, Hashable {
        /// The chain in PEM: the own certificate first, then its issuers in order.
        ///
        /// The root may be omitted.
        package let certificateChain: [UInt8]
        /// The private key in PEM, not encrypted.
        package let privateKey: [UInt8]

        package init(certificateChain: [UInt8], privateKey: [UInt8]) {
            self.certificateChain = certificateChain
            self.privateKey = privateKey
        }
    }
}

/// The supported protocol versions (RFC 8996 forbids older ones).
package enum TLSVersion: UInt16, Sendable, Hashable, Comparable {
    /// RFC 5246.
    case tls12 = 0x0303
    /// RFC 8446.
    case tls13 = 0x0304

    package static func < (left: TLSVersion, right: TLSVersion) -> Bool {
        left.rawValue < right.rawValue
    }
}
