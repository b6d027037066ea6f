internal import SocketTransport
internal import Wire

/// Carries exchanges over one stream, one after the other.
///
/// Loop-confined.
///
/// Leased to one call at a time; the call sends and receives (`Connection+Exchange`) and the pool
/// takes it back or forgets it.
///
/// What each request changes is exempt from the runtime's search for overlapping accesses, which
/// took a tenth of the time of a request: one thread alone comes here, and nothing that is called
/// while one of them is being changed knows the connection.
final class Connection {
    let id: UInt64
    let stream: any ByteStream
    /// The TCP connection below, for what only it can tell.
    let socket: SocketStream
    /// The same stream as ``stream`` when it is secured.
    let secured: TLSStream?
    let local: SocketAddress?
    /// What the handshake settled; nil for http.
    let tls: TLSSessionInfo?
    /// Where the pool keeps it.
    let poolIndex: PoolState.ConnectionIndex
    let openedAt = Deadline.now()
    /// How long the peer says that it keeps the connection when idle, in nanoseconds.
    @safe @exclusivity(unchecked) var keepAlive: Int64?
    /// Exchanges carried so far.
    @safe @exclusivity(unchecked) var uses = 0
    /// Throws the rest of a body away while nobody has leased the connection.
    var unread: BodyDrain?
    /// Whom the connection belongs to; nil when it is the pool's.
    @safe @exclusivity(unchecked) var lease: ConnectionLease?
    /// False while leased.
    @safe @exclusivity(unchecked) var isIdle = false
    @safe @exclusivity(unchecked) var idleSince = Deadline.never

    /// Received and not yet used.
    ///
    /// Lent by the pool while leased, so that idle connections are small.
    @safe @exclusivity(unchecked) var input: ReceiveBuffer?
    /// The request on its way out.
    @safe @exclusivity(unchecked) var output: [UInt8] = []
    /// What is still to be sent of a body whose answer has begun; mostly nil.
    @safe @exclusivity(unchecked) var upload: Upload?
    /// The present exchange, or the last one; before the first, one that nobody asked for.
    @safe @exclusivity(unchecked)
    var exchange = MessageExchange(request: RequestHead(method: .options, target: .asterisk))
    /// How the body of the last final response is delimited.
    @safe @exclusivity(unchecked) var framing = BodyFraming.noBody
    /// The peer has ended its side of the stream.
    @safe @exclusivity(unchecked) var isReceivingEnded = false
    /// It did so without TLS close-notify.
    @safe @exclusivity(unchecked) var isTruncated = false
    /// Where the reading of the present body stands.
    @safe @exclusivity(unchecked) var readState = BodyReadState()
    /// Undoes the present body's content coding; nil when it has none, or it is left as it is.
    @safe @exclusivity(unchecked) var decoder: ContentDecoder?

    init(
        id: UInt64,
        socket: SocketStream,
        secured: TLSStream?,
        poolIndex: PoolState.ConnectionIndex
    ) {
        self.id = id
        stream = secured ?? socket
        self.socket = socket
        self.secured = secured
        local = socket.localAddress
        tls = secured.map { TLSSessionInfo($0.negotiated) }
        self.poolIndex = poolIndex
    }

    /// Tells whether an idle connection can carry another exchange: open, and silent.
    ///
    /// A loop that polls its sockets knows of a peer's close or bytes, so no system call is needed
    /// there. A blocking call asks the kernel once (``EventLoop/isKnownIdle(since:at:)``).
    func canBeReused(at now: Deadline, on loop: EventLoop) -> Bool {
        !mayHaveUnreadInput && loop.isKnownIdle(since: idleSince, at: now) || hasNoPendingInput
    }

    /// Notes how long the peer keeps the connection, if its answer to the call says so; looked for in
    /// the first answer, and then where it was found.
    func recordKeepAlive(_ call: Attempt) {
        guard uses == 1 || keepAlive != nil else { return }
        keepAlive = call.head.flatMap { KeepAlive.idleNanoseconds($0.headers) }
    }

    /// Tells, without a system call, whether there may be something to read: below TLS or in it.
    var mayHaveUnreadInput: Bool { socket.mayHaveUnreadInput || secured?.hasUnreadInput ?? false }

    /// Asks whether the connection is open and the peer has said nothing that concerns us; TLS
    /// tickets and key updates are taken in.
    var hasNoPendingInput: Bool { secured?.drainPendingInput() ?? socket.hasNoPendingInput }

