package import HTTPClient

/// Says what is asked of every URL of the call: method, header fields and data.
package struct RequestPlan: Sendable {
    /// The method.
    package var method: HTTPMethod
    /// The fields, without Host and Content-Length, which the client writes.
    package var headers: HTTPHeaders
    /// The Host field that replaces the URL's own; nil for the URL's own.
    package var host: String?
    /// The content; nil for none.
    package var body: HTTPBody?
    private let acceptsCompression: Bool
    /// Whether the content says itself of what type it is.
    private var bodySetsContentType = false
    /// What goes behind the URL's query.
    package var query: [UInt8]?
    /// Whether the user has a say about Authorization, so that a URL's credentials do not count.
    package var hasAuthorization = false

    /// Puts defaults and the user's lines together.
    ///
    /// A line of the user replaces or removes the default of that name. Lines stand in the order
    /// given, behind the defaults.
    ///
    /// - Throws: `.badUsage` for lines that cannot be sent.
    package init(
        method: String?,
        isHeadOnly: Bool,
        userAgent: [UInt8]?,
        acceptsCompression: Bool,
        lines: [HeaderLine],
        user: String? = nil,
        data: RequestData?,
        dataGoesToQuery: Bool,
        extra: HTTPHeaders = [:],
        form: MultipartForm? = nil,
        upload: HTTPBody? = nil
    ) throws(FetchError) {
        self.acceptsCompression = acceptsCompression
        let content = dataGoesToQuery ? nil : data
        query = dataGoesToQuery ? data?.bytes : nil
        if let form {
            body = .multipart(form)
            bodySetsContentType = true
        } else {
            body = upload ?? content.map { .bytes($0.bytes, contentType: nil) }
        }
        let usual: HTTPMethod =
            isHeadOnly ? .head : upload != nil ? .put : body == nil ? .get : .post
        self.method = method.map { HTTPMethod($0) } ?? usual
        guard self.method.isToken else { throw .usage("\"\(method ?? "")\" is no method") }

        var defaults = HTTPHeaders()
        let agent = userAgent ?? Array("fetch/\(Version.number)".utf8)
        guard !agent.contains(where: HeaderLine.isLineBreaking) else {
            throw .usage("the user agent may not hold CR, LF or NUL")
        }
        if !agent.isEmpty { defaults.append(.userAgent, bytes: agent) }
        defaults.append(.accept, data?.isJSON == true ? "application/json" : "*/*")
        if acceptsCompression { defaults.append(.acceptEncoding, "deflate, gzip") }
        if let content {
            let type = content.isJSON ? "application/json" : "application/x-www-form-urlencoded"
            defaults.append(.contentType, type)
        }
        for field in extra { defaults.append(FieldName(field.name), bytes: field.valueBytes) }
        headers = HTTPHeaders()
        var custom = HTTPHeaders()
        for line in lines {
            switch line {
            case .removal(let name):
                let name = FieldName(name)
                guard name != .host else { throw .usage("HTTP/1.1 does not go without Host") }
                defaults.remove(name)
                if name == .authorization { hasAuthorization = true }
            case .field(let text, let value):
                let name = FieldName(text)
                guard name.isToken else { throw .usage("\"\(text)\" is no header name") }
                defaults.remove(name)
                if try isWrittenByClient(name, value) { continue }
                if name == .authorization { hasAuthorization = true }
                custom.append(name, bytes: value)
            }
        }
        if let user, !hasAuthorization {
            hasAuthorization = true
            let bytes = Array((user.contains(":") ? user : user + ":").utf8)
            headers.append(.authorization, "Basic " + Base64.encode(bytes))
        }
        for field in defaults { headers.append(FieldName(field.name), bytes: field.valueBytes) }
        for field in custom { headers.append(FieldName(field.name), bytes: field.valueBytes) }
    }

    /// Makes the request for one URL, or for the rest of what it names.
    ///
    /// A rest is asked for without codings: it could not be decoded.
    ///
    /// - Parameters:
    ///   - url: where it goes.
    ///   - resumePoint: what is asked for; nil for all.
    ///   - authentication: answers for the user that the URL names; nil when its head does, by Basic.
    /// - Returns: the request.
    package func request(
        for url: TargetURL,
        resumePoint: ResumePoint? = nil,
        authentication: HTTPAuthentication? = nil
    ) -> HTTPRequest {
        // The client would answer for a user that it finds in the URL, whatever the lines say.
        let isAnonymous = hasAuthorization || authentication != nil
        var request = HTTPRequest(
            isAnonymous ? url.anonymousURI : url.uri,
            method: method,
            headers: fields(for: url, resumePoint)
        )
        if let authentication, !hasAuthorization {
            request.headers.remove(.authorization)
            request.authentication = authentication
        }
        if let host { request.headers.append(.host, host) }
        if let body { request.body = body }
        guard !bodySetsContentType, body?.contentType != nil,
            !request.headers.contains(.contentType)
        else {
            return request
        }
        // The client would say what it takes a file for, by its name.
        return request.headModifier { $0.headers.remove(.contentType) }
    }

    private func fields(for url: TargetURL, _ resumePoint: ResumePoint?) -> HTTPHeaders {
        var fields = HTTPHeaders()
        if !hasAuthorization, let authorization = url.authorization {
            fields.append(.authorization, authorization)
        }
        for field in headers {
            let isCoding = acceptsCompression && FieldName(field.name) == .acceptEncoding
            let value = resumePoint != nil && isCoding ? Array("identity".utf8) : field.valueBytes
            fields.append(FieldName(field.name), bytes: value)
        }
        // What the user says of a range is what is meant.
        guard let resumePoint, !headers.contains(.range) else { return fields }
        for field in resumePoint.fields {
            fields.append(FieldName(field.name), bytes: field.valueBytes)
        }
        return fields
    }

    /// Takes out the fields that the client writes: they follow from URL and content.
    private mutating func isWrittenByClient(
        _ name: FieldName,
        _ value: [UInt8]
    ) throws(FetchError) -> Bool {
        switch name {
        case .host:
            if host == nil { host = String(decoding: value, as: UTF8.self) }
            return true
        case .contentLength:
            guard Decimal.value(of: value) == body?.length ?? 0 else {
                throw .usage("Content-Length follows from the data")
            }
            return true
        case .transferEncoding:
            throw .usage("Transfer-Encoding is not supported by this version")
        default:
            return false
        }
    }
}
