public import Wire

extension HTTPRequestProtocol {
    // MARK: - Any field

    /// Sets a field; others of that name are replaced, those of the client too.
    public func header(_ name: FieldName, _ value: String) -> Self {
        changed { $0.headers[name] = value }
    }

    /// Sets Idempotency-Key, by which a server that knows it recognises a request that comes again.
    ///
    /// A request with a key may be retried whatever its method; see ``HTTPRetryOptions``. Make sure that the
    /// server keeps its promise: to others the field means nothing, and they do twice what they are
    /// asked twice.
    ///
    /// - Parameter key: default nil for a random UUID (RFC 9562 version 4) without quotes, as the
    ///   services that have the field document it. The same for all attempts of a call; a request that
    ///   is sent by several calls has the same for all of these, too.
    /// - Returns: the request with that field.
    public func idempotencyKey(_ key: String? = nil) -> Self {
        header("Idempotency-Key", key ?? RandomUUID.text())
    }

    /// Adds a field behind those there are; others of that name stay, but not those of the client.
    public func header(_ name: FieldName, adding value: String) -> Self {
        changed { $0.headers.append(name, value) }
    }

    /// Sets fields: they replace those of the same names.
    public func headers(_ headers: HTTPHeaders) -> Self {
        changed { $0.headers.merge(headers) }
    }

    /// Changes the fields in a closure.
    ///
    ///     request.headers {
    ///         $0[.acceptLanguage] = "it"
    ///         $0["X-Trace"] = "17"
    ///     }
    ///
    /// - Throws: what the closure throws, and nothing else.
    public func headers<Failure: Error>(
        _ change: (inout HTTPHeaders) throws(Failure) -> Void
    ) throws(Failure) -> Self {
        try changed { (request) throws(Failure) in try change(&request.headers) }
    }

    // MARK: - Formats

    /// Asks for one of these formats, all as good as one another (RFC 9110 §12.5.1).
    public func accept(_ first: HTTPContentType, _ others: HTTPContentType...) -> Self {
        let types = ([first] + others).map(\.rawValue)
        return header(.accept, types.joined(separator: ", "))
    }

    /// Asks for formats, with what each is worth (RFC 9110 §12.5.1).
    public func accept(_ value: AcceptHeader) -> Self {
        header(.accept, value.ranges.isEmpty ? "*/*" : value.description)
    }

    /// Says which format the content has, instead of what the body says of itself (RFC 9110 §8.3).
    public func contentType(_ type: HTTPContentType) -> Self { header(.contentType, type.rawValue) }

    /// Says which format the content has, instead of what the body says of itself (RFC 9110 §8.3).
    public func contentType(_ type: MediaType) -> Self { header(.contentType, type.description) }

    // MARK: - Who asks

    /// Proves to the server who asks (RFC 9110 §11.6.2).
    public func authorization(_ value: HTTPAuthorization) -> Self {
        changed { request in
            request.headers[.authorization] = value.headerValue
            if value.fault != nil || request.optionsBox != nil {
                request.options.authorizationError = value.fault
            }
        }
    }

    /// Says which program asks (RFC 9110 §10.1.5).
    public func userAgent(_ program: String) -> Self { header(.userAgent, program) }

    // MARK: - Caches and conditions

    /// Says what is wanted of the caches on the way (RFC 9111 §5.2.1).
    ///
    /// A negative number of seconds throws `.invalidRequest(.negativeNumber)` when the request is sent.
    public func cacheControl(_ first: HTTPCacheControl, _ others: HTTPCacheControl...) -> Self {
        let directives = [first] + others
        let text = directives.map(\.headerValue).joined(separator: ", ")
        return header(.cacheControl, text)
            .checked(.cacheControl, isValid: directives.allSatisfy(\.isValid))
    }

    /// Says what is wanted of the caches on the way (RFC 9111 §5.2.1).
    public func cacheControl(_ value: CacheControl) -> Self {
        header(.cacheControl, value.description).checked(.cacheControl, isValid: true)
    }

    /// Asks only if the resource is in one of these states (RFC 9110 §13.1.1); else 412.
    public func ifMatch(_ condition: EntityTagCondition) -> Self {
        header(.ifMatch, condition.description)
    }

    /// Asks only if the resource is in none of these states (RFC 9110 §13.1.2); else 304.
    public func ifNoneMatch(_ condition: EntityTagCondition) -> Self {
        header(.ifNoneMatch, condition.description)
    }

    /// Asks only for something newer (RFC 9110 §13.1.3); else 304.
    public func ifModifiedSince(_ date: HTTPDate) -> Self {
        header(.ifModifiedSince, date.description)
    }

    /// Asks only if nothing is newer (RFC 9110 §13.1.4); else 412.
    public func ifUnmodifiedSince(_ date: HTTPDate) -> Self {
        header(.ifUnmodifiedSince, date.description)
    }

    // MARK: - Parts

    /// Asks for parts of the representation (RFC 9110 §14.2).
    ///
    /// A part of something compressed cannot be undone, so the content is asked for as it is, unless
    /// the request has an Accept-Encoding of its own. A negative number throws
    /// `.invalidRequest(.negativeNumber)` when the request is sent.
    public func range(_ first: ByteRange, _ others: ByteRange...) -> Self {
        let ranges = [first] + others
        let text = ranges.map(\.description).joined(separator: ", ")
        return range(text: "bytes=" + text, isValid: ranges.allSatisfy(\.isValid))
    }

    /// Asks for bytes from the first to the last position, both included and counted from 0.
    ///
    /// As ``range(_:_:)``.
    public func range(_ positions: ClosedRange<Int>) -> Self { range(.bounded(positions)) }

    /// Asks for parts of the representation (RFC 9110 §14.2).
    ///
    /// As ``range(_:_:)``.
    public func range(_ value: RangeHeader) -> Self {
        range(text: value.description, isValid: value.ranges.allSatisfy(\.isValid))
    }

    /// Asks for the parts only if the resource is still in that state, else for all of it
    /// (RFC 9110 §13.1.5).
    ///
    /// Give a strong tag: a weak one is no promise about bytes, so all of it comes.
    public func ifRange(_ tag: EntityTag) -> Self { header(.ifRange, tag.description) }

    /// Asks for the parts only if the resource was last changed at that moment, else for all of it
    /// (RFC 9110 §13.1.5).
    public func ifRange(_ date: HTTPDate) -> Self { header(.ifRange, date.description) }

    private func range(text: String, isValid: Bool) -> Self {
        checked(.range, isValid: isValid).changed { request in
            request.headers[.range] = text
            if !request.headers.contains(.acceptEncoding) {
                request.headers[.acceptEncoding] = "identity"
            }
        }
    }

    /// Notes whether the numbers of a field may be sent; the last call for the field counts.
    private func checked(_ name: FieldName, isValid: Bool) -> Self {
        changed { request in
            let fault = HTTPInvalidRequestReason.negativeNumber(header: name.rawName)
            let isRecorded = request.optionsBox?.settings.headerErrors.contains(fault) ?? false
            guard isValid == isRecorded else { return }
            if isValid {
                request.options.headerErrors.removeAll { $0 == fault }
            } else {
                request.options.headerErrors.append(fault)
            }
        }
    }
}
