/// Writes responses, each into a buffer of the caller's, which sends it.
extension ServerExchange {
    // MARK: - The final response

    /// Appends the head of the final response, with the fields that say where its body ends and what
    /// becomes of the connection.
    ///
    /// Added are, where they belong and are not there yet:
    /// - `Content-Length`, or `Transfer-Encoding: chunked`. Neither with 1xx, 204, or 2xx to CONNECT
    ///   (RFC 9112 §6.1, RFC 9110 §8.6). A client of HTTP/1.0 gets no chunks: the body ends with the
    ///   connection. HEAD and 304 get the length that the body would have, but no body.
    /// - `Connection: close` when there will be no other exchange, so also in answer to a request
    ///   that was refused, is not here yet, or still holds its body back for a 100 (Continue) that
    ///   was not sent; `keep-alive` for a client of HTTP/1.0 that asked for it; `upgrade` with 101.
    ///
    /// To close the connection for reasons of your own, put `Connection: close` into the head. Do so
    /// when you answer early and will not read the rest of the request. Date is not added: there is
    /// no clock here (RFC 9110 §6.6.1).
    ///
    /// A 101 accepts an upgrade, and a 2xx to CONNECT a tunnel; see ``protocolSwitch``.
    ///
    /// - Parameters:
    ///   - head: not 1xx, but for 101; with at most one Content-Length, and no Transfer-Encoding.
    ///   - content: what the response would carry, or does.
    ///   - output: grows by the head; untouched when an error is thrown.
    /// - Returns: how the body is to be sent: with `.noBody` and `.length(0)` there is none, and the
    ///   response is complete.
    /// - Throws: `.invalidFramingField`; `.bodyTooLong` for content with a status that has none (204,
    ///   205, a protocol switch); `.invalidUpgrade` for a 101 that was not asked for; `.sentOutOfOrder` for
    ///   a second final response, or a protocol switch while ``isContinueExpected``; and what
    ///   ``ResponseHeadEncoder`` throws. Another head may be tried then.
    @discardableResult
    public mutating func respond(
        _ head: ResponseHead,
        _ content: ResponseContent,
        into output: inout [UInt8]
    ) throws(WireError) -> BodyFraming {
        guard responseState == .awaited, head.status.kind != .informational || isUpgrade(head)
        else {
            throw .sentOutOfOrder
        }
        let protocolSwitch = ProtocolSwitch(status: head.status, to: method)
        if protocolSwitch != nil, isContinueExpected { throw .sentOutOfOrder }
        if protocolSwitch == .upgrade, request?.offer.matches(head) != true {
            throw .invalidUpgrade
        }
        let plan = try ResponseFraming(head, content, to: method, version: version)
        let newReason = reasonToClose(after: head, plan.framing)
        try ResponseHeadEncoder.encode(head, into: &output)
        // The empty line goes behind what is added.
        output.removeLast(2)
        plan.appendFramingField(to: &output)
        appendConnection(of: head, newReason, to: &output)
        ChunkedEncoder.appendSuffix(to: &output)
        reason = newReason
        pendingProtocolSwitch = protocolSwitch
        bodyEncoder = BodyEncoder(plan.framing)
        responseState = plan.framing == .noBody || plan.framing == .length(0) ? .ended : .body
        return plan.framing
    }

    /// Appends a final response with its whole body; the body is left out where there may be none.
    ///
    /// - Throws: as ``respond(_:_:into:)``.
    public mutating func respond(
        _ head: ResponseHead,
        body: Span<UInt8>,
        into output: inout [UInt8]
    ) throws(WireError) {
        let content = body.isEmpty ? ResponseContent.empty : .length(body.count)
        guard case .length(1...) = try respond(head, content, into: &output) else { return }
        try sendBody(body, into: &output)
        try finish(into: &output)
    }

    // MARK: - Interim responses

    /// Says whether the client may be waiting for 100 (Continue) before it sends the body.
    ///
    /// False once bytes of the body have come, and once a response was sent.
    public var isContinueExpected: Bool {
        isContinuePending && responseState == .awaited
    }

    /// Appends 100 (Continue) if the client may be waiting for it; nothing otherwise.
    public mutating func sendContinue(into output: inout [UInt8]) {
        guard isContinueExpected else { return }
        output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
        isContinuePending = false
    }

