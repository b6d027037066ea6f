#if HTTPTypes
public import HTTPTypes
public import Wire

extension HTTPStatus {
    /// Makes the status of one of swift-http-types, without its reason phrase.
    public init(_ status: HTTPTypes.HTTPResponse.Status) {
        self.init(status.code)
    }
}

extension HTTPTypes.HTTPResponse.Status {
    /// Makes the status of swift-http-types; nil outside 0...999, which no response can have.
    ///
    /// Its reason phrase is the one that RFC 9110 has for it.
    public init?(_ status: HTTPStatus) {
        guard 0...999 ~= status.code else { return nil }
        self.init(code: status.code, reasonPhrase: status.reasonPhrase)
    }
}

extension ResponseHead {
    /// Makes a head of HTTP/1.1 of a response of swift-http-types, with its reason phrase.
    public init(_ response: HTTPTypes.HTTPResponse) {
        self.init(
            status: HTTPStatus(response.status),
            reason: response.status.reasonPhrase,
            headers: HTTPHeaders(response.headerFields)
        )
    }
}

extension HTTPTypes.HTTPResponse {
    /// Makes the response of swift-http-types of a head.
    ///
    ///     let response = try await client.send(request)
    ///     let theirs = try HTTPTypes.HTTPResponse(response.head)
    ///
    /// Status, reason phrase and fields go over; of these order, spelling, repeats and bytes are
    /// kept. The version stays behind. So do the bytes of a reason phrase that is not UTF-8: it is
    /// the text that was read as Latin-1.
    ///
    /// - Throws: as `HTTPFields.init` does; `.invalidRequest(.refused(.invalidStatus))` for a
    ///   status outside 0...999. No received head has either.
    public init(_ head: ResponseHead) throws(HTTPError) {
        guard 0...999 ~= head.status.code else {
            throw HTTPError(.invalidRequest(.refused(.invalidStatus)), phase: .preparing)
        }
        self.init(
            status: Status(code: head.status.code, reasonPhrase: head.reason),
            headerFields: try HTTPTypes.HTTPFields(head.headers)
        )
    }
}

extension HTTPResponse {
    /// Makes a response that no server sent, for an interceptor or a validator to return.
    ///
    /// - Parameters:
    ///   - response: status, reason phrase and fields; none is added.
    ///   - body: the decoded content; default none.
    ///   - request: what it answers.
    /// - Throws: `.invalidRequest` when the request has no absolute URL; one that an interceptor
    ///   gets has.
    public init(
        _ response: HTTPTypes.HTTPResponse,
        body: [UInt8] = [],
        for request: HTTPClient.HTTPRequest
    ) throws(HTTPError) {
        self.init(
            head: ResponseHead(response),
            body: body,
            url: try RequestPlanner.url(of: request, nil),
            method: request.method
        )
    }
}
#endif
