/// Follows one request and its response from the client's side (RFC 9110 §3.4, RFC 9112 §9).
///
/// Bytes of the response go in, events come out; see the drawing and the buffer contract in the
/// module's first file. The request itself is written by ``RequestHeadEncoder`` and
/// ``BodyEncoder``; here it matters for what its response means. The server's half is
/// ``ServerExchange``.
///
/// Requests that were pipelined are answered in the order they were sent (RFC 9112 §9.3.2): keep
/// their heads in a queue, and after each `.end` give the next one to ``startNextExchange(_:)``.
///
/// ## Topics
/// ### Sending
/// - ``requestBodyAction``
/// - ``proceedWithoutContinue()``
/// - ``requestSent()``
/// ### Receiving
/// - ``receive(_:)``
/// - ``receiveEndOfStream()``
/// - ``remainingLength``
/// - ``recordDirectRead(_:)``
/// - ``headDiagnostics``
/// - ``bodyDiagnostics``
/// ### The connection
/// - ``closeReason``
/// - ``protocolSwitch``
/// - ``startNextExchange(_:)``
/// - ``isAwaitingFirstByte``
public struct MessageExchange: Sendable {
    private var request: RequestTraits
    private let contentLengthPolicy: ContentLengthPolicy
    private var state = State.head
    // Beside the state and not in it, so that they are changed where they lie.
    private var headDecoder: ResponseHeadDecoder
    private var bodyDecoder: BodyDecoder
    /// What the heads say about the connection.
    private var reason: CloseReason?
    private var informationalCount = 0
    private var hasUnsolicitedBytes = false
    /// A deviation that was accepted leaves the end of a message in doubt.
    private var isFramingAmbiguous = false
    private var pendingProtocolSwitch: ProtocolSwitch?

    /// What to do with the body of the request; changes with what is received.
    ///
    /// For a request without body too: it is `.complete` after ``requestSent()``.
    public private(set) var requestBodyAction: RequestBodyAction

    /// Says what a response's Content-Length is good for.
    public enum ContentLengthPolicy: Sendable, Hashable {
        /// It delimits the body (RFC 9112 §6.3).
        case trusted
        /// It is taken for wrong: without chunked coding the body ends with the connection.
        case ignored
    }

    private enum State: Sendable {
        /// Can go to: body.
        case head
        /// Can go to: ended.
        case body
        /// `.end` was given.
        case ended
    }

    /// Creates the exchange that a request begins.
    ///
    /// - Parameters:
    ///   - request: its method and version are remembered, and what its fields Connection, Expect
    ///     and Upgrade say.
    ///   - limits: bounds on what the server may send.
    ///   - contentLengthPolicy: default: Content-Length is what RFC 9112 says it is.
    ///   - strictness: what is tolerated in heads, and at ``Strictness/forensic`` in chunk lines and
    ///     trailers; nothing, unless asked for. Framing is held to the strict rules at every level.
    ///     See ``headDiagnostics``.
    public init(
        request: RequestHead,
        limits: WireLimits = .default,
        contentLengthPolicy: ContentLengthPolicy = .trusted,
        strictness: Strictness = .strict
    ) {
        self.contentLengthPolicy = contentLengthPolicy
        self.request = RequestTraits(request)
        requestBodyAction = self.request.expectsContinue ? .wait : .send
        headDecoder = ResponseHeadDecoder(limits: limits, strictness: strictness)
        bodyDecoder = BodyDecoder(.noBody, limits: limits, strictness: strictness)
    }

    // MARK: - Sending

    /// Takes note that the caller does not wait for 100 (Continue) any longer.
    ///
    /// This machine has no clock: the caller decides how long is long enough. A second is common.
    public mutating func proceedWithoutContinue() {
        if requestBodyAction == .wait { requestBodyAction = .send }
    }

    /// Takes note that the whole request, body included, is on its way.
    public mutating func requestSent() {
        requestBodyAction = .complete
    }

    // MARK: - Receiving