    func close() {
        stream.close()
    }
}

extension Connection {
    /// Bodies up to this size go out in one piece with the head, so that one system call does.
    private static let joinedBodyLimit = 64 << 10

    // MARK: - Sending

    /// How far sending came without waiting.
    enum Sending {
        case complete
        /// So many bytes of ``Connection/output`` are on their way.
        case stalled(Int)
        /// The peer has closed, as this error says; what it said before may be the answer.
        case closedByPeer(TransportError)
    }

    /// Encodes the head, and the body behind it if it is small, and sends what can be sent at once.
    func sendAtOnce(_ call: Attempt) throws(ExchangeError) -> Sending {
        // Taken out and put back: an array in place would be looked after by the runtime.
        var bytes = output
        output = []
        bytes.removeAll(keepingCapacity: true)
        do {
            // Credentials that a proxy has asked for are nothing that the plan could know.
            if call.plan.key.proxy != nil, let head = call.forwarded?.head {
                try RequestHeadEncoder.encode(head, into: &bytes)
            } else {
                try RequestHeadEncoder.encode(call.plan.head, into: &bytes)
            }
        } catch {
            throw .wire(error)
        }
        // Where it lies, if it can be used again; at first, and after what ended early, a new one.
        if exchange.strictness != call.plan.strictness
            || exchange.startNextExchange(call.plan.head) != nil
        {
            exchange = MessageExchange(
                request: call.plan.head,
                limits: call.plan.limits,
                contentLengthPolicy: call.plan.contentLengthPolicy,
                strictness: call.plan.strictness
            )
        }
        isReceivingEnded = false
        isTruncated = false
        call.metrics.headLength = bytes.count
        let joinsBody = joinsBody(call.plan)
        if joinsBody, !call.plan.body.isEmpty { bytes += call.plan.body }
        output = bytes
        do {
            let sent = try stream.send(bytes.span)
            call.metrics.bytesSent += sent
            if joinsBody, sent == bytes.count, try stream.flush() { return .complete }
            return .stalled(sent)
        } catch {
            guard case .closedByPeer = error else { throw .transport(error) }
            return .closedByPeer(error)
        }
    }

    /// Whether the body goes out with the head: when it is small, there, and not asked about first.
    private func joinsBody(_ plan: Plan) -> Bool {
        if plan.body.isEmpty { return plan.streamedBody == nil }
        return plan.body.count <= Self.joinedBodyLimit && exchange.requestBodyAction == .send
    }

    /// Sends what ``sendAtOnce(_:)`` left; reads meanwhile when the peer takes its time.
    ///
    /// A peer may answer before it has read everything, and may then close. So when sending stalls
    /// this reads too, and when sending fails it leaves it to reading to find the answer.
    ///
    /// - Returns: true when the head of the final response came before the request was sent. The rest
    ///   of a body that is still wanted is in ``Connection/upload`` then.
    nonisolated(nonsending) func sendRest(
        behind sent: Int,
        _ call: Attempt
    ) async throws(ExchangeError) -> Bool {
        let body = call.plan.body
        let head = call.metrics.headLength
        let asksFirst = exchange.requestBodyAction == .wait
        let isWhole = body.isEmpty && call.plan.streamedBody == nil
        if sent < head || isWhole || asksFirst {
            let deadline = call.deadline(call.plan.timeouts.requestHead)
            if try await push(output[..<head], from: min(sent, head), until: deadline, call) {
                return true
            }
        }
        guard !isWhole else { return false }
        if asksFirst, try await isBodyDeclined(call) { return true }
        call.phase = .sendingBody
        call.metrics.headSentMark = .now()
        let deadline = call.deadline(call.plan.timeouts.requestBody)
        if let streamed = call.plan.streamedBody {
            return try await sendPieces(of: streamed, until: deadline, call)
        }
        guard output.count > head else {
            return try await push(body[...], from: 0, until: deadline, call)
        }
        return try await push(output[...], from: max(sent, head), until: deadline, call)
    }

