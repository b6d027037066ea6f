/// A state machine for the exchanges of one connection on the server side (RFC 9110 §3.4, RFC 9112
/// §9).
///
/// The caller passes request bytes and receives events. It also writes responses through this type,
/// so that their framing matches the request and the connection. See the diagram and the buffer
/// contract in `Wire.swift`. The counterpart for clients is ``MessageExchange``.
///
/// An exchange ends when both request and response are complete. Then ``startNextExchange()``
/// begins another one. Bytes received after the request stay in the caller's buffer until then.
/// They are the next request if the client uses pipelining, or data of another protocol after a
/// ``protocolSwitch``.
///
/// If ``receive(_:)`` throws, ``WireError/responseStatus`` is the status to answer with. Send that
/// response through this type too; the connection must then be closed.
///
/// ## Topics
/// ### Receiving
/// - ``receive(_:)``
/// - ``receive(from:appendingBodyTo:)``
/// - ``receiveEndOfStream()``
/// - ``remainingLength``
/// - ``recordDirectRead(_:)``
/// - ``headDiagnostics``
/// - ``bodyDiagnostics``
/// ### Responding
/// - ``respond(_:_:into:)``
/// - ``respond(_:body:into:)``
/// - ``sendInformational(_:into:)``
/// - ``isContinueExpected``
/// - ``sendContinue(into:)``
/// - ``sendBody(_:into:)``
/// - ``finish(trailers:into:)``
/// ### The connection
/// - ``closeReason``
/// - ``protocolSwitch``
/// - ``startNextExchange()``
/// - ``isIdle``
public struct ServerExchange: Sendable {
    private let limits: WireLimits
    private let strictness: Strictness
    private(set) var requestState = RequestState.head
    var responseState = ResponseState.awaited
    /// The properties of the current request; nil before its head.
    private(set) var request: RequestTraits?
    /// The reason in the heads not to reuse the connection; set with the final response.
    var reason: CloseReason?
    /// The protocol change that the final response makes.
    var pendingProtocolSwitch: ProtocolSwitch?
    /// Whether the client may be waiting before it sends the body.
    var isContinuePending = false
    // Separate properties and not part of the states, so that they are modified in place.
    private var headDecoder: RequestHeadDecoder
    private var bodyDecoder = BodyDecoder(.noBody)
    var bodyEncoder = BodyEncoder(.noBody)
    private var isRequestLineComplete = false
    private var isPeerClosed = false

    enum RequestState: Sendable, Equatable {
        /// Next states: body, failed.
        case head
        /// Next states: ended, failed.
        case body
        /// Next state: head, for the next request.
        case ended
        /// A rule was broken; nothing more is read.
        case failed(WireError)
    }

    enum ResponseState: Sendable {
        /// Next states: body, ended.
        case awaited
        /// Next state: ended.
        case body
        /// Next state: awaited, for the next request.
        case ended
    }

    /// Creates a state machine for a connection on which nothing was received.
    ///
    /// - Parameters:
    ///   - limits: limits on what the client may send.
    ///   - strictness: the deviations tolerated in heads, chunk lines and trailers; by default
    ///     none. Framing and Host follow the strict rules at every level. See ``headDiagnostics``.
    public init(limits: WireLimits = .default, strictness: Strictness = .strict) {
        self.limits = limits
        self.strictness = strictness
        headDecoder = RequestHeadDecoder(limits: limits, strictness: strictness)
    }

    // MARK: - Receiving

    /// Reads up to the next event.
    ///
    /// Call it again with the bytes not consumed until it returns `.needMore` or `.end`. `.end` is
    /// a separate step, returned as soon as it is known, even directly after the head of a request
    /// without a body. After the end, each call returns `.end` and consumes nothing until
    /// ``startNextExchange()``.
    ///
    /// In addition to the checks of the decoders, this method enforces the rules for Host (RFC 9112
    /// §3.2).
    ///
    /// - Parameter input: the bytes not consumed so far, followed by new ones.
    /// - Returns: the number of bytes consumed, and the event that they produced.
    /// - Throws: any case of kind `.head`, `.framing`, `.body` or `.limit`. Afterwards nothing more
    ///   is read, and each call throws the same error.
    public mutating func receive(_ input: Span<UInt8>) throws(WireError) -> RequestStep {
        do throws(WireError) {
            switch requestState {
            case .head: return try receiveHead(input)
            case .body: return try receiveBody(input)
            case .ended: return RequestStep(consumed: 0, event: .end(trailers: [:]))
            case .failed(let error): throw error
            }
        } catch {
            requestState = .failed(error)
            throw error
        }
    }

