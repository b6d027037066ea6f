/// Code of the caller that accepts or refuses a peer while the handshake waits.
///
/// Two evaluators are equal if they are copies of one.
package struct TLSEvaluator: Sendable, Hashable {
    /// The permissions of the code.
    package enum Mode: Sendable, Hashable {
        /// It may refuse a peer that passed verification; it is not called if verification failed.
        case veto
        /// It may also accept a peer that failed verification.
        case override
    }

    /// The facts that the code decides on.
    package struct Evidence: Sendable {
        /// The expected name or address of the peer, without trailing dot and brackets.
        package let host: String
        package let peer: TLSPeer
        /// Whether an earlier session is resumed.
        package let resumed: Bool
    }

    /// The result of the code.
    package enum Decision: Sendable, Hashable {
        case accept
        case refuse(reason: String)
    }

    package typealias Evaluate = @concurrent @Sendable (Evidence) async -> Decision

    package let mode: Mode
    private let box: Box

    /// - Parameters:
    ///   - mode: the permissions of the code.
    ///   - evaluate: runs on Swift's concurrent pool, in a task that is cancelled if the result is
    ///     no longer needed.
    package init(_ mode: Mode, _ evaluate: @escaping Evaluate) {
        self.mode = mode
        box = Box(evaluate)
    }

    /// Returns the decision of the code.
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
