internal import Wire

/// Holds the head of a response whose body is read as it comes.
///
/// The connection belongs to the response until the body has been read to its end; dropping the
/// response before that closes the connection.
public struct HTTPStreamedResponse: Sendable {
    /// The URL that was asked.
    public let url: URI

    private let source: OpenBody

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

    /// The body; single use.
    public var body: HTTPBodyStream { HTTPBodyStream(source: source) }

    /// Fields that came after the body; nil until the body has been read to its end.
    public var trailers: HTTPHeaders? { source.trailers }

    /// When each step ended, as far as the call has come.
    public var metrics: HTTPMetrics { source.metrics }
}
