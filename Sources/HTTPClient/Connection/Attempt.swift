internal import SocketTransport
internal import Wire

/// Follows one call through the engine: what it is doing, until when, and what it measured.
///
/// Made by the caller's thread, then loop-confined, and the caller's again when it is over: only
/// ``scope`` may be used by the loop after that.
final class Attempt: @unchecked Sendable {
    // Sendable because one thread at a time touches it: the caller's, the loop's, the caller's.
    // What each request changes is exempt from the search for overlapping accesses, for the same
    // reason and that of `Connection`.
    let plan: Plan
    let scope = CancellationScope()
    @safe @exclusivity(unchecked) var phase = HTTPPhase.preparing
    /// What the present attempt has measured.
    @safe @exclusivity(unchecked) var metrics: HTTPMetrics.Attempt
    /// The attempts before it; nil while there are none.
    @safe @exclusivity(unchecked) private var earlier: HTTPMetrics.EarlierAttempts?
    /// How often the request was sent again because a connection was lost.
    private(set) var replays = 0
    /// The connection that the call is made on, when it belongs to somebody; nil for the pool's.
    let lease: LoopBound<ConnectionLease>?
    /// The turn in the client's queue; set before the call begins, and only then.
    var queuePermit: HTTPClientQueue.Permit?
    /// Until when a body is read that nobody asked for yet; never when somebody did.
    var drainDeadline = Deadline.never
    /// When the whole call must be over.
    let totalDeadline: Deadline
    /// When the connection must be established; never while none is being.
    @safe @exclusivity(unchecked) var establishDeadline = Deadline.never
    /// How fast bytes must move; nil when any pace will do, and before they move.
    @safe @exclusivity(unchecked) var throughput: ThroughputMonitor?
    /// Bytes moved too slowly.
    @safe @exclusivity(unchecked) var isTooSlow = false
    /// What the address policy refused of the addresses found last.
    var refusedAddresses: [RefusedAddress] = []
    /// How each address failed that was tried.
    var failedAddresses: [FailedAddress] = []
    /// What a forwarding proxy wants to see besides; nil when that is nothing.
    @safe @exclusivity(unchecked) var forwarded: ForwardedRequest?
    /// What a proxy answered on the way.
    @safe @exclusivity(unchecked) var proxyHeads: [ResponseHead] = []
    /// The body on its way, when it is made meanwhile.
    @safe @exclusivity(unchecked) var upload: StreamedUpload?
    /// The strict level refused a head that the lenient one reads.
    @safe @exclusivity(unchecked) var isReadableLeniently = false
    /// 1xx responses so far.
    @safe @exclusivity(unchecked) var informational: [ResponseHead] = []
    /// The head of the final response, once it is there.
    @safe @exclusivity(unchecked) var head: ResponseHead?
    /// Wants to know of it, on the loop; set before the call begins, and only then.
    var onHead: (@Sendable (ResponseHead) -> Void)?
    /// The range that the body holds; nil when the response is not partial, or has several ranges.
    @safe @exclusivity(unchecked) var part: ContentRange?
    /// The bytes of ``part``; the greatest number when there is none.
    @safe @exclusivity(unchecked) var partLength = Int.max
    /// Bytes of body collected so far.
    @safe @exclusivity(unchecked) var body: [UInt8] = []
    @safe @exclusivity(unchecked) var trailers = HTTPHeaders()
    /// How it ended, for a blocking caller.
    @safe @exclusivity(unchecked) var result = Result<Void, HTTPError>.success(())

    init(
        _ plan: consuming Plan,
        on lease: LoopBound<ConnectionLease>? = nil,
        until deadline: Deadline? = nil
    ) {
        let now = Deadline.now()
        totalDeadline = deadline ?? now.advanced(byNanoseconds: plan.timeouts.total)
        self.plan = plan
        self.lease = lease
        metrics = HTTPMetrics.Attempt(.first, at: now, in: now)
    }

    /// Goes on with a call that is over by another request: same bounds, same story.
    init(
        _ plan: consuming Plan,
        following past: HTTPMetrics,
        until deadline: Deadline,
        _ reason: HTTPMetrics.Attempt.Reason
    ) {
        totalDeadline = deadline
        self.plan = plan
        lease = nil
        let now = Deadline.now()
        let attempts = past.attempts
        earlier = attempts.isEmpty ? nil : HTTPMetrics.EarlierAttempts(attempts)
        metrics = HTTPMetrics.Attempt(reason, at: now, in: attempts.first?.startMark ?? now)
    }

    /// The complete response; only when the call has ended well, where it no longer is the loop's.
    func response() -> HTTPResponse {
        guard let head else { preconditionFailure("a call ends well with a head") }
        return HTTPResponse(
            head: head,
            body: body,
            url: plan.url,
            method: plan.head.method,
            informational: informational,
            proxyHeads: proxyHeads,
            trailers: trailers,
            metrics: timeline,
            coders: plan.coders
        )
    }

