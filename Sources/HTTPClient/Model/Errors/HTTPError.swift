internal import SocketTransport

/// Says why a call has no (complete) response: what happened, in which phase, whose doing.
///
///     HTTPError.Kind                                       blame
///     ├── invalidRequest(…)    nothing was sent            caller
///     ├── resolveFailed        the name has no address     network
///     ├── connectFailed        no address answered         network
///     ├── addressesRefused     a policy of yours           caller
///     ├── bindFailed           our own end cannot be there machine
///     ├── proxyFailed          no way through the proxy    peer; network, when not reached
///     ├── tlsFailed            trust or handshake          peer; caller, for its own settings
///     ├── authenticationFailed nobody could say who asks   caller
///     ├── bodyFailed           what is sent broke off      caller
///     ├── connectionLost       closed or reset             peer
///     ├── connectionClosed     a private connection ended  peer
///     ├── malformedResponse    breaks RFC 9112             peer
///     ├── truncatedResponse    ended before its end        peer
///     ├── codingFailed         bad or unknown coding       peer
///     ├── limitExceeded        larger than you allow       peer
///     ├── bodyTooLarge         more than is collected      peer
///     ├── rangeMismatch        another part than asked for  peer
///     ├── redirectFailed       leads nowhere, or too far   peer; caller, when a closure threw
///     ├── rejectedStatus       not the status asked for    peer
///     ├── rejectedResponse     a validator's word          peer
///     ├── emptyBody            content was asked for       peer
///     ├── interceptorFailed    a closure of yours threw    caller
///     ├── stubFailed           no stub answers it          caller
///     ├── decodingFailed       the body is not a `Value`   peer
///     ├── undecodableText      the body is not text        peer
///     ├── resumeFailed(…)      a download cannot go on     peer
///     ├── fileFailed(…)        a file cannot be written    machine
///     ├── timedOut(phase)      a bound of yours passed     network
///     ├── cancelled            you gave up                 caller
///     └── systemFailure        no descriptor, no thread    machine
///
/// The client stays usable after every one of them. <doc:Errors> tells what to do about each, and which
/// calls may be made again.
public struct HTTPError: Error, Sendable {
    /// What happened.
    @nonexhaustive public enum Kind: Sendable, Hashable {
        /// The request cannot be sent as it is; nothing was.
        case invalidRequest(HTTPInvalidRequestReason)
        /// The host name did not lead to an address; `reason` is the resolver's text.
        case resolveFailed(host: String, reason: String)
        /// Every address of the host refused or failed, in the order of trying.
        case connectFailed([FailedAddress])
        /// ``HTTPConnectOptions/addressPolicy`` refused every address of the host; nothing was sent.
        case addressesRefused(host: String, [RefusedAddress])
        /// No connection can go out from ``HTTPConnectOptions/localBinding``.
        case bindFailed(local: String, reason: String)
        /// The proxy was not reached, or led nowhere.
        case proxyFailed(HTTPProxyFailureReason)
        /// The peer is not trusted, or the handshake failed.
        case tlsFailed(TLSFailureReason)
        /// A credential provider or the refresh of a token failed; what it threw is ``underlying``.
        case authenticationFailed(HTTPAuthenticationFailureReason)
        /// The content of the request could not be sent to its end, or not sent again.
        case bodyFailed(HTTPBodyFailureReason)
        /// The peer closed or reset the connection.
        case connectionLost(reason: String)
        /// The ``HTTPDedicatedConnection`` that the request was to be sent on was closed before, for this
        /// reason; nothing was sent.
        case connectionClosed(HTTPPoolEvent.CloseReason)
        /// The response breaks the rules of HTTP/1.1.
        case malformedResponse(WireError)
        /// The connection ended before the response did; the error tells how far it came.
        case truncatedResponse(WireError)
        /// The content coding is damaged, cut short or unknown.
        case codingFailed(WireError)
        /// The response passes one of ``HTTPClient/Configuration/limits``.
        case limitExceeded(WireError)
        /// The body is larger than ``HTTPClient/Settings/collectLimit``, in bytes.
        case bodyTooLarge(limit: Int)
        /// A 206 (Partial Content) came that was not requested, for another range, or with another length
        /// than its range.
        case rangeMismatch(HTTPRangeError)
        /// The status is not in the range the call asked for.
        case rejectedStatus(HTTPStatus)
        /// A redirect cannot be followed; the response is in the error.
        case redirectFailed(HTTPRedirectFailureReason)
        /// A validator rejected the outcome with an error that is ``HTTPError/underlying``.
        case rejectedResponse(reason: String)
        /// A validator wants content, and there is none.
        case emptyBody(HTTPStatus)
        /// An interceptor, transformer or closure of a retry threw; what is ``HTTPError/underlying``.
        case interceptorFailed(reason: String)
        /// The client's ``HTTPClient/Settings/stubs`` have no answer to the request; it was not sent.
        case stubFailed(HTTPStubFailureReason)
        /// The body could not be decoded; `reason` says where, and how the body begins.
        case decodingFailed(reason: String)
        /// The body is not text in the charset it claims to be in.
        case undecodableText(HTTPTextFailureReason)
        /// A download that was to go on cannot; what there is of it was left as it was.
        case resumeFailed(HTTPResumeFailureReason)
        /// A file could not be read or written; `reason` is the system's text, or says what is wrong
        /// in the file.
        case fileFailed(path: String, HTTPFileOperation, reason: String)
        /// A bound of ``HTTPTimeouts`` passed.
        case timedOut(HTTPPhase)
        /// The task was cancelled.
        case cancelled
        /// This machine lacks something: a descriptor, a thread, memory for TLS.
        case systemFailure(reason: String)
    }

