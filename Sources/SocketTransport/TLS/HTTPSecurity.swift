// To add a setting, add it here; `TLSContext` gives it to OpenSSL, or to the engines as one of the client settings. A
// setting that reads a file is also a path of `SecurityFileStamps`, and a new function of OpenSSL that is a macro needs
// `CSSL/include/CSSL.h`. The tests are `TLSOfferTests` for what the client offers, `TLSEngineTests` for what it
// verifies.

/// The TLS settings: trust, verification, client certificate, protocol versions and pins.
///
/// By default the client trusts the system's certificate authorities, verifies chain and host name
/// in full, and requires TLS 1.2 or later with the library's ciphers. A client has settings in
/// `HTTPClientSettings.security`, and `HTTPRequest.security` replaces them for one call.
///
///     var security = HTTPSecurity()
///     security.trust = .system.adding(.file("/etc/ssl/company.pem"))
///     security.identity = .files(certificate: "me.pem", key: "me.key")
///     security.pins = [
///         HTTPPin.Rule(host: "api.example.com", pins: [.publicKey("sha256//…"), .publicKey("sha256//…")])
///     ]
///
/// Calls share connections and TLS sessions only if their settings are equal. Settings are equal if
/// all values are equal; the closures ``evaluator`` and ``pinReporter`` are equal to their
/// copies.
///
/// Invalid settings, such as a missing file, are reported when a connection is opened:
/// `HTTPError.Kind.tlsFailed` with `.trust`, `.identity`, `.pinSettings`, `.ciphers` or
/// `.settings`.
///
/// Each client reads the files before its first connection with the settings. When it opens another connection, it
/// looks at most once a second whether a file has another size, time or inode. It then reads the files again, and
/// closes the older connections after their exchange. If the new files cannot be used, for example because the
/// certificate is already new and its key still the old one, it keeps what it has read before. Of a directory it looks
/// at the names in it, and a pipe is read once. ``provider`` is for certificates that are not in files.
public struct HTTPSecurity: Sendable, Hashable {
    /// The verification of a peer's certificate.
    public enum Verification: Sendable, Hashable {
        /// The peer must present a chain to a trusted authority, valid now, for this host name.
        case full
        /// Full verification, but these hosts may present a self-signed certificate.
        ///
        /// Use it for your own machines only. The dates and the host name of such a certificate are
        /// still checked. Anyone who can respond in place of the host can create one, so pin it as
        /// soon as possible.
        ///
        /// The set has names and addresses as they appear in URLs.
        case acceptSelfSigned(hosts: Set<String>)
        /// No verification, for tests. Anyone who can intercept the connection can read and change
        /// all data.
        ///
        /// Pins are still checked, against the peer's own key.
        case disabled
    }

    /// A supported TLS version; RFC 8996 forbids the older ones.
    public enum Version: Sendable, Hashable, Comparable {
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13

        /// The number of the version on the wire (RFC 8446 §4.2.1).
        var number: Int32 {
            switch self {
            case .tls12: 0x0303
            case .tls13: 0x0304
            }
        }
    }

    /// Whether TLS sessions are stored and resumed.
    public enum Resumption: Sendable, Hashable {
        /// Later connections to the same host resume an earlier session (RFC 8446 §2.2).
        ///
        /// The server then sends no certificate again. Pins and ``evaluator`` are checked
        /// nevertheless.
        case on
        /// Every connection makes a full handshake.
        case off
    }

    /// The destination of TLS secrets, for programs that decrypt captured traffic.
    ///
    /// **Anyone who reads the file can decrypt everything sent.**
    public enum KeyLog: Sendable, Hashable {
        /// Appends to this file; creates it if missing, accessible only to its owner.
        ///
        /// It must be a regular file that the process's user owns and that has one link. Any other
        /// file is a configuration error.
        case file(String)
        /// Appends to the file that the variable `SSLKEYLOGFILE` names, if set.
        case environment
    }

    /// The trusted certificate authorities.
    ///
    /// Default: the system's.
    public var trust: Trust

    /// The verification of the peer's certificate.
    ///
    /// Default: full.
    public var verification: Verification

