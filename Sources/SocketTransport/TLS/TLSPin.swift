/// Holds what a pinned certificate or key hashes to: 32 bytes of SHA-256.
package enum TLSPin: Sendable, Hashable {
    /// Of the whole certificate in DER.
    case certificate([UInt8])
    /// Of its SubjectPublicKeyInfo in DER (RFC 7469 §2.4).
    case publicKey([UInt8])

    /// Says where a pin comes from; settled when a context is made.
    package enum Source: Sendable, Hashable {
        /// A finished pin.
        case digest(TLSPin)
        /// The first certificate of PEM, or one in DER.
        case certificate(TLSMaterial)
        /// The key of PEM (`PUBLIC KEY`, or `CERTIFICATE`) or of DER (either).
        case publicKey(TLSMaterial)
    }
}

/// Says which keys or certificates a host must show.
package struct TLSPinRule: Sendable, Hashable {
    /// Says for whom a rule is.
    package enum Subject: Sendable, Hashable {
        case everyHost
        /// A name in lower case or an address.
        case host(String)
        /// The name, and every name below it.
        case hostAndSubdomains(String)
    }

    /// Says which certificates may fit.
    package enum Scope: Sendable, Hashable {
        /// Any of the verified chain; the peer's own alone when the chain was not verified.
        case chain
        /// The peer's own.
        case leaf
    }

    /// Says what follows when none fits.
    package enum Mode: Sendable, Hashable {
        /// The handshake fails.
        case enforce
        /// It is reported, and the handshake goes on.
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

/// Tells of a peer that showed nothing pinned.
package struct TLSPinMismatch: Sendable {
    /// The name or address of the peer.
    package let host: String
    package let peer: TLSPeer
    package let rule: TLSPinRule
    /// Whether an earlier session was taken up.
    package let resumed: Bool
}

/// Tells somebody of mismatches; copies of one are equal.
package struct TLSPinMismatchHandler: Sendable, Hashable {
    private let box: Box

    /// - Parameter report: runs on Swift's concurrent pool, never on a loop; calls may overlap.
    package init(_ report: @escaping @Sendable (TLSPinMismatch) -> Void) {
        box = Box(report)
    }

    /// Passes a mismatch on, without waiting.
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
