internal import SocketTransport

extension HTTPClient {
    /// Sends a request and writes the response body to a file.
    ///
    ///     let file = try await client.download("https://example.com/big.iso", to: "/tmp/big.iso")
    ///
    /// Memory use is small and does not depend on the size of the file. The client writes to a
    /// hidden file next to the target, and renames it to the target when it is complete. A reader
    /// never sees a partial file, and an existing file stays until then. The client requests no
    /// content coding, so that it stores the bytes of the resource itself.
    /// ``HTTPClientSettings/collectLimit`` does not apply.
    ///
    /// Any status other than 2xx throws and changes no file. A canceled call leaves nothing, except
    /// for the bytes of the download that it was to resume. After any other failure, the received
    /// bytes are kept if the download can be resumed.
    ///
    /// The client locks the hidden file (flock) during the download. When the response arrives, it
    /// removes unlocked hidden files of the same target, such as those of a killed process. A
    /// target that is a device, a pipe or a socket is rejected.
    ///
    /// To resume, pass ``HTTPError/resumeData`` or the result of
    /// ``HTTPCall/cancel(byProducingResumeData:)``. The client requests the rest from the origin
    /// that sent the start, on condition that the resource has not changed (If-Range, RFC 9110
    /// §13.1.5). The download starts over if the resource has changed, if another origin responds,
    /// or if the partial bytes are gone. ``HTTPDownloadedFile/resumedOffset`` shows whether it was
    /// resumed. The bytes count as gone unless the hidden file is exactly the one that was left. No
    /// existing file changes until a response continues or replaces it.
    ///
    /// - Parameters:
    ///   - request: the request, usually a GET. A URL is sent as a GET.
    ///   - path: the path of the target file, in an existing directory.
    ///   - data: the download to resume, which must have the same URL. Default nil: start from the
    ///     beginning.
    ///   - action: the handling of received bytes when the call fails. Default
    ///     ``HTTPDownloadFailureAction/keepPartialFile``.
    /// - Returns: the complete file.
    /// - Throws: the errors of ``stream(_:)-(HTTPRequest)`` and of reading a body;
    ///   `.rejectedStatus` with the start of the body; `.resumeFailed` when a response does not
    ///   continue the file; `.fileFailed`; `.invalidRequest(.resumeData(…))`.
    public func download(
        _ request: some HTTPRequestConvertible,
        to path: String,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        let transfer = FileDownload(core, request.httpRequest, path, data, action, nil)
        return try await execute(transfer).get()
    }

    /// Starts downloading a response body to a file and returns the running call.
    ///
    /// The call reports progress. It can be canceled so that the download can be resumed
    /// (``HTTPCall/cancel(byProducingResumeData:)``).
    ///
    /// - Parameters:
    ///   - request: the request, usually a GET. A URL is sent as a GET.
    ///   - path: the path of the target file, in an existing directory.
    ///   - data: the download to resume, which must have the same URL. Default nil: start from the
    ///     beginning.
    ///   - action: the handling of received bytes when the call fails. Default
    ///     ``HTTPDownloadFailureAction/keepPartialFile``.
    /// - Returns: the running call; it behaves as ``download(_:to:resuming:onFailure:)`` describes.
    public func runDownload(
        _ request: some HTTPRequestConvertible,
        to path: String,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile
    ) -> HTTPCall<HTTPDownloadedFile> {
        let request = request.httpRequest
        return HTTPCall(in: core, of: request) { record in
            await self.execute(FileDownload(self.core, request, path, data, action, record))
        }
    }

    /// Sends a request and writes the response body to a file, blocking the calling thread.
    ///
    /// The transfer works as in ``download(_:to:resuming:onFailure:)``, on the client's own threads
    /// and the connections of its ``pool``. It uses none of the threads that Swift tasks share.
    ///
    /// - Parameters:
    ///   - request: the request, usually a GET. A URL is sent as a GET.
    ///   - path: the path of the target file, in an existing directory.
    ///   - data: the download to resume, which must have the same URL. Default nil: start from the
    ///     beginning.
    ///   - action: the handling of received bytes when the call fails. Default
    ///     ``HTTPDownloadFailureAction/keepPartialFile``.
    /// - Returns: the complete file.
    /// - Throws: the same errors as ``download(_:to:resuming:onFailure:)``;
    ///   `.invalidRequest(.blockingInsideTask)` where ``sendBlocking(_:)-(HTTPRequest)`` throws it.
    public func downloadBlocking(
        _ request: some HTTPRequestConvertible,
        to path: String,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile
    ) throws(HTTPError) -> HTTPDownloadedFile {
        let request = request.httpRequest
        let transfer = FileDownload(core, request, path, data, action, nil)
        return try core.runBlocking(for: request) { await self.execute(transfer) }
    }

    /// Runs a transfer on the file thread, because disk access must not block the event loop or a
    /// thread of Swift's pool.
    private func execute(_ transfer: FileDownload) async -> Result<HTTPDownloadedFile, HTTPError> {
        await onLoop(engine.files) { await transfer.execute() }
    }
}

extension HTTPRequest {
    /// Sends the request and writes the response body to a file.
    ///
    /// - Parameters:
    ///   - path: the path of the target file, in an existing directory.
    ///   - data: the download to resume, which must have the same URL. Default nil: start from the
    ///     beginning.
    ///   - action: the handling of received bytes when the call fails. Default
    ///     ``HTTPDownloadFailureAction/keepPartialFile``.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the complete file.
    /// - Throws: the same errors as ``HTTPClient/download(_:to:resuming:onFailure:)``.
    public func download(
        to path: String,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        try await client.download(self, to: path, resuming: data, onFailure: action)
    }

    /// Sends the request and writes the response body to a file, blocking the calling thread.
    ///
    /// - Parameters:
    ///   - path: the path of the target file, in an existing directory.
    ///   - data: the download to resume, which must have the same URL. Default nil: start from the
    ///     beginning.
    ///   - action: the handling of received bytes when the call fails. Default
    ///     ``HTTPDownloadFailureAction/keepPartialFile``.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the complete file.
    /// - Throws: the same errors as ``HTTPClient/downloadBlocking(_:to:resuming:onFailure:)``.
    public func downloadSync(
        to path: String,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile,
        in client: HTTPClient = .shared
    ) throws(HTTPError) -> HTTPDownloadedFile {
        try client.downloadBlocking(self, to: path, resuming: data, onFailure: action)
    }

    /// Starts downloading the response body to a file and returns the running call.
    ///
    /// - Parameters:
    ///   - path: the path of the target file, in an existing directory.
    ///   - data: the download to resume, which must have the same URL. Default nil: start from the
    ///     beginning.
    ///   - action: the handling of received bytes when the call fails. Default
    ///     ``HTTPDownloadFailureAction/keepPartialFile``.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the running call.
    public func runDownload(
        to path: String,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile,
        in client: HTTPClient = .shared
    ) -> HTTPCall<HTTPDownloadedFile> {
        client.runDownload(self, to: path, resuming: data, onFailure: action)
    }
}
