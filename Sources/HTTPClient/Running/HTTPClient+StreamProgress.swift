extension HTTPClient {
    /// Sends a request, tells how far its content is, and returns as soon as the head of the response
    /// is there.
    ///
    ///     let response = try await client.stream(request) { upload in
    ///         print(upload.fraction ?? 0)
    ///     }
    ///
    /// All else is as in ``stream(_:)``. How far the body of the response is, its reader knows.
    ///
    /// - Parameters:
    ///   - request: mostly one with content; without, nothing is told.
    ///   - tell: called with news of the upload, as often as ``HTTPProgress`` says, one at a time, on
    ///     any thread; the last time, when the head is there or the call has failed, with one that
    ///     ``HTTPProgress/isFinal``.
    /// - Returns: the response, whose body is still to be read.
    /// - Throws: as ``stream(_:)``.
    public func stream(
        _ request: HTTPRequest,
        onUpload tell: @escaping @Sendable (HTTPProgress) -> Void
    ) async throws(HTTPError) -> HTTPStreamedResponse {
        let call: Call
        do throws(HTTPError) {
            call = Call(try plan(request, by: plan))
            try await enterQueue(call, on: engine.loop)
        } catch {
            if let last = HTTPProgress.nothingSent(of: request) { tell(last) }
            throw error
        }
        let sampler = ProgressSampler(call, on: engine, [.upload])
        let sampling = Task { await sampler.run(tell) }
        let result: Result<HTTPStreamedResponse, HTTPError>
        do throws(HTTPError) {
            result = .success(try await opened(call))
        } catch {
            result = .failure(error)
        }
        sampling.cancel()
        await sampling.value
        // A server that answers early may still be taking content, so the call is the loop's.
        let last = await onLoop(engine.loop) { .success(sampler.last()) }
        for progress in (try? last.get()) ?? [] { tell(progress) }
        return try result.get()
    }
}
