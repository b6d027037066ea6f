extension HTTPRequestProtocol {
    /// Returns a copy that sends a JSON value, such as a literal.
    public func json(_ value: HTTPJSON) -> Self { body(.json(value)) }

    /// Returns a copy that sends a literal with variables in it, its members in the order written.
    public func json(_ literal: HTTPJSON.Literal?) -> Self { body(.json(literal)) }

    /// Returns a copy that sends JSON text that is already encoded.
    public func json(text: String) -> Self { body(.json(text: text)) }

    /// Returns a copy that sends names and values as `application/x-www-form-urlencoded`.
    public func form(
        _ parameters: HTTPParameters,
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) -> Self {
        body(.form(parameters, style: style))
    }

    /// Returns a copy that sends names and values as `application/x-www-form-urlencoded`, sorted by
    /// name.
    ///
    /// A literal is an ``HTTPParameters``, which keeps its order; a dictionary has none of its own.
    @_disfavoredOverload
    public func form(
        _ parameters: [String: any HTTPParameterConvertible],
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) -> Self {
        form(HTTPParameters(parameters), style: style)
    }

    /// Returns a copy that sends a `multipart/form-data` form.
    public func multipart(_ form: MultipartForm) -> Self { body(.multipart(form)) }

    /// Returns a copy that sends a `multipart/form-data` form, made by a closure.
    ///
    /// - Parameters:
    ///   - boundary: what separates the parts; default nil: chosen by chance.
    ///   - build: adds the parts.
    /// - Returns: the copy.
    /// - Throws: what `build` throws.
    public func multipart<Failure: Error>(
        boundary: String? = nil,
        _ build: (inout MultipartForm) throws(Failure) -> Void
    ) throws(Failure) -> Self {
        body(try .multipart(boundary: boundary, build))
    }

    /// Returns a copy that sends bytes as they are.
    public func data(
        _ bytes: [UInt8],
        contentType: HTTPContentType? = .octetStream
    ) -> Self {
        body(.bytes(bytes, contentType: contentType))
    }

    /// Returns a copy that sends a file, read while it is sent
    /// (``HTTPBody/file(_:range:contentType:)-(String,_,_)``).
    public func file(
        _ path: String,
        range: Range<Int>? = nil,
        contentType: HTTPContentType? = nil
    ) -> Self {
        body(.file(path, range: range, contentType: contentType))
    }

    /// Returns a copy that sends the pieces of a sequence, once
    /// (``HTTPBody/stream(_:length:contentType:)``).
    public func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        length: Int? = nil,
        contentType: HTTPContentType? = .octetStream
    ) -> Self where Pieces.Element: Collection<UInt8> {
        body(.stream(pieces, length: length, contentType: contentType))
    }
}
