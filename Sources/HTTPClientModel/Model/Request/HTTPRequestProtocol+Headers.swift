public import Wire

extension HTTPRequestProtocol {
    // MARK: - Any field

    /// Returns a copy with a header field that replaces all fields of that name, including the client's.
    public func header(_ name: FieldName, _ value: String) -> Self {
        with { $0.headers[name] = value }
    }

    /// Returns a copy with an Idempotency-Key field, by which a server recognizes a repeated request.
    ///
    /// A request with a key may be retried whatever its method; see ``HTTPRetryOptions``. Make sure that
    /// the server supports the field. A server that does not support it processes a repeated request
    /// twice.
    ///
    /// - Parameter key: the key. The default nil generates a random UUID (RFC 9562 version 4) without
    ///   quotes, the form that services with this field document. All attempts of a call use the same
    ///   key. If several calls send the same request, they use the same key too.
    /// - Returns: the copy.
    public func idempotencyKey(_ key: String? = nil) -> Self {
        header("Idempotency-Key", key ?? RandomUUID.text())
    }

    /// Returns a copy with a field added after the existing ones; it replaces the client's of that name.
    public func header(_ name: FieldName, adding value: String) -> Self {
        with { $0.headers.append(name, value) }
    }

    /// Returns a copy with these fields, which replace all fields of the same names.
    public func headers(_ headers: HTTPHeaders) -> Self {
        with { $0.headers.merge(headers) }
    }

    /// Returns a copy whose header fields a closure has changed.
    ///
    ///     request.headers {
    ///         $0[.acceptLanguage] = "it"
    ///         $0["X-Trace"] = "17"
    ///     }
    ///
    /// - Throws: only what the closure throws.
    public func headers<Failure: Error>(
        _ change: (inout HTTPHeaders) throws(Failure) -> Void
    ) throws(Failure) -> Self {
        try with { (request) throws(Failure) in try change(&request.headers) }
    }

    // MARK: - Formats

    /// Returns a copy that accepts these formats with equal preference (RFC 9110 §12.5.1).
    public func accept(_ first: HTTPContentType, _ others: HTTPContentType...) -> Self {
        let types = ([first] + others).map(\.rawValue)
        return header(.accept, types.joined(separator: ", "))
    }

    /// Returns a copy with this Content-Type, which overrides that of the body (RFC 9110 §8.3).
    public func contentType(_ type: HTTPContentType) -> Self { header(.contentType, type.rawValue) }

    /// Returns a copy with `TE: trailers`: the server may send trailers that matter (RFC 9110 §10.1.4).
    ///
    /// Some servers send trailers only to such a request. The client reads trailers of every chunked
    /// response, also without this field (``HTTPResponse/trailers``). The copy also has the option TE in
    /// Connection, so that a proxy does not forward the field unchanged.
    public func acceptTrailers() -> Self {
        with { request in
            request.headers[.te] = "trailers"
            guard !request.headers.values(.connection).contains("TE") else { return }
            request.headers.append(.connection, "TE")
        }
    }

    // MARK: - Credentials and user agent

    /// Returns a copy with an Authorization field (RFC 9110 §11.6.2).
    public func authorization(_ value: HTTPAuthorization) -> Self {
        with { request in
            request.headers[.authorization] = value.headerValue
            if value.invalidReason != nil || request.optionsBox != nil {
                request.options.authorizationError = value.invalidReason
            }
        }
    }

    /// Returns a copy with a User-Agent field, which names the sending program (RFC 9110 §10.1.5).
    public func userAgent(_ program: String) -> Self { header(.userAgent, program) }

    // MARK: - Caches and conditions

    /// Returns a copy with Cache-Control directives for caches along the way (RFC 9111 §5.2.1).
    ///
    /// If a number of seconds is negative, sending the request fails with
    /// `.invalidRequest(.negativeNumber)`.
    public func cacheControl(
        _ first: CacheControl.Directive,
        _ others: CacheControl.Directive...
    ) -> Self {
        let directives = [first] + others
        let text = directives.map(\.description).joined(separator: ", ")
        return header(.cacheControl, text)
            .checked(.cacheControl, isValid: !directives.contains(where: \.hasNegativeSeconds))
    }

    /// Returns a copy with If-Match: the server responds 412 if no entity tag matches
    /// (RFC 9110 §13.1.1).
    public func ifMatch(_ condition: EntityTag.Condition) -> Self {
        header(.ifMatch, condition.description)
    }

    /// Returns a copy with If-None-Match: the server responds 304 if an entity tag matches
    /// (RFC 9110 §13.1.2).
    public func ifNoneMatch(_ condition: EntityTag.Condition) -> Self {
        header(.ifNoneMatch, condition.description)
    }

    /// Returns a copy with If-Modified-Since: the server responds 304 if the resource has not changed
    /// since the date (RFC 9110 §13.1.3).
    public func ifModifiedSince(_ date: HTTPDate) -> Self {
        header(.ifModifiedSince, date.description)
    }

    /// Returns a copy with If-Unmodified-Since: the server responds 412 if the resource has changed
    /// since the date (RFC 9110 §13.1.4).
    public func ifUnmodifiedSince(_ date: HTTPDate) -> Self {
        header(.ifUnmodifiedSince, date.description)
    }

    // MARK: - Ranges

    /// Returns a copy that requests byte ranges of the representation (RFC 9110 §14.2).
    ///
    /// Part of a compressed body cannot be decompressed. The copy therefore requests the content without
    /// compression, unless the request already has an Accept-Encoding field. If a number is negative,
    /// sending the request fails with `.invalidRequest(.negativeNumber)`.
    public func range(_ first: ByteRange, _ others: ByteRange...) -> Self {
        let ranges = [first] + others
        let text = ranges.map(\.description).joined(separator: ", ")
        return range(text: "bytes=" + text, isValid: ranges.allSatisfy(\.isValid))
    }

    /// Returns a copy that requests the bytes at these positions, both included and counted from 0.
    ///
    /// See ``range(_:_:)``.
    public func range(_ positions: ClosedRange<Int>) -> Self { range(.bounded(positions)) }

    /// Returns a copy that requests the ranges only if the resource still has this entity tag
    /// (RFC 9110 §13.1.5).
    ///
    /// Otherwise the server sends the complete representation. Use a strong tag: a weak tag does not
    /// identify exact bytes, so the server sends the complete representation.
    public func ifRange(_ tag: EntityTag) -> Self { header(.ifRange, tag.description) }

    /// Returns a copy that requests the ranges only if the resource was last modified at this date
    /// (RFC 9110 §13.1.5).
    ///
    /// Otherwise the server sends the complete representation.
    public func ifRange(_ date: HTTPDate) -> Self { header(.ifRange, date.description) }

    private func range(text: String, isValid: Bool) -> Self {
        checked(.range, isValid: isValid).with { request in
            request.headers[.range] = text
            if !request.headers.contains(.acceptEncoding) {
                request.headers[.acceptEncoding] = "identity"
            }
        }
    }

    /// Records whether the numbers of a field are valid; the last call for the field counts.
    private func checked(_ name: FieldName, isValid: Bool) -> Self {
        with { request in
            let reason = HTTPError.InvalidRequestReason.negativeNumber(header: name.rawName)
            let isRecorded = request.optionsBox?.settings.headerErrors.contains(reason) ?? false
            guard isValid == isRecorded else { return }
            if isValid {
                request.options.headerErrors.removeAll { $0 == reason }
            } else {
                request.options.headerErrors.append(reason)
            }
        }
    }
}
