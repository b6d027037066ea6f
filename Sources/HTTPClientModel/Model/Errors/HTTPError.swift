public import SocketTransport

/// The error of a failed call, with its kind, its phase, and the side that caused the failure.
///
///     HTTPError.Kind                                        blame
///     ├── invalidRequest(…)    request or text is invalid   caller
///     ├── resolveFailed        no address for the host      network
///     ├── connectFailed        no address accepted          network
///     ├── addressesRefused     your address policy          caller
///     ├── bindFailed           local address unusable       machine
///     ├── proxyFailed          no connection via the proxy  peer; network if unreachable; caller for
///     │                                                     an invalid SOCKS name or credentials
///     ├── tlsFailed            trust or handshake           peer; caller for invalid settings
///     ├── authenticationFailed no credentials available     caller
///     ├── bodyFailed           request body incomplete      caller
///     ├── connectionLost       closed or reset              peer
///     ├── connectionClosed     dedicated connection closed  peer
///     ├── malformedResponse    violates RFC 9112            peer
///     ├── truncatedResponse    response incomplete          peer
///     ├── codingFailed         bad or unknown coding        peer
///     ├── digestMismatch       another digest than expected peer
///     ├── digestMissing        no digest, but one required  peer
///     ├── malformedDigest      invalid digest field         peer
///     ├── limitExceeded        larger than your limits      peer
///     ├── bodyTooLarge         larger than collectLimit     peer
///     ├── fileTooLarge         larger than maxSize          peer
///     ├── rangeMismatch        not the requested range      peer
///     ├── redirectFailed       invalid or too many          peer; caller if a closure threw
///     ├── rejectedStatus       unexpected status            peer
///     ├── rejectedResponse     rejected by a validator      peer
///     ├── emptyBody            a validator requires content peer
///     ├── interceptorFailed    your closure threw           caller
///     ├── dialerFailed         your dialer threw            caller
///     ├── decodingFailed       the body is not a `Value`    peer
///     ├── undecodableText      the body is not text         peer
///     ├── recordFailed(…)      line, event or part invalid  peer
///     ├── resumeFailed(…)      download not resumable       peer
///     ├── fileFailed(…)        file error                   machine
///     ├── descriptorFailed     your descriptor not writable machine
///     ├── timedOut(phase)      a timeout passed             network
///     ├── cancelled            you canceled the call       caller
///     └── systemFailure        no descriptor, no thread     machine
///
/// The client stays usable after every error. <doc:Errors> explains how to handle each kind, and which
/// calls can be retried.
public struct HTTPError: Error, Sendable {
    /// The kind of an error.
    @nonexhaustive public enum Kind: Sendable, Hashable {
        /// The request, or a text that the program wanted to parse, is invalid; nothing was sent.
        case invalidRequest(InvalidRequestReason)
        /// The host name could not be resolved; `reason` is the resolver's text.
        case resolveFailed(host: String, reason: String)
        /// Connecting failed for every address of the host; the array has the order of attempts.
        case connectFailed([FailedAddress])
        /// ``HTTPConnectOptions/addressPolicy`` refused every address of the host; nothing was sent.
        case addressesRefused(host: String, [AddressPolicy.RefusedAddress])
        /// The client could not connect from ``HTTPConnectOptions/localBinding``.
        case bindFailed(local: String, reason: String)
        /// The proxy could not be reached, or did not connect to the origin.
        case proxyFailed(ProxyReason)
        /// The peer is not trusted, or the TLS handshake failed.
        case tlsFailed(TLSFailureReason)
        /// A credential provider or a token refresh failed; its error is ``underlying``.
        case authenticationFailed(AuthenticationReason)
        /// The body of the request could not be sent to its end, or could not be sent again.
        case bodyFailed(BodyReason)
        /// The peer closed or reset the connection.
        case connectionLost(reason: String)
        /// The ``HTTPDedicatedConnection`` for the request had already been closed, for this reason; nothing
        /// was sent.
        case connectionClosed(HTTPPoolEvent.CloseReason)
        /// The response violates the rules of HTTP/1.1.
        case malformedResponse(WireError)
        /// The connection ended before the response did; the error has the number of bytes received.
        case truncatedResponse(WireError)
        /// The content coding is corrupt, truncated or unknown.
        case codingFailed(WireError)
        /// The body has another digest than the response or the caller states; see
        /// ``HTTPDigest/Verification``.
        case digestMismatch(expected: HTTPDigest, received: HTTPDigest)
        /// The response has no digest of its content that the client can verify, but one is required.
        ///
        /// The array has the algorithms that the server used instead; it is empty if there is no digest.
        case digestMissing(unsupported: [String])
        /// The field of this name is not what RFC 9530 defines; `value` is its text.
        case malformedDigest(field: String, value: String)
        /// The response exceeds one of ``HTTPClientConfiguration/limits``.
        case limitExceeded(WireError)
        /// The body is larger than ``HTTPClientSettings/collectLimit``, in bytes.
        case bodyTooLarge(limit: Int)
        /// A downloaded file would be larger than ``HTTPDownloadOptions/maxSize``, in bytes.
        case fileTooLarge(limit: Int)
        /// A 206 (Partial Content) response was not requested, has another range than requested, or has a body
        /// whose length does not match its range.
        case rangeMismatch(RangeError)
        /// The status is not one that the call expects.
        case rejectedStatus(HTTPStatus)
        /// A redirect could not be followed; the error has the response.
        case redirectFailed(RedirectReason)
        /// A validator rejected the result; its error is ``HTTPError/underlying``.
        case rejectedResponse(reason: String)
        /// A validator requires content, and the response has none.
        case emptyBody(HTTPStatus)
        /// An interceptor, transformer or retry closure threw; its error is ``HTTPError/underlying``.
        case interceptorFailed(reason: String)
        /// The client's ``HTTPClientSettings/dialer`` threw; its error is ``HTTPError/underlying``.
        case dialerFailed(reason: String)
        /// The body could not be decoded; `reason` has the position of the error and the start of the body.
        case decodingFailed(reason: String)
        /// The body is not valid text in its charset.
        case undecodableText(TextReason)
        /// A record of a streamed body is too long or malformed: a line, a JSON text, an event or a part.
        case recordFailed(HTTPRecordError)
        /// A download could not be resumed; the part downloaded so far is unchanged.
        case resumeFailed(ResumeReason)
        /// A file could not be read or written; `reason` is the system's text, or describes the error in the
        /// file.
        case fileFailed(path: String, FileOperation, reason: String)
        /// A descriptor of the caller could not be written, after `written` bytes.
        ///
        /// `errno` is the system's error, such as `ENOSPC` for a full disk or `EPIPE` for a pipe without a reader.
        case descriptorFailed(errno: Int32, written: Int)
        /// A timeout expired: one of ``HTTPTimeouts``, or ``HTTPClientQueue/waitLimit``.
        case timedOut(HTTPPhase)
        /// The task, the call or its queue was canceled.
        case cancelled
        /// The machine lacks a resource: a descriptor, a thread, or memory for TLS.
        case systemFailure(reason: String)
    }

