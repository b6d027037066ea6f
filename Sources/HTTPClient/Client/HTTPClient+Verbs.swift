// To add a function that runs a request, add it here. The conveniences on requests and endpoints, with `in:`, are in
// `HTTPRequest+Verbs`, the blocking functions for plain threads are in `HTTPClient+Blocking`, and those that decode
// JSON are in the Foundation adapter. The tests are `EntryPoints` and `BlockingTests`.
extension HTTPClient {
    /// Sends a request and collects the response.
    ///
    /// Every status is returned as a response; see ``HTTPResponse/requireSuccess()``. The client
    /// follows redirects (``HTTPRedirectOptions``). It decodes the body (gzip, deflate), which may
    /// have at most ``HTTPClientSettings/collectLimit`` bytes. Canceling the task closes the connection.
    ///
    /// - Throws: every case of ``HTTPError/Kind`` except `.rejectedStatus` and `.decodingFailed`.
    public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        try await core.send(request)
    }

    // The overload above also takes literals, and needs no generic conversion at run time.

    /// Sends a value that converts to a request, such as a URL, and collects the response.
    ///
    ///     let url = "https://api.example.com/users/\(id)"
    ///     let response = try await client.send(url)
    ///
    /// A URL is sent as a GET.
    ///
    /// - Throws: the errors of ``send(_:)-(HTTPRequest)``.
    @_disfavoredOverload
    public func send(
        _ request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> HTTPResponse {
        try await core.send(request.httpRequest)
    }

    /// Sends a request, or a GET of a URL, and decodes the response after requiring a 2xx status.
    ///
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``; `.rejectedStatus`;
    ///   `.decodingFailed`.
    public func fetch<Value: HTTPDecodableResponse>(
        _ type: Value.Type = Value.self,
        from request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> Value {
        try await send(request.httpRequest.accepting(Value.accept)).requireSuccess().decode(type)
    }

    /// Sends the request of an endpoint and parses its response.
    ///
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``; `.rejectedStatus` for a status that
    ///   the parser does not expect; the errors of the parser.
    public func fetch<Value>(_ endpoint: HTTPEndpoint<Value>) async throws(HTTPError) -> Value {
        try endpoint.parser.parse(try await send(endpoint.sentRequest))
    }

    /// Sends a request, or a GET of a URL, and returns as soon as the response head has arrived.
    ///
    /// ``HTTPStreamedResponse/body`` delivers the body as the caller reads it. Back-pressure stops
    /// the server while the caller does not read.
    ///
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``. Errors in the body are thrown when
    ///   it is read.
    public func stream(
        _ request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> HTTPStreamedResponse {
        try await core.stream(request.httpRequest)
    }

    /// Sends a request and writes the response body to a file.
    ///
    ///     let file = try await client.download("https://example.com/big.iso", to: "/tmp/big.iso")
    ///
    /// Memory use is small and does not depend on the size of the file. The client writes to a
    /// hidden file next to the target, and renames it to the target when it is complete. So a reader
    /// never sees a partial file, and an existing target is unchanged until then. The client requests
    /// no content coding, so that it stores the bytes of the resource itself.
    /// ``HTTPClientSettings/collectLimit`` does not apply.
    ///
    /// Any status other than 2xx throws and changes no file. A canceled call removes its hidden file,
    /// unless the call was to resume an earlier download. After any other failure, the received bytes
    /// are kept if the download can be resumed.
    ///
    /// The client locks the hidden file (flock) during the download. When the response arrives, it
    /// removes unlocked hidden files of the same target, such as those of a killed process. A
    /// target that is a device, a pipe or a socket is rejected.
    ///
    /// If the connection is lost in the body and the client retries (``HTTPRetryOptions``), the same call
    /// continues. It requests only the rest if the server identifies the state of the resource, and
    /// otherwise starts over in place. Each continuation counts as a retry. The validators judge the
    /// failure; interceptors with scope `.call` do not run again.
    ///
    /// With ``HTTPDownloadOptions/resume``, the next call with the same target continues this one, also
    /// after a kill or a power failure (<doc:Downloads>).
    ///
    /// To resume with resume data, pass ``HTTPError/resumeData`` or the result of
    /// ``HTTPCall/cancelProducingResumeData()``. The client requests the rest from the origin
    /// that sent the start, on condition that the resource has not changed (If-Range, RFC 9110
    /// §13.1.5). The download starts over if the resource has changed, if another origin responds,
    /// or if the hidden file is missing, was replaced or has changed.
    /// ``HTTPDownloadedFile/resumedOffset`` shows whether the download was resumed. No existing file
    /// changes until a response continues or replaces it.
    ///
    /// - Parameters:
    ///   - request: the request, usually a GET. A URL is sent as a GET.
    ///   - path: the path of the target file or its URL, in an existing directory.
    ///   - options: the download to resume, and the handling of files. Default: start from the
    ///     beginning, keep the bytes of a download that can be resumed, synchronize the file, and replace
    ///     an existing target.
    /// - Returns: the complete file.
    /// - Throws: the errors of ``stream(_:)`` and of reading a body;
    ///   `.rejectedStatus` with the start of the body; `.resumeFailed` when a response does not
    ///   continue the file; `.fileFailed`; `.fileTooLarge`; `.digestMismatch`;
    ///   `.invalidRequest(.resumeData(…))`.
    public func download(
        _ request: some HTTPRequestConvertible,
        to path: some HTTPFilePath,
        options: HTTPDownloadOptions = HTTPDownloadOptions()
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        var request = request.httpRequest
        request.shareRateLimit()
        let path = try path.httpFilePath
        guard request.onProgress != nil else {
            return try await FileDownload(core, request, path, options).result().get()
        }
        let call = core.startDownload(request, .success(path), options)
        let result = await withTaskCancellationHandler {
            await call.result
        } onCancel: {
            call.cancel()
        }
        return try result.get()
    }
}

// MARK: - Started calls

extension HTTPClient {
    /// Starts a request, or a GET of a URL, and returns the running call.
    ///
    /// The call ends with the response, whatever its status.
    public func start(_ request: some HTTPRequestConvertible) -> HTTPCall<HTTPResponse> {
        start(HTTPEndpoint(request.httpRequest, .passthrough))
    }

    /// Starts the request of an endpoint and returns the running call, which parses the response.
    public func start<Value>(_ endpoint: HTTPEndpoint<Value>) -> HTTPCall<Value> {
        HTTPCall(in: core, of: endpoint.request) { [core] record in
            await core.run(endpoint, record)
        }
    }

    /// Starts a request, or a GET of a URL, and returns the running call, which ends when the response head
    /// has arrived.
    ///
    ///     let call = client.startStream(upload).onProgress { print($0.completed) }
    ///     let response = try await call.value
    ///
    /// The call reports the progress of the upload. It reports neither the progress of the response body nor
    /// a complete response, because the body is read afterwards. The call keeps the response, and so its
    /// connection, until the last reference to the call is gone.
    ///
    /// - Parameter request: the request. Without content, no progress is reported. A URL is sent as a GET.
    /// - Returns: the running call; it behaves as ``stream(_:)`` describes.
    public func startStream(
        _ request: some HTTPRequestConvertible
    ) -> HTTPCall<HTTPStreamedResponse> {
        let request = request.httpRequest
        return HTTPCall(in: core, of: request, reporting: [.upload]) { [core] record in
            await core.stream(request, record)
        }
    }

    /// Starts downloading a response body to a file and returns the running call.
    ///
    /// The call reports progress. It can be canceled so that the download can be resumed
    /// (``HTTPCall/cancelProducingResumeData()``).
    ///
    /// - Parameters:
    ///   - request: the request, usually a GET. A URL is sent as a GET.
    ///   - path: the path of the target file or its URL, in an existing directory.
    ///   - options: the download to resume, and the handling of received bytes when the call fails.
    ///     Default: start from the beginning, and keep the bytes of a download that can be resumed.
    /// - Returns: the running call; it behaves as ``download(_:to:options:)`` describes.
    public func startDownload(
        _ request: some HTTPRequestConvertible,
        to path: some HTTPFilePath,
        options: HTTPDownloadOptions = HTTPDownloadOptions()
    ) -> HTTPCall<HTTPDownloadedFile> {
        let request = request.httpRequest
        let path = Result { () throws(HTTPError) in try path.httpFilePath }
        return core.startDownload(request, path, options)
    }
}

extension ClientCore {
    /// Starts a download to a file.
    func startDownload(
        _ request: HTTPRequest,
        _ path: Result<String, HTTPError>,
        _ options: HTTPDownloadOptions
    ) -> HTTPCall<HTTPDownloadedFile> {
        var request = request
        request.shareRateLimit()
        return HTTPCall(in: self, of: request) { [self, request] record in
            record.progress.count(downloadsBy: .writer)
            return switch path {
            case .success(let path):
                await FileDownload(self, request, path, options, record).result()
            case .failure(let error): .failure(error)
            }
        }
    }
}