    /// The client certificate for servers that ask for one.
    ///
    /// Default nil.
    public var identity: Identity?

    /// The oldest TLS version allowed.
    ///
    /// Default TLS 1.2, the oldest secure version.
    public var minimumVersion: Version

    /// The newest TLS version allowed.
    ///
    /// Default TLS 1.3.
    public var maximumVersion: Version

    /// The cipher suites of TLS 1.2 in OpenSSL's syntax, such as `ECDHE+AESGCM`.
    ///
    /// Default nil: the library's. Suites without a certificate are always excluded. `@SECLEVEL` is
    /// rejected, because it would relax the requirements on certificates.
    public var ciphers: String?

    /// The cipher suites of TLS 1.3, such as `TLS_AES_128_GCM_SHA256`, best first.
    ///
    /// Default nil: the library's.
    public var cipherSuites: [String]?

    /// The key exchange groups, such as `X25519` or `P-256`, best first.
    ///
    /// Default nil: the library's.
    public var groups: [String]?

    /// Whether TLS sessions are stored and resumed.
    ///
    /// Default on, because resuming costs a fraction of a full handshake.
    public var resumption: Resumption

    /// The certificate pins; all rules that match a host apply.
    ///
    /// Default none.
    public var pins: [HTTPPin.Rule]

    /// The callback for pin mismatches, in enforcing and in auditing rules.
    ///
    /// Default nil.
    public var pinReporter: HTTPPin.Reporter?

    /// An additional, custom check of peers.
    ///
    /// Default nil.
    public var evaluator: HTTPTrustEvaluator?

    /// The destination of TLS secrets.
    ///
    /// Default nil: none, regardless of the environment.
    public var keyLog: KeyLog?

    /// A closure that completes these settings before each new connection.
    ///
    /// Default nil.
    public var provider: Provider?

    /// Creates the default settings with this trust and verification.
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
        provider = nil
    }
}

extension HTTPSecurity {
    /// The trusted certificate authorities.
    ///
    ///     .system
    ///     .file("/etc/ssl/company.pem")                  // instead of the system's
    ///     .system.adding(.file("/etc/ssl/company.pem"))  // added to them
    ///
    /// A certificate that you list need not be a root. A chain may end in any listed certificate,
    /// even the server's own.
    public struct Trust: Sendable, Hashable {
        /// A source of certificates.
        enum Source: Sendable, Hashable {
            /// PEM or DER.
            case material(TLSMaterial)
            /// A directory with file names made from subject hashes.
            case directory(String)
        }

        let includesSystem: Bool
        let sources: [Source]

        private init(includesSystem: Bool, sources: [Source]) {
            self.includesSystem = includesSystem
            self.sources = sources
        }

        /// The system's authorities, read once per process before the first connection.
        ///
        /// They come from the file and the directories in SSL_CERT_FILE and SSL_CERT_DIR. Without
        /// these variables, the bundle of Debian, Fedora, openSUSE or Alpine is used.
        public static let system = Trust(includesSystem: true, sources: [])

        /// Trusts the certificates in a file, PEM or DER.
        public static func file(_ path: String) -> Trust {
            Trust(includesSystem: false, sources: [.material(.file(path))])
        }

        /// Trusts the certificates in a directory whose files are named by the hashes of their
        /// subjects, as `openssl rehash` does.
        ///
        /// Each file is read when it is first needed.
        public static func directory(_ path: String) -> Trust {
            Trust(includesSystem: false, sources: [.directory(path)])
        }

        /// Trusts the certificates in PEM text.
        public static func pem(_ text: [UInt8]) -> Trust {
            Trust(includesSystem: false, sources: [.material(.bytes(text))])
        }

        /// Trusts certificates in DER.
        public static func der(_ certificates: [[UInt8]]) -> Trust {
            Trust(includesSystem: false, sources: certificates.map { .material(.bytes($0)) })
        }

        /// Returns the union of this trust and another.
        public func adding(_ others: Trust) -> Trust {
            Trust(
                includesSystem: includesSystem || others.includesSystem,
                sources: sources + others.sources
            )
        }
    }
}
