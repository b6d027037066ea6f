/// Methods that write responses into a buffer, which the caller sends.
extension ServerExchange {
    // MARK: - The final response

    /// Appends the head of the final response, with fields for its framing and for connection
    /// reuse.
    ///
    /// The following fields are added where they apply and are not present:
    /// - `Content-Length`, or `Transfer-Encoding: chunked`. Neither is added with 1xx, 204, or 2xx
    ///   to CONNECT (RFC 9112 §6.1, RFC 9110 §8.6). A client of HTTP/1.0 gets no chunks: the body
    ///   ends with the connection. Responses to HEAD and 304 get the length that the body would
    ///   have, but no body.
    /// - `Connection: close` if no other exchange will follow. This includes a response to a
    ///   request that was rejected or is incomplete. It also includes a request whose client still
    ///   waits for a 100 (Continue) that was not sent.
    /// - `Connection: keep-alive` for a client of HTTP/1.0 that requested it, and
    ///   `Connection: upgrade` with 101.
    ///
    /// To close the connection for other reasons, put `Connection: close` into the head. Do so when
    /// you answer early and will not read the rest of the request. Date is not added, because this
    /// module has no clock (RFC 9110 §6.6.1).
    ///
    /// A 101 accepts an upgrade, and a 2xx to CONNECT opens a tunnel; see ``protocolSwitch``.
    ///
    /// - Parameters:
    ///   - head: a head with a final status or 101, with at most one Content-Length, and without
    ///     Transfer-Encoding.
    ///   - content: the content that the response has or, for HEAD and 304, would have.
    ///   - output: grows by the head; unchanged if an error is thrown.
    /// - Returns: the framing of the body. With `.noBody` and `.length(0)` there is no body to
    ///   send, and the response is complete.
    /// - Throws: `.invalidFramingField`; `.bodyTooLong` for content with a status that has none
    ///   (204, 205, a protocol switch); `.invalidUpgrade` for a 101 that the request did not offer;
    ///   `.sentOutOfOrder` for a second final response, or a protocol switch while
    ///   ``isContinueExpected``; and the errors of ``ResponseHeadEncoder``. The caller may then try
    ///   another head.
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
        // The added fields precede the empty line.
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

    /// Appends a final response with its whole body.
    ///
    /// The body is omitted if the response cannot have one.
    ///
    /// - Throws: the errors of ``respond(_:_:into:)``.
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

    /// Whether the client may be waiting for 100 (Continue) before it sends the body.
    ///
    /// False once body bytes were received, and once a response was sent.
    public var isContinueExpected: Bool {
        isContinuePending && responseState == .awaited
    }

    /// Appends 100 (Continue) if the client may be waiting for it; otherwise nothing.
    public mutating func sendContinue(into output: inout [UInt8]) {
        guard isContinueExpected else { return }
        output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
        isContinuePending = false
    }

    /// Appends an interim response.
    ///
    /// Nothing is appended for a client of HTTP/1.0, which does not understand interim responses
    /// (RFC 9110 §15.2).
    ///
    /// - Parameters:
    ///   - head: a head with a status of 1xx, except 101, which is final for HTTP.
    ///   - output: unchanged if an error is thrown.
    /// - Throws: `.sentOutOfOrder` before the request's head, after the final response, or for
    ///   another status; `.invalidFramingField`; and the errors of ``ResponseHeadEncoder``.
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

    /// Appends a framed piece of the body; nothing if it is empty.
    ///
    /// - Throws: the errors of ``beginBody(_:into:)``.
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

    /// Appends the bytes that precede a piece of the body.
    ///
    /// A caller that sends the content from elsewhere then writes the content, and calls
    /// ``endBody(into:)``.
    ///
    /// - Throws: `.bodyTooLong` if the piece exceeds the declared length, or the response has no
    ///   body; `.sentOutOfOrder` before the head. The caller must not write the piece.
    public mutating func beginBody(_ count: Int, into output: inout [UInt8]) throws(WireError) {
        guard responseState != .awaited else { throw .sentOutOfOrder }
        try bodyEncoder.begin(count, into: &output)
    }

    /// Appends the bytes that follow a piece of the body; call it only after a non-empty piece.
    public func endBody(into output: inout [UInt8]) {
        bodyEncoder.end(into: &output)
    }

