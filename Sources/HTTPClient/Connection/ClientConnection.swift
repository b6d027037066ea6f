internal import SocketTransport
internal import Wire

/// A connection that carries exchanges over one stream, one after the other.
///
/// Loop-confined.
///
/// One attempt at a time leases it. The attempt sends and receives. Then the pool takes the
/// connection back or removes it.
///
/// The properties that every request changes skip the runtime's exclusivity checks, which took a
/// tenth of the time of a request. This is safe because only one thread uses the connection, and no
/// code that is called during a change has access to it.
final class ClientConnection {
    /// The properties that the connection has since it was opened.
    let opening: Opening
    let stream: any ByteStream
    /// The TCP connection below TLS, for details that only it has.
    let socket: SocketStream
    /// The same stream as ``stream`` if it uses TLS; otherwise nil.
    let secured: TLSStream?
    /// The exchanges and idle times so far.
    @safe @exclusivity(unchecked) var usage = Usage()
    /// The background read of an unread body, while no attempt has leased the connection.
    var unread: BodyDrain?
    /// The lease of a dedicated connection; nil if the connection belongs to the pool.
    @safe @exclusivity(unchecked) var lease: ConnectionLease?

    /// The bytes received and not yet used.
    ///
    /// The pool supplies the buffer while the connection is leased, so that idle connections stay
    /// small.
    @safe @exclusivity(unchecked) var input: ReceiveBuffer?
    /// The request being sent.
    @safe @exclusivity(unchecked) var output: [UInt8] = []
    /// The unsent rest of a request body whose response has begun; usually nil.
    @safe @exclusivity(unchecked) var upload: Upload?
    /// The current exchange, or the last one; a placeholder before the first request.
    @safe @exclusivity(unchecked)
    var exchange = MessageExchange(request: RequestHead(method: .options, target: .asterisk))
    /// The properties of the last final response's body.
    @safe @exclusivity(unchecked) var responseBody = ResponseBody()
    /// The state of the side of the stream on which the peer sends.
    @safe @exclusivity(unchecked) var receiving = Receiving.open
    /// The state of reading the current body.
    @safe @exclusivity(unchecked) var readState = BodyReadState()
    /// The decoder of the current body's content coding; nil if there is nothing to decode.
    @safe @exclusivity(unchecked) var decoder: ContentDecoder?

    init(
        id: UInt64,
        socket: SocketStream,
        secured: TLSStream?,
        simulated: TLSSessionInfo? = nil,
        poolIndex: PoolState.ConnectionIndex
    ) {
        opening = Opening(
            id: id,
            poolIndex: poolIndex,
            local: socket.localAddress,
            tls: secured.map { $0.sessionInfo } ?? simulated
        )
        stream = secured ?? socket
        self.socket = socket
        self.secured = secured
    }

    /// Returns whether an idle connection can carry another exchange: it is open, with no input.
    ///
    /// A loop that polls its sockets already knows of a close or of bytes, so no system call is
    /// needed. For a blocking call, one system call checks (``EventLoop/isKnownIdle(since:at:)``).
    func canBeReused(at now: Deadline, on loop: EventLoop) -> Bool {
        !mayHaveUnreadInput && loop.isKnownIdle(since: usage.idleSince, at: now)
            || hasNoPendingInput
    }

    /// Records how long the peer keeps the connection open, if the response announces it.
    ///
    /// The client checks the first response, and later ones as long as the field was present.
    func recordKeepAlive(_ attempt: RequestAttempt) {
        guard usage.exchanges == 1 || usage.keepAlive != nil else { return }
        usage.keepAlive = attempt.received.head.flatMap {
            KeepAliveTimeout.idleNanoseconds($0.headers)
        }
    }

    /// Whether the peer has ended its side of the stream.
    var isReceivingEnded: Bool { receiving != .open }

    /// Whether there may be input, in the socket or in TLS; needs no system call.
    var mayHaveUnreadInput: Bool { socket.mayHaveUnreadInput || secured?.hasUnreadInput ?? false }

    /// Whether the last read used all input, as far as events have been reported since.
    var wasDrained: Bool { socket.wasDrained && !(secured?.hasUnreadInput ?? false) }