    /// Reads up to the next event.
    ///
    /// Call it again with what was not consumed until it answers `.needMore` or `.end`. `.end` is a
    /// step of its own, given as soon as it is known, also right behind the head of a response
    /// without body: so after `.head` and `.body` call again even when nothing is left.
    ///
    /// Nothing is consumed behind the end. If another request is outstanding, say so with
    /// ``startNextExchange(_:)`` before the next call: what is left over is its response. Bytes offered without
    /// that were not asked for: `.end` is given again, and the connection is of no more use
    /// (RFC 9112 §9.2). After a ``protocolSwitch`` they belong to the other protocol.
    ///
    /// - Parameter input: bytes not consumed so far, and those that came since.
    /// - Returns: bytes finished with, and what they were.
    /// - Throws: any case of kind `.head`, `.framing`, `.body` or `.limit`; `.unofferedUpgrade` for
    ///   a 101 that the request did not ask for. The connection is of no use afterwards.
    public mutating func receive(_ input: Span<UInt8>) throws(WireError) -> ExchangeStep {
        switch state {
        case .head:
            let step = try headDecoder.decode(input)
            let consumed = step.consumed
            guard let head = step.head else { return ExchangeStep(consumed: 0, event: .needMore) }
            return ExchangeStep(consumed: consumed, event: try receiveHead(head))
        case .body:
            let step = try bodyDecoder.decode(input)
            switch step.event {
            case .needMore:
                return ExchangeStep(consumed: step.consumed, event: .needMore)
            case .body(let range):
                return ExchangeStep(consumed: step.consumed, event: .body(range))
            case .end(let trailers):
                state = .ended
                if strictness == .forensic, !bodyDecoder.diagnostics.isEmpty {
                    isFramingAmbiguous = true
                }
                return ExchangeStep(consumed: step.consumed, event: .end(trailers: trailers))
            }
        case .ended:
            if !input.isEmpty { hasUnsolicitedBytes = true }
            return ExchangeStep(consumed: 0, event: .end(trailers: [:]))
        }
    }

    /// Takes note that the server closed its side; bytes not consumed are lost.
    ///
    /// - Returns: `.end`, when the response is complete or was delimited by the close.
    /// - Throws: `.closedBeforeResponse` when not one byte has come, `.headTruncated`, or
    ///   `.bodyTruncated` with what came and what was promised.
    public mutating func receiveEndOfStream() throws(WireError) -> ExchangeEvent {
        switch state {
        case .head:
            throw isAwaitingFirstByte ? .closedBeforeResponse : .headTruncated
        case .body:
            try bodyDecoder.finish()
            state = .ended
            // A body that is delimited by the close has its reason since its head.
            reason = reason ?? .peerClosed
        case .ended:
            reason = reason ?? .peerClosed
        }
        return .end(trailers: [:])
    }

    /// Bytes still to come of a body whose length is known; nil otherwise.
    ///
    /// So many may be read straight into their destination; say so with ``recordDirectRead(_:)``.
    public var remainingLength: Int? {
        state == .body ? bodyDecoder.remainingLength : nil
    }

    /// Takes note that bytes of the body were read without passing through here.
    ///
    /// - Parameter count: at most ``remainingLength``, where that is not nil. If it is more, the
    ///   body ends and ``closeReason`` says `.unsolicitedBytes`; it says so for a negative one too.
    public mutating func recordDirectRead(_ count: Int) {
        guard state == .body else {
            hasUnsolicitedBytes = hasUnsolicitedBytes || count != 0
            return
        }
        if !bodyDecoder.recordDirectRead(count) { hasUnsolicitedBytes = true }
    }

    /// What was tolerated in the head that was received last, interim ones included.
    ///
    /// Empty at ``Strictness/strict``. Offsets count from the first byte of that head.
    public var headDiagnostics: [Diagnostic] { headDecoder.diagnostics }

    /// Whether ``headDiagnostics`` may hold something.
    ///
    /// A stored value: cheap to ask for each head.
    public var mayHaveHeadDiagnostics: Bool { !headDecoder.usesStrictReader }

    /// What is tolerated in heads, and at ``Strictness/forensic`` in bodies.
    public var strictness: Strictness { headDecoder.strictness }

    /// What was tolerated in chunk lines and trailers of the present body, or of the last.
    ///
    /// Empty below ``Strictness/forensic``. Offsets count from the first byte of the body.
    public var bodyDiagnostics: [Diagnostic] { bodyDecoder.diagnostics }

    // MARK: - The connection

