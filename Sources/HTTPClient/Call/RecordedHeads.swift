internal import SocketTransport
internal import Wire

/// An observer that records the heads of an attempt for its ``HTTPCall``.
final class RecordedHeads<Value: Sendable>: LiveObserver {
    private let record: CallRecord<Value>
    /// The policies that decide which head is final; nil to record only 1xx responses.
    private let policies: Policies?
    /// The observer that is notified before this one.
    private let former: (any LiveObserver)?

    init(
        _ record: CallRecord<Value>,
        _ policies: Policies?,
        after former: (any LiveObserver)?
    ) {
        self.record = record
        self.policies = policies
        self.former = former
    }

    var watchesPhases: Bool { former?.watchesPhases == true }

    func step(_ step: HTTPStep, of attempt: RequestAttempt) {
        former?.step(step, of: attempt)
        if case .informational(let head) = step { record.notifyOffLoop(.informational(head)) }
    }

    /// Records the head, unless the client follows the redirect or answers the challenge.
    func finalHead(_ head: ResponseHead, of attempt: RequestAttempt) {
        // No head follows. The record may have the streamed body, whose attempt must not keep the record.
        attempt.liveObserver = former
        former?.finalHead(head, of: attempt)
        guard let policies else { return }
        if policies.isFinal(head.status, isForwarded: attempt.forwarded != nil) {
            record.notifyOffLoop(.head(head))
        }
    }
}
