extension HTTPClient {
    /// Sends a request, reports the progress of its upload, and returns when the head of the response has arrived.
    ///
    ///     let response = try await client.stream(request) { upload in
    ///         print(upload.fraction ?? 0)
    ///     }
    ///
    /// Otherwise it equals ``stream(_:)-(HTTPRequest)``. It does not report the progress of the response body.
    ///
    /// - Parameters:
    ///   - request: the request. Without content, no progress is reported. A URL is sent as a GET.
    ///   - notify: called with the progress of the upload, as often as ``HTTPProgress`` describes, one call at a
    ///     time, on any thread. The last progress is ``HTTPProgress/isFinal``; it is reported when the head has
    ///     arrived or the call has failed.
    /// - Returns: the response, whose body is read through it.
    /// - Throws: the same errors as ``stream(_:)-(HTTPRequest)``.
    public func stream(
        _ request: some HTTPRequestConvertible,
        onUpload notify: @escaping @Sendable (HTTPProgress) -> Void
    ) async throws(HTTPError) -> HTTPStreamedResponse {
        try await core.stream(request.httpRequest, onUpload: notify)
    }
}
