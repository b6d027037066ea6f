extension HTTPRequestProtocol {
    /// Returns a copy that sends a JSON value, such as a literal.
    public func json(_ value: HTTPJSON) -> Self { body(.json(value)) }

    /// Returns a copy that sends a JSON literal with interpolated variables, its members in written order.
    public func json(_ literal: HTTPJSON.Literal?) -> Self { body(.json(literal)) }

    /// Returns a copy that sends names and values as `application/x-www-form-urlencoded`.
    public func form(
        _ parameters: HTTPParameters,
        style: HTTPParameters.Style = HTTPParameters.Style()
    ) -> Self {
        body(.form(parameters, style: style))
    }

    /// Returns a copy that sends a `multipart/form-data` form built by a closure.
    ///
    /// - Parameters:
    ///   - boundary: the text that separates the parts; default nil, which chooses a random one.
    ///   - build: adds the parts.
    /// - Returns: the copy.
    /// - Throws: the errors of `build`.
    public func multipart<Failure: Error>(
        boundary: String? = nil,
        _ build: (inout MultipartForm) throws(Failure) -> Void
    ) throws(Failure) -> Self {
        body(try .multipart(boundary: boundary, build))
    }

    /// Returns a copy that sends bytes unchanged, such as an array or a `Data`.
    public func data(
        _ bytes: some Sequence<UInt8>,
        contentType: HTTPContentType? = .octetStream
    ) -> Self {
        body(.bytes(bytes, contentType: contentType))
    }

    /// Returns a copy that sends a file, which is read while it is sent
    /// (``HTTPBody/file(_:range:contentType:)``).
    public func file(
        _ path: some HTTPFilePath,
        range: Range<Int>? = nil,
        contentType: HTTPContentType? = nil
    ) -> Self {
        body(.file(path, range: range, contentType: contentType))
    }

    /// Returns a copy that sends the elements of a sequence, which can be sent only once
    /// (``HTTPBody/stream(_:length:contentType:)``).
    public func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        length: Int? = nil,
        contentType: HTTPContentType? = .octetStream
    ) -> Self where Pieces.Element: Collection<UInt8> {
        body(.stream(pieces, length: length, contentType: contentType))
    }
}
