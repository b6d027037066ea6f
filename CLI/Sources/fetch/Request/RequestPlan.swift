package import HTTPClient

/// The parts of a request that are the same for every URL: method, header fields and content.
package struct RequestPlan: Sendable {
    /// The method of the requests.
    package var method: HTTPMethod
    /// The header fields, without Host and Content-Length, which the client writes.
    package var headers: HTTPHeaders
    /// The Host that replaces the host of the URL; nil to use the URL's.
    package var host: String?
    /// The content; nil for none.
    package var body: HTTPBody?
    private let acceptsCompression: Bool
    /// Whether the plan itself offers content codings, and not a line of the user.
    private var offersCodings = false
    /// Whether the content determines its own media type.
    private var bodySetsContentType = false
    /// The text that is appended to the URL's query.
    package var query: [UInt8]?
    /// Whether the user set or removed Authorization, so that credentials in a URL are ignored.
    package var hasAuthorization = false

    /// Combines the default header fields with the user's lines.
    ///
    /// A line of the user replaces or removes the default of that name. The user's lines follow the
    /// defaults, in the order given.
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
        guard self.method.isToken else { throw .usage("\"\(method ?? "")\" is not a method") }

        var defaults = HTTPHeaders()
        let agent = userAgent ?? Array("fetch/\(Version.number)".utf8)
        guard !agent.contains(where: HeaderLine.isLineBreaking) else {
            throw .usage("the user agent must not contain CR, LF or NUL")
        }
        if !agent.isEmpty { defaults.append(.userAgent, bytes: agent) }
        defaults.append(.accept, data?.isJSON == true ? "application/json" : "*/*")
        if acceptsCompression {
            // In curl's order: the coding that the library prefers is last.
            let codings = ContentCoding.acceptEncoding.split(separator: ", ").reversed()
            defaults.append(.acceptEncoding, codings.joined(separator: ", "))
        }
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
                guard name != .host else { throw .usage("HTTP/1.1 requires Host") }
                defaults.remove(name)
                if name == .authorization { hasAuthorization = true }
            case .field(let text, let value):
                let name = FieldName(text)
                guard name.isToken else { throw .usage("\"\(text)\" is not a header name") }
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
        if acceptsCompression, defaults.contains(.acceptEncoding),
            defaults.contains(.range) || custom.contains(.range)
        {
            // A part of a coded body cannot be decoded.
            defaults.replace(.acceptEncoding, with: "identity")
        }
        offersCodings = acceptsCompression && defaults.contains(.acceptEncoding)
        for field in defaults { headers.append(FieldName(field.name), bytes: field.valueBytes) }
        for field in custom { headers.append(FieldName(field.name), bytes: field.valueBytes) }
    }

    /// Returns the request for one URL, or for the rest of a partial download.
    ///
    /// The rest is requested without content codings, because it could not be decoded without the
    /// start.
    ///
    /// - Parameters:
    ///   - url: the URL of the request.
    ///   - resumePoint: the part to request; nil for the whole document.
    ///   - isDecoded: whether a coded body is decoded; if not, the plan asks for one without codings.
    ///   - authentication: authenticates the user in the URL; nil sends that user by Basic in the
    ///     head.
    /// - Returns: the request.
    package func request(
        for url: TargetURL,
        resumePoint: ResumePoint? = nil,
        isDecoded: Bool = true,
        authentication: HTTPAuthentication? = nil
    ) -> HTTPRequest {
        // Without this, the client would authenticate the user in the URL even if the user's lines
        // set or remove Authorization.
        let isAnonymous = hasAuthorization || authentication != nil
        var request = HTTPRequest(
            isAnonymous ? url.anonymousURI : url.uri,
            method: method,
            headers: fields(for: url, resumePoint, isDecoded: isDecoded)
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
        // Without this, the client would send a content type derived from the file's name.
        return request.headModifier { $0.headers.remove(.contentType) }
    }

    private func fields(
        for url: TargetURL,
        _ resumePoint: ResumePoint?,
        isDecoded: Bool
    ) -> HTTPHeaders {
        var fields = HTTPHeaders()
        if !hasAuthorization, let authorization = url.authorization {
            fields.append(.authorization, authorization)
        }
        for field in headers {
            let isPlain = resumePoint != nil ? acceptsCompression : !isDecoded && offersCodings
            let isReplaced = isPlain && FieldName(field.name) == .acceptEncoding
            let value = isReplaced ? Array("identity".utf8) : field.valueBytes
            fields.append(FieldName(field.name), bytes: value)
        }
        // A Range that the user set takes precedence.
        guard let resumePoint, !headers.contains(.range) else { return fields }
        for field in resumePoint.fields {
            fields.append(FieldName(field.name), bytes: field.valueBytes)
        }
        return fields
    }

    /// Whether the client writes this field itself, so that it is taken out of the user's lines.
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
                throw .usage("Content-Length is computed from the data")
            }
            return true
        case .transferEncoding:
            throw .usage("Transfer-Encoding is not supported by this version")
        default:
            return false
        }
    }
}