    /// Who has to change something.
    public enum Blame: Sendable, Hashable {
        /// The code that made the call.
        case caller
        /// The server, or something that speaks in its place.
        case peer
        /// What lies between.
        case network
        /// The machine this runs on.
        case machine
    }

    /// What happened.
    public var kind: Kind { box.info.kind }

    /// What the call was doing.
    public var phase: HTTPPhase { box.info.phase }

    /// The request's method and URL, without credentials; where there is no valid URL, the text that is
    /// none.
    ///
    /// Empty where no one request is meant: for a cancellation that came from elsewhere, a client whose
    /// loop cannot start, a file of ``HTTPResumeData``, parameters that were encoded by themselves, and a
    /// stream that HTTP has left.
    public var request: String { box.info.request }

    /// How far the call came.
    public var metrics: HTTPMetrics { box.info.metrics }

    /// The head of the response, when it had arrived before the failure.
    public var head: ResponseHead? { box.info.head }

    /// Responses with a 1xx status that had arrived before the failure.
    public var informational: [ResponseHead] { box.info.informational }

    /// What a proxy had answered for the request before the failure; a refused tunnel is the last.
    public var proxyHeads: [ResponseHead] { box.info.proxyHeads }

    /// The bytes of the body that had arrived before the failure of a collected call.
    public var partialBody: [UInt8] { box.info.partialBody }

    /// Whether ``Strictness/strict`` refused a head that ``Strictness/lenient`` reads, as far as it had
    /// arrived.
    ///
    /// The response is read with ``HTTPRequest/strictness`` or
    /// ``HTTPClient/Settings/strictness`` set to `.lenient`.
    public var isReadableLeniently: Bool { box.info.isReadableLeniently }

    /// How each address failed that was tried, or refused by the policy, in any attempt of the call;
    /// also when another address answered, or time ran out.
    public var failedAddresses: [FailedAddress] { box.info.failedAddresses }

    /// What a closure or a `decode` of yours threw; nil when the client itself found the fault.
    public var underlying: (any Error)? { box.info.underlying }

    /// What a failed download can be continued with; nil when it cannot, or for other calls.
    ///
    /// The part that was received is kept in a file until it is continued or
    /// ``HTTPResumeData/discard()`` is called.
    public var resumeData: HTTPResumeData? { box.info.resumeData }

    /// Boxed: an error is rare, and a small one keeps the road of success cheap.
    private let box: Box

    private final class Box: Sendable {
        let info: Info

        init(_ info: Info) {
            self.info = info
        }
    }

    /// All that an error tells.
    struct Info: Sendable {
        var kind: Kind
        let phase: HTTPPhase
        var request = ""
        var metrics = HTTPMetrics()
        var head: ResponseHead?
        var informational: [ResponseHead] = []
        var proxyHeads: [ResponseHead] = []
        var partialBody: [UInt8] = []
        var failedAddresses: [FailedAddress] = []
        var isReadableLeniently = false
        /// Whether doing it twice does no more than doing it once (RFC 9110 §9.2.2).
        var isIdempotent = false
        /// An earlier attempt may have done what must not be done twice.
        var mayHaveSideEffects = false
        var underlying: (any Error)?
        var failureBody: (any Sendable)?
        var resumeData: HTTPResumeData?
        /// What the client reads JSON with; nil for a decoder without settings.
        var coders: (any AnyObject & Sendable)?
    }

