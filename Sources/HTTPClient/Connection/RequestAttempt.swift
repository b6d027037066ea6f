internal import SocketTransport
internal import Wire

/// One attempt in the engine: its plan, its phase, its deadlines and its metrics.
///
/// The caller's thread creates it. It is loop-confined while the attempt runs, and belongs to the
/// caller again afterwards. Then the loop may use only ``scope``.
final class RequestAttempt: @unchecked Sendable {
    // Sendable because only one thread uses it at a time: the caller's, the loop's, the caller's again.
    // The properties that every request changes skip the runtime's exclusivity checks, for this
    // reason and the one given at `ClientConnection`.
    let plan: Plan
    let scope = CancellationScope()
    @safe @exclusivity(unchecked) var phase = HTTPPhase.preparing {
        didSet { if watchesPhases { recordPhase() } }
    }
    /// Whether the reporter or the observer is notified of phases.
    @safe @exclusivity(unchecked) private var watchesPhases = false
    /// The reporter of the call's progress; nil if the call cannot be observed.
    @safe @exclusivity(unchecked) var progress: ProgressReporter? {
        didSet { updateWatching() }
    }
    /// What has happened so far.
    @safe @exclusivity(unchecked) var trace: Trace
    /// The lease of a dedicated connection that the attempt runs on; nil for a pooled connection.
    let lease: LoopBound<ConnectionLease>?
    /// The permit of the client's queue; set only before the attempt begins.
    var queuePermit: HTTPClientQueue.Permit?
    /// The deadlines and the rate limit.
    @safe @exclusivity(unchecked) var limits: Limits
    /// The request as sent to a forwarding proxy; nil if the client has no credentials for it.
    @safe @exclusivity(unchecked) var forwarded: ForwardedRequest?
    /// The streamed request body that is being sent.
    @safe @exclusivity(unchecked) var upload: StreamedUpload?
    /// The response so far.
    @safe @exclusivity(unchecked) var received = Received()
    /// An observer of steps and of the final head, called on the loop; set before the attempt begins.
    var liveObserver: (any LiveObserver)? {
        didSet { updateWatching() }
    }
    /// The outcome, for a blocking caller.
    @safe @exclusivity(unchecked) var result = Result<Void, HTTPError>.success(())

    /// What has happened in the current attempt and in the earlier ones.
    struct Trace {
        /// The metrics of the current attempt.
        var metrics: HTTPMetrics.Attempt
        /// The earlier attempts; nil if there are none.
        fileprivate var earlier: HTTPMetrics.Extras?
        /// The number of times the request was sent again because a connection was lost.
        fileprivate(set) var replays = 0
        /// The addresses of the last lookup that the address policy refused.
        var refusedAddresses: [AddressPolicy.RefusedAddress] = []
        /// The failure of each address that was tried.
        var failedAddresses: [HTTPError.FailedAddress] = []
        /// Whether the observer was notified of a step.
        var hasReported = false
    }

    /// What limits the time and the rate of an attempt.
    struct Limits {
        /// The deadline of the whole call.
        let totalDeadline: Deadline
        /// The deadline for establishing the connection; never while none is being established.
        var establishDeadline = Deadline.never
        /// The deadline for reading a body ahead of the caller; never while the caller reads.
        var drainDeadline = Deadline.never
        /// The monitor of the minimum throughput; nil without a minimum or before sending.
        var throughput: ThroughputMonitor?
        /// Whether the throughput fell below the minimum.
        var isTooSlow = false
        /// The pacing of the content; nil if it has no rate limit and cannot be paused.
        var pacing: TransferPacing?

        init(until totalDeadline: Deadline) {
            self.totalDeadline = totalDeadline
        }
    }

    /// What an attempt has received.
    struct Received {
        /// The responses of proxies.
        var proxyHeads: [ResponseHead] = []
        /// The 1xx responses received so far.
        var informational: [ResponseHead] = []
        /// The head of the final response, once received.
        var head: ResponseHead?
        /// Whether the lenient level accepts a head that the strict level rejected.
        var isReadableLeniently = false
        /// The range of the body; nil if the response is not partial or has several ranges.
        var part: ContentRange?
        /// The number of bytes in ``part``; `Int.max` if there is none.
        var partLength = Int.max
        /// The body bytes collected so far.
        var body: [UInt8] = []
        var trailers = HTTPHeaders()
    }

    init(
        _ plan: consuming Plan,
        on lease: LoopBound<ConnectionLease>? = nil,
        until deadline: Deadline? = nil
    ) {
        let now = Deadline.now()
        limits = Limits(until: deadline ?? now.advanced(byNanoseconds: plan.timeouts.total))
        self.plan = plan
        self.lease = lease
        trace = Trace(metrics: HTTPMetrics.Attempt(.first, at: now, in: now))
    }

