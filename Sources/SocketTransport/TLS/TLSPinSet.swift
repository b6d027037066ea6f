private import Glibc

/// The pins of one context, read and hashed.
struct TLSPinSet: Sendable {
    private struct Entry: Sendable {
        let rule: TLSPinRule
        let pins: Set<Digest>
    }

    /// A pin as a struct. The leak check does not find bytes whose pointer has the tag of a second enum
    /// case, and reports the pins of a context that lives until the process ends.
    private struct Digest: Sendable, Hashable {
        let isPublicKey: Bool
        let bytes: [UInt8]

        init(_ pin: TLSPin) {
            switch pin {
            case .certificate(let digest):
                isPublicKey = false
                bytes = digest
            case .publicKey(let digest):
                isPublicKey = true
                bytes = digest
            }
        }
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
            var pins: Set<Digest> = []
            for source in rule.pins { pins.insert(Digest(try Self.pin(source))) }
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

    private static func pins(of chain: CertificateList, at index: Int) -> Set<Digest> {
        var result: Set<Digest> = []
        if let digest = MessageDigest.sha256.hash(chain.der(at: index)) {
            result.insert(Digest(.certificate(digest)))
        }
        if let digest = MessageDigest.sha256.hash(chain.publicKey(at: index)) {
            result.insert(Digest(.publicKey(digest)))
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

/// A host in the form that pin rules compare: an address as a number, in any notation, or a name.
///
/// Every text that the connector would use as an address is an address here, so that another
/// notation cannot bypass a rule. This includes IPv4-mapped IPv6 addresses, and the short, octal
/// and hexadecimal forms that getaddrinfo(3) accepts.
enum PinnedHost: Equatable {
    case v4(UInt32)
    case v6(UInt128)
    /// A name in lower case ASCII, without the trailing dot.
    case name(String)

    init(_ host: String) {
        var text = host[...]
        if text.first == "[", text.last == "]" { text = text.dropFirst().dropLast() }
        if text.utf8.last == UInt8(ascii: ".") { text = text.dropLast() }
        // The zone of a link-local address is not part of the name in a certificate.
        if text.utf8.contains(UInt8(ascii: ":")) { text = text.prefix { $0 != "%" } }
        let plain = String(text)
        if let address = IPAddress(literal: plain) {
            let number = address.number
            if !address.isIPv6 {
                self = .v4(UInt32(truncatingIfNeeded: number))
            } else if number >> 32 == 0xFFFF {
                self = .v4(UInt32(truncatingIfNeeded: number))
            } else {
                self = .v6(number)
            }
            return
        }
        var address = in_addr()
        // SAFETY: the string and `address` outlive the call.
        if plain.utf8.first.map({ (0x30...0x39).contains($0) }) == true,
            unsafe inet_aton(plain, &address) != 0
        {
            self = .v4(UInt32(bigEndian: address.s_addr))
            return
        }
        let lower = plain.utf8.map { (65...90).contains($0) ? $0 | 32 : $0 }
        self = .name(String(decoding: lower, as: UTF8.self))
    }

    /// Returns whether it equals the other host or is a subdomain of it.
    func isWithin(_ other: PinnedHost) -> Bool {
        guard case .name(let name) = self, case .name(let above) = other else {
            return self == other
        }
        return name == above || name.hasSuffix("." + above)
    }

    /// The reason why this cannot equal the host of a URL; nil if it can.
    ///
    /// A URL, a port or a wildcard in a rule is a mistake of its author, and the rule would match
    /// no host.
    var reasonNotToMatch: String? {
        guard case .name(let name) = self else { return nil }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for label in labels {
            guard !label.isEmpty else { return "has an empty label" }
            for byte in label where !Self.isNameByte(byte) {
                guard byte < 0x80 else { return "is not ASCII" }
                return
                    "contains \(Unicode.Scalar(byte).escaped(asASCII: true)), which is not allowed in a host name"
            }
        }
        return nil
    }

    /// Returns whether a byte may occur in a name.
    ///
    /// These are letters, digits, `-`, and `_` and `~`, which some servers use.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
