internal import ArgumentParser

/// The TLS options: trust, client certificate, versions and ciphers.
struct SecurityOptions: ParsableArguments {
    @Flag(name: [.customShort("k"), .long], help: "Trust every server.")
    var insecure = false

    @Option(help: "Trust the certificates of this PEM file instead of the system's.")
    var cacert: String?

    @Option(help: "Trust the certificates of this directory (openssl rehash) as well.")
    var capath: String?

    @Option(
        name: [.customShort("E"), .long],
        help: "Show this certificate to servers that ask: file[:passphrase]."
    )
    var cert: String?

    @Option(help: "The form of the certificate: PEM, DER or P12.")
    var certType: String?

    @Option(help: "The private key, when it is not in the certificate's file.")
    var key: String?

    @Option(help: "The form of the key: PEM or DER.")
    var keyType: String?

    @Option(help: "What opens the private key.")
    var pass: String?

    @Option(help: "Insist on the server's key: sha256//hash[;sha256//hash], or a file of it.")
    var pinnedpubkey: String?

    @Option(help: "Insist on a key anywhere in the verified chain: sha256//hash[;...], or a file.")
    var pinChain: String?

    @Flag(name: [.customShort("1"), .customLong("tlsv1")], help: "Use TLS, as always.")
    var tlsv1 = false

    @Flag(name: .customLong("tlsv1.0"), help: "Use TLS 1.2 or later; older ones are never used.")
    var tlsv1dot0 = false

    @Flag(name: .customLong("tlsv1.1"), help: "Use TLS 1.2 or later; older ones are never used.")
    var tlsv1dot1 = false

    @Flag(name: .customLong("tlsv1.2"), help: "Use TLS 1.2 or later.")
    var tlsv1dot2 = false

    @Flag(name: .customLong("tlsv1.3"), help: "Use TLS 1.3 or later.")
    var tlsv1dot3 = false

    @Option(help: "Use no later TLS than this: 1.2 or 1.3.")
    var tlsMax: TLSMaximum?

    @Option(help: "Offer these ciphers of TLS 1.2, in OpenSSL's words.")
    var ciphers: String?

    @Option(name: .customLong("tls13-ciphers"), help: "Offer these cipher suites of TLS 1.3.")
    var tls13Ciphers: String?

    @Option(help: "Offer these groups for the key exchange.")
    var curves: String?

    @Flag(name: .customLong("no-sessionid"), help: "Take no TLS session up again.")
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
