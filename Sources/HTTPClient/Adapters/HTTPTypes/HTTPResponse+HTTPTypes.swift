#if HTTPTypes
public import HTTPTypes
public import Wire

extension HTTPStatus {
    /// Creates a status from one of swift-http-types, without its reason phrase.
    public init(_ status: HTTPTypes.HTTPResponse.Status) {
        self.init(status.code)
    }
}

extension HTTPTypes.HTTPResponse.Status {
    /// Creates the status of swift-http-types; returns nil outside 0...999, which no response can
    /// have.
    ///
    /// Its reason phrase is that of RFC 9110.
    public init?(_ status: HTTPStatus) {
        guard 0...999 ~= status.code else { return nil }
        self.init(code: status.code, reasonPhrase: status.reasonPhrase)
    }
}

extension ResponseHead {
    /// Creates an HTTP/1.1 response head from a response of swift-http-types, with its reason
    /// phrase.
    public init(_ response: HTTPTypes.HTTPResponse) {
        self.init(
            status: HTTPStatus(response.status),
            reason: response.status.reasonPhrase,
            headers: HTTPHeaders(response.headerFields)
        )
    }
}

extension HTTPTypes.HTTPResponse {
    /// Creates the response of swift-http-types from a response head.
    ///
    ///     let response = try await client.send(request)
    ///     let theirs = try HTTPTypes.HTTPResponse(response.head)
    ///
    /// It keeps the status, the reason phrase and the fields with their order, spelling, repetition
    /// and bytes. It drops the version. A reason phrase that is not UTF-8 is decoded as Latin-1, so its
    /// original bytes are lost.
    ///
    /// - Throws: the errors of `HTTPFields.init`; `.invalidRequest(.refused(.invalidStatus))` for a
    ///   status outside 0...999. Received heads cause neither.
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

extension HTTPClient::HTTPResponse {
    /// Creates a response that no server sent, for an interceptor or a validator to return.
    ///
    /// - Parameters:
    ///   - response: the status, reason phrase and fields; no field is added.
    ///   - body: the decoded body. Default: none.
    ///   - request: the request that the response answers.
    /// - Throws: `.invalidRequest` if the request has no absolute URL. The requests that an
    ///   interceptor gets always have one.
    public init(
        _ response: HTTPTypes.HTTPResponse,
        body: [UInt8] = [],
        for request: HTTPClient.HTTPRequest
    ) throws(HTTPError) {
        let url = try request.absoluteURL(below: nil)
        self.init(
            head: ResponseHead(response),
            body: body,
            url: url,
            request: RequestHead(request, url)
        )
    }
}
#endif