    /// Says why the connection cannot carry another exchange; nil when it can.
    ///
    /// Final once `.end` was given; before that it is `.responseIncomplete`. While the request is
    /// not sent as a whole it is `.requestIncomplete`, so ask when both are done, or give up.
    public var closeReason: CloseReason? {
        guard state == .ended else { return .responseIncomplete }
        if let reason { return reason }
        if hasUnsolicitedBytes { return .unsolicitedBytes }
        if isFramingAmbiguous { return .ambiguousFraming }
        return requestBodyAction == .complete ? nil : .requestIncomplete
    }

    /// Whether an accepted deviation forbids another exchange on the connection; known once a head is read.
    ///
    /// ``closeReason`` says so when the response is complete.
    public var hasAmbiguousFraming: Bool { isFramingAmbiguous }

    /// Says what the connection speaks from now on, when it is not HTTP; nil before `.end`.
    ///
    /// The request must still be sent to its end before anything of the other protocol is.
    public var protocolSwitch: ProtocolSwitch? {
        state == .ended ? pendingProtocolSwitch : nil
    }

    /// Turns to the response of another request, on the same connection.
    ///
    /// - Parameter request: one that is about to be sent or, if requests are pipelined, the eldest
    ///   one that is outstanding. Say ``requestSent()`` for this one as well.
    /// - Returns: nil; or why there cannot be another exchange. Nothing has changed then.
    @discardableResult
    public mutating func startNextExchange(_ request: RequestHead) -> CloseReason? {
        if let closeReason { return closeReason }
        self.request = RequestTraits(request)
        requestBodyAction = self.request.expectsContinue ? .wait : .send
        state = .head
        informationalCount = 0
        return nil
    }

    /// Says whether not one byte of a response has come.
    public var isAwaitingFirstByte: Bool {
        state == .head && headDecoder.isIdle && informationalCount == 0
    }

    /// Sorts a head into interim and final, and decides the framing of the final one.
    private mutating func receiveHead(_ head: ResponseHead) throws(WireError) -> ExchangeEvent {
        if !headDecoder.usesStrictReader, headDecoder.isFramingAmbiguous {
            isFramingAmbiguous = true
        }
        if head.status.kind == .informational, head.status != .switchingProtocols {
            informationalCount += 1
            let maxCount = headDecoder.limits.informationalCount
            guard informationalCount <= maxCount else {
                throw .limitExceeded(.informationalCount(maxCount))
            }
            if head.status == .continue, requestBodyAction == .wait { requestBodyAction = .send }
            return .informational(head)
        }
        if head.status == .switchingProtocols, !request.offer.matches(head) {
            throw .unofferedUpgrade
        }
        let framing = try Self.framing(of: head, to: request.method, contentLengthPolicy)
        reason = ConnectionPersistence.closeReason(
            method: request.method,
            requestCloseReason: request.closeReason,
            response: head,
            framing: framing
        )
        pendingProtocolSwitch = ProtocolSwitch(status: head.status, to: request.method)
        updateRequestBodyAction(head.status)
        state = .body
        bodyDecoder.begin(framing, strictness: headDecoder.strictness)
        return .head(head, framing)
    }

    private static func framing(
        of head: ResponseHead,
        to method: HTTPMethod,
        _ contentLengthPolicy: ContentLengthPolicy
    ) throws(WireError) -> BodyFraming {
        guard contentLengthPolicy == .ignored, head.headers.contains(.contentLength) else {
            return try BodyFraming.ofResponse(
                to: method,
                status: head.status,
                version: head.version,
                headers: head.headers
            )
        }
        // Left out for the framing alone: the head is delivered as it came.
        var headers = head.headers
        headers.remove(.contentLength)
        return try BodyFraming.ofResponse(
            to: method,
            status: head.status,
            version: head.version,
            headers: headers
        )
    }

    /// Decides what becomes of a body that the final response has overtaken.
    private mutating func updateRequestBodyAction(_ status: HTTPStatus) {
        // Before the protocol changes the request has to be complete (RFC 9110 §7.8).
        if status == .switchingProtocols {
            proceedWithoutContinue()
        } else if requestBodyAction == .wait {
            requestBodyAction = .doNotSend
        } else if requestBodyAction == .send, status.code >= 300 {
            requestBodyAction = .stop
        }
    }
}
