/// The SHA-256 digest (32 bytes) of a pinned certificate or key.
package enum TLSPin: Sendable, Hashable {
    /// The digest of the whole certificate in DER.
    case certificate([UInt8])
    /// The digest of its SubjectPublicKeyInfo in DER (RFC 7469 §2.4).
    case publicKey([UInt8])

    /// The source of a pin; read when a context is created.
    package enum Source: Sendable, Hashable {
        /// A digest.
        case digest(TLSPin)
        /// The first certificate in PEM, or a single one in DER.
        case certificate(TLSMaterial)
        /// The key in PEM (`PUBLIC KEY`, or `CERTIFICATE`) or in DER (either).
        case publicKey(TLSMaterial)
    }
}

/// The keys or certificates that a host must present.
package struct TLSPinRule: Sendable, Hashable {
    /// The hosts that a rule applies to.
    package enum Subject: Sendable, Hashable {
        case everyHost
        /// A name in lower case, or an address.
        case host(String)
        /// The name and all its subdomains.
        case hostAndSubdomains(String)
    }

    /// The certificates that are compared with the pins.
    package enum Scope: Sendable, Hashable {
        /// All certificates of the chain; only the peer's own if the chain was not verified.
        case chain
        /// Only the peer's own certificate.
        case leaf
    }

    /// The effect of a mismatch.
    package enum Mode: Sendable, Hashable {
        /// The handshake fails.
        case enforce
        /// The mismatch is reported, and the handshake continues.
        case audit
    }

    package var subject: Subject
    package var pins: [TLSPin.Source]
    package var scope: Scope
    package var mode: Mode

    package init(
        subject: Subject,
        pins: [TLSPin.Source],
        scope: Scope = .chain,
        mode: Mode = .enforce
    ) {
        self.subject = subject
        self.pins = pins
        self.scope = scope
        self.mode = mode
    }
}

/// A report of a peer that matched no pin.
package struct TLSPinMismatch: Sendable {
    /// The name or address of the peer.
    package let host: String
    package let peer: TLSPeer
    package let rule: TLSPinRule
    /// Whether an earlier session was resumed.
    package let resumed: Bool
}

/// A handler for pin mismatches; copies of one handler are equal.
package struct TLSPinMismatchHandler: Sendable, Hashable {
    private let box: Box

    /// - Parameter report: runs on Swift's concurrent pool, never on a loop; calls may overlap.
    package init(_ report: @escaping @Sendable (TLSPinMismatch) -> Void) {
        box = Box(report)
    }

    /// Reports a mismatch, without waiting.
    func notify(_ mismatch: TLSPinMismatch) {
        let box = box
        Task(executorPreference: globalConcurrentExecutor) { box.report(mismatch) }
    }

    package static func == (left: TLSPinMismatchHandler, right: TLSPinMismatchHandler) -> Bool {
        left.box === right.box
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(box))
    }

    private final class Box: Sendable {
        let report: @Sendable (TLSPinMismatch) -> Void

        init(_ report: @escaping @Sendable (TLSPinMismatch) -> Void) {
            self.report = report
        }
    }
}