    /// The side that caused the failure.
    public enum Blame: Sendable, Hashable {
        /// The code that made the call.
        case caller
        /// The server, or another machine that responded in its place.
        case peer
        /// The network between client and server.
        case network
        /// The machine that runs the client.
        case machine
    }

    /// The kind of the failure.
    public var kind: Kind { box.info.kind }

    /// The phase of the call in which it failed.
    public var phase: HTTPPhase { box.info.phase }

    /// The request's method and URL without credentials; for an invalid URL, its text.
    ///
    /// Empty if the error does not belong to one request. Examples are an error created from a
    /// `CancellationError`, an event loop that cannot start, a partial file of ``HTTPResumeData``,
    /// parameters that are encoded without a request, and a stream that no longer carries HTTP.
    public var request: String { box.info.request }

    /// The metrics of the call up to the failure.
    public var metrics: HTTPMetrics { box.info.metrics }

    /// The status of a response that was refused because of it: that of ``Kind/rejectedStatus(_:)``.
    ///
    /// Nil for other errors. A call can also fail after a good status, for example because the digest of the body
    /// is wrong; that status is in ``head``.
    public var status: HTTPStatus? {
        if case .rejectedStatus(let status) = kind { status } else { nil }
    }

    /// The head of the response, if it had arrived before the failure.
    public var head: ResponseHead? { box.info.head }

    /// The 1xx responses that had arrived before the failure.
    public var informational: [ResponseHead] { box.info.informational }

    /// The proxy's responses to the request before the failure; a refused tunnel is the last one.
    public var proxyHeads: [ResponseHead] { box.info.proxyHeads }

    /// The bytes of the body that had arrived before the failure of a collected call.
    public var partialBody: [UInt8] { box.info.partialBody }

    /// Whether ``Strictness/strict`` rejected a head that ``Strictness/lenient`` accepts.
    ///
    /// Only the received part of the head was examined. To accept such responses, set
    /// ``HTTPRequest/strictness`` or ``HTTPClientSettings/strictness`` to `.lenient`.
    public var isReadableLeniently: Bool { box.info.isReadableLeniently }

