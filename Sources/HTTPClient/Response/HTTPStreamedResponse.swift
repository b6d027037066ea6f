internal import Wire

/// Holds the head of a response whose body is read as it comes.
///
/// The connection belongs to the response until the body has been read to its end. When the response
/// is dropped before that, a short rest is read in the background so that the connection can be used
/// again; else it is closed (``HTTPClient/UnreadBodyPolicy``).
public struct HTTPStreamedResponse: Sendable {
    /// The URL that was asked: the last one, after redirects.
    public let url: URI

    /// The start line and field section, as received, but for what an interceptor changed.
    public private(set) var head: ResponseHead

    /// The redirects that led here, in order; mostly none.
    public private(set) var redirects: [HTTPRedirect] = []

    let bodySource: ResponseBodySource

    init(url: URI, source: StreamingBody) {
        self.url = url
        head = source.head
        bodySource = .streaming(source)
    }

    /// Delivers a response that no server sent.
    init(buffered response: HTTPResponse, by client: HTTPClient) {
        url = response.url
        head = response.head
        redirects = response.redirects
        bodySource = .buffered(BufferedBody(response, client.engine))
    }

    /// The status code; any status is a response, not an error.
    public var status: HTTPStatus { head.status }

    /// The field section; order, case and repeats as received.
    public var headers: HTTPHeaders { head.headers }

    /// Responses with a 1xx status that came before this one, in order.
    public var informational: [ResponseHead] {
        switch bodySource {
        case .streaming(let source): source.informational
        case .buffered(let body): body.response.informational
        }
    }

    /// What a proxy answered for this request before: 407s that were answered, and the 2xx that
    /// opened a tunnel; empty on a connection that was open already.
    public var proxyHeads: [ResponseHead] {
        switch bodySource {
        case .streaming(let source): source.proxyHeads
        case .buffered(let body): body.response.proxyHeads
        }
    }

    /// The body; single use.
    public var body: HTTPBodyStream { HTTPBodyStream(bodySource) }

    /// Fields that came after the body; nil until the body has been read to its end.
    public var trailers: HTTPHeaders? {
        switch bodySource {
        case .streaming(let source): source.trailers
        case .buffered(let body): body.response.trailers
        }
    }

    /// When each step ended, as far as the call has come.
    public var metrics: HTTPMetrics {
        switch bodySource {
        case .streaming(let source): source.metrics
        case .buffered(let body): body.response.metrics
        }
    }
}

extension HTTPStreamedResponse: PolicyReply {
    /// What policies see of it: no body.
    var response: HTTPResponse {
        if case .buffered(let body) = bodySource { return body.response }
        var response = HTTPResponse(
            head: head,
            body: [],
            url: url,
            method: bodySource.method,
            informational: informational,
            proxyHeads: proxyHeads,
            metrics: metrics,
            coders: bodySource.coders
        )
        response.isStreamed = true
        response.redirects = redirects
        return response
    }

    /// The same body below what policies made of the head; another one when they gave it a body.
    func delivering(_ response: HTTPResponse, by client: HTTPClient) -> HTTPStreamedResponse {
        guard response.isStreamed else {
            return HTTPStreamedResponse(buffered: response, by: client)
        }
        var copy = self
        copy.head = response.head
        copy.redirects = response.redirects
        return copy
    }

    func bufferRemainder() async {
        if case .streaming(let source) = bodySource { await source.readShortRest() }
    }

    /// One that was made here is not streamed to anybody who is told of it.
    func onBodyEnd(_ handler: @escaping @Sendable (HTTPMetrics, HTTPError?) -> Void) {
        if case .streaming(let source) = bodySource { source.onBodyEnd(handler) }
    }
}
