internal import SocketTransport
internal import Wire

/// What ended an exchange early: the stream, or what came over it.
enum ExchangeFailure: Error {
    case transport(TransportError)
    case wire(WireError)
    /// The decoded body has more octets than the caller collects.
    case collectLimit(Int)
}

extension Connection {
    /// Bodies up to this size go out in one piece with the head, so that one system call does.
    private static let joinedBodyLimit = 64 << 10

    // MARK: - Sending

    /// Encodes the head and sends it with the body; reads meanwhile when the peer takes its time.
    ///
    /// A peer may answer before it has read everything, and may then close. So when sending stalls
    /// this reads too, and when sending fails it leaves it to reading to find the answer.
    ///
    /// - Returns: the head of the final response when it came before the request was sent.
    nonisolated(nonsending) func send(
        _ plan: Plan,
        _ call: Call
    ) async throws(ExchangeFailure) -> ResponseHead? {
        output.removeAll(keepingCapacity: true)
        do {
            try RequestHeadEncoder.encode(plan.head, into: &output)
        } catch {
            throw .wire(error)
        }
        exchange = MessageExchange(request: plan.head, limits: plan.limits)
        isReceivingEnded = false
        isTruncated = false
        let joinsBody = plan.body.count <= Self.joinedBodyLimit
        if joinsBody { output += plan.body }
        if let early = try await push(output, call) { return early }
        if !joinsBody, let early = try await push(plan.body, call) { return early }
        return nil
    }

    private nonisolated(nonsending) func push(
        _ bytes: [UInt8],
        _ call: Call
    ) async throws(ExchangeFailure) -> ResponseHead? {
        var offset = 0
        while true {
            let sent: Int
            do {
                let isRestEmpty = offset == bytes.count
                sent = isRestEmpty ? 0 : try stream.send(bytes.span.extracting(offset...))
                offset += sent
                call.metrics.bytesSent += UInt64(sent)
                if offset == bytes.count, try stream.flush() { return nil }
            } catch {
                // The peer closed while we were sending: what it said before may be the answer.
                guard case .closedByPeer = error else { throw .transport(error) }
                return try await receiveHead(until: call.deadline(call.timeouts.responseHead), call)
            }
            if sent > 0, offset < bytes.count { continue }
            do {
                // Once the answer has begun, only room to write is worth waking up for.
                let interest: Readiness = canReadEarly(call) ? [.readable, .writable] : .writable
                try await stream.wait(
                    for: interest,
                    until: call.deadline(call.timeouts.writeIdle)
                )
            } catch {
                throw .transport(error)
            }
            if let early = try receiveEarly(call) { return early }
        }
    }

    /// Reads what is there while the request is still going out.
    ///
    /// - Returns: the final head when it refuses or redirects, so that sending on is pointless. A
    ///   successful one waits in the buffer until the request is sent.
    private func receiveEarly(_ call: Call) throws(ExchangeFailure) -> ResponseHead? {
        guard canReadEarly(call) else { return nil }
        switch try fillInput(call) {
        case .wouldBlock: return nil
        case .bytes, .end, .truncated: break
        }
        guard let head = try nextHead(call) else { return nil }
        call.head = head
        return head.status.code >= 300 ? head : nil
    }

    private func canReadEarly(_ call: Call) -> Bool {
        call.head == nil && !isReceivingEnded && !(input?.isFull ?? true)
    }

    // MARK: - Receiving

    /// Receives up to the head of the final response; 1xx responses are collected on the way.
    nonisolated(nonsending) func receiveHead(
        until deadline: Deadline,
        _ call: Call
    ) async throws(ExchangeFailure) -> ResponseHead {
        if let head = call.head { return head }
        while true {
            if let head = try nextHead(call) {
                call.head = head
                return head
            }
            try await fillInputWaiting(until: deadline, call)
        }
    }

    /// Takes the head out of what has been received; nil when it is not complete.
    private func nextHead(_ call: Call) throws(ExchangeFailure) -> ResponseHead? {
        while true {
            switch try step() {
            case .needMore: return nil
            case .informational(let head): call.informational.append(head)
            case .head(let head, _): return head
            case .body, .end: preconditionFailure("a head comes before a body")
            }
        }
    }

    /// Says what comes next of a body, after ``receiveHead(until:_:)``.
    enum BodyPart {
        /// Octets at this range of the input's unused bytes; then consume `consumed`.
        case bytes(Range<Int>, consumed: Int)
        case needMore
        case end(HTTPHeaders)
    }

    /// Takes the next part of the body out of what has been received.
    func nextBodyPart() throws(ExchangeFailure) -> BodyPart {
        guard exchange != nil, let step = try rawStep() else { return .needMore }
        switch step.event {
        case .needMore:
            // Framing may be finished with although no octet of body came with it.
            input?.consume(step.consumed)
            return .needMore
        case .body(let range): return .bytes(range, consumed: step.consumed)
        case .end(let trailers):
            input?.consume(step.consumed)
            return .end(trailers)
        case .informational, .head: preconditionFailure("a body comes after its head")
        }
    }

    /// Waits for octets and reads once; at the peer's end lets the exchange judge it.
    ///
    /// - Throws: truncation when the end comes too early; what the stream throws.
    nonisolated(nonsending) func fillInputWaiting(
        until deadline: Deadline,
        _ call: Call
    ) async throws(ExchangeFailure) {
        repeat {
            try await waitReadable(until: deadline)
        } while try fillInput(call) == .wouldBlock
    }

    nonisolated(nonsending) func waitReadable(
        until deadline: Deadline
    ) async throws(ExchangeFailure) {
        do {
            try await stream.wait(for: .readable, until: deadline)
        } catch {
            throw .transport(error)
        }
    }

    /// Reads once; an end of the stream is noted in ``isReceivingEnded``.
    func fillInput(_ call: Call) throws(ExchangeFailure) -> ReceiveOutcome {
        guard var buffer = input.take() else { preconditionFailure("leased connections have one") }
        defer { input = buffer }
        let outcome: ReceiveOutcome
        do {
            outcome = try buffer.fill(from: stream)
        } catch {
            throw .transport(error)
        }
        switch outcome {
        case .bytes(let count):
            if call.metrics.firstByteMark == .never { call.metrics.firstByteMark = .now() }
            call.metrics.bytesReceived += UInt64(count)
        case .wouldBlock:
            break
        case .end, .truncated:
            isReceivingEnded = true
            isTruncated = outcome == .truncated
        }
        return outcome
    }

    private func step() throws(ExchangeFailure) -> ExchangeEvent {
        guard let step = try rawStep() else { return .needMore }
        input?.consume(step.consumed)
        return step.event
    }

    /// Asks the exchange for its next event; nil when there is nothing to feed it.
    private func rawStep() throws(ExchangeFailure) -> ExchangeStep? {
        guard let buffer = input else { return nil }
        do {
            let step = try buffer.withBytes { bytes throws(WireError) in
                try exchange?.receive(bytes)
            }
            if let step {
                if case .needMore = step.event, isReceivingEnded {
                    return try endStep()
                }
                return step
            }
            return nil
        } catch {
            throw .wire(error)
        }
    }

    /// The peer has ended the stream: a close-delimited body is complete, all else is cut short.
    private func endStep() throws(WireError) -> ExchangeStep? {
        guard let event = try exchange?.receiveEnd() else { return nil }
        if isTruncated, case .end = event {
            // Without close-notify anybody on the way may have cut the body here (RFC 9112 §9.8).
            throw .bodyTruncated(received: reading.octets, expected: nil)
        }
        return ExchangeStep(consumed: 0, event: event)
    }
}