    /// Creates a further attempt of a call, with the same deadline and continued metrics.
    init(
        _ plan: consuming Plan,
        following past: HTTPMetrics,
        until deadline: Deadline,
        _ reason: HTTPMetrics.Attempt.Reason
    ) {
        limits = Limits(until: deadline)
        self.plan = plan
        lease = nil
        let now = Deadline.now()
        let attempts = past.attempts
        trace = Trace(
            metrics: HTTPMetrics.Attempt(reason, at: now, in: attempts.first?.startMark ?? now),
            earlier: attempts.isEmpty ? nil : HTTPMetrics.Extras(attempts)
        )
    }

    /// Creates an attempt that repeats the request of another one with new credentials for the proxy.
    init(
        repeating refused: RequestAttempt,
        as forwarded: ForwardedRequest,
        following past: HTTPMetrics,
        proxyHeads: [ResponseHead],
        _ reason: HTTPMetrics.Attempt.Reason
    ) {
        limits = Limits(until: refused.limits.totalDeadline)
        plan = refused.plan
        lease = refused.lease
        self.forwarded = forwarded
        received.proxyHeads = proxyHeads
        let now = Deadline.now()
        let attempts = past.attempts
        trace = Trace(
            metrics: HTTPMetrics.Attempt(reason, at: now, in: attempts.first?.startMark ?? now),
            earlier: HTTPMetrics.Extras(attempts)
        )
    }

    /// Returns the complete response; call it only after a successful attempt, off the loop.
    // Inlined, because a call would copy the response once more.
    @inline(__always)
    func response() -> HTTPResponse {
        guard let head = received.head else {
            preconditionFailure("a successful attempt has a response head")
        }
        return HTTPResponse(
            head: head,
            body: received.body,
            url: plan.url,
            request: plan.head,
            informational: received.informational,
            proxyHeads: received.proxyHeads,
            trailers: received.trailers,
            metrics: timeline,
            coders: plan.shared.coders
        )
    }

    /// Returns whether only decoding the body failed, so that the head may still lead to another
    /// request.
    func hasOnlyHead(_ error: HTTPError) -> Bool {
        switch error.kind {
        case .codingFailed, .limitExceeded(.limitExceeded(.codingCount)): break
        default: return false
        }
        return received.head.map { $0.status.code >= 300 } ?? false
    }

    /// Whether a proxy requires credentials and the client has some.
    var isChallengedByProxy: Bool {
        forwarded != nil && received.head?.status == .proxyAuthenticationRequired
    }

    /// The metrics of all attempts.
    var timeline: HTTPMetrics {
        settle()
        return HTTPMetrics(trace.metrics, with: trace.earlier)
    }

    /// Completes the metrics of the current attempt from the received part of the response.
    private func settle() {
        var heads = received.head?.rawByteCount ?? 0
        for head in received.informational { heads += head.rawByteCount }
        trace.metrics.headBytesReceived = heads
        if !received.body.isEmpty { trace.metrics.bodyBytesDecoded = received.body.count }
    }

    /// Ends the current attempt, whose connection was lost, and begins another one.
    ///
    /// Not inlined, like the creation of errors: inlined copies would enlarge the frames of all
    /// functions that wait, in every attempt.
    @inline(never) func restart() {
        settle()
        trace.metrics.ending = .lost
        trace.replays += 1
        trace.earlier = HTTPMetrics.Extras((trace.earlier?.attempts ?? []) + [trace.metrics])
        trace.metrics = HTTPMetrics.Attempt(
            .lostConnection,
            at: .now(),
            in: trace.metrics.startMark
        )
    }

    /// Notifies the observer of the head of the final response, which no replay can replace any more.
    func notifyHead() {
        if let liveObserver, let head = received.head { liveObserver.finalHead(head, of: self) }
    }

    /// Reports the phase; few calls have a reporter or an observer of phases.
    @inline(never) private func recordPhase() {
        progress?.recordPhase(of: self)
        // An attempt returns to `.preparing` only to fail with a request that cannot be sent.
        if liveObserver?.watchesPhases == true, phase != .preparing {
            report(.entered(phase, trace.metrics))
        }
    }

    private func updateWatching() {
        watchesPhases = progress != nil || liveObserver?.watchesPhases == true
    }

    /// Reports the bytes that were sent or received.
    func recordBytes() {
        if let progress { progress.recordBytes(of: self) }
    }

    /// Records deviations that were accepted in a part of the response.
    @inline(never) func record(_ diagnostics: [Diagnostic], in part: HTTPResponse.Deviation.Part) {
        guard !diagnostics.isEmpty else { return }
        trace.metrics.record(diagnostics.map { HTTPResponse.Deviation($0, in: part) })
    }

