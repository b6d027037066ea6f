internal import SocketTransport
internal import Wire

extension Connection {
    /// Says how far throwing a body away has come.
    enum DrainResult {
        /// The body is complete.
        case ended
        /// Nothing is left of what has come.
        case needMore
        /// The budget is used up.
        case tooMuch
    }

    /// Throws away what has come of the body, undecoded, without waiting.
    ///
    /// The budget falls by the bytes of body that were thrown away.
    ///
    /// - Returns: how far that came.
    /// - Throws: what is wrong with the body or the stream.
    func drainBodyAtOnce(
        _ budget: inout Int,
        _ call: Attempt
    ) throws(ExchangeError) -> DrainResult {
        if let part = readState.pending.take() {
            budget -= part.range.count
            input?.consume(part.consumed)
        }
        readState.isStalled = false
        while budget >= 0 {
            switch try nextBodyPart() {
            case .bytes(let range, let consumed):
                budget -= range.count
                readState.bytes += range.count
                input?.consume(consumed)
            case .end: return .ended
            case .needMore:
                // At the peer's end the next look at the body says so.
                guard !isReceivingEnded else { continue }
                if case .wouldBlock = try fillInput(call) { return .needMore }
            }
        }
        return .tooMuch
    }

    /// Throws the body away, and waits for it.
    ///
    /// - Returns: false when it is longer than the budget.
    nonisolated(nonsending) func drainBody(
        atMost bytes: Int,
        until deadline: Deadline,
        _ call: Attempt
    ) async throws(ExchangeError) -> Bool {
        var budget = bytes
        while true {
            switch try drainBodyAtOnce(&budget, call) {
            case .ended: return true
            case .tooMuch: return false
            case .needMore: try await waitReadable(until: deadline, call)
            }
        }
    }

    /// Says whether the connection could carry another exchange if the rest of the body were read,
    /// and the rest may be as short as that.
    func canDrain(atMost bytes: Int, _ call: Attempt) -> Bool {
        guard bytes > 0, call.plan.keepsConnection, call.plan.contentLengthPolicy == .trusted,
            !call.scope.isCancelled, !isReceivingEnded, !exchange.hasAmbiguousFraming,
            exchange.requestBodyAction == .complete,
            exchange.remainingLength ?? 0 <= bytes, let head = call.head,
            let framing = try? BodyFraming.ofResponse(
                to: call.plan.head.method,
                status: head.status,
                version: head.version,
                headers: head.headers
            )
        else { return false }
        let reason = ConnectionPersistence.closeReason(
            request: call.plan.head,
            response: head,
            framing: framing
        )
        return reason == nil
    }
}
