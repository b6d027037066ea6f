internal import SocketTransport

extension HTTPClient {
    /// Sends a request and writes the body of the response into a file.
    ///
    ///     let file = try await client.download("https://example.com/big.iso", to: "/tmp/big.iso")
    ///
    /// Takes the same small memory however large the file. The bytes go into a hidden file beside
    /// the target, which takes the target's place when it is complete: nobody ever sees half a file,
    /// and one that was there before stays until then. Content codings are not asked for, so that the
    /// bytes are the resource's own. ``HTTPClient/Settings/collectLimit`` does not count here.
    ///
    /// Any status but 2xx throws and changes no file. When the call is cancelled nothing is left, but
    /// for the bytes that it was to go on with. When it fails otherwise, what came is kept if the
    /// download can be continued.
    ///
    /// The hidden file is locked (flock) meanwhile. Hidden files of the same target that nobody has locked,
    /// such as those of a process that was killed, are removed when the response is there. A target that is
    /// a device, a pipe or a socket is refused.
    ///
    /// To go on, pass ``HTTPError/resumeData``, or what ``HTTPCall/cancel(byProducingResumeData:)``
    /// gave. The rest is asked for under the condition that the resource is still the same (If-Range,
    /// RFC 9110 §13.1.5), from the origin that sent the start. If it is not, if another origin answers, or
    /// the bytes are gone, the download begins anew: ``HTTPDownloadedFile/resumedOffset`` tells. The bytes count
    /// as gone if the hidden file is not exactly the one that was left. No file
    /// that was there before changes until a response continues or replaces it.
    ///
    /// - Parameters:
    ///   - request: mostly a GET, which a URL becomes.
    ///   - path: where the file is to be; its directory must exist.
    ///   - data: what to go on with; must be of the same URL. Default nil: from the start.
    ///   - action: what becomes of the bytes when the call fails. Default ``HTTPDownloadFailureAction/keepPartialFile``.
    /// - Returns: the file, which is complete.
    /// - Throws: as ``stream(_:)-(HTTPRequest)`` and reading a body; `.rejectedStatus`, with the start of the body;
    ///   `.resumeFailed` when an answer does not continue the file; `.fileFailed`;
    ///   `.invalidRequest(.resumeData(…))`.
    public func download(
        _ request: some HTTPRequestConvertible,
        to path: String,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        let transfer = FileDownload(self, request.httpRequest, path, data, action, nil)
        return try await execute(transfer).get()
    }

    /// Starts to write the body of a response into a file, and returns the running execution.
    ///
    /// It reports progress, and can be ended so that it can be continued
    /// (``HTTPCall/cancel(byProducingResumeData:)``).
    ///
    /// - Parameters:
    ///   - request: mostly a GET, which a URL becomes.
    ///   - path: where the file is to be; its directory must exist.
    ///   - data: what to go on with; must be of the same URL. Default nil: from the start.
    ///   - action: what becomes of the bytes when the call fails. Default ``HTTPDownloadFailureAction/keepPartialFile``.
    /// - Returns: the call; all else is as in ``download(_:to:resuming:onFailure:)``.
    public func runDownload(
        _ request: some HTTPRequestConvertible,
        to path: String,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile
    ) -> HTTPCall<HTTPDownloadedFile> {
        let request = request.httpRequest
        return HTTPCall(in: self, of: request) { record in
            await self.execute(FileDownload(self, request, path, data, action, record))
        }
    }

    /// Sends a request and writes the body of the response into a file while the calling thread waits.
    ///
    /// The bytes take the same way as those of ``download(_:to:resuming:onFailure:)``, by the client's
    /// own threads and the connections of its ``pool``; no thread that tasks share takes part.
    ///
    /// - Parameters:
    ///   - request: mostly a GET, which a URL becomes.
    ///   - path: where the file is to be; its directory must exist.
    ///   - data: what to go on with; must be of the same URL. Default nil: from the start.
    ///   - action: what becomes of the bytes when the call fails. Default ``HTTPDownloadFailureAction/keepPartialFile``.
    /// - Returns: the file, which is complete.
    /// - Throws: as ``download(_:to:resuming:onFailure:)``; `.invalidRequest(.blockingInsideTask)`
    ///   where ``sendBlocking(_:)-(HTTPRequest)`` throws it.
    public func downloadBlocking(
        _ request: some HTTPRequestConvertible,
        to path: String,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile
    ) throws(HTTPError) -> HTTPDownloadedFile {
        let request = request.httpRequest
        let transfer = FileDownload(self, request, path, data, action, nil)
        return try runBlocking(for: request) { await self.execute(transfer) }.get()
    }

    /// On the thread for files: the loop must not wait for a disk, nor one of Swift's pool.
    private func execute(_ transfer: FileDownload) async -> Result<HTTPDownloadedFile, HTTPError> {
        await onLoop(engine.files) { await transfer.execute() }
    }
}

extension HTTPRequest {
    /// Sends the request and writes the body of the response into a file.
    ///
    /// - Parameters:
    ///   - path: where the file is to be; its directory must exist.
    ///   - data: what to go on with; must be of the same URL. Default nil: from the start.
    ///   - action: what becomes of the bytes when the call fails. Default ``HTTPDownloadFailureAction/keepPartialFile``.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the file, which is complete.
    /// - Throws: as ``HTTPClient/download(_:to:resuming:onFailure:)``.
    public func download(
        to path: String,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        try await client.download(self, to: path, resuming: data, onFailure: action)
    }

    /// Sends the request and writes the body of the response into a file while the calling thread waits.
    ///
    /// - Parameters:
    ///   - path: where the file is to be; its directory must exist.
    ///   - data: what to go on with; must be of the same URL. Default nil: from the start.
    ///   - action: what becomes of the bytes when the call fails. Default ``HTTPDownloadFailureAction/keepPartialFile``.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the file, which is complete.
    /// - Throws: as ``HTTPClient/downloadBlocking(_:to:resuming:onFailure:)``.
    public func downloadSync(
        to path: String,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile,
        in client: HTTPClient = .shared
    ) throws(HTTPError) -> HTTPDownloadedFile {
        try client.downloadBlocking(self, to: path, resuming: data, onFailure: action)
    }

    /// Starts to write the body of the response into a file, and returns the running execution.
    ///
    /// - Parameters:
    ///   - path: where the file is to be; its directory must exist.
    ///   - data: what to go on with; must be of the same URL. Default nil: from the start.
    ///   - action: what becomes of the bytes when the call fails. Default ``HTTPDownloadFailureAction/keepPartialFile``.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the call, which is under way.
    public func runDownload(
        to path: String,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile,
        in client: HTTPClient = .shared
    ) -> HTTPCall<HTTPDownloadedFile> {
        client.runDownload(self, to: path, resuming: data, onFailure: action)
    }
}