    /// Whether the connection is open and no application data has arrived.
    ///
    /// Reading it processes TLS session tickets and key updates.
    var hasNoPendingInput: Bool { secured?.drainPendingInput() ?? socket.hasNoPendingInput }

    func close() {
        stream.close()
    }
}

extension ClientConnection {
    /// The largest body that is sent together with the head in one system call.
    private static let joinedBodyLimit = 64 << 10

    // MARK: - Sending

    /// The progress of sending without waiting.
    enum Sending {
        case complete
        /// The given number of bytes of ``ClientConnection/output`` was sent.
        case stalled(Int)
        /// The peer closed the connection with this error; it may have sent a response before that.
        case closedByPeer(TransportError)
    }

    /// Encodes the head and a small body, and sends as much as possible without waiting.
    func sendAtOnce(_ attempt: RequestAttempt) throws(ExchangeError) -> Sending {
        // Move the array to a local variable: the runtime would track accesses to a stored one.
        var bytes = output
        output = []
        bytes.removeAll(keepingCapacity: true)
        do {
            // Credentials for the proxy are not part of the plan.
            if attempt.plan.key.proxy != nil, let head = attempt.forwarded?.head {
                try RequestHeadEncoder.encode(head, into: &bytes)
            } else {
                try RequestHeadEncoder.encode(attempt.plan.head, into: &bytes)
            }
        } catch {
            throw .wire(error)
        }
        // Reuse the exchange in place. The first request needs a new one, and so does a request
        // after an early end.
        if exchange.strictness != attempt.plan.strictness
            || exchange.startNextExchange(attempt.plan.head) != nil
        {
            exchange = MessageExchange(
                request: attempt.plan.head,
                limits: attempt.plan.limits,
                contentLengthPolicy: attempt.plan.shared.contentLengthPolicy,
                strictness: attempt.plan.strictness
            )
        }
        receiving = .open
        attempt.trace.metrics.headLength = bytes.count
        let joinsBody = joinsBody(attempt)
        if joinsBody, !attempt.plan.body.isEmpty { bytes += attempt.plan.body }
        output = bytes
        do {
            let sent = try stream.send(bytes.span)
            attempt.trace.metrics.bytesSent += sent
            if joinsBody, sent == bytes.count, try stream.flush() { return .complete }
            return .stalled(sent)
        } catch {
            guard case .closedByPeer = error else { throw .transport(error) }
            return .closedByPeer(error)
        }
    }

    /// Returns whether the body is sent with the head.
    ///
    /// That is so if it is small, in memory, and does not wait for 100 (Continue).
    @inline(__always) private func joinsBody(_ attempt: RequestAttempt) -> Bool {
        if attempt.plan.body.isEmpty { return attempt.plan.streamedBody == nil }
        return attempt.plan.body.count <= Self.joinedBodyLimit
            && exchange.requestBodyAction == .send
            && !(attempt.limits.pacing?.delaysUpload ?? false)
    }