    private nonisolated(nonsending) func push(
        _ bytes: ArraySlice<UInt8>,
        from start: Int,
        until end: Deadline,
        _ call: Attempt
    ) async throws(ExchangeError) -> Bool {
        var offset = start
        var movedLast = Deadline.now()
        while true {
            guard end == .never || .now() < end else { throw .transport(.timedOut(.write)) }
            let sent: Int
            do {
                let isRestEmpty = offset == bytes.count
                sent = isRestEmpty ? 0 : try stream.send(bytes.span.extracting(offset...))
                offset += sent
                call.metrics.bytesSent += sent
                if sent > 0 { movedLast = .now() }
                if offset == bytes.count, try stream.flush() { return false }
            } catch {
                guard case .closedByPeer = error else { throw .transport(error) }
                try await receiveLastAnswer(call, behind: error)
                return true
            }
            try call.checkThroughput()
            if sent > 0, offset < bytes.count { continue }
            // Once the answer has begun, only room to write is worth waking up for.
            let interest: Readiness = canReadEarly(call) ? [.readable, .writable] : .writable
            let deadline = min(end, call.deadline(call.plan.timeouts.writeIdle, from: movedLast))
            do {
                try await stream.wait(for: interest, until: min(deadline, call.throughputDeadline))
            } catch {
                try call.continueWait(after: error, until: deadline)
            }
            if try receiveEarly(call) { return true }
            if isAnsweredWhileSending(call) {
                upload = Upload(bytes, from: offset, until: end)
                return true
            }
        }
    }

    /// Receives the head that the peer may have sent before it closed while we were sending.
    ///
    /// A reset is told once only, and sending has heard it: reading finds a mere end behind it.
    ///
    /// - Throws: `closing`, the error of sending, when not one byte of an answer came.
    nonisolated(nonsending) func receiveLastAnswer(
        _ call: Attempt,
        behind closing: TransportError
    ) async throws(ExchangeError) {
        let deadline = call.deadline(call.plan.timeouts.responseHead)
        do throws(ExchangeError) {
            while try !receiveHeadAtOnce(call) {
                try await fillInputWaiting(until: deadline, call)
            }
        } catch .wire(.closedBeforeResponse) {
            throw .transport(closing)
        }
    }

    /// Reads what is there while the request is still going out.
    ///
    /// - Returns: true when the final head refuses or redirects, so that sending on is pointless.
    ///   With a successful one sending goes on.
    func receiveEarly(_ call: Attempt) throws(ExchangeError) -> Bool {
        guard canReadEarly(call) else { return false }
        switch try fillInput(call) {
        case .wouldBlock: return false
        case .bytes, .end, .truncated: break
        }
        guard try receiveHeadAtOnce(call), let head = call.head else { return false }
        return head.status.code >= 300
    }

    func canReadEarly(_ call: Attempt) -> Bool {
        call.head == nil && !isReceivingEnded && !(input?.isFull ?? true)
    }

    // MARK: - Receiving

    /// Takes the head of the final response out of what has been received, into the call.
    ///
    /// 1xx responses are collected on the way.
    ///
    /// - Returns: false when it is not complete.
    func receiveHeadAtOnce(_ call: Attempt) throws(ExchangeError) -> Bool {
        if call.head != nil { return true }
        // Nothing to look at, as always before the first read.
        if input?.isEmpty ?? true, !isReceivingEnded { return false }
        while true {
            switch try headStep(call) {
            case .needMore: return false
            case .informational(let head):
                call.informational.append(head)
                if exchange.mayHaveHeadDiagnostics {
                    let index = call.informational.count - 1
                    call.record(exchange.headDiagnostics, in: .interimHead(index))
                }
            case .head(let head, let framing):
                call.head = head
                if exchange.mayHaveHeadDiagnostics {
                    call.record(exchange.headDiagnostics, in: .head)
                }
                call.metrics.recordHead()
                self.framing = framing
                if head.status == .partialContent { try checkPart(head, framing, call) }
                return true
            case .body, .end: preconditionFailure("a head comes before a body")
            }
        }
    }

    /// Compares a 206 with the range that was requested, and limits its body to that.
    ///
    /// Not inlined: few responses are partial.
    @inline(never) private func checkPart(
        _ head: ResponseHead,
        _ framing: BodyFraming,
        _ call: Attempt
    ) throws(ExchangeError) {
        do {
            let range = try PartialContent.range(in: head.headers, to: call.plan.head.headers)
            call.part = framing == .noBody ? nil : range
            call.partLength = call.part?.length ?? .max
        } catch {
            throw .range(error)
        }
        // Also where Content-Length says the same number several times.
        if case .length(let length) = framing, call.part != nil, length != call.partLength {
            throw call.partFailure(length)
        }
    }

