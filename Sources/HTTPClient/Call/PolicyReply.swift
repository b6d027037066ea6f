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

extension HTTPStreamedResponse: PolicyReply {
    init(buffered response: HTTPResponse, by client: HTTPClient) {
        self.init(buffered: response, on: client.engine)
    }

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