    /// Appends an interim response; nothing for a client of HTTP/1.0, which would not understand it
    /// (RFC 9110 §15.2).
    ///
    /// - Parameters:
    ///   - head: with a status of 1xx, but not 101, which is final for HTTP.
    ///   - output: untouched when an error is thrown.
    /// - Throws: `.sentOutOfOrder` before the request's head, behind the final response, or for
    ///   another status; `.invalidFramingField`; and what ``ResponseHeadEncoder`` throws.
    public mutating func sendInformational(
        _ head: ResponseHead,
        into output: inout [UInt8]
    ) throws(WireError) {
        guard responseState == .awaited, let request, head.status.kind == .informational,
            head.status != .switchingProtocols
        else { throw .sentOutOfOrder }
        guard request.version >= .http11 else { return }
        guard !head.headers.contains(.contentLength), !head.headers.contains(.transferEncoding)
        else { throw .invalidFramingField }
        try ResponseHeadEncoder.encode(head, into: &output)
        if head.status == .continue { isContinuePending = false }
    }

    // MARK: - The body

    /// Appends a piece of the body, framed; nothing when it is empty.
    ///
    /// - Throws: as ``beginBody(_:into:)``.
    public mutating func sendBody(
        _ bytes: Span<UInt8>,
        into output: inout [UInt8]
    ) throws(WireError) {
        guard !bytes.isEmpty else { return }
        try beginBody(bytes.count, into: &output)
        output.append(addingCapacity: bytes.count) { target in
            for index in bytes.indices { target.append(bytes[index]) }
        }
        endBody(into: &output)
    }

    /// Appends what precedes a piece of the body, for a caller who sends the bytes from elsewhere:
    /// the bytes follow, and then ``endBody(into:)``.
    ///
    /// - Throws: `.bodyTooLong` when the response has no room for so many bytes, or none at all;
    ///   `.sentOutOfOrder` before its head. Nothing may be written then.
    public mutating func beginBody(_ count: Int, into output: inout [UInt8]) throws(WireError) {
        guard responseState != .awaited else { throw .sentOutOfOrder }
        try bodyEncoder.begin(count, into: &output)
    }

    /// Appends what follows a piece of the body; only after a piece that was not empty.
    public func endBody(into output: inout [UInt8]) {
        bodyEncoder.end(into: &output)
    }

    /// Appends what ends the response; nothing when it is complete already.
    ///
    /// - Parameters:
    ///   - trailers: empty unless the body is chunked.
    ///   - output: untouched when an error is thrown.
    /// - Throws: `.bodyTooShort`, after which the connection can only be closed; `.sentOutOfOrder`
    ///   before the head; `.trailersWithoutChunks`, or what the trailers break.
    public mutating func finish(
        trailers: HTTPHeaders = [:],
        into output: inout [UInt8]
    ) throws(WireError) {
        switch responseState {
        case .awaited: throw .sentOutOfOrder
        case .ended:
            guard trailers.isEmpty else { throw .trailersWithoutChunks }
        case .body:
            try bodyEncoder.finish(trailers: trailers, into: &output)
            responseState = .ended
            // Whatever is given from now on is too much.
            bodyEncoder = BodyEncoder(.noBody)
        }
    }

    // MARK: - Parts

    /// Of the request; what is not known is answered like GET of HTTP/1.0, which is always right.
    private var method: HTTPMethod { request?.method ?? .get }
    private var version: HTTPVersion { request?.version ?? .http10 }

    private func isUpgrade(_ head: ResponseHead) -> Bool {
        head.status == .switchingProtocols
    }

    /// Finds what forbids another exchange, as far as it is known when the final head goes out.
    private func reasonToClose(
        after head: ResponseHead,
        _ framing: BodyFraming
    ) -> CloseReason? {
        switch requestState {
        case .failed: return .requestRefused
        case .head: return .requestIncomplete
        case .body where isContinuePending: return .continueNotSent
        case .body, .ended: break
        }
        return ConnectionPersistence.closeReason(
            method: method,
            requestCloseReason: request?.closeReason,
            response: head,
            framing: framing
        )
    }

    /// Tells the client what becomes of the connection (RFC 9112 §9.3 and §9.6).
    private func appendConnection(
        of head: ResponseHead,
        _ reason: CloseReason?,
        to output: inout [UInt8]
    ) {
        switch reason {
        case .upgraded:
            guard isUpgrade(head), !head.headers.containsToken("upgrade", in: .connection) else {
                return
            }
            output.append(contentsOf: "Connection: upgrade\r\n".utf8)
        case .some:
            guard !head.headers.containsToken("close", in: .connection) else { return }
            output.append(contentsOf: "Connection: close\r\n".utf8)
        case nil:
            guard version < .http11, !head.headers.containsToken("keep-alive", in: .connection)
            else {
                return
            }
            output.append(contentsOf: "Connection: keep-alive\r\n".utf8)
        }
    }
}