    /// Reads up to the next event from a buffer, consumes what was read, and appends the body to an array.
    ///
    /// Use it if the content is to be in one piece: one call reads many chunks. It never returns
    /// `.body`. Otherwise it works like ``receive(_:)``; the two methods can be mixed.
    ///
    /// - Parameters:
    ///   - buffer: the received bytes. A head is copied and does not refer to the buffer.
    ///   - body: receives the content. If the call throws, it contains at least the content before
    ///     the error.
    /// - Returns: `.needMore` after all bytes were consumed that can be without more input.
    /// - Throws: as ``receive(_:)`` does.
    public mutating func receive(
        from buffer: inout InputBuffer,
        appendingBodyTo body: inout [UInt8]
    ) throws(WireError) -> RequestEvent {
        do throws(WireError) {
            let isBody = requestState == .body
            let step = try buffer.withBytes { input throws(WireError) in
                // Appending nothing to an empty array writes to the storage that all empty arrays share.
                isBody && !input.isEmpty ? try copyBody(input, to: &body) : try receive(input)
            }
            buffer.consume(step.consumed)
            return step.event
        } catch {
            requestState = .failed(error)
            throw error
        }
    }

    /// Handles the end of stream from the client; bytes not consumed are lost.
    ///
    /// The client may still read, so a complete request can be answered.
    ///
    /// - Throws: `.headTruncated` or `.bodyTruncated` within a request. Between two requests the
    ///   end of stream is not an error.
    public mutating func receiveEndOfStream() throws(WireError) {
        isPeerClosed = true
        do throws(WireError) {
            switch requestState {
            case .head where !headDecoder.isIdle: throw .headTruncated
            case .body:
                try bodyDecoder.finish()
                requestState = .ended
            case .head, .ended: break
            case .failed(let error): throw error
            }
        } catch {
            requestState = .failed(error)
            throw error
        }
    }

    /// The remaining bytes of a body with known length; nil otherwise.
    ///
    /// The caller may read this many bytes directly and then call ``recordDirectRead(_:)``.
    public var remainingLength: Int? {
        requestState == .body ? bodyDecoder.remainingLength : nil
    }

    /// Records body bytes that the caller read directly, without this exchange.
    ///
    /// - Parameter count: at most ``remainingLength``, if that is not nil.
    /// - Throws: `.bodyTooLong` if the number is larger or negative, or if no body is being read.
    ///   The position in the stream is then unknown, and nothing more is read.
    public mutating func recordDirectRead(_ count: Int) throws(WireError) {
        guard count != 0 else { return }
        guard requestState == .body, bodyDecoder.recordDirectRead(count) else {
            let error = WireError.bodyTooLong(declared: bodyDecoder.received)
            requestState = .failed(error)
            throw error
        }
        isContinuePending = false
    }

    /// The deviations tolerated in the last received head.
    ///
    /// Empty at ``Strictness/strict``. Offsets count from the first byte of that head.
    public var headDiagnostics: [Diagnostic] { headDecoder.diagnostics }

    /// The deviations tolerated in chunk lines and trailers of the current or last body.
    ///
    /// Empty below ``Strictness/forensic``. Offsets count from the first byte of the body.
    public var bodyDiagnostics: [Diagnostic] { bodyDecoder.diagnostics }

    // MARK: - The connection

    /// The reason why the connection cannot carry another exchange, or nil if it can.
    ///
    /// The value is final once request and response are complete. Before that it names the
    /// incomplete part, or a known reason against reuse. After an early response it is
    /// `.requestIncomplete` until the caller has read and dropped the rest of the request, or
    /// closes the connection (RFC 9112 §9.3).
    public var closeReason: CloseReason? {
        if let reason { return reason }
        if case .failed = requestState { return .requestRefused }
        if requestState == .head { return isPeerClosed ? .peerClosed : .requestIncomplete }
        guard responseState == .ended else { return .responseIncomplete }
        guard requestState == .ended else { return .requestIncomplete }
        return isPeerClosed ? .peerClosed : nil
    }