    /// Whether an error spares the head of a response that may lead to another request: its body alone
    /// could not be decoded.
    func hasOnlyHead(_ error: HTTPError) -> Bool {
        switch error.kind {
        case .codingFailed, .limitExceeded(.limitExceeded(.codingCount)): break
        default: return false
        }
        return head.map { $0.status.code >= 300 } ?? false
    }

    /// All that was measured.
    var timeline: HTTPMetrics {
        settle()
        return HTTPMetrics(metrics, after: earlier)
    }

    /// Completes what the present attempt has measured by what follows from what was received.
    private func settle() {
        var heads = head?.rawByteCount ?? 0
        for head in informational { heads += head.rawByteCount }
        metrics.headBytesReceived = heads
        if !body.isEmpty { metrics.bodyBytesDecoded = body.count }
    }

    /// Turns to another attempt, which has this `reason`; the one before is over.
    ///
    /// Not inlined, like the making of errors: its copies would swell the frames of those that
    /// wait, in every call.
    @inline(never) func restart(_ reason: HTTPMetrics.Attempt.Reason) {
        settle()
        metrics.ending = reason == .lostConnection ? .lost : .challenged
        if reason == .lostConnection { replays += 1 }
        earlier = HTTPMetrics.EarlierAttempts((earlier?.attempts ?? []) + [metrics])
        metrics = HTTPMetrics.Attempt(reason, at: .now(), in: metrics.startMark)
    }

    /// The head is that of the final response, which nothing can take back.
    func notifyHead() {
        if let onHead, let head { onHead(head) }
    }

    /// Notes deviations that were accepted in a part of the response.
    @inline(never) func record(_ diagnostics: [Diagnostic], in part: HTTPDeviation.Part) {
        guard !diagnostics.isEmpty else { return }
        metrics.record(diagnostics.map { HTTPDeviation($0, in: part) })
    }

    /// Notes whether the lenient level reads a head that the strict one refused.
    @inline(never) func recordRejection(
        _ error: WireError,
        of bytes: Span<UInt8>,
        at strictness: Strictness
    ) {
        guard strictness == .strict, error.kind == .head else { return }
        var decoder = ResponseHeadDecoder(limits: plan.limits, strictness: .lenient)
        let isRead = (try? decoder.decode(bytes)) != nil
        isReadableLeniently = isRead && !decoder.diagnostics.isEmpty
    }

    /// Takes the bytes of body collected so far out of the call.
    func takeBody() -> [UInt8] {
        let collected = body
        body = []
        return collected
    }

    /// Makes the failure of a body that is longer or shorter than its range.
    @inline(never) func partFailure(_ received: Int) -> ExchangeError {
        guard let part else { preconditionFailure("only a part has a length to keep") }
        return .range(.lengthMismatch(part, received: received))
    }

    /// Cancels the call from any thread; at once on the loop itself, where the request of a task
    /// that is cancelled already would otherwise go out first.
    func cancel(on loop: EventLoop) {
        if loop.isCurrent {
            scope.cancel()
        } else {
            loop.post { self.scope.cancel() }
        }
    }

    /// Throws when the bound of the whole call has passed.
    ///
    /// A wait for what is ready already ends at once, whatever its deadline: so a peer that never
    /// lets us wait would never meet one.
    func checkTotal() throws(ExchangeError) {
        guard totalDeadline == .never || .now() < totalDeadline else {
            throw .transport(.timedOut(.read))
        }
    }

    /// Throws when a timeout leaves no time for sending the request: then nothing of it is sent.
    ///
    /// - Parameter now: the current time.
    /// - Throws: the timeout that ended, in its phase.
    func checkMaySend(at now: Deadline) throws(ExchangeError) {
        guard !maySend(at: now) else { return }
        let timeouts = plan.timeouts
        let hasBody = !plan.body.isEmpty || plan.streamedBody != nil
        if now < totalDeadline {
            if timeouts.requestHead == 0 || timeouts.writeIdle == 0 {
                phase = .sending
            } else if timeouts.requestBody == 0, hasBody {
                phase = .sendingBody
            } else if timeouts.responseHead == 0 {
                phase = .responseHead
            } else if timeouts.readIdle == 0 {
                phase = .body
            } else {
                return
            }
        }
        throw .transport(.timedOut(.write))
    }

    /// Whether the request may be sent now; false also where ``checkMaySend(at:)`` has to look closer.
    func maySend(at now: Deadline) -> Bool {
        now < totalDeadline && !plan.timeouts.forbidsSending
    }

    /// When a phase that begins now must be over.
    func deadline(_ phase: Int64) -> Deadline {
        deadline(phase, from: .now())
    }

    /// When a phase that began at `start` must be over.
    func deadline(_ phase: Int64, from start: Deadline) -> Deadline {
        min(min(totalDeadline, establishDeadline), start.advanced(byNanoseconds: phase))
    }

