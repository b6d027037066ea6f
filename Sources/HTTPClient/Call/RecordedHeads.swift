internal import SocketTransport
internal import Wire

/// An observer that records the heads of an attempt for its ``HTTPCall``.
final class RecordedHeads<Value: Sendable>: HeadObserver {
    private let record: CallRecord<Value>
    /// The policies that decide which head is final; nil to record only 1xx responses.
    private let policies: Policies?
    /// The observer that is notified before this one.
    private let former: (any HeadObserver)?

    init(
        _ record: CallRecord<Value>,
        _ policies: Policies?,
        after former: (any HeadObserver)?
    ) {
        self.record = record
        self.policies = policies
        self.former = former
    }

    func interimHead(_ head: ResponseHead, of attempt: RequestAttempt) {
        former?.interimHead(head, of: attempt)
        record.notifyOffLoop(.informational(head))
    }

    /// Records the head, unless the client follows the redirect or answers the challenge.
    func finalHead(_ head: ResponseHead, of attempt: RequestAttempt) {
        // No head follows. The record may have the streamed body, whose attempt must not keep the record.
        attempt.headObserver = former
        former?.finalHead(head, of: attempt)
        guard let policies else { return }
        if policies.isFinal(head.status, isForwarded: attempt.forwarded != nil) {
            record.notifyOffLoop(.head(head))
        }
    }
}