    /// The protocol change of the connection, if it no longer uses HTTP.
    ///
    /// Nil until the request is received completely and the response sent completely.
    public var protocolSwitch: ProtocolSwitch? {
        requestState == .ended && responseState == .ended ? pendingProtocolSwitch : nil
    }

    /// Starts the next exchange on the connection.
    ///
    /// - Returns: nil, or the reason why another exchange is impossible, in which case nothing
    ///   changes.
    @discardableResult
    public mutating func startNextExchange() -> CloseReason? {
        if let closeReason { return closeReason }
        requestState = .head
        responseState = .awaited
        request = nil
        isContinuePending = false
        isRequestLineComplete = false
        return nil
    }

    /// Whether no byte of a new request was received, so that either side may close without harm.
    public var isIdle: Bool {
        requestState == .head && headDecoder.isIdle
    }

    // MARK: - Parts

    private mutating func receiveHead(_ input: Span<UInt8>) throws(WireError) -> RequestStep {
        let step = try decodeHead(input)
        guard let head = step.head else { return RequestStep(consumed: 0, event: .needMore) }
        request = RequestTraits(head)
        try head.checkHost()
        let framing = try BodyFraming.ofRequest(version: head.version, headers: head.headers)
        if case .length(let length) = framing { try checkBody(length) }
        isContinuePending = head.expectsContinue && framing != .noBody && framing != .length(0)
        bodyDecoder = BodyDecoder(framing, limits: limits, strictness: strictness)
        requestState = .body
        return RequestStep(consumed: step.consumed, event: .head(head, framing))
    }

    /// Decodes a head and enforces the limit for its first line.
    ///
    /// The decoder has only one limit for the whole head. Until the line is known to end within its
    /// own limit, the decoder sees no more bytes than that limit. The result therefore does not
    /// depend on how the input is split.
    private mutating func decodeHead(
        _ input: Span<UInt8>
    ) throws(WireError) -> RequestHeadDecoder.Step {
        let maxLineBytes = max(limits.requestLineBytes, 0)
        if !isRequestLineComplete, input.count > maxLineBytes {
            let front = input.extracting(first: maxLineBytes)
            let step = try headDecoder.decode(front)
            guard step.head == nil else { return step }
            // Skips empty lines before the request line; the decoder checks which of them are
            // allowed.
            var start = 0
            while start < maxLineBytes, [Byte.carriageReturn, Byte.lineFeed].contains(front[start])
            {
                start += 1
            }
            guard HeadScanner.lineFeed(in: front, from: start) != nil else {
                throw .limitExceeded(.requestLineBytes(limits.requestLineBytes))
            }
            isRequestLineComplete = true
        }
        return try headDecoder.decode(input)
    }

    private mutating func receiveBody(_ input: Span<UInt8>) throws(WireError) -> RequestStep {
        let step = try bodyDecoder.decode(input)
        switch step.event {
        case .needMore:
            return RequestStep(consumed: step.consumed, event: .needMore)
        case .body(let range):
            try checkBody(bodyDecoder.received)
            // A client that sends body bytes no longer waits (RFC 9110 §10.1.1).
            isContinuePending = false
            return RequestStep(consumed: step.consumed, event: .body(range))
        case .end(let trailers):
            try endBody(trailers)
            return RequestStep(consumed: step.consumed, event: .end(trailers: trailers))
        }
    }

    private mutating func copyBody(
        _ input: Span<UInt8>,
        to body: inout [UInt8]
    ) throws(WireError) -> RequestStep {
        let before = bodyDecoder.received
        let start = body.count
        var batch = BodyBatch(consumed: 0, state: .needMore)
        do throws(WireError) {
            try body.append(addingCapacity: input.count) { output throws(WireError) in
                batch = try bodyDecoder.decode(input, into: &output)
            }
        } catch {
            // The bytes before the error may exceed the limit, which is then the first error.
            try checkBody(before + body.count - start)
            throw error
        }
        if bodyDecoder.received > before {
            try checkBody(bodyDecoder.received)
            isContinuePending = false
        }
        guard case .end(let trailers) = batch.state else {
            return RequestStep(consumed: batch.consumed, event: .needMore)
        }
        try endBody(trailers)
        return RequestStep(consumed: batch.consumed, event: .end(trailers: trailers))
    }

