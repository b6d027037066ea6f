/// A state machine for one request and its response on the client side (RFC 9110 §3.4, RFC 9112
/// §9).
///
/// The caller passes response bytes and receives events. See the diagram and the buffer contract in
/// `Wire.swift`. ``RequestHeadEncoder`` and ``BodyEncoder`` write the request. This type needs the
/// request only to interpret its response. The counterpart for servers is ``ServerExchange``.
///
/// Pipelined requests are answered in the order they were sent (RFC 9112 §9.3.2). Keep their heads
/// in a queue, and after each `.end` pass the next one to ``startNextExchange(_:)``.
///
/// ## Topics
/// ### Sending
/// - ``requestBodyAction``
/// - ``proceedWithoutContinue()``
/// - ``requestSent()``
/// ### Receiving
/// - ``receive(_:)``
/// - ``receiveBody(_:into:)``
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
    private let contentLengthPolicy: Strictness.ContentLengthPolicy
    private var state = State.head
    // Separate properties and not part of `state`, so that they are modified in place.
    private var headDecoder: ResponseHeadDecoder
    private var bodyDecoder: BodyDecoder
    /// The reason in the heads not to reuse the connection.
    private var reason: CloseReason?
    private var informationalCount = 0
    private var hasUnsolicitedBytes = false
    /// Whether an accepted deviation makes the end of a message ambiguous.
    private var isFramingAmbiguous = false
    private var pendingProtocolSwitch: ProtocolSwitch?

    /// The action for the request body; received responses can change it.
    ///
    /// It also applies to a request without a body, for which it is `.complete` after
    /// ``requestSent()``.
    public private(set) var requestBodyAction: RequestBodyAction

    private enum State: Sendable {
        /// Next state: body.
        case head
        /// Next state: ended.
        case body
        /// `.end` was returned.
        case ended
    }

    /// Creates an exchange for a request.
    ///
    /// - Parameters:
    ///   - request: the request. The exchange keeps its method and version, and the effect of its
    ///     fields Connection, Expect and Upgrade.
    ///   - limits: limits on what the server may send.
    ///   - contentLengthPolicy: the use of Content-Length; by default as RFC 9112 specifies.
    ///   - strictness: the deviations tolerated in heads and, at ``Strictness/forensic``, in chunk
    ///     lines and trailers; by default none. Framing follows the strict rules at every level.
    ///     See ``headDiagnostics``.
    public init(
        request: RequestHead,
        limits: WireLimits = .default,
        contentLengthPolicy: Strictness.ContentLengthPolicy = .trusted,
        strictness: Strictness = .strict
    ) {
        self.contentLengthPolicy = contentLengthPolicy
        self.request = RequestTraits(request)
        requestBodyAction = self.request.expectsContinue ? .wait : .send
        headDecoder = ResponseHeadDecoder(limits: limits, strictness: strictness)
        bodyDecoder = BodyDecoder(.noBody, limits: limits, strictness: strictness)
    }

    // MARK: - Sending

    /// Records that the caller no longer waits for 100 (Continue).
    ///
    /// This type has no clock, so the caller chooses the timeout. One second is common.
    public mutating func proceedWithoutContinue() {
        if requestBodyAction == .wait { requestBodyAction = .send }
    }

    /// Records that the caller has sent the whole request, including its body.
    public mutating func requestSent() {
        requestBodyAction = .complete
    }

    // MARK: - Receiving

    /// Reads up to the next event.
    ///
    /// Call it again with the bytes not consumed until it returns `.needMore` or `.end`. `.end` is
    /// a separate step, returned as soon as it is known, even directly after the head of a response
    /// without a body. Therefore call it again after `.head` and `.body`, even if no input is left.
    ///
    /// No byte after the end is consumed. If another request is outstanding, call
    /// ``startNextExchange(_:)`` before the next call; the remaining bytes are its response. Bytes
    /// received without an outstanding request are unsolicited: the call returns `.end` again, and
    /// the connection cannot be reused (RFC 9112 §9.2). After a ``protocolSwitch`` the bytes belong
    /// to the other protocol.
    ///
    /// - Parameter input: the bytes not consumed so far, followed by new ones.
    /// - Returns: the number of bytes consumed, and the event that they produced.
    /// - Throws: any case of kind `.head`, `.framing`, `.body` or `.limit`; `.unofferedUpgrade` for
    ///   a 101 that the request did not offer. The connection cannot be used afterwards.
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
                endBody()
                return ExchangeStep(consumed: step.consumed, event: .end(trailers: trailers))
            }
        case .ended:
            if !input.isEmpty { hasUnsolicitedBytes = true }
            return ExchangeStep(consumed: 0, event: .end(trailers: [:]))
        }
    }

    /// Copies as much of the body as is available and fits.
    ///
    /// Use it instead of ``receive(_:)`` after `.head`, if the content is to be in one piece. One call reads
    /// many chunks. It reports the end together with the last byte. The two methods can be mixed.
    ///
    /// - Parameters:
    ///   - input: the bytes not consumed so far, followed by new ones.
    ///   - output: receives the body without chunk framing. Space for as many bytes as `input` has
    ///     is always enough. If the call throws, it contains the bytes before the error.
    /// - Returns: the bytes consumed, and what is needed to continue. Before `.head`, nothing is
    ///   consumed, and more input is needed.
    /// - Throws: any case of kind `.body`; for trailers also of kind `.head`; `.limitExceeded`. The
    ///   connection cannot be used afterwards.
    public mutating func receiveBody(
        _ input: Span<UInt8>,
        into output: inout OutputSpan<UInt8>
    ) throws(WireError) -> BodyBatch {
        switch state {
        case .head:
            return BodyBatch(consumed: 0, state: .needMore)
        case .body:
            let batch = try bodyDecoder.decode(input, into: &output)
            if case .end = batch.state { endBody() }
            return batch
        case .ended:
            if !input.isEmpty { hasUnsolicitedBytes = true }
            return BodyBatch(consumed: 0, state: .end(trailers: [:]))
        }
    }

    private mutating func endBody() {
        state = .ended
        if strictness == .forensic, !bodyDecoder.diagnostics.isEmpty { isFramingAmbiguous = true }
    }

    /// Handles the end of stream from the server; bytes not consumed are lost.
    ///
    /// - Returns: `.end` if the response is complete or ends with the connection.
    /// - Throws: `.closedBeforeResponse` if no byte was received, `.headTruncated`, or
    ///   `.bodyTruncated` with the received and the declared length.
    public mutating func receiveEndOfStream() throws(WireError) -> ExchangeEvent {
        switch state {
        case .head:
            throw isAwaitingFirstByte ? .closedBeforeResponse : .headTruncated
        case .body:
            try bodyDecoder.finish()
            state = .ended
            // A body that ends with the connection has had a reason since its head.
            reason = reason ?? .peerClosed
        case .ended:
            reason = reason ?? .peerClosed
        }
        return .end(trailers: [:])
    }

    /// The remaining bytes of a body with known length; nil otherwise.
    ///
    /// The caller may read this many bytes directly and then call ``recordDirectRead(_:)``.
    public var remainingLength: Int? {
        state == .body ? bodyDecoder.remainingLength : nil
    }

    /// Records body bytes that the caller read directly, without this exchange.
    ///
    /// - Parameter count: at most ``remainingLength``, if that is not nil. For a larger number the
    ///   body ends and ``closeReason`` is `.unsolicitedBytes`. A negative number has the same close
    ///   reason.
    public mutating func recordDirectRead(_ count: Int) {
        guard state == .body else {
            hasUnsolicitedBytes = hasUnsolicitedBytes || count != 0
            return
        }
        if !bodyDecoder.recordDirectRead(count) { hasUnsolicitedBytes = true }
    }

    /// The deviations tolerated in the last received head, including interim responses.
    ///
    /// Empty at ``Strictness/strict``. Offsets count from the first byte of that head.
    public var headDiagnostics: [Diagnostic] { headDecoder.diagnostics }

    /// Whether ``headDiagnostics`` may be non-empty.
    ///
    /// This is a stored value, cheap enough to check for each head.
    public var mayHaveHeadDiagnostics: Bool { !headDecoder.usesStrictReader }

    /// The deviations tolerated in heads and, at ``Strictness/forensic``, in bodies.
    public var strictness: Strictness { headDecoder.strictness }

    /// The deviations tolerated in chunk lines and trailers of the current or last body.
    ///
    /// Empty below ``Strictness/forensic``. Offsets count from the first byte of the body.
    public var bodyDiagnostics: [Diagnostic] { bodyDecoder.diagnostics }

    // MARK: - The connection

    /// The reason why the connection cannot carry another exchange, or nil if it can.
    ///
    /// Before `.end` it is `.responseIncomplete`. After `.end` it is `.requestIncomplete` until the
    /// whole request is sent, unless another reason applies. Check it when both are complete, or
    /// close the connection.
    public var closeReason: CloseReason? {
        guard state == .ended else { return .responseIncomplete }
        if let reason { return reason }
        if hasUnsolicitedBytes { return .unsolicitedBytes }
        if isFramingAmbiguous { return .ambiguousFraming }
        return requestBodyAction == .complete ? nil : .requestIncomplete
    }

    // These two functions change nothing. If an object of another module has the exchange as a property, a getter is
    // called with a copy of the exchange, about 900 bytes. A mutating function is called with its address.

    /// Returns ``closeReason`` without a copy of the exchange.
    package mutating func readCloseReason() -> CloseReason? { closeReason }

    /// Returns ``remainingLength`` without a copy of the exchange.
    package mutating func readRemainingLength() -> Int? { remainingLength }

    /// Whether an accepted deviation forbids another exchange on the connection.
    ///
    /// The value is known once a head is read. ``closeReason`` reports it when the response is
    /// complete.
    public var hasAmbiguousFraming: Bool { isFramingAmbiguous }

    /// The protocol change of the connection, if it no longer uses HTTP; nil before `.end`.
    ///
    /// The client must still send the rest of the request before any data of the other protocol.
    public var protocolSwitch: ProtocolSwitch? {
        state == .ended ? pendingProtocolSwitch : nil
    }

    /// Starts the exchange of another request on the same connection.
    ///
    /// - Parameter request: the request to be sent next or, with pipelining, the oldest outstanding
    ///   one. Call ``requestSent()`` for this request too.
    /// - Returns: nil, or the reason why another exchange is impossible, in which case nothing
    ///   changes.
    @discardableResult
    public mutating func startNextExchange(_ request: RequestHead) -> CloseReason? {
        if let closeReason { return closeReason }
        self.request = RequestTraits(request)
        requestBodyAction = self.request.expectsContinue ? .wait : .send
        state = .head
        informationalCount = 0
        return nil
    }

    /// Whether no byte of a response was received.
    public var isAwaitingFirstByte: Bool {
        state == .head && headDecoder.isIdle && informationalCount == 0
    }

    /// Classifies a head as interim or final, and determines the framing of the final one.
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
            framing: framing,
            isFramingOfHead: contentLengthPolicy == .trusted
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
        _ contentLengthPolicy: Strictness.ContentLengthPolicy
    ) throws(WireError) -> BodyFraming {
        guard contentLengthPolicy == .ignored, head.headers.contains(.contentLength) else {
            return try BodyFraming.ofResponse(
                to: method,
                status: head.status,
                version: head.version,
                headers: head.headers
            )
        }
        // The field is removed only to determine the framing; the caller receives the original
        // head.
        var headers = head.headers
        headers.remove(.contentLength)
        return try BodyFraming.ofResponse(
            to: method,
            status: head.status,
            version: head.version,
            headers: headers
        )
    }

    /// Updates the action for a request body when the final response arrives before its end.
    private mutating func updateRequestBodyAction(_ status: HTTPStatus) {
        // The request must be complete before the protocol changes (RFC 9110 §7.8).
        if status == .switchingProtocols {
            proceedWithoutContinue()
        } else if requestBodyAction == .wait {
            requestBodyAction = .doNotSend
        } else if requestBodyAction == .send, status.code >= 300 {
            requestBodyAction = .stop
        }
    }
}

