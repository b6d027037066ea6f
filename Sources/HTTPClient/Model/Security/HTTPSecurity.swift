/// Says whom to trust over https, and what to show and offer.
///
/// The default is the system's certificate authorities, full verification of chain and host name,
/// and TLS 1.2 or later with the library's choice of ciphers. For one request,
/// ``HTTPRequest/security`` replaces the client's.
///
///     var security = HTTPSecurity()
///     security.trust = .system.adding(.file("/etc/ssl/company.pem"))
///     security.identity = .files(certificate: "me.pem", key: "me.key")
///     security.pins = [
///         HTTPPinRule(host: "api.example.com", pins: [.publicKey("sha256//…"), .publicKey("sha256//…")])
///     ]
///
/// Connections and TLS sessions are shared only by requests with equal settings. Equal means: the
/// same values; closures (``evaluator``, ``pinReporter``) are equal to their copies. What cannot be
/// used, such as a file that is not there, is said when a connection is opened:
/// ``HTTPError/Kind/tlsFailed(_:)`` with `.trust`, `.identity`, `.pinSettings`, `.ciphers` or
/// `.settings`. Files are read once for each client, before the first connection with the settings.
public struct HTTPSecurity: Sendable, Hashable {
    /// What is asked of the peer.
    public enum Verification: Sendable, Hashable {
        /// A chain to a trusted authority, valid now, for this host name.
        case full
        /// The same, but these hosts may show a certificate that vouches for itself.
        ///
        /// For machines of your own. Such a certificate's dates and host name still count; anyone
        /// who can answer in the host's place can make one, so pin it as soon as you can.
        ///
        /// Names and addresses as they stand in URLs.
        case acceptSelfSigned(hosts: Set<String>)
        /// Nothing: whoever can reach the connection can read and change everything. For tests.
        ///
        /// Pins are still obeyed, against the peer's own key.
        case disabled
    }

    /// Names the versions of TLS that are safe to speak (RFC 8996 forbids the older ones).
    public enum Version: Sendable, Hashable, Comparable {
        /// RFC 5246.
        case tls12
        /// RFC 8446.
        case tls13
    }

    /// Says whether sessions are kept and taken up.
    public enum Resumption: Sendable, Hashable {
        /// A later connection to the same host takes an earlier session up (RFC 8446 §2.2): no
        /// certificate crosses the wire again. Pins and ``evaluator`` judge it all the same.
        case on
        /// Every connection shakes hands in full.
        case off
    }

    /// Says where the secrets of connections are written, for programs that decrypt captures.
    ///
    /// **Whoever reads the file can read everything sent.**
    public enum KeyLog: Sendable, Hashable {
        /// Appended to; made for its owner alone when there is none.
        ///
        /// It must be a regular file of the process's user with one link; another one is a bad
        /// configuration.
        case file(String)
        /// The file that the variable `SSLKEYLOGFILE` names, if it names one.
        case environment
    }

    /// Which certificate authorities are trusted.
    ///
    /// Default: the system's.
    public var trust: Trust

    /// What is asked of the peer.
    ///
    /// Default: everything.
    public var verification: Verification

    /// What to show a server that asks who we are.
    ///
    /// Default none.
    public var identity: Identity?

    /// The oldest version spoken.
    ///
    /// Default TLS 1.2, the oldest that is safe.
    public var minimumVersion: Version

    /// The newest version spoken.
    ///
    /// Default TLS 1.3.
    public var maximumVersion: Version

    /// The cipher suites of TLS 1.2 in OpenSSL's words, such as `ECDHE+AESGCM`.
    ///
    /// Default nil: the library's. Suites without a certificate are left out whatever it says, and
    /// `@SECLEVEL` is refused, because it would loosen what is asked of certificates.
    public var ciphers: String?

    /// The cipher suites of TLS 1.3, such as `TLS_AES_128_GCM_SHA256`, best first.
    ///
    /// Default nil: the library's.
    public var cipherSuites: [String]?

    /// The groups of the key exchange, such as `X25519` or `P-256`, best first.
    ///
    /// Default nil: the library's.
    public var groups: [String]?

    /// Whether sessions are kept and taken up.
    ///
    /// Default on: a handshake costs a fraction of a full one then.
    public var resumption: Resumption

    /// What hosts must show besides; every rule that names a host counts.
    ///
    /// Default none.
    public var pins: [HTTPPinRule]

    /// Who is told when a host shows nothing that is pinned, be it enforced or audited.
    ///
    /// Default nobody.
    public var pinReporter: HTTPPinReporter?

    /// Code of your own that decides besides.
    ///
    /// Default none.
    public var evaluator: HTTPTrustEvaluator?

    /// Where secrets are written.
    ///
    /// Default nil: nowhere, whatever the environment says.
    public var keyLog: KeyLog?

    /// Makes the default settings, but for whom to trust.
    public init(trust: Trust = .system, verification: Verification = .full) {
        self.trust = trust
        self.verification = verification
        identity = nil
        minimumVersion = .tls12
        maximumVersion = .tls13
        ciphers = nil
        cipherSuites = nil
        groups = nil
        resumption = .on
        pins = []
        pinReporter = nil
        evaluator = nil
        keyLog = nil
    }
}

extension HTTPSecurity {
    /// Says which certificate authorities are trusted: those named, and no others.
    ///
    ///     .system
    ///     .file("/etc/ssl/company.pem")                  // instead of the system's
    ///     .system.adding(.file("/etc/ssl/company.pem"))  // added to them
    ///
    /// A certificate that you name yourself need not be a root: a chain may end in it whatever it
    /// is, the server's own included.
    public struct Trust: Sendable, Hashable {
        enum Source: Sendable, Hashable {
            case bytes([UInt8])
            case file(String)
            case directory(String)
        }

        let includesSystem: Bool
        let sources: [Source]

        private init(includesSystem: Bool, sources: [Source]) {
            self.includesSystem = includesSystem
            self.sources = sources
        }

        /// The system's, read once in a process when the first connection needs it.
        ///
        /// The file and the directories that SSL_CERT_FILE and SSL_CERT_DIR name; without them the
        /// bundle of Debian, Fedora, openSUSE or Alpine.
        public static let system = Trust(includesSystem: true, sources: [])

        /// The certificates of a file, PEM or DER.
        public static func file(_ path: String) -> Trust {
            Trust(includesSystem: false, sources: [.file(path)])
        }

        /// The certificates of a directory whose files are named by the hashes of their subjects, as
        /// `openssl rehash` makes it; each is read when it is first needed.
        public static func directory(_ path: String) -> Trust {
            Trust(includesSystem: false, sources: [.directory(path)])
        }

        /// The certificates of PEM text.
        public static func pem(_ text: [UInt8]) -> Trust {
            Trust(includesSystem: false, sources: [.bytes(text)])
        }

        /// Certificates in DER.
        public static func der(_ certificates: [[UInt8]]) -> Trust {
            Trust(includesSystem: false, sources: certificates.map { .bytes($0) })
        }

        /// These and others.
        public func adding(_ others: Trust) -> Trust {
            Trust(
                includesSystem: includesSystem || others.includesSystem,
                sources: sources + others.sources
            )
        }
    }
}
