/// Is what a call delivers: a complete response, or one whose body is streamed.
protocol PolicyReply: Sendable {
    /// What policies see of it.
    var response: HTTPResponse { get }

    /// Makes the reply of a response that no server sent.
    init(made response: HTTPResponse)

    /// The same reply with what policies made of its response.
    func delivering(_ response: HTTPResponse) -> Self
}

extension HTTPResponse: PolicyReply {
    var response: HTTPResponse { self }

    init(made response: HTTPResponse) { self = response }

    func delivering(_ response: HTTPResponse) -> HTTPResponse { response }
}
