public import SocketTransport

extension HTTPSecurity {
    /// Returns settings that require one of these pins in each chain, in addition to full
    /// verification.
    ///
    ///     request.security = .pinned(to: [.certificate(file: "first.cer"), .publicKey(file: "next.pem")])
    ///
    /// - Parameters:
    ///   - pins: the pins, of which each chain must contain one.
    ///   - host: the host that the pins apply to. Default nil: all hosts.
    ///   - trust: the trusted certificates. Default: the system's authorities. Add your own
    ///     certificate here if it is self-signed.
    /// - Returns: settings with one `HTTPPin.Rule`.
    public static func pinned(
        to pins: [HTTPPin],
        host: String? = nil,
        trust: Trust = .system
    ) -> HTTPSecurity {
        var security = HTTPSecurity(trust: trust)
        security.pins = [HTTPPin.Rule(host: host, pins: pins)]
        return security
    }

    /// The part of a certificate that is pinned.
    public enum PinnedPart: Sendable, Hashable {
        /// The public key, which outlives the certificate.
        case publicKey
        /// The whole certificate.
        case certificate
    }

    /// Returns settings that require one of the certificates in a directory in each chain, in
    /// addition to full verification.
    ///
    /// Use it for certificates that are shipped with the program. The method blocks while it lists
    /// the directory. It pins the files whose names end in `.cer`, `.crt`, `.der` or `.pem`. Each
    /// must have one certificate, in PEM or DER.
    ///
    /// - Parameters:
    ///   - directory: the directory of the certificates; subdirectories are not searched.
    ///   - part: the part of each certificate to pin. Default: its public key.
    ///   - host: the host that the pins apply to. Default nil: all hosts.
    ///   - trust: the trusted certificates. Default: the system's authorities.
    /// - Returns: settings with one `HTTPPin.Rule`. A file without a certificate is reported when
    ///   the settings are used.
    /// - Throws: `.fileFailed` if the directory cannot be read or has no such file. Pins without
    ///   any certificate would reject every server.
    public static func pinned(
        toCertificatesIn directory: String,
        by part: PinnedPart = .publicKey,
        host: String? = nil,
        trust: Trust = .system
    ) throws(HTTPError) -> HTTPSecurity {
        let names: [String]
        do throws(Errno) {
            names = try Directory.names(in: directory)
        } catch {
            throw FileContents.error(directory, .open, error.description)
        }
        let files = names.filter { name in
            [".cer", ".crt", ".der", ".pem"].contains { name.hasSuffix($0) }
        }
        guard !files.isEmpty else {
            throw FileContents.error(directory, .read, "there is no certificate in it")
        }
        let pins = files.map { name in
            let path = "\(directory)/\(name)"
            return part == .publicKey ? HTTPPin.publicKey(file: path) : .certificate(file: path)
        }
        return pinned(to: pins, host: host, trust: trust)
    }

    /// Returns settings with full verification that accept self-signed certificates from these
    /// hosts.
    ///
    /// For development only: any attacker on the network path can present such a certificate.
    public static func acceptingSelfSigned(hosts: Set<String>) -> HTTPSecurity {
        HTTPSecurity(verification: .acceptSelfSigned(hosts: hosts))
    }

    /// Settings without any verification: every server is trusted.
    ///
    /// For development only: the connection is encrypted, but the server is not authenticated.
    public static var withoutVerification: HTTPSecurity { HTTPSecurity(verification: .disabled) }

    /// Returns settings with full verification and a closure that can reject verified peers.
    ///
    /// - Parameter evaluate: a closure that checks the chain before the client sends any byte of a
    ///   request.
    /// - Returns: settings with a vetoing `HTTPTrustEvaluator`.
    public static func vetoed(
        by evaluate: @escaping HTTPTrustEvaluator.Evaluate
    ) -> HTTPSecurity {
        var security = HTTPSecurity()
        security.evaluator = .vetoing(evaluate)
        return security
    }
}
