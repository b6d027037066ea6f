/// Lets code of the caller decide about a peer while the handshake waits.
///
/// Two evaluators are equal when they are copies of one.
package struct TLSEvaluator: Sendable, Hashable {
    /// What the code may do.
    package enum Mode: Sendable, Hashable {
        /// Refuse what verification accepted; it is not asked about what verification refused.
        case veto
        /// Also accept what verification refused.
        case override
    }

    /// What the code is asked about.
    package struct Evidence: Sendable {
        /// The name or address the peer must be, without trailing dot and brackets.
        package let host: String
        package let peer: TLSPeer
        /// Whether an earlier session is taken up.
        package let resumed: Bool
    }

    /// What the code says.
    package enum Decision: Sendable, Hashable {
        case accept
        case refuse(reason: String)
    }

    package typealias Evaluate = @concurrent @Sendable (Evidence) async -> Decision

    package let mode: Mode
    private let box: Box

    /// - Parameters:
    ///   - mode: what it may do.
    ///   - evaluate: runs on Swift's concurrent pool, in a task that is cancelled when nobody waits
    ///     for the answer any more.
    package init(_ mode: Mode, _ evaluate: @escaping Evaluate) {
        self.mode = mode
        box = Box(evaluate)
    }

    /// Asks.
    package func evaluate(_ evidence: Evidence) async -> Decision {
        await box.evaluate(evidence)
    }

    package static func == (left: TLSEvaluator, right: TLSEvaluator) -> Bool {
        left.mode == right.mode && left.box === right.box
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(box))
    }

    private final class Box: Sendable {
        let evaluate: Evaluate

        init(_ evaluate: @escaping Evaluate) {
            self.evaluate = evaluate
        }
    }
}
