extension HTTPResponse {
    /// Makes a response that no server sent, for an interceptor or a validator to return.
    ///
    /// - Parameters:
    ///   - status: default 200.
    ///   - headers: default none; none is added.
    ///   - body: the decoded content; default none.
    ///   - request: what it answers.
    /// - Throws: `.invalidRequest` when the request has no absolute URL; one that an interceptor gets
    ///   has.
    public init(
        status: HTTPStatus = .ok,
        headers: HTTPHeaders = [:],
        body: [UInt8] = [],
        for request: HTTPRequest
    ) throws(HTTPError) {
        self.init(
            head: ResponseHead(status: status, headers: headers),
            body: body,
            url: try RequestPlanner.url(of: request, nil),
            method: request.method
        )
    }
}