    /// Records whether the lenient level accepts a head that the strict level rejected.
    @inline(never) func recordRejection(
        _ error: WireError,
        of bytes: Span<UInt8>,
        at strictness: Strictness
    ) {
        guard strictness == .strict, error.kind == .head else { return }
        var decoder = ResponseHeadDecoder(limits: plan.limits, strictness: .lenient)
        let isRead = (try? decoder.decode(bytes)) != nil
        received.isReadableLeniently = isRead && !decoder.diagnostics.isEmpty
    }

    /// Returns the body bytes collected so far and clears them.
    func takeBody() -> [UInt8] {
        let collected = received.body
        received.body = []
        return collected
    }

    /// Returns the error of a body that is longer or shorter than its range.
    @inline(never) func partFailure(_ count: Int) -> ExchangeError {
        guard let part = received.part else {
            preconditionFailure("only a range has a length to check")
        }
        // Without Content-Length and chunks, only the range shows that the connection was lost.
        if count < part.length, let fields = received.head?.headers,
            !fields.contains(.contentLength), !fields.contains(.transferEncoding)
        {
            return .wire(.bodyTruncated(received: count, expected: part.length))
        }
        return .range(.lengthMismatch(part, received: count))
    }

    /// Cancels the attempt from any thread; on the loop itself, at once.
    ///
    /// On the loop, a posted cancellation would come after the request of an already canceled task
    /// was sent.
    func cancel(on loop: EventLoop) {
        if loop.isCurrent {
            scope.cancel()
        } else {
            loop.post { self.scope.cancel() }
        }
    }

    /// Throws if the total deadline has passed.
    ///
    /// A wait for a stream that is already ready returns at once, even after its deadline. So a
    /// peer that always has data ready would otherwise never reach the deadline.
    func checkTotal() throws(ExchangeError) {
        try check(limits.totalDeadline)
    }

    /// Throws if a deadline for reading has passed, as ``checkTotal()`` does.
    func check(_ deadline: Deadline) throws(ExchangeError) {
        guard deadline == .never || .now() < deadline else {
            throw .transport(.timedOut(.read))
        }
    }

    /// Throws if a timeout leaves no time to send the request, so that no byte of it is sent.
    ///
    /// - Parameter now: the current time.
    /// - Throws: the timeout that passed, in its phase.
    func checkMaySend(at now: Deadline) throws(ExchangeError) {
        guard !maySend(at: now) else { return }
        if now < limits.totalDeadline {
            let hasBody = !plan.body.isEmpty || plan.streamedBody != nil
            guard let phase = plan.timeouts.phaseWithoutTime(hasBody: hasBody) else { return }
            self.phase = phase
        }
        throw .transport(.timedOut(.write))
    }

    /// Returns whether the request may be sent now; if false, ``checkMaySend(at:)`` decides.
    func maySend(at now: Deadline) -> Bool {
        now < limits.totalDeadline && !plan.timeouts.forbidsSending
    }

    /// Returns the deadline of a phase that begins now.
    func deadline(_ phase: Int64) -> Deadline {
        deadline(phase, from: .now())
    }

    /// Returns the deadline of a phase that began at `start`.
    func deadline(_ phase: Int64, from start: Deadline) -> Deadline {
        min(
            min(limits.totalDeadline, limits.establishDeadline),
            start.advanced(byNanoseconds: phase)
        )
    }

    /// Begins the pacing of the content, which has rate limits or can be paused; call it on the loop.
    @inline(never) func beginPacing(on socket: SocketStream) {
        if limits.pacing == nil { limits.pacing = TransferPacing(plan.limiters) }
        limits.pacing?.gate?.attach(socket)
    }

    /// Starts measuring the throughput.
    func startThroughputMonitor(at now: Deadline) {
        limits.throughput = plan.timeouts.throughput.map { minimum in
            ThroughputMonitor(bytes: minimum.bytes, window: minimum.window)
        }
        limits.throughput?.begin(
            at: now,
            moved: trace.metrics.bytesSent + trace.metrics.bytesReceived
        )
    }

    /// When the throughput must be checked next.
    var throughputDeadline: Deadline { limits.throughput?.end ?? .never }

    /// Throws if bytes have moved too slowly.
    func checkThroughput() throws(ExchangeError) {
        guard limits.throughput != nil else { return }
        let moved = trace.metrics.bytesSent + trace.metrics.bytesReceived
        guard limits.throughput?.isSufficient(moved: moved, at: .now()) == false else { return }
        limits.isTooSlow = true
        throw .transport(.timedOut(.read))
    }

