/// Is what a call delivers: a complete response, or one whose body is streamed.
protocol PolicyReply: Sendable {
    /// What policies see of it.
    var response: HTTPResponse { get }

    /// Makes the reply of a response that no server sent.
    init(made response: HTTPResponse, by client: HTTPClient)

    /// The same reply with what policies made of its response.
    func delivering(_ response: HTTPResponse, by client: HTTPClient) -> Self

    /// Reads a body that is still to be read, when it is short and comes soon; it is delivered all the
    /// same.
    func readAhead() async

    /// Has a closure told once that a body which is still to be read will not be read any further.
    func whenRead(_ told: @escaping @Sendable (HTTPMetrics, HTTPError?) -> Void)
}

extension HTTPResponse: PolicyReply {
    var response: HTTPResponse { self }

    init(made response: HTTPResponse, by client: HTTPClient) { self = response }

    func delivering(_ response: HTTPResponse, by client: HTTPClient) -> HTTPResponse { response }

    func readAhead() async {}

    func whenRead(_ told: @escaping @Sendable (HTTPMetrics, HTTPError?) -> Void) {}
}
