internal import SocketTransport

extension HTTPClient {
    /// Sends a request, tells how far its content is, and returns as soon as the head of the response
    /// is there.
    ///
    ///     let response = try await client.stream(request) { upload in
    ///         print(upload.fraction ?? 0)
    ///     }
    ///
    /// All else is as in ``stream(_:)-(HTTPRequest)``. How far the body of the response is, its reader knows.
    ///
    /// - Parameters:
    ///   - request: mostly one with content; without, nothing is told. A URL is sent as a GET.
    ///   - notify: called with news of the upload, as often as ``HTTPProgress`` says, one at a time, on
    ///     any thread; the last time, when the head is there or the call has failed, with one that
    ///     ``HTTPProgress/isFinal``.
    /// - Returns: the response, whose body is still to be read.
    /// - Throws: as ``stream(_:)-(HTTPRequest)``.
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
