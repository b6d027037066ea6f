internal import SocketTransport
internal import Wire

extension HTTPSecurity {
    /// The settings converted to the transport's type.
    var transport: TLSConfiguration {
        var result = TLSConfiguration()
        result.trust = TLSConfiguration.Trust(
            includesSystem: trust.includesSystem,
            sources: trust.sources.map { source in
                switch source {
                case .bytes(let bytes): .material(.bytes(bytes))
                case .file(let path): .material(.file(path))
                case .directory(let path): .directory(path)
                }
            }
        )
        result.verification =
            switch verification {
            case .full: .full
            case .acceptSelfSigned(let hosts):
                // The form that TLS uses: lower case, without brackets and trailing dot.
                .fullButSelfSigned(hosts: Set(hosts.map(Self.peerName)))
            case .disabled: .none
            }
        result.identity = identity?.transport
        result.minimumVersion = minimumVersion.transport
        result.maximumVersion = maximumVersion.transport
        result.ciphers = ciphers
        result.suites = cipherSuites?.joined(separator: ":")
        result.groups = groups?.joined(separator: ":")
        result.resumption = resumption == .on ? .on : .off
        result.keyLog = keyLog.map { log in
            switch log {
            case .file(let path): .file(path)
            case .environment: .environment
            }
        }
        result.pins = pins.map(\.transport)
        result.onPinMismatch = pinReporter.map { reporter in
            // The transport reports its own type of the rule; the public rule has the same index.
            let rules = pins
            let places = result.pins
            return TLSPinMismatchHandler { mismatch in
                guard let place = places.firstIndex(of: mismatch.rule) else { return }
                reporter.report(
                    HTTPPinReporter.Mismatch(
                        host: mismatch.host,
                        rule: rules[place],
                        certificates: HTTPCertificate.all(of: mismatch.peer.chain),
                        isResumed: mismatch.resumed
                    )
                )
            }
        }
        result.evaluator = evaluator?.transport
        return result
    }

    static func peerName(_ host: String) -> String {
        let plain = Origin(scheme: .https, host: host).host
        return plain.last == "." ? String(plain.dropLast()) : plain
    }
}

extension HTTPSecurity.Version {
    fileprivate var transport: TLSVersion {
        switch self {
        case .tls12: .tls12
        case .tls13: .tls13
        }
    }
}

extension HTTPSecurity.Identity {
    fileprivate var transport: TLSClientIdentity {
        switch content {
        case .separate(let certificate, let key, let passphrase):
            .separate(
                chain: certificate.transport,
                key: key.transport,
                passphrase: passphrase
            )
        case .pkcs12(let material, let passphrase):
            .pkcs12(material.transport, passphrase: passphrase)
        }
    }
}

extension HTTPSecurity.Identity.Material {
    fileprivate var transport: TLSMaterial {
        switch self {
        case .bytes(let bytes): .bytes(bytes)
        case .file(let path): .file(path)
        }
    }
}

extension HTTPPinRule {
    fileprivate var transport: TLSPinRule {
        let subject: TLSPinRule.Subject
        if let host {
            let name = HTTPSecurity.peerName(host)
            subject = subdomains == .included ? .hostAndSubdomains(name) : .host(name)
        } else {
            subject = .everyHost
        }
        return TLSPinRule(
            subject: subject,
            pins: pins.map(\.transport),
            scope: scope == .chain ? .chain : .leaf,
            mode: mode == .enforce ? .enforce : .audit
        )
    }
}

extension HTTPPin {
    fileprivate var transport: TLSPin.Source {
        switch content {
        case .keyDigest(let digest): .digest(.publicKey(digest))
        case .certificateDigest(let digest): .digest(.certificate(digest))
        case .keyBytes(let bytes): .publicKey(.bytes(bytes))
        case .keyFile(let path): .publicKey(.file(path))
        case .certificateBytes(let bytes): .certificate(.bytes(bytes))
        case .certificateFile(let path): .certificate(.file(path))
        // An empty digest, which is rejected for its length.
        case .invalid: .digest(.publicKey([]))
        }
    }
}

/// Security settings with a precomputed hash, used in the key of pooled connections.
///
/// Settings can contain whole certificate bundles. Hashing those for each request would be
/// expensive.
final class HashedSecurity: Sendable, Hashable {
    let security: HTTPSecurity
    private let cachedHash: Int

    init(_ security: HTTPSecurity) {
        self.security = security
        var hasher = Hasher()
        hasher.combine(security)
        cachedHash = hasher.finalize()
    }

    static func == (left: HashedSecurity, right: HashedSecurity) -> Bool {
        left === right || (left.cachedHash == right.cachedHash && left.security == right.security)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(cachedHash)
    }
}