    /// The header field that cannot be sent, because of its name, its value or its length.
    ///
    /// Nil for other errors. The kind is ``HTTPError/InvalidRequestReason/refused(_:)``, which only has the position of
    /// the field.
    public var refusedField: FieldName? { box.info.refusedField }

    /// The failures of all addresses that were tried or that the policy refused, in any attempt.
    ///
    /// They are also present if another address accepted, or if the call timed out.
    public var failedAddresses: [FailedAddress] { box.info.failedAddresses }

    /// The error that your closure or `decode` threw; nil if the client itself detected the failure.
    public var underlying: (any Error)? { box.info.underlying }

    /// The data for resuming a failed download; nil if it cannot be resumed, and for other calls.
    ///
    /// The received part is kept in a file until the download is resumed or ``HTTPResumeData/discard()`` is
    /// called.
    public var resumeData: HTTPResumeData? { box.info.resumeData }

    /// The path of the file that a failed download has left; nil if it has left none.
    ///
    /// The file is hidden and stands beside the target. With a journal, the next download to the same target continues
    /// it, and without one, a download with ``resumeData`` does. A file whose digest is wrong
    /// (``Kind/digestMismatch(expected:received:)``) stays for an examination; the next download to the same target
    /// deletes it. ``HTTPDownloadOptions/failureAction`` can delete all of them.
    public var partialFile: String? { box.info.partialFile }

    /// Boxed, because errors are rare and a small error type keeps the success path cheap.
    private let box: Box

    private final class Box: Sendable {
        let info: Info

        init(_ info: Info) {
            self.info = info
        }
    }

    /// The contents of an error.
    package struct Info: Sendable {
        package var kind: Kind
        package let phase: HTTPPhase
        /// More about the failure, for the description, such as the setting of a timeout.
        package var detail: String?
        package var refusedField: FieldName?
        package var request = ""
        package var metrics = HTTPMetrics()
        package var head: ResponseHead?
        package var informational: [ResponseHead] = []
        package var proxyHeads: [ResponseHead] = []
        package var partialBody: [UInt8] = []
        package var failedAddresses: [FailedAddress] = []
        package var isReadableLeniently = false
        /// Whether sending the request twice has no further effect (RFC 9110 §9.2.2).
        package var isIdempotent = false
        /// Whether an earlier attempt may have had a side effect that must not happen twice.
        package var mayHaveSideEffects = false
        package var underlying: (any Error)?
        package var failureBody: (any Sendable)?
        package var resumeData: HTTPResumeData?
        package var partialFile: String?
        /// The client's JSON coders; nil for coders without settings.
        package var coders: (any AnyObject & Sendable)?

        package init(kind: Kind, phase: HTTPPhase) {
            self.kind = kind
            self.phase = phase
        }
    }

    package var info: Info { box.info }

    package init(_ info: Info) {
        box = Box(info)
    }

    package init(
        _ kind: Kind,
        phase: HTTPPhase,
        request: String = "",
        metrics: HTTPMetrics = HTTPMetrics(),
        head: ResponseHead? = nil,
        informational: [ResponseHead] = [],
        proxyHeads: [ResponseHead] = [],
        partialBody: [UInt8] = [],
        failedAddresses: [FailedAddress] = [],
        underlying: (any Error)? = nil
    ) {
        var info = Info(kind: kind, phase: phase)
        info.request = request
        info.metrics = metrics
        info.head = head
        info.informational = informational
        info.proxyHeads = proxyHeads
        info.partialBody = partialBody
        info.failedAddresses = failedAddresses
        info.underlying = underlying
        box = Box(info)
    }

    /// Returns a copy of the error with changed contents.
    package func changed(_ change: (inout Info) -> Void) -> HTTPError {
        var info = box.info
        change(&info)
        return HTTPError(info)
    }
}

