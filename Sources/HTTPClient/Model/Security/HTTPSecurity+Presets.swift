internal import SocketTransport

extension HTTPSecurity {
    /// The system's trust, and one of these pins in each chain besides.
    ///
    ///     request.security = .pinned(to: [.certificate(file: "first.cer"), .publicKey(file: "next.pem")])
    ///
    /// - Parameters:
    ///   - pins: what a chain must hold one of.
    ///   - host: for whom; default nil, for all.
    ///   - trust: what chains may end in; default the system's authorities. Name your own certificate
    ///     here, too, when nobody else has signed it.
    /// - Returns: settings with one ``HTTPPinRule``.
    public static func pinned(
        to pins: [HTTPPin],
        host: String? = nil,
        trust: Trust = .system
    ) -> HTTPSecurity {
        var security = HTTPSecurity(trust: trust)
        security.pins = [HTTPPinRule(host: host, pins: pins)]
        return security
    }

    /// Says what of a certificate in a file is pinned.
    public enum PinnedPart: Sendable, Hashable {
        /// Its key, which outlives it.
        case publicKey
        /// All of it.
        case certificate
    }

    /// The system's trust, and in each chain besides one of the certificates of a directory, as they
    /// were shipped with the program; blocks while it lists them.
    ///
    /// Those are the files whose names end in `.cer`, `.crt`, `.der` or `.pem`, each with one certificate,
    /// in either encoding.
    ///
    /// - Parameters:
    ///   - directory: where they are. Names below it are not looked at.
    ///   - part: what of each is pinned; default its key.
    ///   - host: for whom; default nil, for all.
    ///   - trust: what chains may end in; default the system's authorities.
    /// - Returns: settings with one ``HTTPPinRule``; a file that holds no certificate is said when the
    ///   settings are used.
    /// - Throws: `.fileFailed` when the directory cannot be read, or has no such file: pins without any
    ///   certificate would refuse everybody.
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

    /// Full verification, but that these hosts may show certificates that they have signed themselves.
    ///
    /// For development. Anyone on the way can show such a certificate.
    public static func acceptingSelfSigned(hosts: Set<String>) -> HTTPSecurity {
        HTTPSecurity(verification: .acceptSelfSigned(hosts: hosts))
    }

    /// Verifies nothing: whoever answers is believed.
    ///
    /// For development. The connection is encrypted, but nobody knows towards whom.
    public static var withoutVerification: HTTPSecurity { HTTPSecurity(verification: .disabled) }

    /// Full verification, and a closure that may refuse what it accepted.
    ///
    /// - Parameter evaluate: sees the chain, before a byte of a request is sent.
    /// - Returns: settings with a ``HTTPTrustEvaluator`` that vetoes.
    public static func vetoed(
        by evaluate: @escaping HTTPTrustEvaluator.Evaluate
    ) -> HTTPSecurity {
        var security = HTTPSecurity()
        security.evaluator = .vetoing(evaluate)
        return security
    }
}
