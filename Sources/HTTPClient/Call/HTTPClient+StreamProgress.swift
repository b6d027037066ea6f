internal import SocketTransport

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
        let last = Locked<[HTTPProgress]>([])
        let pursuit = Pursuit<HTTPStreamedResponse>(self) { [self] request throws(HTTPError) in
            try plan(request)
        } attempt: { [self] call in
            do throws(HTTPError) {
                try await enterQueue(call, on: engine.loop)
            } catch {
                return .failure(error)
            }
            let sampler = ProgressSampler(call, on: engine, [.upload])
            let sampling = Task { await sampler.run(notify) }
            let result: Result<HTTPStreamedResponse, HTTPError>
            do throws(HTTPError) {
                result = .success(try await opened(call))
            } catch {
                result = .failure(error)
            }
            sampling.cancel()
            await sampling.value
            // A server that answers early may still be taking content, so the call is the loop's.
            let end = await onLoop(engine.loop) { .success(sampler.last()) }
            last.withLock { $0 = (try? end.get()) ?? [] }
            return result
        }
        var request = request.httpRequest
        request.encodeBody(with: configuration.settings.coders)
        let result = await pursuit.result(request)
        // Only of the last attempt can be said that it was the last.
        let news = last.withLock { $0 }
        if news.isEmpty, let nothing = HTTPProgress.nothingSent(of: request, in: self) {
            notify(nothing)
        }
        for progress in news { notify(progress) }
        return try result.get()
    }
}