/// An event that a client finds in the bytes of a server.
public enum ExchangeEvent: Sendable, Hashable {
    /// More bytes are needed before the next event.
    case needMore
    /// An interim response, 100 or 102 to 199.
    ///
    /// The final response is still to come, possibly after more interim ones (RFC 9110 §15.2).
    case informational(ResponseHead)
    /// The head of the final response, or of a 101, and the framing of its body.
    case head(ResponseHead, BodyFraming)
    /// Bytes of the body, as a non-empty range of the current input.
    case body(Range<Int>)
    /// The response is complete.
    ///
    /// Trailers are empty unless the body was chunked.
    case end(trailers: HTTPHeaders)
}

/// The result of one call of ``MessageExchange/receive(_:)``.
public struct ExchangeStep: Sendable, Hashable {
    /// The number of bytes at the front of the input that the exchange is done with.
    ///
    /// It may exceed the end of a `.body` range, because framing bytes are consumed too.
    public var consumed: Int
    /// The event that the bytes produced.
    public var event: ExchangeEvent

    /// Creates a step.
    public init(consumed: Int, event: ExchangeEvent) {
        self.consumed = consumed
        self.event = event
    }
}

/// A change of the connection from HTTP to another protocol.
///
/// Bytes that the exchange has not consumed belong to the other protocol. Pass them on together
/// with the connection.
public enum ProtocolSwitch: Sendable, Hashable {
    /// The protocol in the Upgrade field of the 101 response (RFC 9110 §7.8, §15.2.2).
    case upgrade
    /// Any protocol, in the tunnel that a 2xx response to CONNECT opened (RFC 9110 §9.3.6).
    case tunnel

