internal import HTTPClient

/// The client's TLS settings from the options, with curl's meaning.
enum SecurityBuilder {
    /// Creates the settings; files are read when a connection needs them.
    ///
    /// - Throws: `.badCertificate` for unknown file formats, as in curl.
    static func security(_ options: SecurityOptions) throws(FetchError) -> HTTPSecurity {
        var security = HTTPSecurity()
        if options.insecure { security.verification = .disabled }
        security.trust = options.cacert.map { .file($0) } ?? .system
        if let directory = options.capath {
            security.trust = security.trust.adding(.directory(directory))
        }
        security.identity = try identity(options)
        if options.tlsv1dot3 { security.minimumVersion = .tls13 }
        switch options.tlsMax {
        case nil, .standard, .tls13: break
        case .tls12: security.maximumVersion = .tls12
        // No version is left, and a connection will fail with that reason.
        case .tls10, .tls11: (security.minimumVersion, security.maximumVersion) = (.tls13, .tls12)
        }
        security.ciphers = options.ciphers
        security.cipherSuites = options.tls13Ciphers.map { [$0] }
        security.groups = options.curves.map { [$0] }
        security.resumption = options.noSessionid ? .off : .on
        security.keyLog = .environment
        for (value, scope) in [
            (options.pinnedpubkey, HTTPPin.Rule.Scope.leaf), (options.pinChain, .chain),
        ] {
            guard let value else { continue }
            security.pins.append(HTTPPin.Rule(host: nil, pins: pins(value), scope: scope))
        }
        return security
    }

    /// Parses pins; as in curl, a value that is not a hash matches nothing.
    private static func pins(_ value: String) -> [HTTPPin] {
        guard value.hasPrefix("sha256//") else { return [.publicKey(file: value)] }
        return value.split(separator: ";").map { .publicKey(String($0)) }.filter(\.isValid)
    }

    private static func identity(
        _ options: SecurityOptions
    ) throws(FetchError) -> HTTPSecurity.Identity? {
        guard let value = options.cert else { return nil }
        let parts = CertificateArgument(value)
        let passphrase = options.pass ?? parts.passphrase
        let form = (options.certType ?? "PEM").uppercased()
        let keyForm = (options.keyType ?? "PEM").uppercased()
        guard ["PEM", "DER", "P12"].contains(form) else {
            throw FetchError(
                .badCertificate,
                "not supported file type '\(options.certType ?? "")' for certificate"
            )
        }
        guard ["PEM", "DER"].contains(keyForm) else {
            throw FetchError(
                .badCertificate,
                "not supported file type '\(options.keyType ?? "")' for private key"
            )
        }
        if form == "P12" { return .pkcs12(file: parts.file, passphrase: passphrase ?? "") }
        return .files(certificate: parts.file, key: options.key, passphrase: passphrase)
    }
}
