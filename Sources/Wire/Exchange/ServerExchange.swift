/// Follows the requests of one connection and their responses from the server's side, one exchange
/// after another (RFC 9110 §3.4, RFC 9112 §9).
///
/// Bytes of the request go in, events come out; the response goes out through the same machine, so
/// that its framing fits the request and the connection. See the drawing and the buffer contract in
/// the module's first file. The client's half is ``MessageExchange``.
///
/// An exchange is over when request and response both are: then ``startNextExchange()`` begins another one. What
/// has come behind the request stays in the caller's buffer until then; it is the next request if
/// the client pipelines, and whatever the ``protocolSwitch`` says if it has changed the protocol.
///
/// When ``receive(_:)`` throws, ``WireError/responseStatus`` is the status to answer with; the
/// machine takes that response too, and then wants the connection closed.
///
/// ## Topics
/// ### Receiving
/// - ``receive(_:)``
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
    /// Of the present request; nil before its head.
    private(set) var request: RequestTraits?
    /// What the heads say about the connection; set with the final response.
    var reason: CloseReason?
    /// What the final response makes of the connection.
    var pendingProtocolSwitch: ProtocolSwitch?
    /// Says whether the client may be holding its body back.
    var isContinuePending = false
    // Beside the states and not in them, so that they are changed where they lie.
    private var headDecoder: RequestHeadDecoder
    private var bodyDecoder = BodyDecoder(.noBody)
    var bodyEncoder = BodyEncoder(.noBody)
    private var isRequestLineComplete = false
    private var isPeerClosed = false

    enum RequestState: Sendable, Equatable {
        /// Can go to: body, failed.
        case head
        /// Can go to: ended, failed.
        case body
        /// Can go to: head, for the next request.
        case ended
        /// A rule was broken; nothing more is read.
        case failed(WireError)
    }

    enum ResponseState: Sendable {
        /// Can go to: body, ended.
        case awaited
        /// Can go to: ended.
        case body
        /// Can go to: awaited, for the next request.
        case ended
    }

    /// Creates the machine of a connection on which nothing was received.
    ///
    /// - Parameters:
    ///   - limits: bounds on what the client may send.
    ///   - strictness: what is tolerated in heads, chunk lines and trailers; nothing, unless asked
    ///     for. Framing and Host are held to the strict rules at every level. See
    ///     ``headDiagnostics``.
    public init(limits: WireLimits = .default, strictness: Strictness = .strict) {
        self.limits = limits
        self.strictness = strictness
        headDecoder = RequestHeadDecoder(limits: limits, strictness: strictness)
    }

    // MARK: - Receiving

    /// Reads up to the next event.
    ///
    /// Call it again with what was not consumed until it answers `.needMore` or `.end`. `.end` is a
    /// step of its own, given as soon as it is known, also right behind the head of a request
    /// without body. Once given, it is given again and nothing more is consumed until ``startNextExchange()``.
    ///
    /// Besides what the decoders check, the rules about Host hold here (RFC 9112 §3.2).
    ///
    /// - Parameter input: bytes not consumed so far, and those that came since.
    /// - Returns: bytes finished with, and what they were.
    /// - Throws: any case of kind `.head`, `.framing`, `.body` or `.limit`. No more is read
    ///   afterwards: the same error is thrown again.
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

    /// Takes note that the client closed its side; bytes not consumed are lost.
    ///
    /// It may still read: a request that has come as a whole can be answered.
    ///
    /// - Throws: `.headTruncated` or `.bodyTruncated` inside a request. Between two requests it is
    ///   no error.
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

    /// Bytes still to come of a body whose length is known; nil otherwise.
    ///
    /// So many may be read straight into their destination; say so with ``recordDirectRead(_:)``.
    public var remainingLength: Int? {
        requestState == .body ? bodyDecoder.remainingLength : nil
    }

    /// Takes note that bytes of the body were read without passing through here.
    ///
    /// - Parameter count: at most ``remainingLength``, where that is not nil.
    /// - Throws: `.bodyTooLong` when it is more, negative, or no body is being read: the place in the
    ///   stream is lost, and no more is read.
    public mutating func recordDirectRead(_ count: Int) throws(WireError) {
        guard count != 0 else { return }
        guard requestState == .body, bodyDecoder.recordDirectRead(count) else {
            let error = WireError.bodyTooLong(declared: bodyDecoder.received)
            requestState = .failed(error)
            throw error
        }
        isContinuePending = false
    }

    /// What was tolerated in the head that was received last.
    ///
    /// Empty at ``Strictness/strict``. Offsets count from the first byte of that head.
    public var headDiagnostics: [Diagnostic] { headDecoder.diagnostics }

    /// What was tolerated in chunk lines and trailers of the present body, or of the last.
    ///
    /// Empty at ``Strictness/strict``. Offsets count from the first byte of the body.
    public var bodyDiagnostics: [Diagnostic] { bodyDecoder.diagnostics }

    // MARK: - The connection

    /// Says why the connection cannot carry another exchange; nil when it can.
    ///
    /// Final once request and response are complete. Before that it names what is missing, or what
    /// forbids reuse already. A response that was early leaves `.requestIncomplete`, until the caller
    /// has read the rest of the request (and dropped it) or gives the connection up (RFC 9112 §9.3).
    public var closeReason: CloseReason? {
        if let reason { return reason }
        if case .failed = requestState { return .requestRefused }
        if requestState == .head { return isPeerClosed ? .peerClosed : .requestIncomplete }
        guard responseState == .ended else { return .responseIncomplete }
        guard requestState == .ended else { return .requestIncomplete }
        return isPeerClosed ? .peerClosed : nil
    }

    /// Says what the connection speaks from now on, when it is not HTTP.
    ///
    /// Nil until the request is received, and the response sent, to its end.
    public var protocolSwitch: ProtocolSwitch? {
        requestState == .ended && responseState == .ended ? pendingProtocolSwitch : nil
    }

    /// Turns to the next request on the connection.
    ///
    /// - Returns: nil; or why there cannot be another exchange. Nothing has changed then.
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

    /// Says whether nothing of a request has come since the last one, so that either side may close
    /// without harm.
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

    /// Decodes a head whose first line is not too long.
    ///
    /// The decoder knows one limit for the whole head. It gets to see no more than the line may
    /// have until the line is known to end there, so the outcome is the same for any pieces.
    private mutating func decodeHead(
        _ input: Span<UInt8>
    ) throws(WireError) -> RequestHeadDecoder.Step {
        let maxLineBytes = max(limits.requestLineBytes, 0)
        if !isRequestLineComplete, input.count > maxLineBytes {
            let front = input.extracting(first: maxLineBytes)
            let step = try headDecoder.decode(front)
            guard step.head == nil else { return step }
            // Empty lines before the request line; which of them are allowed, the decoder says.
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
            // A client that sends does not wait (RFC 9110 §10.1.1).
            isContinuePending = false
            return RequestStep(consumed: step.consumed, event: .body(range))
        case .end(let trailers):
            try refuseForbidden(trailers)
            requestState = .ended
            isContinuePending = false
            return RequestStep(consumed: step.consumed, event: .end(trailers: trailers))
        }
    }

    /// Refuses trailers that no request has in good faith (RFC 9110 §6.5.1).
    ///
    /// A server may stand before another recipient, which may take them for headers.
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