    /// How much of a response has come.
    enum ReceivedPart {
        case nothing
        case head
        case all
    }

    /// Reads once, and takes what has come of the response into the call.
    func receiveAtOnce(_ call: Attempt) -> Result<ReceivedPart, ExchangeError> {
        do throws(ExchangeError) {
            guard try fillInput(call) != .wouldBlock, try receiveHeadAtOnce(call) else {
                return .success(.nothing)
            }
            call.phase = .body
            beginBody(call)
            return .success(try collectBodyAtOnce(call) ? .all : .head)
        } catch {
            return .failure(error)
        }
    }

    /// Says what comes next of a body, after ``receiveHeadAtOnce(_:)``.
    enum BodyPart {
        /// Bytes at this range of the input's unused bytes; then consume `consumed`.
        case bytes(Range<Int>, consumed: Int)
        case needMore
        case end(HTTPHeaders)
    }

    /// Takes the next part of the body out of what has been received.
    func nextBodyPart() throws(ExchangeError) -> BodyPart {
        let step = try rawStep()
        switch step.event {
        case .needMore:
            // Framing may be finished with although no byte of body came with it.
            input?.consume(step.consumed)
            return .needMore
        case .body(let range): return .bytes(range, consumed: step.consumed)
        case .end(let trailers):
            input?.consume(step.consumed)
            return .end(trailers)
        case .informational, .head: preconditionFailure("a body comes after its head")
        }
    }

    /// Waits for bytes and reads once; at the peer's end lets the exchange judge it.
    ///
    /// - Throws: truncation when the end comes too early; what the stream throws.
    nonisolated(nonsending) func fillInputWaiting(
        until deadline: Deadline,
        _ call: Attempt
    ) async throws(ExchangeError) {
        repeat {
            try await waitReadable(until: deadline, call)
        } while try fillInput(call) == .wouldBlock
    }

    nonisolated(nonsending) func waitReadable(
        until deadline: Deadline,
        _ call: Attempt
    ) async throws(ExchangeError) {
        while true {
            try call.checkThroughput()
            let interest = upload == nil ? .readable : try advanceUpload(call)
            let end = min(deadline, call.throughputDeadline, uploadEnd)
            do {
                // Named types: a wait through the protocol costs a frame and two looks at the
                // executor.
                if let secured {
                    try await secured.wait(for: interest, until: end)
                } else {
                    try await socket.wait(for: interest, until: end)
                }
                return
            } catch {
                try checkUpload(call)
                try call.continueWait(after: error, until: deadline)
            }
        }
    }

    /// Reads once; an end of the stream is noted in ``isReceivingEnded``.
    func fillInput(_ call: Attempt) throws(ExchangeError) -> ReceiveOutcome {
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
            call.metrics.recordReceived(count)
        case .wouldBlock:
            break
        case .end, .truncated:
            isReceivingEnded = true
            isTruncated = outcome == .truncated
        }
        return outcome
    }

    private func headStep(_ call: Attempt) throws(ExchangeError) -> ExchangeEvent {
        do throws(ExchangeError) {
            let step = try rawStep()
            input?.consume(step.consumed)
            return step.event
        } catch {
            if case .wire(let fault) = error, let input {
                input.withBytes { call.recordRejection(fault, of: $0, at: exchange.strictness) }
            }
            throw error
        }
    }

    /// Asks the exchange for its next event.
    private func rawStep() throws(ExchangeError) -> ExchangeStep {
        guard let buffer = input else { preconditionFailure("leased connections have one") }
        do {
            let step = try buffer.withBytes { bytes throws(WireError) in
                try exchange.receive(bytes)
            }
            if case .needMore = step.event, isReceivingEnded { return try endStep() }
            return step
        } catch {
            throw .wire(error)
        }
    }

    /// The peer has ended the stream: a close-delimited body is complete, all else is cut short.
    private func endStep() throws(WireError) -> ExchangeStep {
        let event = try exchange.receiveEndOfStream()
        if isTruncated, case .end = event {
            // Without close-notify anybody on the way may have cut the body here (RFC 9112 §9.8).
            throw .bodyTruncated(received: readState.bytes, expected: nil)
        }
        return ExchangeStep(consumed: 0, event: event)
    }
}