    /// Bytes begin to move: the pace counts from now on.
    func startThroughputMonitor(at now: Deadline) {
        throughput = plan.timeouts.throughput
        throughput?.begin(at: now, moved: metrics.bytesSent + metrics.bytesReceived)
    }

    /// When the pace is to be looked at.
    var throughputDeadline: Deadline { throughput?.end ?? .never }

    /// Throws when bytes have moved too slowly.
    func checkThroughput() throws(ExchangeError) {
        guard throughput != nil else { return }
        let moved = metrics.bytesSent + metrics.bytesReceived
        guard throughput?.isSufficient(moved: moved, at: .now()) == false else { return }
        isTooSlow = true
        throw .transport(.timedOut(.read))
    }

    /// A wait may go on after it ended at the end of the pace's window: the pace was kept.
    ///
    /// - Throws: `error`, when it is another or the wait's own deadline has passed; too slow a pace.
    func continueWait(
        after error: TransportError,
        until deadline: Deadline
    ) throws(ExchangeError) {
        guard case .timedOut = error, throughput != nil, .now() < deadline else {
            throw .transport(error)
        }
        try checkThroughput()
    }

    /// Makes the public error of what the transport threw in the present phase.
    func error(_ error: TransportError) -> HTTPError {
        self.error(HTTPError.Kind(error, phase: phase, call: self))
    }

    /// Makes the public error of what the peer did to the message.
    func error(_ error: WireError) -> HTTPError {
        self.error(HTTPError.Kind(error))
    }

    /// Names the bound that passed in `phase`.
    func exceededTimeout(in phase: HTTPPhase) -> HTTPPhase {
        let now = Deadline.now()
        if totalDeadline <= now { return .total }
        if establishDeadline <= now { return .establish }
        return isTooSlow ? .throughput : phase
    }

    @inline(never) func error(
        _ kind: HTTPError.Kind,
        underlying: (any Error)? = nil
    ) -> HTTPError {
        metrics.fail(kind, in: phase, at: .now())
        var info = HTTPError.Info(kind: kind, phase: phase)
        info.request = HTTPError.summary(plan.head.method, plan.publicURL)
        info.metrics = timeline
        info.head = head
        info.informational = informational
        info.proxyHeads = proxyHeads
        info.partialBody = body
        info.failedAddresses = failedAddresses
        info.isReadableLeniently = isReadableLeniently
        info.isIdempotent = plan.head.method.isIdempotent
        info.underlying = underlying
        info.coders = plan.coders
        return HTTPError(info)
    }
}

extension HTTPError.Kind {
    /// Translates a transport error with what the call knows of it.
    init(_ error: TransportError, phase: HTTPPhase, call: Attempt) {
        switch error {
        case .connectFailed(let failures) where failures.isEmpty && !call.refusedAddresses.isEmpty:
            self = .addressesRefused(host: call.plan.key.origin.host, call.refusedAddresses)
        case .connectFailed where !call.failedAddresses.isEmpty:
            // What the call has noted has those in it that the policy refused.
            self = .connectFailed(call.failedAddresses)
        default:
            self.init(error, phase: call.exceededTimeout(in: phase))
        }
    }

    /// Translates a transport error: the one line where the transport's words become public.
    ///
    /// The phase is what a time-out says.
    init(_ error: TransportError, phase: HTTPPhase) {
        switch error {
        case .resolveFailed(let host, let code):
            self = .resolveFailed(host: host, reason: TransportError.resolveReason(code))
        case .resolverFailed(let host, let reason):
            self = .resolveFailed(host: host, reason: reason)
        case .connectFailed(let failures):
            self = .connectFailed(failures.map { FailedAddress($0) })
        case .bindFailed(let binding, let errno):
            self = .bindFailed(local: binding.description, reason: errno.description)
        case .readFailed(let errno), .writeFailed(let errno), .closedByPeer(let errno):
            self = .connectionLost(reason: errno.description)
        case .tls(let failure):
            self = HTTPError.Kind(failure)
        case .timedOut:
            self = .timedOut(phase)
        case .cancelled:
            self = .cancelled
        case .descriptorsExhausted(let errno):
            self = .systemFailure(reason: errno.description)
        case .systemFailure(let call, let errno):
            self = .systemFailure(reason: "\(call): \(errno)")
        }
    }

    /// Translates a fault of the message: the one line where Wire's words become public.
    init(_ error: WireError) {
        switch error.kind {
        case .uri, .outgoing: self = .invalidRequest(.refused(error))
        case .head, .framing, .body: self = .malformedResponse(error)
        case .truncated: self = .truncatedResponse(error)
        case .coding: self = .codingFailed(error)
        case .limit: self = .limitExceeded(error)
        }
    }
}

extension HTTPMetrics.Attempt {
    /// Records the connection of the attempt.
    mutating func record(_ connection: Connection) {
        connectionID = connection.id
        priorUses = connection.uses
        peer = connection.socket.peerAddress
        local = connection.local
        tls = connection.tls
    }
}
