/// Holds a complete response: head, decoded body, and what happened on the way.
public struct HTTPResponse: Sendable {
    /// The start line and field section, as received, but for what an interceptor changed.
    public var head: ResponseHead

    /// The content, after content decoding; empty when there is none, or when it ``isStreamed``.
    ///
    /// Setting it takes the place of what would be streamed.
    public var body: [UInt8] {
        didSet { isStreamed = false }
    }

    /// The URL that was asked.
    public let url: URI

    /// With which method.
    let method: HTTPMethod

    /// Responses with a 1xx status that came before this one, in order.
    public let informational: [ResponseHead]

    /// What a proxy answered for this request before: 407s that were answered, and the 2xx that
    /// opened a tunnel; empty on a connection that was open already.
    public let proxyHeads: [ResponseHead]

    /// Fields that came after a chunked body; mostly empty.
    public let trailers: HTTPHeaders

    /// When each step ended, and on which connection.
    public let metrics: HTTPMetrics

    /// The redirects that led here, in order; mostly none.
    public internal(set) var redirects: [HTTPRedirect] = []

    /// Whether the body is not here because it is streamed to whoever asked for it.
    public internal(set) var isStreamed = false

    /// Which exchange of the call it came of; 0 when it was made here.
    var serial: UInt32 = 0

    /// What the client reads JSON with; nil for a decoder without settings.
    let coders: (any AnyObject & Sendable)?

    init(
        head: ResponseHead,
        body: [UInt8],
        url: URI,
        method: HTTPMethod,
        informational: [ResponseHead] = [],
        proxyHeads: [ResponseHead] = [],
        trailers: HTTPHeaders = HTTPHeaders(),
        metrics: HTTPMetrics = HTTPMetrics(),
        coders: (any AnyObject & Sendable)? = nil
    ) {
        self.head = head
        self.body = body
        self.url = url
        self.method = method
        self.informational = informational
        self.proxyHeads = proxyHeads
        self.trailers = trailers
        self.metrics = metrics
        self.coders = coders
    }

    /// The status code; any status is a response, not an error.
    public var status: HTTPStatus { head.status }

    /// The field section; order, case and repeats as received.
    public var headers: HTTPHeaders { head.headers }

    /// Returns itself when the status is 2xx.
    ///
    /// - Throws: `.rejectedStatus` for any other; the error holds head and body.
    public func requireSuccess() throws(HTTPError) -> HTTPResponse {
        guard isSuccess else { throw error(.rejectedStatus(status)) }
        return self
    }
}
