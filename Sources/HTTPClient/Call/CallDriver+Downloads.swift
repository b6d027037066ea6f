internal import SocketTransport
internal import Wire

// Calls whose streamed body the client itself reads, so that a retry can follow a lost body.
extension CallDriver {
    /// A response whose body is being read, while the call can still continue.
    struct OpenResponse: Sendable {
        /// The response as the reader of the body gets it.
        let streamed: HTTPStreamedResponse
        fileprivate let response: HTTPResponse
        /// The body on its connection; nil if an interceptor created the response.
        fileprivate let body: StreamingBody?
    }

    /// Runs the call up to the head of its response.
    ///
    /// Afterwards call ``reopen(_:after:)`` if the body fails, and ``end(_:)`` otherwise.
    ///
    /// - Throws: the error of the call, which has then ended.
    func open() async throws(HTTPError) -> OpenResponse {
        policies.depositRetries(by: request.retries ?? policies.retries)
        notify(.began)
        return try opened(await inTime { await self.throughCallInterceptors(nil) })
    }

    /// Retries the request after the body of its response failed.
    ///
    /// The validators judge the failure as they judge that of an attempt, and the limits of
    /// ``HTTPRetryOptions`` apply. The interceptors with scope `.call` do not run again, because they
    /// have returned.
    ///
    /// - Parameters:
    ///   - former: the response whose body failed.
    ///   - error: the failure, with the metrics of the call.
    /// - Returns: the next response.
    /// - Throws: the error of the call, which has then ended: `error` without a retry.
    func reopen(
        _ former: OpenResponse,
        after error: HTTPError
    ) async throws(HTTPError) -> OpenResponse {
        let (request, retries) = shared.withLock { shared in
            shared.bodies = [:]
            shared.state.record(.failure(error))
            return (shared.retried ?? self.request, shared.state.retryCount)
        }
        let outcome = await inTime {
            await self.loop(request, from: .attempted(request, .failure(error)))
        }
        if case .failure(let error) = outcome,
            shared.withLock({ $0.state.retryCount }) == retries
        {
            end(former)
            throw completed(error)
        }
        return try opened(outcome)
    }

    /// Ends a call after the body of its response.
    ///
    /// The body was read, has failed, or will be dropped.
    func end(_ opened: OpenResponse) {
        notify(.ended(.success(opened.response)))
        if let body = opened.body { observeEnd(of: body) }
    }

    private func opened(_ outcome: CallState.Outcome) throws(HTTPError) -> OpenResponse {
        switch withoutLostBody(outcome) {
        case .success(let response):
            let body = shared.withLock { shared in
                defer { shared.bodies = [:] }
                return shared.bodies[response.serial]
            }
            guard let body, response.isStreamed else {
                let buffered = HTTPStreamedResponse(buffered: response, on: core.engine)
                return OpenResponse(streamed: buffered, response: response, body: nil)
            }
            return OpenResponse(
                streamed: streamed(response, body),
                response: response,
                body: body
            )
        case .failure(let bare):
            let error = completed(bare)
            notify(.ended(.failure(error)))
            throw error
        }
    }
}