    /// Returns the change that a final response makes, or nil if the connection stays with HTTP.
    init?(status: HTTPStatus, to method: HTTPMethod) {
        if status == .switchingProtocols {
            self = .upgrade
        } else if method == .connect, status.kind == .successful {
            self = .tunnel
        } else {
            return nil
        }
    }
}

/// The protocols to which a request offers to upgrade (RFC 9110 §7.8).
struct UpgradeOffer: Sendable {
    /// The fields of the request, shared and not copied; nil if it offers nothing.
    private let headers: HTTPHeaders?

    /// An offer of no protocols.
    static let nothing = UpgradeOffer(headers: nil)

    private init(headers: HTTPHeaders?) {
        self.headers = headers
    }

    /// Creates the offer of a request.
    ///
    /// A request of HTTP/1.0, or without `upgrade` in its Connection field, offers nothing, because
    /// the standard requires recipients to ignore the field.
    init(_ request: RequestHead) {
        let isOffer =
            request.headers.contains(.upgrade) && request.version >= .http11
            && request.headers.containsToken("upgrade", in: .connection)
        headers = isOffer ? request.headers : nil
    }

    /// Returns whether a 101 response chooses at least one protocol, and only offered ones.
    func matches(_ response: ResponseHead) -> Bool {
        guard let headers else { return false }
        var count = 0
        var isCovered = true
        response.headers.forEachElement(of: .upgrade) { choice in
            guard !choice.isEmpty else { return }
            count += 1
            var isOffered = false
            headers.forEachElement(of: .upgrade) { offer in
                isOffered = isOffered || ByteClass.equalsIgnoringCase(choice, offer)
            }
            isCovered = isCovered && isOffered
        }
        return isCovered && count > 0
    }
}