extension HTTPError {
    /// The reason why a request is invalid and was not sent, or why a text could not be parsed.
    @nonexhaustive public enum InvalidRequestReason: Sendable, Hashable {
        /// The URL does not parse; the error has the offset of the invalid byte.
        case url(String, WireError)
        /// The URL is relative and the client has no base URL.
        case relativeURL(String)
        /// The URL has a host but no scheme, as in `//host/path` or `host:8080/path`; for a base URL also `host/path`.
        ///
        /// The client does not interpret the first form as a path, nor the host in the second as a scheme.
        case missingScheme(String)
        /// The URL has `***` in place of a user name or of a secret query value, as in the description of a ``URI``.
        ///
        /// Use ``URI/text``, which has the secret.
        case redactedURL(String)
        /// The URI template does not parse, or cannot use a variable; see ``URITemplate``.
        case template(String, URITemplate.TemplateError)
        /// A parameter of the query, with its full name, has a value without a text form.
        case parameter(name: String, HTTPParameters.EncodingError)
        /// The user name of the Basic scheme contains a colon; servers would read the part after it as part of
        /// the password.
        case colonInUserName
        /// ``HTTPRequest/headModifier`` threw an error.
        case headModifier(reason: String)
        /// The proxy for this URL cannot be used.
        case proxy(HTTPProxy.ConfigurationError)
        /// A tunnel was requested, but no proxy is set.
        case noProxy
        /// The URL's scheme is neither http nor https.
        case unsupportedScheme(String)
        /// A method, target, field name or field value is not allowed (RFC 9110 §5.5, RFC 9112 §3).
        case refused(WireError)
        /// Only the client may set this header field.
        ///
        /// The field depends on the body, or it is in ``HTTPProxy/headers`` and concerns the message or its
        /// connection.
        case framingField(String)
        /// The value of the body could not be encoded.
        case body(reason: String)
        /// The body cannot be sent from this byte on (``HTTPBody/suffix(from:)``).
        case bodyOffset(Int, reason: String)
        /// The body contains a character that its charset cannot encode.
        case unencodableText(String, charset: String)
        /// The file of the body cannot be sent.
        case bodyFile(String, FileError)
        /// The length of a sequence body is negative.
        case bodyLength(Int)
        /// A field of this name must not be a trailer (RFC 9110 §6.5.1), or the name is not a token.
        case trailerField(String)
        /// A number for the header field of this name is negative, such as a position in Range.
        case negativeNumber(header: String)
        /// A number of ``HTTPRateLimit``, of the request or of the client, is less than 1 byte per second.
        case rateLimit(Int)
        /// The body is a sequence that can be read only once, and it was already sent.
        case bodyAlreadyConsumed
        /// The multipart form is invalid.
        case multipart(MultipartForm.EncodingError)
        /// The content of a part of a multipart body was read after a later part was requested.
        case skippedPart
        /// A blocking call was made inside a Swift task, or in a callback on the client's event loop.
        ///
        /// It would block a thread that others share.
        case blockingInsideTask
        /// The ``HTTPDedicatedConnection`` was already released, or closed by its owner.
        case connectionReleased
        /// The request has another origin than its ``HTTPDedicatedConnection``, or other connection settings.
        case connectionMismatch
        /// Two reads of a body overlapped.
        case overlappingRead
        /// ``HTTPConnectOptions/unixSocket`` is not a valid socket name.
        case unixSocket(UnixSocket.PathError)
        /// A port in ``HTTPConnectOptions/overrides`` or ``HTTPConnectOptions/connectToRules`` is not in 0...65535.
        case connectPort(Int)
        /// Two writes overlapped.
        case overlappingWrite
        /// A number of ``HTTPDownloadOptions/segments`` is out of range.
        case segments(HTTPDownloadOptions.Segments)
        /// The resume data of a download does not match the request, or is corrupt.
        case resumeData(HTTPResumeData.ResumeError)
        /// A text or bytes are not a digest; see ``HTTPDigest``.
        case digest(HTTPDigest.ParsingError)
        /// A text is not a netrc file; see ``HTTPNetrc``.
        case netrc(HTTPNetrc.ParsingError)
        /// A text that ``HTTPJSON`` was to parse is not JSON.
        case json(HTTPJSON.ParsingError)
        /// A text that ``CookieJar/FileFormat`` was to decode is not a cookie file.
        case cookieFile(reason: String)
    }
}

extension HTTPError {
    /// An address that could not be connected to, and the reason.
    public struct FailedAddress: Sendable, Hashable {
        /// The address and port, such as `127.0.0.1:80`; or the path of a unix domain socket.
        public let address: String
        /// The system's `errno`; 0 if the address policy refused the address.
        public let errno: Int32
        /// The system's text, such as `Connection refused`, or the rule of the policy.
        public let reason: String
    }
}

extension HTTPError {
    /// The side that caused the failure; <doc:Errors> has a table.
    public var blame: Blame { kind.blame }
}

