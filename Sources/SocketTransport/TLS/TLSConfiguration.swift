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
    package var identity: TLSClientIdentity?
    /// The cipher suites of TLS 1.2, in OpenSSL's words; nil for the library's.
    ///
    /// Suites without a certificate are never offered, and the strength that is asked of keys does
    /// not change.
    package var ciphers: String?
    /// The cipher suites of TLS 1.3, separated by colons; nil for the library's.
    package var suites: String?
    /// The groups of the key exchange, separated by colons, best first; nil for the library's.
    package var groups: String?
    /// Whether sessions are kept and taken up.
    package var resumption = Resumption.on
    /// Where secrets are written; nil writes none.
    package var keyLog: TLSKeyLog?
    /// What hosts must show; every rule for a host counts.
    package var pins: [TLSPinRule] = []
    /// Who is told that a peer showed nothing pinned, in both modes.
    package var onPinMismatch: TLSPinMismatchHandler?
    /// Who decides besides; nil leaves it at verification and pins.
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

    /// Names the certificates that a chain may end in.
    package struct Trust: Sendable, Hashable {
        /// Says where certificates lie.
        package enum Source: Sendable, Hashable {
            /// PEM or DER.
            case material(TLSMaterial)
            /// A directory with names made of the hashes of subjects, as `openssl rehash` makes.
            case directory(String)
        }

        /// Whether the system's are trusted.
        package var includesSystem: Bool
        /// Those besides.
        package var sources: [Source]

        package init(includesSystem: Bool, sources: [Source]) {
            self.includesSystem = includesSystem
            self.sources = sources
        }

        /// What the system ships, or `SSL_CERT_FILE` and `SSL_CERT_DIR` name; read at first use.
        package static let system = Trust(includesSystem: true, sources: [])

        /// These certificates and no others.
        package static func certificates(pem: [UInt8]) -> Trust {
            Trust(includesSystem: false, sources: [.material(.bytes(pem))])
        }

        /// The system's and these.
        package static func systemAnd(pem: [UInt8]) -> Trust {
            Trust(includesSystem: true, sources: [.material(.bytes(pem))])
        }

        /// The certificates of this file and no others.
        package static func file(_ path: String) -> Trust {
            Trust(includesSystem: false, sources: [.material(.file(path))])
        }
    }

    /// Says how much of the peer's certificate is checked.
    package enum Verification: Sendable, Hashable {
        /// The chain, its dates and uses, and the name of the peer.
        case full
        /// The same, but these hosts may show a certificate that vouches for itself; its dates, uses
        /// and names still count.
        ///
        /// Names in lower case and addresses.
        case fullButSelfSigned(hosts: Set<String>)
        /// Nothing: **anyone on the path can read and change every byte.**
        ///
        /// For tests against throw-away servers, or together with a check of the public key that
        /// the caller makes itself before it sends anything.
        case none
    }

    /// Says whether sessions are kept and taken up (RFC 8446 §2.2, RFC 5077).
    package enum Resumption: Sendable, Hashable {
        case on
        case off
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
