extension HTTPClient {
    /// The functions of a client that block the calling thread, for threads that run no Swift task.
    ///
    ///     let response = try client.blocking.send("https://example.com/")
    ///     let user = try client.blocking.fetch(User.self, from: "https://example.com/users/1")
    ///
    /// Use them in command-line tools, for example. Each function returns when it has a result. To observe
    /// or cancel a call, start it and wait for it:
    ///
    ///     let call = client.start(request).onProgress { print($0.completed) }
    ///     let response = try call.wait()
    ///
    /// A function throws `.invalidRequest(.blockingInsideTask)` inside a Swift task, because tasks share their
    /// threads. It throws the same error on the client's event loop, where some callbacks run.
    ///
    /// ``send(_:)-(HTTPRequest)`` and `fetch` run on the calling thread alone. They use separate connections,
    /// which are kept for later blocking calls. The other functions run on the client's own threads and the
    /// connections of its ``HTTPClient/pool``.
    public struct Blocking: Sendable {
        let core: ClientCore

        /// Sends a request and collects the response.
        ///
        /// Other threads are used only to resolve a name, or to produce a body that is not in memory.
        ///
        /// - Throws: the same errors as ``HTTPClient/send(_:)-(HTTPRequest)``;
        ///   `.invalidRequest(.blockingInsideTask)`.
        public func send(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
            try core.sendBlocking(request)
        }

        /// Sends a value that converts to a request, and collects the response.
        ///
        /// A URL is sent as a GET.
        ///
        /// - Throws: the errors of ``send(_:)-(HTTPRequest)``.
        @_disfavoredOverload
        public func send(
            _ request: some HTTPRequestConvertible
        ) throws(HTTPError) -> HTTPResponse {
            try core.sendBlocking(request.httpRequest)
        }

        /// Sends a request, or a GET of a URL, and decodes the response after requiring a 2xx status.
        ///
        /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``; `.rejectedStatus`;
        ///   `.decodingFailed`.
        public func fetch<Value: HTTPDecodableResponse>(
            _ type: Value.Type = Value.self,
            from request: some HTTPRequestConvertible
        ) throws(HTTPError) -> Value {
            try send(request.httpRequest.accepting(Value.accept)).requireSuccess().decode(type)
        }

        /// Sends the request of an endpoint and parses its response.
        ///
        /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``; `.rejectedStatus` for a status that
        ///   the parser does not expect; the errors of the parser.
        public func fetch<Value>(_ endpoint: HTTPEndpoint<Value>) throws(HTTPError) -> Value {
            try endpoint.parser.parse(try send(endpoint.sentRequest))
        }

        /// Sends a request, or a GET of a URL, and returns as soon as the response head has arrived.
        ///
        ///     let response = try client.blocking.stream("https://example.com/film")
        ///     while let chunk = try response.blocking.next() { count += chunk.count }
        ///
        /// ``HTTPStreamedResponse/blocking`` delivers the body as the caller reads it. Back-pressure stops
        /// the server while the caller does not read.
        ///
        /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``. Errors in the body are thrown when
        ///   it is read.
        public func stream(
            _ request: some HTTPRequestConvertible
        ) throws(HTTPError) -> HTTPStreamedResponse {
            let request = request.httpRequest
            return try core.engine.wait(naming: (request.method, request.publicURL)) { [core] in
                do throws(HTTPError) {
                    return .success(try await core.stream(request))
                } catch {
                    return .failure(error)
                }
            }
        }

        /// Sends a request and writes the response body to a file.
        ///
        /// - Parameters:
        ///   - request: the request, usually a GET. A URL is sent as a GET.
        ///   - path: the path of the target file or its URL, in an existing directory.
        ///   - options: the download to resume, and the handling of received bytes when the call fails.
        ///     Default: start from the beginning, and keep the bytes of a download that can be resumed.
        /// - Returns: the complete file.
        /// - Throws: the same errors as ``HTTPClient/download(_:to:options:)``;
        ///   `.invalidRequest(.blockingInsideTask)`.
        public func download(
            _ request: some HTTPRequestConvertible,
            to path: some HTTPFilePath,
            options: HTTPDownloadOptions = HTTPDownloadOptions()
        ) throws(HTTPError) -> HTTPDownloadedFile {
            var request = request.httpRequest
            request.shareRateLimit()
            if request.onProgress != nil {
                try core.checkMayBlock(request)
                let path = try path.httpFilePath
                return try core.startDownload(request, .success(path), options).wait()
            }
            let download = FileDownload(core, request, try path.httpFilePath, options)
            return try core.engine.wait(naming: (request.method, request.publicURL)) {
                await download.result()
            }
        }
    }
}