extension HTTPError.Kind {
    /// The side that caused the failure.
    package var blame: HTTPError.Blame {
        // There is no default case: a new kind must be assigned here and added to the article.
        switch self {
        case .invalidRequest, .addressesRefused, .bodyFailed, .cancelled: .caller
        case .authenticationFailed, .dialerFailed: .caller
        case .resolveFailed, .connectFailed, .timedOut: .network
        case .bindFailed, .fileFailed, .descriptorFailed, .systemFailure: .machine
        case .proxyFailed(.unresolved), .proxyFailed(.unreachable): .network
        case .proxyFailed(.socks(.invalidHostName)), .proxyFailed(.socks(.invalidCredentials)):
            .caller
        case .proxyFailed: .peer
        case .tlsFailed(let reason): reason.isOwn ? .caller : .peer
        case .connectionLost, .connectionClosed: .peer
        case .malformedResponse, .truncatedResponse, .codingFailed, .limitExceeded: .peer
        case .bodyTooLarge, .fileTooLarge: .peer
        case .redirectFailed(.thrown), .interceptorFailed: .caller
        case .redirectFailed: .peer
        case .rejectedStatus, .rejectedResponse, .emptyBody: .peer
        case .decodingFailed, .undecodableText, .resumeFailed, .rangeMismatch: .peer
        case .recordFailed: .peer
        case .digestMismatch, .digestMissing, .malformedDigest: .peer
        }
    }
}

extension HTTPError.Kind {
    /// The name of the case, such as `timedOut`, without its values.
    ///
    /// There are only a few such texts, and none contains data of a request or response. They are suitable
    /// for counting failures and for long-term storage.
    public var label: String {
        switch self {
        case .invalidRequest: "invalidRequest"
        case .resolveFailed: "resolveFailed"
        case .connectFailed: "connectFailed"
        case .addressesRefused: "addressesRefused"
        case .bindFailed: "bindFailed"
        case .proxyFailed: "proxyFailed"
        case .tlsFailed: "tlsFailed"
        case .authenticationFailed: "authenticationFailed"
        case .bodyFailed: "bodyFailed"
        case .connectionLost: "connectionLost"
        case .connectionClosed: "connectionClosed"
        case .malformedResponse: "malformedResponse"
        case .truncatedResponse: "truncatedResponse"
        case .codingFailed: "codingFailed"
        case .digestMismatch: "digestMismatch"
        case .digestMissing: "digestMissing"
        case .malformedDigest: "malformedDigest"
        case .limitExceeded: "limitExceeded"
        case .bodyTooLarge: "bodyTooLarge"
        case .fileTooLarge: "fileTooLarge"
        case .rangeMismatch: "rangeMismatch"
        case .rejectedStatus: "rejectedStatus"
        case .redirectFailed: "redirectFailed"
        case .rejectedResponse: "rejectedResponse"
        case .emptyBody: "emptyBody"
        case .interceptorFailed: "interceptorFailed"
        case .decodingFailed: "decodingFailed"
        case .undecodableText: "undecodableText"
        case .recordFailed: "recordFailed"
        case .resumeFailed: "resumeFailed"
        case .fileFailed: "fileFailed"
        case .descriptorFailed: "descriptorFailed"
        case .timedOut: "timedOut"
        case .cancelled: "cancelled"
        case .dialerFailed: "dialerFailed"
        case .systemFailure: "systemFailure"
        }
    }
}

extension HTTPError.Kind {
    /// A text without secrets, safe to store and to display: ``publicReason``, or else ``label``.
    package var publicText: String { publicReason ?? label }

    /// The description of a failure below HTTP.
    ///
    /// It is nil for kinds that quote requests, responses, paths or errors of closures, which can contain
    /// any data. It omits the text of the application's own ``HTTPResolver``.
    package var publicReason: String? {
        switch self {
        case .tlsFailed(let reason): reason.quotesApplication ? nil : description
        case .resolveFailed(let host, let reason) where !TransportError.isResolveReason(reason):
            "could not resolve \(host)"
        case .proxyFailed(.unresolved(let host, let reason))
        where !TransportError.isResolveReason(reason):
            "could not resolve the proxy \(host)"
        case .resolveFailed, .connectFailed, .addressesRefused, .bindFailed, .proxyFailed,
            .connectionLost, .connectionClosed, .malformedResponse, .truncatedResponse,
            .codingFailed, .limitExceeded, .bodyTooLarge, .fileTooLarge,
            .rejectedStatus, .emptyBody, .descriptorFailed, .timedOut,
            .cancelled, .systemFailure:
            description
        default: nil
        }
    }
}

extension HTTPError {
    /// Creates the error for an invalid request; `url` must not contain credentials.
    package static func invalid(
        _ reason: InvalidRequestReason,
        _ method: HTTPMethod,
        _ url: String
    ) -> HTTPError {
        HTTPError(
            .invalidRequest(reason),
            phase: .preparing,
            request: HTTPError.summary(method, url)
        )
    }
}
