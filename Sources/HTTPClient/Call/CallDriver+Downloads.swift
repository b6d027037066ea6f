internal import SocketTransport
internal import Wire

// Calls whose streamed body the client itself reads, so that a retry can follow a lost body.
extension CallDriver {
    /// What a driver adds to a call that another driver has begun.
    ///
    /// It is a class, because calls without it would copy a structure of this size.
    final class Continuation: Sendable {
        enum Role: Sendable {
            /// A request for a part of a file, beside others. Observers are not notified of it.
            case part
            /// Requests that follow those of the first driver.
            case rest
        }

        let driver: CallDriver
        let role: Role
        /// The metrics of the attempts before; empty if the driver's own are added to them later.
        let metrics: HTTPMetrics

        init(_ driver: CallDriver, _ role: Role, after metrics: HTTPMetrics = HTTPMetrics()) {
            (self.driver, self.role, self.metrics) = (driver, role, metrics)
        }
    }

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
    /// Afterwards call ``reopen(after:)`` if the body fails, and in any case at last ``end(_:_:)``.
    ///
    /// - Returns: the response, whose body is not read yet.
    /// - Throws: the error of the call.
    func open() async throws(HTTPError) -> OpenResponse {
        policies.depositRetries(policies.retryBudget(of: request))
        notify(.began)
        return try opened(await inTime { await self.throughCallInterceptors(nil) })
    }

    /// Runs the requests of a ``Continuation`` up to the head of the response.
    ///
    /// - Parameter maxRetries: the maximum number of retries up to the head; nil for that of the call.
    /// - Returns: the response, whose body is not read yet.
    /// - Throws: the error of the requests.
    func openContinuation(maxRetries: Int? = nil) async throws(HTTPError) -> OpenResponse {
        var changed = request
        if let maxRetries { changed.maxRetries = maxRetries }
        return try opened(
            await inTime { [changed] in await self.throughCallInterceptors(sending: changed) }
        )
    }

    /// Retries the request after the body of its response failed.
    ///
    /// The validators judge the failure as they judge that of an attempt, and the limits of
    /// ``HTTPRetryOptions`` apply. The interceptors with scope `.call` do not run again, because they
    /// have returned.
    ///
    /// - Parameter error: the failure of the body, with the metrics of the call.
    /// - Returns: the next response.
    /// - Throws: the error of the call: `error` without a retry.
    func reopen(after error: HTTPError) async throws(HTTPError) -> OpenResponse {
        let request = shared.withLock { shared in
            shared.bodies = [:]
            shared.state.record(.failure(error))
            return shared.retried ?? self.request
        }
        return try opened(
            await inTime {
                await self.loop(request, from: .attempted(request, .failure(error)))
            }
        )
    }

    /// Records that the lost body had new bytes of the file, so that the next retries count from zero again.
    func recordProgress() {
        shared.withLock { $0.state.recordProgress() }
    }

    /// Ends a call with its result, which is that of everything the client did with the response.
    ///
    /// - Parameters:
    ///   - opened: the last response; nil if there is none.
    ///   - error: the error of the call; nil if it succeeded.
    func end(_ opened: OpenResponse?, _ error: HTTPError?) {
        if let error { return notify(.ended(.failure(error))) }
        guard let opened else { preconditionFailure("a call without an error has a response") }
        notify(.ended(.success(opened.response)))
        if let body = opened.body {
            if isObserved { observeEnd(of: body) }
        } else if opened.response.isStreamed {
            // The file has the whole stored body.
            notify(.streamed(opened.response.metrics, nil))
        }
    }

    /// Ends a call whose bodies were parts of one file, and were all read to their ends.
    ///
    /// - Parameters:
    ///   - first: the first response.
    ///   - metrics: the metrics of all attempts.
    func end(_ first: OpenResponse, _ metrics: HTTPMetrics) {
        notify(.ended(.success(first.response)))
        if first.body != nil { notify(.streamed(metrics, nil)) }
    }

    private func opened(_ outcome: CallState.Outcome) throws(HTTPError) -> OpenResponse {
        switch withoutLostBody(outcome) {
        case .success(let response):
            let body = shared.withLock { shared in
                defer { shared.bodies = [:] }
                return shared.bodies[response.serial]
            }
            guard let body, response.isStreamed else {
                let buffered = HTTPStreamedResponse(
                    buffered: response,
                    on: core.engine,
                    limits: core.configuration.limits
                )
                return OpenResponse(streamed: buffered, response: response, body: nil)
            }
            return OpenResponse(
                streamed: streamed(response, body),
                response: response,
                body: body
            )
        case .failure(let error):
            throw completed(error)
        }
    }
}