    /// Returns if a wait that ended with the throughput window may continue.
    ///
    /// - Throws: `error`, if it is not a timeout or the wait's own deadline has passed; a timeout,
    ///   if the throughput was too low.
    func continueWait(
        after error: TransportError,
        until deadline: Deadline
    ) throws(ExchangeError) {
        guard case .timedOut = error, limits.throughput != nil, .now() < deadline else {
            throw .transport(error)
        }
        try checkThroughput()
    }

    /// Returns the public error of a transport error in the current phase.
    func error(_ error: TransportError) -> HTTPError {
        let kind = HTTPError.Kind(error, phase: phase, attempt: self)
        guard case .timedOut(let exceeded) = kind else { return self.error(kind) }
        return self.error(kind, detail: plan.timeouts.description(of: exceeded))
    }

    /// Returns the public error of a fault in the message.
    func error(_ error: WireError) -> HTTPError {
        let kind = HTTPError.Kind(error)
        // The encoder checks the head before the first byte is sent.
        if case .invalidRequest = kind, trace.metrics.bytesSent == 0 { phase = .preparing }
        return self.error(kind, refusedField: fieldName(in: error))
    }

    /// Returns the name of the header field that the encoder refused; nil for other errors.
    private func fieldName(in error: WireError) -> FieldName? {
        switch error {
        case .invalidFieldName(let index), .invalidFieldValue(let index), .fieldTooLong(let index):
            let fields = (forwarded?.head ?? plan.head).headers
            guard fields.indices.contains(index) else { return nil }
            return FieldName(fields[index].name)
        default: return nil
        }
    }

    /// Returns which timeout passed in `phase`: `.total`, `.establish`, `.throughput` or that of the phase.
    func exceededTimeout(in phase: HTTPPhase) -> HTTPPhase {
        let now = Deadline.now()
        if limits.totalDeadline <= now { return .total }
        if limits.establishDeadline <= now { return .establish }
        return limits.isTooSlow ? .throughput : phase
    }

    @inline(never) func error(
        _ kind: HTTPError.Kind,
        underlying: (any Error)? = nil,
        detail: String? = nil,
        refusedField: FieldName? = nil
    ) -> HTTPError {
        trace.metrics.fail(kind, in: phase, at: .now())
        var info = HTTPError.Info(kind: kind, phase: phase)
        info.detail = detail
        info.refusedField = refusedField
        info.request = HTTPError.summary(plan.head.method, plan.publicURL)
        info.metrics = timeline
        info.head = received.head
        info.informational = received.informational
        info.proxyHeads = received.proxyHeads
        info.partialBody = received.body
        info.failedAddresses = trace.failedAddresses
        info.isReadableLeniently = received.isReadableLeniently
        info.isIdempotent = plan.head.method.isIdempotent
        info.underlying = underlying
        info.coders = plan.shared.coders
        return HTTPError(info)
    }
}

extension HTTPError.Kind {
    /// Translates a transport error, with details that the attempt has recorded.
    init(_ error: TransportError, phase: HTTPPhase, attempt: RequestAttempt) {
        switch error {
        case .connectFailed(let failures)
        where failures.isEmpty && !attempt.trace.refusedAddresses.isEmpty:
            self = .addressesRefused(
                host: attempt.plan.key.origin.host,
                attempt.trace.refusedAddresses
            )
        case .connectFailed where !attempt.trace.failedAddresses.isEmpty:
            // The recorded failures include the addresses that the policy refused.
            self = .connectFailed(attempt.trace.failedAddresses)
        default:
            self.init(error, phase: attempt.exceededTimeout(in: phase))
        }
    }

    /// Translates a transport error; the only place where transport errors become public.
    ///
    /// The phase is used for timeouts only.
    init(_ error: TransportError, phase: HTTPPhase) {
        switch error {
        case .resolveFailed(let host, let code):
            self = .resolveFailed(host: host, reason: TransportError.resolveReason(code))
        case .resolverFailed(let host, let reason):
            self = .resolveFailed(host: host, reason: reason)
        case .connectFailed(let failures):
            self = .connectFailed(failures.map { HTTPError.FailedAddress($0) })
        case .bindFailed(let binding, let errno):
            self = .bindFailed(local: binding.description, reason: errno.description)
        case .readFailed(let errno), .writeFailed(let errno), .closedByPeer(let errno):
            self = .connectionLost(reason: errno.description)
        case .tls(.failed(let reason)):
            self = .tlsFailed(reason)
        case .tls(.internalError(let reason)):
            self = .systemFailure(reason: reason)
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
}

extension HTTPMetrics.Attempt {
    /// Records the connection of the attempt.
    mutating func record(_ connection: ClientConnection) {
        connectionID = connection.opening.id
        priorUses = connection.usage.exchanges
        peer = connection.socket.peerAddress
        local = connection.opening.local
        tls = connection.opening.tls
    }
}
