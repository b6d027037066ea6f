internal import ArgumentParser

/// The TLS options: trust, client certificate, versions and ciphers.
struct SecurityOptions: ParsableArguments {
    @Flag(name: [.customShort("k"), .long], help: "Do not verify the server's certificate.")
    var insecure = false

    @Option(help: "Trust the certificates in this PEM file instead of the system's.")
    var cacert: String?

    @Option(help: "Also trust the certificates in this directory (openssl rehash).")
    var capath: String?

    @Option(
        name: [.customShort("E"), .long],
        help: "Send this client certificate if the server requests one: file[:passphrase]."
    )
    var cert: String?

    @Option(help: "The format of the certificate: PEM, DER or P12.")
    var certType: String?

    @Option(help: "The file of the private key, if it is not in the certificate file.")
    var key: String?

    @Option(help: "The format of the key: PEM or DER.")
    var keyType: String?

    @Option(help: "The passphrase of the private key.")
    var pass: String?

    @Option(help: "Require this public key: sha256//hash[;sha256//hash], or a file of it.")
    var pinnedpubkey: String?

    @Option(help: "Require this key in the verified chain: sha256//hash[;...], or a file.")
    var pinChain: String?

    @Flag(
        name: [.customShort("1"), .customLong("tlsv1")],
        help: "Use TLS 1.2 or later (default)."
    )
    var tlsv1 = false

    @Flag(name: .customLong("tlsv1.0"), help: "Use TLS 1.2 or later, never an older version.")
    var tlsv1dot0 = false

    @Flag(name: .customLong("tlsv1.1"), help: "Use TLS 1.2 or later, never an older version.")
    var tlsv1dot1 = false

    @Flag(name: .customLong("tlsv1.2"), help: "Use TLS 1.2 or later.")
    var tlsv1dot2 = false

    @Flag(name: .customLong("tlsv1.3"), help: "Use TLS 1.3 or later.")
    var tlsv1dot3 = false

    @Option(help: "The latest TLS version to use: 1.2 or 1.3.")
    var tlsMax: TLSMaximum?

    @Option(help: "Offer these TLS 1.2 ciphers, in OpenSSL's syntax.")
    var ciphers: String?

    @Option(name: .customLong("tls13-ciphers"), help: "Offer these TLS 1.3 cipher suites.")
    var tls13Ciphers: String?

    @Option(help: "Offer these groups for the key exchange.")
    var curves: String?

    @Flag(name: .customLong("no-sessionid"), help: "Do not resume TLS sessions.")
    var noSessionid = false

    /// The value of `--tls-max`.
    enum TLSMaximum: String, ExpressibleByArgument {
        case standard = "default"
        case tls10 = "1.0"
        case tls11 = "1.1"
        case tls12 = "1.2"
        case tls13 = "1.3"
    }
}