    /// Appends the bytes that end the response; nothing if it is already complete.
    ///
    /// - Parameters:
    ///   - trailers: must be empty unless the body is chunked.
    ///   - output: unchanged if an error is thrown.
    /// - Throws: `.bodyTooShort`, after which the connection must be closed; `.sentOutOfOrder`
    ///   before the head; `.trailersWithoutChunks`, or an error about the trailers.
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
            // Any further body bytes are an error.
            bodyEncoder = BodyEncoder(.noBody)
        }
    }

    // MARK: - Parts

    /// The method of the request.
    ///
    /// An unknown request is treated as GET of HTTP/1.0, which is always safe.
    private var method: HTTPMethod { request?.method ?? .get }
    private var version: HTTPVersion { request?.version ?? .http10 }

    private func isUpgrade(_ head: ResponseHead) -> Bool {
        head.status == .switchingProtocols
    }

    /// Returns the reason against another exchange that is known when the final head is sent.
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

    /// Appends the Connection field that tells the client about reuse (RFC 9112 §9.3 and §9.6).
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

/// The amount of body that a server sends with a response.
///
/// For a response to HEAD, and for 304, it describes the omitted body.
public enum ResponseContent: Sendable, Hashable {
    /// No content: an empty body if the response can have a body.
    case empty
    /// This many bytes; a negative number is rejected.
    case length(Int)
    /// An unknown length: chunks or, for a client of HTTP/1.0, bytes up to the end of the
    /// connection.
    case streamed
}

/// The framing of an outgoing response body, and the field that declares it (RFC 9112 §6.1 to
/// §6.3).
///
/// It is the counterpart of ``BodyFraming/ofResponse(to:status:version:headers:)``: a client that
/// applies those rules to the response obtains the same framing.
struct ResponseFraming: Sendable {
    let framing: BodyFraming
    private let framingField: FramingField

    /// The field to add to the head.
    private enum FramingField: Sendable {
        case none
        case length(Int)
        case chunked
    }

    /// Determines the framing of a response.
    ///
    /// - Parameters:
    ///   - head: the response head, which may contain a Content-Length that matches `content`.
    ///   - content: the content to send.
    ///   - method: the request method.
    ///   - version: the request version.
    /// - Throws: `.invalidFramingField` or `.bodyTooLong`.
    init(
        _ head: ResponseHead,
        _ content: ResponseContent,
        to method: HTTPMethod,
        version: HTTPVersion
    ) throws(WireError) {
        guard !head.headers.contains(.transferEncoding) else { throw .invalidFramingField }
        let given = try Self.contentLength(of: head)
        let protocolSwitch = ProtocolSwitch(status: head.status, to: method)
        if protocolSwitch != nil || head.status == .noContent || head.status == .resetContent {
            guard content == .empty || content == .length(0) else {
                throw .bodyTooLong(declared: 0)
            }
        }
        if protocolSwitch != nil || head.status == .noContent {
            guard given == nil else { throw .invalidFramingField }
            (framing, framingField) = (.noBody, .none)
            return
        }
        let isBodyOmitted = method == .head || head.status == .notModified
        switch content {
        case .length(let length):
            guard length >= 0, given == nil || given == length else {
                throw .invalidFramingField
            }
            framing = isBodyOmitted ? .noBody : .length(length)
            framingField = given == nil ? .length(length) : .none
        case .empty:
            // Without a body, the field may give the length that the body would have.
            guard isBodyOmitted || given == nil || given == 0 else { throw .invalidFramingField }
            framing = isBodyOmitted ? .noBody : .length(0)
            framingField = isBodyOmitted || given != nil ? .none : .length(0)
        case .streamed:
            guard given == nil else { throw .invalidFramingField }
            let isChunked = min(version, head.version) >= .http11
            framing = isBodyOmitted ? .noBody : isChunked ? .chunked : .untilClose
            framingField = framing == .chunked ? .chunked : .none
        }
    }

    /// Appends the field line, if there is one.
    func appendFramingField(to output: inout [UInt8]) {
        switch framingField {
        case .none:
            return
        case .length(let length):
            output.append(contentsOf: "Content-Length: ".utf8)
            Digits.appendDecimal(length, to: &output)
        case .chunked:
            output.append(contentsOf: "Transfer-Encoding: chunked".utf8)
        }
        ChunkedEncoder.appendSuffix(to: &output)
    }

    /// Returns the single Content-Length that a head to be sent may have.
    private static func contentLength(of head: ResponseHead) throws(WireError) -> Int? {
        guard let storage = head.headers.storage,
            let index = head.headers.firstIndex(of: .contentLength)
        else { return nil }
        let number = storage.withBytes(storage[index].value) { Digits.decimal($0) }
        guard case .value(let length) = number,
            head.headers.firstIndex(of: .contentLength, from: index + 1) == nil
        else { throw .invalidFramingField }
        return length
    }
}
