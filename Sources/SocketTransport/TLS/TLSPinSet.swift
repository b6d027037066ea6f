/// The pins of one context, read and hashed.
struct TLSPinSet: Sendable {
    private struct Entry: Sendable {
        let rule: TLSPinRule
        let pins: Set<TLSPin>
    }

    private let entries: [Entry]

    /// Reads the pins of the rules.
    ///
    /// - Throws: `.badPin` if a rule has no pin, if a pin cannot be read, or if its host is neither
    ///   a name nor an address. A rule that can match no host would leave a host unpinned.
    init(_ rules: [TLSPinRule]) throws(TLSError) {
        var entries: [Entry] = []
        for rule in rules {
            switch rule.subject {
            case .everyHost: break
            case .host(let name), .hostAndSubdomains(let name):
                if let reason = PinnedHost(name).reasonNotToMatch {
                    throw .badPin(reason: "the host \(name) of a rule \(reason)")
                }
            }
            var pins: Set<TLSPin> = []
            for source in rule.pins { pins.insert(try Self.pin(source)) }
            guard !pins.isEmpty else { throw .badPin(reason: "a rule has no pin") }
            entries.append(Entry(rule: rule, pins: pins))
        }
        self.entries = entries
    }

    /// Returns the rules that a peer violates; every rule for the host must be met.
    func violatedRules(by peer: TLSPeer, as host: String) -> [TLSPinRule] {
        let host = PinnedHost(host)
        let fitting = entries.filter { Self.matches($0.rule.subject, host) }
        guard !fitting.isEmpty else { return [] }
        let shown = (0..<peer.chain.count).map { Self.pins(of: peer.chain, at: $0) }
        return fitting.filter { entry in
            // An unverified chain is only a claim: anyone can append a pinned certificate.
            let isWhole = entry.rule.scope == .chain && peer.verificationStatus == .verified
            let eligible = isWhole ? shown[...] : shown.prefix(1)
            return !eligible.contains { !$0.isDisjoint(with: entry.pins) }
        }.map(\.rule)
    }

    private static func pins(of chain: CertificateList, at index: Int) -> Set<TLSPin> {
        var result: Set<TLSPin> = []
        if let digest = MessageDigest.sha256.hash(chain.der(at: index)) {
            result.insert(.certificate(digest))
        }
        if let digest = MessageDigest.sha256.hash(chain.publicKey(at: index)) {
            result.insert(.publicKey(digest))
        }
        return result
    }

    private static func matches(_ subject: TLSPinRule.Subject, _ host: PinnedHost) -> Bool {
        switch subject {
        case .everyHost: true
        case .host(let name): PinnedHost(name) == host
        case .hostAndSubdomains(let name): host.isWithin(PinnedHost(name))
        }
    }

    private static func pin(_ source: TLSPin.Source) throws(TLSError) -> TLSPin {
        switch source {
        case .digest(let pin):
            switch pin {
            case .certificate(let digest), .publicKey(let digest):
                guard digest.count == MessageDigest.sha256.length else {
                    throw .badPin(reason: "a SHA-256 digest has 32 bytes, not \(digest.count)")
                }
            }
            return pin
        case .certificate(let material):
            let der = try read(material) { (material) throws(PEMError) in
                try CertificateList(material).der(at: 0)
            }
            return .certificate(der)
        case .publicKey(let material):
            let info = try read(material) { (material) throws(PEMError) in
                try publicKey(in: material)
            }
            return .publicKey(info)
        }
    }

    private static func publicKey(in material: TLSMaterial) throws(PEMError) -> [UInt8] {
        let bytes = try material.contents()
        if let info = PublicKey.subjectPublicKeyInfo(in: bytes) { return info }
        return try CertificateList(.bytes(bytes)).publicKey(at: 0)
    }

    /// Reads bytes from `material` with `take`, and returns their digest.
    private static func read(
        _ material: TLSMaterial,
        _ take: (TLSMaterial) throws(PEMError) -> [UInt8]
    ) throws(TLSError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(PEMError) {
            bytes = try take(material)
        } catch {
            throw .badPin(reason: "\(material.name): \(error.reason)")
        }
        guard let digest = MessageDigest.sha256.hash(bytes) else {
            throw .internalError(reason: "no SHA-256")
        }
        return digest
    }
}
