internal import Wire

/// Holds the head of a response whose body is read as it comes.
///
/// The connection belongs to the response until the body has been read to its end. When the response
/// is dropped before that, a short rest is read in the background so that the connection can be used
/// again; else it is closed (``HTTPClient/UnreadBodies``).
public struct HTTPStreamedResponse: Sendable {
    /// The URL that was asked.
    public let url: URI

    let source: OpenBody

    init(url: URI, source: OpenBody) {
        self.url = url
        self.source = source
    }

    /// The start line and field section, as received.
    public var head: ResponseHead { source.head }

    /// The status code; any status is a response, not an error.
    public var status: HTTPStatus { source.head.status }

    /// The field section; order, case and repeats as received.
    public var headers: HTTPHeaders { source.head.headers }

    /// Responses with a 1xx status that came before this one, in order.
    public var informational: [ResponseHead] { source.informational }

    /// What a proxy answered for this request before: 407s that were answered, and the 2xx that
    /// opened a tunnel; empty on a connection that was open already.
    public var proxyHeads: [ResponseHead] { source.proxyHeads }

    /// The body; single use.
    public var body: HTTPBodyStream { HTTPBodyStream(source: source) }

    /// Fields that came after the body; nil until the body has been read to its end.
    public var trailers: HTTPHeaders? { source.trailers }

    /// When each step ended, as far as the call has come.
    public var metrics: HTTPMetrics { source.metrics }
}