    private mutating func endBody(_ trailers: HTTPHeaders) throws(WireError) {
        try refuseForbidden(trailers)
        requestState = .ended
        isContinuePending = false
    }

    /// Rejects trailers that no legitimate request contains (RFC 9110 §6.5.1).
    ///
    /// A server may forward the request to another recipient, which may treat the trailers as
    /// header fields.
    private func refuseForbidden(_ trailers: HTTPHeaders) throws(WireError) {
        guard strictness < .forensic, let storage = trailers.storage else { return }
        var index = TrailerRules.firstForbidden(in: storage)
        while let found = index {
            if strictness == .strict || TrailerRules.isFraming(storage[found]) {
                throw .forbiddenTrailer(offset: storage[found].name.lowerBound)
            }
            index = TrailerRules.firstForbidden(in: storage, from: found + 1)
        }
    }

    private func checkBody(_ count: Int) throws(WireError) {
        guard count <= max(limits.requestBodyBytes, 0) else {
            throw .limitExceeded(.requestBodyBytes(limits.requestBodyBytes))
        }
    }
}

/// An event that a server finds in the bytes of a client.
public enum RequestEvent: Sendable, Hashable {
    /// More bytes are needed before the next event.
    case needMore
    /// The head of a request, and the framing of its body, which is never `.untilClose`.
    case head(RequestHead, BodyFraming)
    /// Bytes of the body, as a non-empty range of the current input.
    case body(Range<Int>)
    /// The request is complete.
    ///
    /// Trailers are empty unless the body was chunked.
    case end(trailers: HTTPHeaders)
}

/// The result of one call of ``ServerExchange/receive(_:)``.
public struct RequestStep: Sendable, Hashable {
    /// The number of bytes at the front of the input that the exchange is done with.
    ///
    /// It may exceed the end of a `.body` range, because framing bytes are consumed too.
    public var consumed: Int
    /// The event that the bytes produced.
    public var event: RequestEvent

    /// Creates a step.
    public init(consumed: Int, event: RequestEvent) {
        self.consumed = consumed
        self.event = event
    }
}

/// The action for the body of a request, as determined by the response.
public enum RequestBodyAction: Sendable, Hashable {
    /// Start or continue to send the body.
    case send
    /// Wait: the request expects 100 (Continue), and there is no response yet (RFC 9110 §10.1.1).
    ///
    /// Use a timeout, because many servers never send 100. After the timeout, call
    /// ``MessageExchange/proceedWithoutContinue()``.
    case wait
    /// Do not begin: a final response arrived instead of 100 (Continue).
    ///
    /// The connection cannot be reused unless the caller sends the whole body anyway.
    case doNotSend
    /// Stop: a final response of 300 or above arrived, so the server does not need the rest (RFC
    /// 9112 §9.5).
    ///
    /// The connection cannot be reused unless the caller sends the rest anyway.
    case stop
    /// The whole request was sent.
    case complete
}

/// The properties of a request that affect its response.
struct RequestTraits: Sendable {
    let method: HTTPMethod
    let version: HTTPVersion
    /// The reason in the request alone why another exchange is impossible.
    let closeReason: CloseReason?
    let offer: UpgradeOffer
    let expectsContinue: Bool

    init(_ head: RequestHead) {
        method = head.method
        version = head.version
        // Fast path for most requests, which have none of these fields.
        guard head.headers.containsAny(of: .connection, .expect, .upgrade) else {
            closeReason = head.version >= .http11 ? nil : .http10
            offer = .nothing
            expectsContinue = false
            return
        }
        closeReason = ConnectionPersistence.closeReason(of: head.headers, version: head.version)
        offer = UpgradeOffer(head)
        expectsContinue = head.expectsContinue
    }
}