    var info: Info { box.info }

    init(_ info: Info) {
        box = Box(info)
    }

    init(
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

    /// Returns the same error with other info.
    func changed(_ change: (inout Info) -> Void) -> HTTPError {
        var info = box.info
        change(&info)
        return HTTPError(info)
    }
}

/// Names what a call is doing at a moment.
@nonexhaustive public enum HTTPPhase: Sendable, Hashable {
    /// Checking the request; nothing is sent yet.
    case preparing
    /// Waiting for the turn in an ``HTTPClientQueue``, or for a connection of the pool.
    case queue
    /// Resolving the host name.
    case resolve
    /// Opening the TCP connection.
    case connect
    /// Asking a proxy for a way to the origin.
    case proxyHandshake
    /// Shaking hands over TLS.
    case tlsHandshake
    /// Resolving, connecting and TLS together: the phase of a passed ``HTTPTimeouts/establish``.
    case establish
    /// Sending the request, or its head when a body follows that does not go out with it.
    case sending
    /// Sending the body of the request.
    case sendingBody
    /// Waiting for the head of the response.
    case responseHead
    /// Receiving the body.
    case body
    /// Deciding what becomes of the response or failure: redirects, interceptors, validators, retries.
    case validating
    /// Decoding what was received.
    case decoding
    /// Moving bytes at all: the phase of a missed ``HTTPTimeouts/minimumThroughput``.
    case throughput
    /// Carrying bytes over a connection that HTTP has left.
    case upgraded
    /// The whole call: the phase of a passed ``HTTPTimeouts/total``.
    case total
}

/// Says what is wrong with a request that was not sent.
@nonexhaustive public enum HTTPInvalidRequestReason: Sendable, Hashable {
    /// The URL does not parse; the error says at which byte.
    case url(String, WireError)
    /// The URL is relative and the client has no base URL.
    case relativeURL(String)
    /// The URL names a host and no scheme, as `//host/path` does, and is not taken for a path; or it is
    /// `host:8080/path`, where the host would be the scheme.
    case missingScheme(String)
    /// The URI template does not parse, or a variable does not fit it; see ``URITemplate``.
    case template(String, URITemplate.TemplateError)
    /// A parameter of the query, named in full, has a value that no text stands for.
    case parameter(name: String, HTTPParameterError)
    /// The user name of the Basic scheme has a colon, behind which it would be the password.
    case colonInUserName
    /// ``HTTPRequest/headModifier`` threw an error.
    case headModifier(reason: String)
    /// The proxy that is set for this URL cannot be used.
    case proxy(HTTPProxyError)
    /// A tunnel was asked for where no proxy is set.
    case noProxy
    /// The URL's scheme is neither http nor https.
    case unsupportedScheme(String)
    /// A method, target, field name or field value may not be sent (RFC 9110 §5.5, RFC 9112 §3).
    case refused(WireError)
    /// Only the client may set the field: it follows from the body, or stands in
    /// ``HTTPProxy/headers`` and concerns the message or its connection.
    case framingField(String)
    /// The value of the body could not be encoded.
    case body(reason: String)
    /// The body has a character that its charset cannot say.
    case unencodableText(String, charset: String)
    /// The file that is to be sent cannot be.
    case bodyFile(String, HTTPFileError)
    /// The length given for a body that is a sequence is negative.
    case bodyLength(Int)
    /// A number given for the header of this name is negative, such as a position in Range.
    case negativeNumber(header: String)
    /// The body is a sequence, which can be read once only, and was sent before.
    case bodyAlreadyConsumed
    /// The multipart form cannot be written.
    case multipart(MultipartFormError)
    /// A blocking call was made inside a Swift task, or in a callback on the client's loop: it would
    /// block a thread that others share.
    case blockingInsideTask
    /// The ``HTTPDedicatedConnection`` has been given back, or was closed by its owner.
    case connectionReleased
    /// The request goes elsewhere than its ``HTTPDedicatedConnection``, or with other settings.
    case connectionMismatch
    /// A body was read while another read of it was under way.
    case overlappingRead
    /// ``HTTPConnectOptions/unixSocket`` cannot be the name of a socket.
    case unixSocket(UnixSocket.PathError)
    /// A port in ``HTTPConnectOptions/overrides`` or ``HTTPConnectOptions/connectToRules`` is not in 0...65535.
    case connectPort(Int)
    /// Bytes were written while another write was under way.
    case overlappingWrite
    /// What a download is to be continued with does not fit the request, or is damaged.
    case resumeData(HTTPResumeDataError)
}

/// Tells how one address failed.
public struct FailedAddress: Sendable, Hashable {
    /// Address and port, such as `127.0.0.1:80`; or the path of a unix domain socket.
    public let address: String
    /// The system's `errno`; 0 when the address policy refused the address.
    public let errno: Int32
    /// The system's text, such as `Connection refused`, or the policy's rule.
    public let reason: String
}

extension HTTPError {
    /// Who has to change something; <doc:Errors> has a table.
    public var blame: Blame { kind.blame }
}

extension HTTPError.Kind {
    /// Who has to change something.
    package var blame: HTTPError.Blame {
        // Without a default: who adds a kind decides whose it is, and tells it in the article.
        switch self {
        case .invalidRequest, .addressesRefused, .bodyFailed, .cancelled: .caller
        case .authenticationFailed, .stubFailed: .caller
        case .resolveFailed, .connectFailed, .timedOut: .network
        case .bindFailed, .fileFailed, .systemFailure: .machine
        case .proxyFailed(.unresolved), .proxyFailed(.unreachable): .network
        case .proxyFailed(.socks(.invalidHostName)), .proxyFailed(.socks(.invalidCredentials)):
            .caller
        case .proxyFailed: .peer
        case .tlsFailed(let problem): problem.isOwn ? .caller : .peer
        case .connectionLost, .connectionClosed: .peer
        case .malformedResponse, .truncatedResponse, .codingFailed, .limitExceeded, .bodyTooLarge:
            .peer
        case .redirectFailed(.thrown), .interceptorFailed: .caller
        case .redirectFailed: .peer
        case .rejectedStatus, .rejectedResponse, .emptyBody: .peer
        case .decodingFailed, .undecodableText, .resumeFailed, .rangeMismatch: .peer
        }
    }
}

extension HTTPError.Kind {
    /// The name of the case, such as `timedOut`, without what it carries.
    ///
    /// One of few texts, none of which holds anything of a request or a response: fit to count
    /// failures by, and to be kept for long.
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
        case .limitExceeded: "limitExceeded"
        case .bodyTooLarge: "bodyTooLarge"
        case .rangeMismatch: "rangeMismatch"
        case .rejectedStatus: "rejectedStatus"
        case .redirectFailed: "redirectFailed"
        case .rejectedResponse: "rejectedResponse"
        case .emptyBody: "emptyBody"
        case .interceptorFailed: "interceptorFailed"
        case .decodingFailed: "decodingFailed"
        case .undecodableText: "undecodableText"
        case .resumeFailed: "resumeFailed"
        case .fileFailed: "fileFailed"
        case .timedOut: "timedOut"
        case .cancelled: "cancelled"
        case .stubFailed: "stubFailed"
        case .systemFailure: "systemFailure"
        }
    }
}

extension HTTPError.Kind {
    /// What may be kept and shown to others: ``publicReason``, else the name of the case.
    package var publicText: String { publicReason ?? label }

    /// The description of what happened below HTTP; nil for kinds that quote requests, responses,
    /// paths, or what a closure threw, as those may hold anything.
    ///
    /// The text of the application's own ``HTTPResolver`` is left out.
    package var publicReason: String? {
        switch self {
        case .tlsFailed(let problem): problem.quotesApplication ? nil : description
        case .resolveFailed(let host, let reason) where !TransportError.isResolveReason(reason):
            "could not resolve \(host)"
        case .proxyFailed(.unresolved(let host, let reason))
        where !TransportError.isResolveReason(reason):
            "could not resolve the proxy \(host)"
        case .resolveFailed, .connectFailed, .addressesRefused, .bindFailed, .proxyFailed,
            .connectionLost, .connectionClosed, .malformedResponse, .truncatedResponse,
            .codingFailed, .limitExceeded, .bodyTooLarge, .rejectedStatus, .emptyBody, .timedOut,
            .cancelled, .systemFailure:
            description
        default: nil
        }
    }
}
