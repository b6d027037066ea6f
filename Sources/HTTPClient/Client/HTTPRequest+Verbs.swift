// The functions that run a request, as methods of requests and endpoints.

extension HTTPRequestProtocol {
    /// Starts the request and returns the running call.
    ///
    /// The call of an ``HTTPRequest`` ends with the response, whatever its status. The call of an
    /// ``HTTPEndpoint`` ends with the parsed value:
    ///
    ///     let call = request.returning(.text).start().onProgress { print($0.completed) }
    ///     let text = try await call.value
    ///
    /// - Parameter client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the running call.
    public func start(in client: HTTPClient = .shared) -> HTTPCall<Value> {
        client.start(endpoint)
    }
}

extension HTTPEndpoint {
    /// Sends the request and parses the response.
    ///
    /// - Parameter client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the parsed value.
    /// - Throws: the same errors as ``HTTPClient/fetch(_:)``.
    public func fetch(in client: HTTPClient = .shared) async throws(HTTPError) -> Value {
        try await client.fetch(self)
    }
}

extension HTTPRequest {
    /// Sends the request and collects the response.
    ///
    /// - Parameter client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the complete response, whatever its status.
    /// - Throws: the same errors as ``HTTPClient/send(_:)-(HTTPRequest)``.
    public func send(in client: HTTPClient = .shared) async throws(HTTPError) -> HTTPResponse {
        try await client.send(self)
    }

    /// Sends the request, requires a 2xx status and decodes the response.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the decoded value.
    /// - Throws: the same errors as ``HTTPClient/fetch(_:from:)``.
    public func fetch<Value: HTTPDecodableResponse>(
        _ type: Value.Type,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> Value {
        try await client.fetch(type, from: self)
    }

    /// Sends the request and parses the response.
    ///
    /// - Parameters:
    ///   - parser: the parser of the response, such as `.text`.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the parsed value.
    /// - Throws: the same errors as ``HTTPClient/fetch(_:)``.
    public func fetch<Value: Sendable>(
        _ parser: HTTPResponseParser<Value>,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> Value {
        try await client.fetch(HTTPEndpoint(self, parser))
    }

    /// Sends the request and writes the response body to a file.
    ///
    /// - Parameters:
    ///   - path: the path of the target file or its URL, in an existing directory.
    ///   - options: the download to resume, and the handling of received bytes when the call fails.
    ///     Default: start from the beginning, and keep the bytes of a download that can be resumed.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the complete file.
    /// - Throws: the same errors as ``HTTPClient/download(_:to:options:)``.
    public func download(
        to path: some HTTPFilePath,
        options: HTTPDownloadOptions = HTTPDownloadOptions(),
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        try await client.download(self, to: path, options: options)
    }

    /// Starts downloading the response body to a file and returns the running call.
    ///
    /// - Parameters:
    ///   - path: the path of the target file or its URL, in an existing directory.
    ///   - options: the download to resume, and the handling of received bytes when the call fails.
    ///     Default: start from the beginning, and keep the bytes of a download that can be resumed.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the running call.
    public func startDownload(
        to path: some HTTPFilePath,
        options: HTTPDownloadOptions = HTTPDownloadOptions(),
        in client: HTTPClient = .shared
    ) -> HTTPCall<HTTPDownloadedFile> {
        client.startDownload(self, to: path, options: options)
    }

    /// Sends the request and collects the response, blocking the calling thread.
    ///
    /// ``HTTPClient/blocking`` has the other functions for threads that run no task.
    ///
    /// - Parameter client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the complete response, whatever its status.
    /// - Throws: the same errors as ``HTTPClient/Blocking/send(_:)-(HTTPRequest)``.
    public func runSync(in client: HTTPClient = .shared) throws(HTTPError) -> HTTPResponse {
        try client.blocking.send(self)
    }
}
