internal import SocketTransport
internal import Wire

extension Connection {
    /// Says how far throwing a body away has come.
    enum Skipping {
        /// The body is complete.
        case ended
        /// Nothing is left of what has come.
        case needMore
        /// The budget is used up.
        case tooMuch
    }

    /// Throws away what has come of the body, undecoded, without waiting.
    ///
    /// The budget falls by the octets of body that were thrown away.
    ///
    /// - Returns: how far that came.
    /// - Throws: what is wrong with the body or the stream.
    func skipBodyAtOnce(
        _ budget: inout Int,
        _ call: Call
    ) throws(ExchangeFailure) -> Skipping {
        if let part = reading.pending.take() {
            budget -= part.range.count
            input?.consume(part.consumed)
        }
        reading.isHeldUp = false
        while budget >= 0 {
            switch try nextBodyPart() {
            case .bytes(let range, let consumed):
                budget -= range.count
                reading.octets += range.count
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
    nonisolated(nonsending) func skipBody(
        atMost octets: Int,
        until deadline: Deadline,
        _ call: Call
    ) async throws(ExchangeFailure) -> Bool {
        var budget = octets
        while true {
            switch try skipBodyAtOnce(&budget, call) {
            case .ended: return true
            case .tooMuch: return false
            case .needMore: try await waitReadable(until: deadline, call)
            }
        }
    }

    /// Says whether the connection could carry another exchange if the rest of the body were read,
    /// and the rest may be as short as that.
    func isWorthSkipping(atMost octets: Int, _ call: Call) -> Bool {
        guard octets > 0, call.plan.keepsConnection, call.plan.lengthUse == .trusted,
            !call.scope.isCancelled, !isReceivingEnded, !exchange.hasDoubtfulFraming,
            exchange.bodyAdvice == .complete,
            exchange.remainingLength ?? 0 <= octets, let head = call.head,
            let framing = try? BodyFraming.ofResponse(
                to: call.plan.head.method,
                status: head.status,
                version: head.version,
                headers: head.headers
            )
        else { return false }
        let reason = Persistence.closeReason(
            request: call.plan.head,
            response: head,
            framing: framing
        )
        return reason == nil
    }
}
