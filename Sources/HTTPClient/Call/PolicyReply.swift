/// Is what a call delivers: a complete response, or one whose body is streamed.
protocol PolicyReply: Sendable {
    /// What policies see of it.
    var response: HTTPResponse { get }

    /// Makes the reply of a response that no server sent.
    init(buffered response: HTTPResponse, by client: HTTPClient)

    /// The same reply with what policies made of its response.
    func delivering(_ response: HTTPResponse, by client: HTTPClient) -> Self

    /// Reads a body that is still to be read, when it is short and comes soon; it is delivered all the
    /// same.
    func bufferRemainder() async

    /// Has a closure told once that a body which is still to be read will not be read any further.
    func onBodyEnd(_ handler: @escaping @Sendable (HTTPMetrics, HTTPError?) -> Void)
}

extension HTTPResponse: PolicyReply {
    var response: HTTPResponse { self }

    init(buffered response: HTTPResponse, by client: HTTPClient) { self = response }

    func delivering(_ response: HTTPResponse, by client: HTTPClient) -> HTTPResponse { response }

    func bufferRemainder() async {}

    func onBodyEnd(_ handler: @escaping @Sendable (HTTPMetrics, HTTPError?) -> Void) {}
}
