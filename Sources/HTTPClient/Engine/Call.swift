internal import SocketTransport

/// Follows one call through the engine: what it is doing, until when, and what it measured.
///
/// Made by the caller's thread, then loop-confined, and the caller's again when it is over: only
/// ``scope`` may be used by the loop after that.
final class Call: @unchecked Sendable {
    // Sendable because one thread at a time touches it: the caller's, the loop's, the caller's.
    let plan: Plan
    let scope = CancellationScope()
    var phase = HTTPPhase.preparing
    var metrics = HTTPMetrics()
    /// When the whole call must be over.
    let totalDeadline: Deadline
    /// What a forwarding proxy wants to see besides; nil when that is nothing.
    var forwarded: ForwardedRequest?
    /// What a proxy answered on the way.
    var proxyHeads: [ResponseHead] = []
    /// 1xx responses so far.
    var informational: [ResponseHead] = []
    /// The head of the final response, once it is there.
    var head: ResponseHead?
    /// Octets of body collected so far.
    var body: [UInt8] = []
    var trailers = HTTPHeaders()

    init(_ plan: consuming Plan) {
        let now = Deadline.now()
        totalDeadline = now.advanced(byNanoseconds: plan.bounds.total)
        self.plan = plan
        metrics.startMark = now
    }

    /// The complete response; only when the call has ended well, where it no longer is the loop's.
    func response() -> HTTPResponse {
        guard let head else { preconditionFailure("a call ends well with a head") }
        return HTTPResponse(
            head: head,
            body: body,
            url: plan.url,
            informational: informational,
            trailers: trailers,
            metrics: metrics
        )
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
    func checkTotal() throws(ExchangeFailure) {
        guard totalDeadline == .never || .now() < totalDeadline else {
            throw .transport(.timedOut(.read))
        }
    }

    /// When a phase that begins now must be over.
    func deadline(_ phase: Int64) -> Deadline {
        deadline(phase, from: .now())
    }

    /// When a phase that began at `start` must be over.
    func deadline(_ phase: Int64, from start: Deadline) -> Deadline {
        min(totalDeadline, start.advanced(byNanoseconds: phase))
    }

    /// Makes the public error of what the transport threw in the present phase.
    func error(_ error: TransportError) -> HTTPError {
        self.error(HTTPError.Kind(error, phase: phase, call: self))
    }

    /// Makes the public error of what the peer did to the message.
    func error(_ error: WireError) -> HTTPError {
        self.error(HTTPError.Kind(error))
    }

    func error(_ kind: HTTPError.Kind) -> HTTPError {
        metrics.endMark = .now()
        return HTTPError(
            kind,
            phase: phase,
            request: "\(plan.head.method.rawValue) \(plan.publicURL)",
            metrics: metrics,
            head: head,
            informational: informational,
            partialBody: body
        )
    }
}

extension FailedAddress {
    init(_ failure: ConnectFailure) {
        self.init(
            address: failure.address.description,
            errno: failure.errno.rawValue,
            reason: failure.errno.description
        )
    }
}

extension HTTPError.Kind {
    /// Translates a transport error; a time-out is the whole call's when its bound has passed.
    init(_ error: TransportError, phase: HTTPPhase, call: Call) {
        self.init(error, phase: call.totalDeadline <= .now() ? .total : phase)
    }

    /// Translates a transport error: the one line where the transport's words become public.
    init(_ error: TransportError, phase: HTTPPhase) {
        switch error {
        case .resolveFailed(let host, let code):
            self = .resolveFailed(host: host, reason: TransportError.resolveReason(code))
        case .connectFailed(let failures):
            self = .connectFailed(failures.map { FailedAddress($0) })
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
