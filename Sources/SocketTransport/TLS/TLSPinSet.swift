private import Glibc

/// The pins of one context, read and hashed.
struct TLSPinSet: Sendable {
    /// The SHA-256 digest of a pinned certificate or key.
    ///
    /// A struct, because the leak check does not find bytes whose pointer has the tag of a second enum case.
    /// It would report the pins of a context that lives until the process ends.
    private struct Digest: Sendable, Hashable {
        /// Whether it is the digest of a SubjectPublicKeyInfo in DER (RFC 7469 §2.4), and not that of a
        /// whole certificate in DER.
        let isPublicKey: Bool
        let bytes: [UInt8]

        static func publicKey(_ bytes: [UInt8]) -> Digest {
            Digest(isPublicKey: true, bytes: bytes)
        }

        static func certificate(_ bytes: [UInt8]) -> Digest {
            Digest(isPublicKey: false, bytes: bytes)
        }
    }

    private struct Entry: Sendable {
        let rule: HTTPPin.Rule
        /// The host of the rule; nil for every host.
        let host: PinnedHost?
        let pins: Set<Digest>

        func applies(to other: PinnedHost) -> Bool {
            guard let host else { return true }
            return rule.subdomains == .included ? other.isWithin(host) : other == host
        }
    }

    private let entries: [Entry]

    /// Reads the pins of the rules.
    ///
    /// - Parameters:
    ///   - rules: the rules of the settings.
    ///   - hostName: returns the host of a rule in ASCII.
    /// - Throws: `.pinSettings` if a rule has no pin, if a pin cannot be read, or if its host is
    ///   neither a name nor an address. A rule that can match no host would leave a host unpinned.
    init(_ rules: [HTTPPin.Rule], _ hostName: (String) -> String) throws(TLSError) {
        var entries: [Entry] = []
        for rule in rules {
            let host = rule.host.map { PinnedHost(hostName($0)) }
            if let reason = host?.reasonNotToMatch {
                throw Self.error("the host \(rule.host ?? "") of a rule \(reason)")
            }
            var pins: Set<Digest> = []
            for pin in rule.pins { pins.insert(try Self.digest(of: pin)) }
            guard !pins.isEmpty else { throw Self.error("a rule has no pin") }
            entries.append(Entry(rule: rule, host: host, pins: pins))
        }
        self.entries = entries
    }

    /// Returns the rules that a peer violates; every rule for the host must be met.
    func violatedRules(by peer: TLSPeer, as host: String) -> [HTTPPin.Rule] {
        let host = PinnedHost(host)
        let fitting = entries.filter { $0.applies(to: host) }
        guard !fitting.isEmpty else { return [] }
        let shown = peer.certificates.map { certificate -> Set<Digest> in
            [.certificate(certificate.sha256), .publicKey(certificate.publicKeySHA256)]
        }
        return fitting.filter { entry in
            // An unverified chain is only a claim: anyone can append a pinned certificate.
            let isWhole = entry.rule.scope == .chain && peer.verification == .accepted
            let eligible = isWhole ? shown[...] : shown.prefix(1)
            return !eligible.contains { !$0.isDisjoint(with: entry.pins) }
        }.map(\.rule)
    }

    private static func digest(of pin: HTTPPin) throws(TLSError) -> Digest {
        switch pin.content {
        case .keyDigest(let digest): return .publicKey(try checked(digest))
        case .certificateDigest(let digest): return .certificate(try checked(digest))
        case .invalid(let text): throw error("\(text) is not a SHA-256 digest in base64")
        case .certificate(let material):
            let der = try read(material) { (material) throws(PEMError) in
                try CertificateList(material).der(at: 0)
            }
            return .certificate(der)
        case .key(let material):
            let info = try read(material) { (material) throws(PEMError) in
                try publicKey(in: material)
            }
            return .publicKey(info)
        }
    }

    private static func checked(_ digest: [UInt8]) throws(TLSError) -> [UInt8] {
        guard digest.count == MessageDigest.sha256.length else {
            throw error("a SHA-256 digest has 32 bytes, not \(digest.count)")
        }
        return digest
    }

    private static func error(_ reason: String) -> TLSError {
        .failed(.pinSettings(reason: reason))
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
            throw Self.error("\(material.name): \(error.reason)")
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