    /// Sends the part of the request that ``sendAtOnce(_:)`` could not send.
    ///
    /// A peer may respond before it has read everything, and may then close. So this function also
    /// reads when sending stalls, and looks for a response when sending fails.
    ///
    /// - Returns: true if the head of the final response arrived before the request was sent. If the
    ///   server still needs the body, its rest is in ``ClientConnection/upload``.
    nonisolated(nonsending) func sendRest(
        behind sent: Int,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> Bool {
        let body = attempt.plan.body
        let head = attempt.trace.metrics.headLength
        let asksFirst = exchange.requestBodyAction == .wait
        let isWhole = body.isEmpty && attempt.plan.streamedBody == nil
        if sent < head || isWhole || asksFirst {
            let deadline = attempt.deadline(attempt.plan.timeouts.requestHead)
            if try await push(output[..<head], from: min(sent, head), until: deadline, attempt) {
                return true
            }
        }
        guard !isWhole else { return false }
        if asksFirst, try await isBodyDeclined(attempt) { return true }
        attempt.phase = .sendingBody
        attempt.trace.metrics.headSentMark = .now()
        let deadline = attempt.deadline(attempt.plan.timeouts.requestBody)
        if let streamed = attempt.plan.streamedBody {
            return try await sendPieces(of: streamed, until: deadline, attempt)
        }
        guard output.count > head else {
            guard attempt.limits.pacing == nil else {
                return try await pushPaced(body[...], until: deadline, attempt)
            }
            return try await push(body[...], from: 0, until: deadline, attempt)
        }
        return try await push(output[...], from: max(sent, head), until: deadline, attempt)
    }

    private nonisolated(nonsending) func push(
        _ bytes: ArraySlice<UInt8>,
        from start: Int,
        until end: Deadline,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> Bool {
        var offset = start
        var movedLast = Deadline.now()
        var bytesOfTurn = 0
        while true {
            guard end == .never || .now() < end else { throw .transport(.timedOut(.write)) }
            let sent: Int
            do {
                let isRestEmpty = offset == bytes.count
                let part = offset..<min(bytes.count, offset + BodyReadState.maxBytesPerTurn)
                sent = isRestEmpty ? 0 : try stream.send(bytes.span.extracting(part))
                offset += sent
                attempt.trace.metrics.bytesSent += sent
                if sent > 0 {
                    movedLast = .now()
                    attempt.recordBytes()
                }
                if offset == bytes.count, try stream.flush() { return false }
            } catch {
                guard case .closedByPeer = error else { throw .transport(error) }
                try await receiveLastAnswer(attempt, behind: error)
                return true
            }
            try attempt.checkThroughput()
            if sent > 0, offset < bytes.count {
                bytesOfTurn += sent
                if bytesOfTurn >= BodyReadState.maxBytesPerTurn {
                    bytesOfTurn = 0
                    try await endTurn(attempt, until: end)
                }
                continue
            }
            // After the response has begun, wait only until the stream is writable.
            let interest: Readiness = canReadEarly(attempt) ? [.readable, .writable] : .writable
            let deadline = min(
                end,
                attempt.deadline(attempt.plan.timeouts.writeIdle, from: movedLast)
            )
            do {
                try await stream.wait(
                    for: interest,
                    until: min(deadline, attempt.throughputDeadline)
                )
            } catch {
                try attempt.continueWait(after: error, until: deadline)
            }
            if try receiveEarly(attempt) { return true }
            if isAnsweredWhileSending(attempt) {
                upload = Upload(bytes, from: offset, until: end)
                return true
            }
        }
    }

    /// Lets other work on the loop run, then checks for a cancellation, the deadline and the minimum throughput.
    ///
    /// A wait does that too, but a wait for a ready stream returns at once. With a peer that always sends more bytes,
    /// or always takes more, the call would neither time out nor be canceled.
    ///
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - deadline: the deadline to check; nil for the deadlines of the call and of draining.
    /// - Throws: a timeout or `.cancelled`.
    nonisolated(nonsending) func endTurn(
        _ attempt: RequestAttempt,
        until deadline: Deadline? = nil
    ) async throws(ExchangeError) {
        readState.bytesOfTurn = 0
        attempt.recordBytes()
        await Task.yield()
        if attempt.scope.isCancelled { throw .transport(.cancelled) }
        try attempt.check(
            deadline ?? min(attempt.limits.totalDeadline, attempt.limits.drainDeadline)
        )
        try attempt.checkThroughput()
    }

    /// Receives the head that the peer may have sent before it closed the connection during sending.
    ///
    /// The system reports a reset only once, and has already reported it to the send. So reading finds
    /// only an end of stream.
    ///
    /// - Throws: `closing`, the error of sending, if no byte of a response arrived.
    nonisolated(nonsending) func receiveLastAnswer(
        _ attempt: RequestAttempt,
        behind closing: TransportError
    ) async throws(ExchangeError) {
        let deadline = attempt.deadline(attempt.plan.timeouts.responseHead)
        do throws(ExchangeError) {
            while try !receiveHeadAtOnce(attempt) {
                try await fillInputWaiting(until: deadline, attempt)
            }
        } catch .wire(.closedBeforeResponse) {
            throw .transport(closing)
        }
    }

    /// Reads what has arrived while the request is still being sent.
    ///
    /// - Returns: true if the status of the final head is 300 or above, so that the rest is not sent.
    ///   After any other head, sending continues.
    func receiveEarly(_ attempt: RequestAttempt) throws(ExchangeError) -> Bool {
        guard canReadEarly(attempt) else { return false }
        switch try fillInput(attempt) {
        case .wouldBlock: return false
        case .bytes, .end, .truncated: break
        }
        guard try receiveHeadAtOnce(attempt), let head = attempt.received.head else { return false }
        return head.status.code >= 300
    }

    func canReadEarly(_ attempt: RequestAttempt) -> Bool {
        attempt.received.head == nil && !isReceivingEnded && !(input?.isFull ?? true)
    }

    // MARK: - Receiving

    /// Moves the head of the final response from the received bytes into the attempt.
    ///
    /// It also collects the 1xx responses before it.
    ///
    /// - Returns: false if the head is not complete.
    func receiveHeadAtOnce(_ attempt: RequestAttempt) throws(ExchangeError) -> Bool {
        if attempt.received.head != nil { return true }
        // There is nothing to parse, as always before the first read.
        if input?.isEmpty ?? true, !isReceivingEnded { return false }
        while true {
            switch try headStep(attempt) {
            case .needMore: return false
            case .informational(let head):
                attempt.received.informational.append(head)
                if exchange.mayHaveHeadDiagnostics {
                    let index = attempt.received.informational.count - 1
                    attempt.record(exchange.headDiagnostics, in: .interimHead(index))
                }
                attempt.report(.informational(head))
            case .head(let head, let framing):
                let isPartial = head.status == .partialContent
                responseBody.hasContentEncoding = head.headers.contains(.contentEncoding)
                attempt.received.head = head
                if exchange.mayHaveHeadDiagnostics {
                    attempt.record(exchange.headDiagnostics, in: .head)
                }
                attempt.trace.metrics.recordHead()
                responseBody.framing = framing
                if isPartial, let head = attempt.received.head {
                    try checkPart(head, framing, attempt)
                }
                return true
            case .body, .end: preconditionFailure("a head comes before a body")
            }
        }
    }

    /// Compares a 206 with the requested range, and limits its body to that range.
    ///
    /// Not inlined: few responses are partial.
    @inline(never) private func checkPart(
        _ head: ResponseHead,
        _ framing: BodyFraming,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) {
        do {
            let range = try PartialContent.range(in: head.headers, to: attempt.plan.head.headers)
            attempt.received.part = framing == .noBody ? nil : range
            attempt.received.partLength = attempt.received.part?.length ?? .max
        } catch {
            throw .range(error)
        }
        // `framing` has the length even if Content-Length repeats the same number.
        if case .length(let length) = framing, attempt.received.part != nil,
            length != attempt.received.partLength
        {
            throw attempt.partFailure(length)
        }
    }

    /// The received part of a response.
    enum ReceivedPart {
        case nothing
        case head
        case all
    }

    /// Reads once, and moves the received part of the response into the attempt.
    func receiveAtOnce(_ attempt: RequestAttempt) -> Result<ReceivedPart, ExchangeError> {
        do throws(ExchangeError) {
            guard try fillInput(attempt) != .wouldBlock, try receiveHeadAtOnce(attempt) else {
                return .success(.nothing)
            }
            attempt.phase = .body
            beginBody(attempt)
            return .success(try collectBodyAtOnce(attempt) ? .all : .head)
        } catch {
            return .failure(error)
        }
    }

    /// The next part of a body, after ``receiveHeadAtOnce(_:)``.
    enum BodyPart {
        /// Bytes in this range of the unused input; consume `consumed` bytes after using them.
        case bytes(Range<Int>, consumed: Int)
        case needMore
        case end(HTTPHeaders)
    }

    /// Returns the next part of the body from the received bytes.
    func nextBodyPart() throws(ExchangeError) -> BodyPart {
        let step = try rawStep()
        switch step.event {
        case .needMore:
            // Framing bytes can be consumed even if no body byte arrived with them.
            input?.consume(step.consumed)
            return .needMore
        case .body(let range): return .bytes(range, consumed: step.consumed)
        case .end(let trailers):
            input?.consume(step.consumed)
            return .end(trailers)
        case .informational, .head: preconditionFailure("a body comes after its head")
        }
    }

    /// Waits until a read returns bytes or the end of the stream.
    ///
    /// - Throws: any error of the stream; a timeout.
    nonisolated(nonsending) func fillInputWaiting(
        until deadline: Deadline,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) {
        // A wait for a ready stream never times out. A peer that sends long heads, or 1xx responses, without a pause
        // makes the stream ready, and so do TLS records without content. Most heads need one read, and no look at the
        // clock.
        if attempt.trace.metrics.bytesReceived > 0 { try attempt.check(deadline) }
        while true {
            try await waitReadable(until: deadline, attempt)
            if try fillInput(attempt) != .wouldBlock { return }
            try attempt.check(deadline)
        }
    }

    /// Waits until bytes can be read.
    ///
    /// It also returns when the call was paused, or when more of the request body may be sent. The caller
    /// then looks for a pause and computes its deadline again.
    nonisolated(nonsending) func waitReadable(
        until deadline: Deadline,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) {
        if upload != nil { return try await waitReadableSending(until: deadline, attempt) }
        while true {
            try attempt.checkThroughput()
            let end = min(deadline, attempt.throughputDeadline)
            do {
                // Concrete types: a wait through the protocol costs a frame and two executor
                // checks.
                if let secured {
                    try await secured.wait(for: .readable, until: end)
                } else {
                    try await socket.wait(for: .readable, until: end)
                }
                return
            } catch {
                try attempt.continueWait(after: error, until: deadline)
                // A pause that came between the timer and this line ended no wait.
                if attempt.limits.pacing?.isPaused ?? false { return }
            }
        }
    }

    /// Reads once, at most `limit` bytes, and sets ``receiving`` at the end of the stream.
    func fillInput(
        _ attempt: RequestAttempt,
        atMost limit: Int = .max
    ) throws(ExchangeError) -> ReceiveOutcome {
        guard var buffer = input.take() else { preconditionFailure("leased connections have one") }
        defer { input = buffer }
        let outcome: ReceiveOutcome
        do {
            outcome = try buffer.fill(from: stream, atMost: limit)
        } catch {
            throw .transport(error)
        }
        switch outcome {
        case .bytes(let count):
            attempt.trace.metrics.recordReceived(count)
            if let pacing = attempt.limits.pacing { pacing.moved(count, .download) }
        case .wouldBlock:
            break
        case .end: receiving = .ended
        case .truncated: receiving = .truncated
        }
        return outcome
    }

    private func headStep(_ attempt: RequestAttempt) throws(ExchangeError) -> ExchangeEvent {
        do throws(ExchangeError) {
            let step = try rawStep()
            input?.consume(step.consumed)
            return step.event
        } catch {
            if case .wire(let wireError) = error, let input {
                input.withBytes {
                    attempt.recordRejection(wireError, of: $0, at: exchange.strictness)
                }
            }
            throw error
        }
    }

    /// Returns the next event of the exchange.
    private func rawStep() throws(ExchangeError) -> ExchangeStep {
        guard let buffer = input else { preconditionFailure("leased connections have one") }
        let step: ExchangeStep
        do {
            step = try buffer.withBytes { bytes throws(WireError) in try exchange.receive(bytes) }
        } catch {
            throw .wire(error)
        }
        if case .needMore = step.event, isReceivingEnded {
            return ExchangeStep(consumed: 0, event: .end(trailers: try endOfStream()))
        }
        return step
    }

    /// Ends the exchange at the end of the stream; only a close-delimited body may end there.
    ///
    /// - Returns: the trailers, which are empty.
    func endOfStream() throws(ExchangeError) -> HTTPHeaders {
        do throws(WireError) {
            let event = try exchange.receiveEndOfStream()
            guard case .end(let trailers) = event else { return HTTPHeaders() }
            // Without close-notify, an attacker may have truncated the body (RFC 9112 §9.8).
            if receiving == .truncated {
                throw .bodyTruncated(received: readState.bytes, expected: nil)
            }
            return trailers
        } catch {
            throw .wire(error)
        }
    }
}
